// A list with more values than it has room for is refused, not read past its end.
#include <cstddef>
#include <string>
#include <tpuplan/json.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_json_value_tests {

TEST_CASE("a count beyond its list is refused by the text and the value", "[json][door]") {
  own_runs runs;
  CHECK(says(json_text(runs), "\"value\": []"));
  runs.count = most_own_runs;
  CHECK_FALSE(refusal_of([&] { (void)json_text(runs); }).refused);
  runs.count = std::size_t{1} << 40;
  const refusal got = refusal_of([&] { (void)json_text(runs); });
  CHECK(got.code == errc::out_of_range);
  CHECK(says(got.message, "count is 1099511627776; valid: no more than the list has room for"));
  CHECK(refusal_of([&] { (void)nlohmann::json(runs); }).refused);
}

}  // namespace unit_json_value_tests

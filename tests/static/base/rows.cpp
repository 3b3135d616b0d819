// Edges of base/rows.hpp. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/base/rows.hpp>

using namespace tpuplan;

namespace static_base_rows_tests {

namespace {

static_assert([] {
  std::string_view list = " v5e  v6e";
  return detail::take_word(list) == "v5e" && detail::take_word(list) == "v6e" && detail::take_word(list).empty();
}());
static_assert(detail::is_listed("v5e v6e", "V6E") && !detail::is_listed("v5e v6e", "v6") && !detail::is_listed("", ""));

enum class colour : std::uint8_t { red, green };
struct row {
  colour kind;
  int value;
};
constexpr row rows[] = {{colour::red, 1}, {colour::green, 2}};
static_assert(detail::row_at(rows, colour::green).value == 2 && detail::row_at(rows, colour{9}).value == 1);

}  // namespace

}  // namespace static_base_rows_tests

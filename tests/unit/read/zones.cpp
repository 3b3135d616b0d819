// Which zone has which generation.
#include <string>
#include <tpuplan/read/zones.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_zones_tests {

namespace {

const std::vector<zone_row>& rows() {
  static const std::vector<zone_row> all = load_zones(std::string(TPUPLAN_DATA_DIR) + "/zones.json");
  return all;
}

}  // namespace

TEST_CASE("zones have generations, and generations zones") {
  CHECK(region_of_zone("us-east5-b") == "us-east5");
  CHECK(zones_with(rows(), "v4") == std::vector<std::string>{"us-central2-b"});
  CHECK(generations_in(rows(), "us-east5-b") == std::vector<std::string>{"v5e", "v5p", "v6e"});
  CHECK(generations_in(rows(), "moon-north1-a").empty());
  CHECK(rows_of_zone(rows(), "us-central2-b").size() == 2);
  CHECK(read_zones({{"rows", nlohmann::json::array()}}, "file").empty());
}

TEST_CASE("a zone that lacks a generation is refused with those that have it") {
  CHECK_FALSE(refusal_of([] { check_zone(rows(), "us-central2-b", "v4"); }).refused);
  const refusal other = refusal_of([] { check_zone(rows(), "us-east5-b", "v4"); });
  CHECK(other.code == errc::unsupported);
  CHECK(says(other.message, "zone of v4 is us-east5-b; valid: us-central2-b (as sources of 2026-09-17"));
  CHECK_FALSE(refusal_of([] { check_zone(rows(), "us-east5-b", "my chip"); }).refused);
}

TEST_CASE("a document of another form is refused by its key") {
  const auto refused = [](const char* text) {
    return refusal_of([&] { (void)read_zones(nlohmann::json::parse(text), "file"); }).message;
  };
  CHECK(says(refused("{}"), "file.rows"));
  CHECK(says(refused(R"({"rows": [{"zone": "a-b"}]})"), "generation"));
  CHECK(says(refused(R"({"rows": [{"zone": "a", "generation": "v6e", "service": "gke", "date": "d", "confidence": "low",
                        "source": "s", "provisioning": ["gratis"]}]})"),
             "gratis"));
}

}  // namespace read_zones_tests

// Which zone has which generation.
#include <algorithm>
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

TEST_CASE("the zones that the headers know are those of the file") {
  const std::vector<zone_row> known = built_in_zones();
  const auto is_like = [](const zone_row& a, const zone_row& b) {
    return a.zone == b.zone && a.generation == b.generation && a.only == b.only && a.single_tenant == b.single_tenant;
  };
  const auto count_in = [&](const std::vector<zone_row>& all, const zone_row& one) {
    return std::count_if(all.begin(), all.end(), [&](const zone_row& other) { return is_like(one, other); });
  };
  for (const zone_row& one : rows()) CHECK(count_in(known, one) == 1);
  for (const zone_row& one : known) CHECK(count_in(rows(), one) >= 1);
}

TEST_CASE("a way of paying has zones of its own") {
  CHECK(zones_with(rows(), "v5p", provisioning::flex_start) == std::vector<std::string>{"us-east5-a", "us-central1-a"});
  CHECK_FALSE(refusal_of([] { check_zone(rows(), "us-east1-d", "v6e", provisioning::spot); }).refused);
  const refusal other = refusal_of([] { check_zone(rows(), "us-east1-d", "v6e", provisioning::flex_start); });
  CHECK(other.code == errc::unsupported);
  CHECK(says(other.message, "zone of v6e on flex_start is us-east1-d; valid: asia-northeast1-b"));
  for (const char* zone : {"us-east5-a", "us-east5-b", "us-central1-a", "europe-west4-a", "southamerica-west1-a",
                           "asia-northeast1-b", "us-south1-ai1b"})
    CHECK_FALSE(refusal_of([&] { check_zone(rows(), zone, "v6e", provisioning::flex_start); }).refused);
  for (const char* zone : {"us-west4-a", "europe-west4-b", "us-central1-a"})
    CHECK_FALSE(refusal_of([&] { check_zone(rows(), zone, "v5e", provisioning::flex_start); }).refused);
  CHECK(zones_with(rows(), "tpu7x", provisioning::calendar) == std::vector<std::string>{"us-central1-c"});
  CHECK(refusal_of([] { check_region_of_zones(rows(), "us-east1", "v6e", provisioning::flex_start); }).refused);
  CHECK(zones_with(rows(), "v4", provisioning::flex_start) == zones_with(rows(), "v4"));  // nothing is said of it
}

TEST_CASE("zones for single tenants are offered only to who names them") {
  for (const char* zone : {"us-east4-a", "us-east4-b", "us-east5-c"})
    CHECK(is_for_single_tenants(rows(), zone, "v6e", provisioning::spot));
  for (const char* zone : {"us-east5-b", "us-east5-c", "us-south1-a"})
    CHECK(is_for_single_tenants(rows(), zone, "v5p", provisioning::on_demand));
  CHECK(is_for_single_tenants(rows(), "us-west1-c", "v6e", provisioning::on_demand));
  CHECK_FALSE(is_for_single_tenants(rows(), "us-east5-b", "v6e", provisioning::spot));
  CHECK_FALSE(refusal_of([] { check_zone(rows(), "us-east4-a", "v6e", provisioning::spot); }).refused);
  const std::vector<std::string> open = open_zones_with(rows(), "v5p", provisioning::spot);
  CHECK(std::find(open.begin(), open.end(), "us-east5-a") != open.end());
  CHECK(std::find(open.begin(), open.end(), "us-east5-b") == open.end());
  CHECK_FALSE(is_for_single_tenants(rows(), "us-west1-c", "v6e", provisioning::spot));
  CHECK(offer_in_region(rows(), "us-east4", "v6e", provisioning::spot) == region_offer::single_tenants);
  CHECK(offer_in_region(rows(), "us-east5", "v6e", provisioning::spot) == region_offer::everyone);
  CHECK(offer_in_region(rows(), "europe-west2", "tpu7x", provisioning::on_demand) == region_offer::no_zone);
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

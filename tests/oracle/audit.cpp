// The second audit of the facts, row by row: each says what a source of that date has and where it stands in data/ or
// in a page, and the functions that read these rows answer as they say.

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/ask/payment.hpp>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch.hpp>
#include <tpuplan/parallel/interconnect.hpp>
#include <tpuplan/read/prices.hpp>
#include <tpuplan/read/zones.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace audit_tests {
using nlohmann::json;

namespace {

const std::string tree = TPUPLAN_DATA_DIR "/../";

/// Whether a row has those values; null: it has no such key.
bool matches(const json& row, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    if (value.is_null() ? row.contains(key) : !row.contains(key) || row.at(key) != value) return false;
  }
  return true;
}

/// How the tree contradicts a row of the audit: "" if it does not.
std::string problem_of(const json& audited) {
  const std::string file = tree + audited.at("file").get<std::string>();
  if (audited.contains("silent")) {
    const std::string text = detail::characters_of(file, {});
    return text.find(audited.at("silent").get<std::string>()) == std::string::npos ? "" : "speaks of it";
  }
  if (audited.contains("says")) {
    const std::string text = detail::characters_of(file, {});
    return text.find(audited.at("says").get<std::string>()) == std::string::npos ? "does not say so" : "";
  }
  const json document = load_json(file);
  const auto at = [&](const char* key) { return json::json_pointer(audited.at(key).get<std::string>()); };
  if (audited.contains("absent")) return document.contains(at("absent")) ? "is there" : "";
  if (audited.contains("at")) return document.at(at("at")) == audited.at("is") ? "" : document.at(at("at")).dump();
  const bool none = audited.contains("none");
  std::size_t found = 0;
  for (const json& row : document.at(at(none ? "none" : "rows"))) {
    if (!matches(row, audited.at("where"))) continue;
    ++found;
    if (!none && !matches(row, audited.at("has"))) return row.dump();
  }
  return (found == 0) == none ? "" : none ? "there is one" : "no such row";
}

}  // namespace

TEST_CASE("every row of the second audit is as its source says") {
  const json audit = load_json(TPUPLAN_TESTS_DIR "/oracle/audit_2026_11_b.json");
  REQUIRE(audit.at("rows").size() >= 100);
  for (const json& audited : audit.at("rows")) {
    INFO(audited.at("fact").get<std::string>()
         << " (" << audited.at("source").get<std::string>() << ", " << audited.at("date").get<std::string>() << ")");
    CHECK_FALSE(audited.at("source").get<std::string>().empty());
    CHECK_FALSE(audited.at("date").get<std::string>().empty());
    CHECK(problem_of(audited) == "");
  }
}

// Flex-start rates change in November 2026, and no copy has the new ones: of 10 hours on v6e-32 spot is the cheapest.
TEST_CASE("a price from before an announced change is not called the cheapest") {
  pay_request asked;
  asked.slice = "v6e-32";
  asked.run = 10_h;
  const pay_answer answer = answer_to(asked, price_book{});
  REQUIRE_FALSE(answer.ways.empty());
  CHECK(answer.ways.front().kind == provisioning::flex_start);
  CHECK(answer.ways.front().superseded);
  CHECK(answer.cheapest == provisioning::spot);
  asked.parameters = 8000000000;
  asked.region = "us-east5";
  const owned_price_book all = load_prices(TPUPLAN_DATA_DIR "/prices.json");
  const pay_answer kept = answer_to(asked, all.book());
  REQUIRE(kept.checkpoints);  // for as long as the cheapest way takes
  const storage_cost stored = cost_of_checkpoints(training_state_of(8000000000, dtype::fp32), 3,
                                                  cheapest(kept.ways)->wall, *find_storage_price("us-east5"));
  CHECK(kept.checkpoints->total == stored.total);
}

TEST_CASE("the walk over the audit finds what contradicts it") {
  json row = {{"file", "data/gpus.json"}, {"rows", "/rows"}, {"where", {{"name", "L4"}}}, {"has", {{"machine", "x"}}}};
  CHECK_FALSE(problem_of(row).empty());
  row["where"]["name"] = "L5";
  CHECK(problem_of(row) == "no such row");
  CHECK(problem_of({{"file", "docs/launch.md"}, {"says", "TPUs on the moon"}}) == "does not say so");
  CHECK(problem_of({{"file", "docs/launch.md"}, {"silent", "Quotas"}}) == "speaks of it");
  CHECK(problem_of({{"file", "data/launch.json"}, {"absent", "/jax"}}) == "is there");
  CHECK_FALSE(problem_of({{"file", "data/launch.json"}, {"at", "/gcluster/newer_than/--env"}, {"is", "v1"}}).empty());
  CHECK(problem_of({{"file", "data/gpus.json"}, {"none", "/rows"}, {"where", {{"name", "L4"}}}}) == "there is one");
}

TEST_CASE("what the second audit changed, in the functions") {
  // Slices by the VM that they are on: 200 Gbit/s for eight chips, 400 for four (Compute Engine page, 2026-08-26).
  const slice eight = slice_for("ct6e-standard-8t:2x4"), four = slice_for("ct6e-standard-4t:2x4");
  CHECK(close(4 * dcn_rate(eight).value(), dcn_rate(four).value()));
  // flex-start where no source has it is refused (field note on the TPU Builders guide, 2026).
  const std::vector<zone_row> zones = read_zones(load_json(TPUPLAN_DATA_DIR "/zones.json"), "zones.json");
  CHECK(refusal_of([&] { check_zone(zones, "us-east1-d", "v6e", provisioning::flex_start); }).refused);
  CHECK_FALSE(refusal_of([&] { check_zone(zones, "us-east5-a", "v6e", provisioning::flex_start); }).refused);
  CHECK(is_for_single_tenants(zones, "us-east4-a", "v6e", provisioning::on_demand));
  CHECK_FALSE(is_for_single_tenants(zones, "us-west1-c", "v6e", provisioning::spot));
  // v4 has no fp8 and no int4 operand (JAX tpu_info.py, 2026-08-08).
  CHECK(v4.peak.fp8.is_absent());
  CHECK(v4.peak.int4.is_absent());
  // XPK is the last target that is suggested.
  CHECK(std::end(launch_targets)[-1].name == "xpk");
  // torch_tpu is refused by its name.
  for (const char* name : {"torch_tpu", "vllm-torchtpu"})
    CHECK(says(refusal_of([&] { (void)serving_engine_for(name); }).message, "a registry that is not public"));
  launch_request request;
  request.name = "job";
  request.where = slice_for("tpu7x-8");
  request.framework = "torch_tpu";
  CHECK(says(refusal_of([&] { validate(request); }).message, "torch_tpu comes in an image alone"));
}

}  // namespace audit_tests

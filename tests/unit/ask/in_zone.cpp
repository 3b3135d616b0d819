// A question that names a zone is one of the chips and the prices there.
#include <tpuplan/ask/in_zone.hpp>

#include "support/ask.hpp"
#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;
using nlohmann::json;

namespace ask_in_zone_tests {

namespace {

const question_row plan_like[] = {rows::words("zone", "--zone", "Zone", ""), rows::words("regions", "--region", "", ""),
                                  rows::words("generations", "--generation", "", "")};
const question_row run_like[] = {rows::words("zone", "--zone", "Zone", ""), rows::words("region", "--region", "", "")};
const question_row other[] = {rows::words("zone", "--zone", "Zone", "")};

json of_plan(const json& request) { return detail::in_its_zone(request, {{plan_like}}); }
json of_run(const json& request) { return detail::in_its_zone(request, {{run_like}}); }
std::string refused(const json& request) {
  return refusal_of([&] { (void)of_plan(request); }).message;
}

}  // namespace

TEST_CASE("a plan in a zone has its chips and the prices of its region", "[ask]") {
  const json kept = of_plan({{"zone", "us-central2-b"}});
  CHECK(kept["generations"] == json({"v4", "v6e"}));
  CHECK(kept["regions"] == json({"us-central2"}));
  const json named = of_plan({{"zone", "us-east5-b"}, {"generations", {"v6e"}}, {"regions", {"us"}}});
  CHECK(named["generations"] == json({"v6e"}));
  CHECK(named["regions"] == json({"us"}));
  CHECK(says(refused({{"zone", "us-central2-b"}, {"generations", {"v5p"}}}), "zone of v5p is us-central2-b"));
  CHECK(says(refused({{"zone", "us-east5-b"}, {"regions", {"europe-west4"}}}),
             "region is europe-west4 with zone us-east5-b"));
  CHECK(says(refused({{"zone", "us-east5"}}), "zone is us-east5; valid: a zone of this region: us-east5-"));
  CHECK(says(refused({{"zone", "moon-a"}}), "each with its letter"));
}

TEST_CASE("a run in a zone has the region, and a slice that the zone has", "[ask]") {
  CHECK(of_run({{"zone", "us-east5-b"}, {"slice", "v6e-8"}})["region"] == "us-east5");
  CHECK(of_run({{"zone", "us-east5-b"}, {"region", "us"}})["region"] == "us");
  CHECK(says(refusal_of([] {
               (void)of_run({{"zone", "us-central2-b"}, {"slice", "v5p-8"}});
             }).message,
             "zone of v5p is us-central2-b"));
}

TEST_CASE("questions without a zone, or without prices of places, are as they were", "[ask]") {
  const json bare = {{"slice", "v6e-8"}};
  CHECK(of_run(bare) == bare);
  CHECK(detail::in_its_zone({{"zone", "us-east5-b"}}, {{other}}) == json({{"zone", "us-east5-b"}}));
  CHECK(of_plan({{"zone", 5}}) == json({{"zone", 5}}));
  // What is given stays, also where its reader refuses it.
  const json odd = {{"zone", "us-east5-b"}, {"regions", 5}, {"generations", {"v6e", 5}}};
  CHECK(of_plan(odd) == odd);
  CHECK(of_run({{"zone", "us-east5-b"}, {"region", 5}})["region"] == 5);
  CHECK(of_plan(json(5)) == json(5));
}

TEST_CASE("ask plans in a zone as the command line does", "[ask]") {
  const json config = {{"model_type", "llama"}};
  const json question = {{"schema", "tpuplan/1"},
                         {"question", "plan"},
                         {"request", {{"config", config}, {"tokens", 1e10}, {"zone", "us-central2-b"}}}};
  const nlohmann::ordered_json answer = ask(question);
  REQUIRE(answer.contains("answer"));
  REQUIRE_FALSE(answer["answer"]["plans"].empty());
  for (const auto& row : answer["answer"]["plans"]) CHECK(row["region"] == "us-central2");
}

}  // namespace ask_in_zone_tests

// Where the fields that the library's refusals name stand in a request.
#include <tpuplan/ask/field_place.hpp>

#include "support/catch.hpp"

using namespace tpuplan;

namespace ask_field_place_tests {

TEST_CASE("fields of the library have places in a request") {
  CHECK(place_of_field("training_job.remat") == "job.remat");
  CHECK(place_of_field("serving_job.prompt.mean") == "job.prompt.mean");
  CHECK(place_of_field("serving_layout.tensor") == "mesh.tensor");
  CHECK(place_of_field("spot_run: work") == "work");
  CHECK(place_of_field("plan.deadline") == "deadline");
  CHECK(place_of_field("sweep_request.job.global_batch") == "job.global_batch");
  CHECK(place_of_field("model.attention.heads") == "model.attention.heads");
  CHECK(place_of_field("tokens in a step") == "tokens");
  CHECK(place_of_field("zone of v5p on spot") == "zone");
  CHECK(last_of_path("job.remat") == "remat");
  CHECK(last_of_path("tokens") == "tokens");
  CHECK(path_without_unit("deadline_s") == "deadline");
  CHECK(path_without_unit("job.request_rate_per_s") == "job.request_rate");
  CHECK(path_without_unit("budget_usd_per_s") == "budget");
  CHECK(path_without_unit("host_cache_gib") == "host_cache");
  CHECK(path_without_unit("_s").empty());
  CHECK(without_figure("DCN rate of the chip", "unknown").substr(0, 10) == "one slice:");
  CHECK(without_figure("DCN rate of the chip", "0").empty());
  CHECK(without_figure("chip.ici", "unknown").empty());
}

}  // namespace ask_field_place_tests

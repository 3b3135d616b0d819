// What the library says of a remat policy that was added as docs/change.md says.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/ask/schema.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/launch/maxtext.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/read/runs/training.hpp>

#include "check.hpp"

using namespace tpuplan;

static_assert(parse_remat_policy("made_up") == remat::made_up && name(remat::made_up) == "made_up");

int main() {
  const transformer model = llama();
  training_job job = training();
  const slice where = slice_for("v5p-128");
  const auto kept = [&](const remat_policy& policy) {
    job.remat = policy;
    return memory_use(model, job, fsdp_layout(where), where).activations;
  };
  check(kept(remat::made_up) > kept(remat::full) && kept(remat::made_up) < kept(remat::minimal),
        "it keeps two tensors");
  check(read_json<remat_policy>("made_up") == remat::made_up, "JSON reads it");
  const nlohmann::json record = {{"remat", "made_up"}};
  check(detail::record_remat(json_object(record, "record")) == remat::made_up, "records name it");
  plan_request request;
  request.model = model;
  request.job = job;
  const detail::policy_list searched = detail::policies_of(request);
  check(std::find(searched.items.begin(), searched.items.end(), remat::made_up) != searched.items.end(),
        "plans try it");
  check(detail::maxtext_remat(remat::made_up).front() == "remat_policy=custom", "MaxText gets it tensor by tensor");
  nlohmann::ordered_json definitions;
  (void)detail::schema_for(detail::schema_of<training_job>::value, definitions);
  check(definitions.dump().find("\"made_up\"") != std::string::npos, "the schema, which the page reads, lists it");
  return failures == 0 ? 0 : 1;
}

// What the library says of an optimizer that was added as docs/change.md says.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/launch/maxtext.hpp>
#include <tpuplan/read/maxtext.hpp>
#include <tpuplan/read/runs/training.hpp>

#include "check.hpp"

using namespace tpuplan;

static_assert(parse_optimizer("Made_Up") == optimizer_kind::made_up);
static_assert(optimizer_bytes_per_parameter(optimizer_kind::made_up, dtype::bf16) == bytes{6.25});
static_assert(names_of<optimizer_kind>() == "adamw, adafactor, lion, sgd_momentum, lars, lamb, sgd, adam, adamh or made_up");

int main() {
  const transformer model = llama();
  training_job job = training();
  const slice where = slice_for("v5p-128");
  const auto kept = [&](optimizer_kind optimizer) {
    job.optimizer = optimizer;
    return memory_use(model, job, fsdp_layout(where), where).optimizer;
  };
  const double ratio = kept(optimizer_kind::made_up) / kept(optimizer_kind::adamw);
  check(ratio > 1.531 && ratio < 1.532, "it keeps 12.25 bytes where AdamW keeps 8");
  check(nlohmann::json(optimizer_kind::made_up) == "made_up", "JSON names it");
  try {
    (void)read_json<training_job>({{"optimizer", "other"}});
    check(false, "another name is refused");
  } catch (const error& refusal) {
    check(refusal.valid().find("adamh, made_up") != std::string::npos, "refusals list it");
  }
  const nlohmann::json record = {{"optimizer", "made_up"}};
  check(detail::record_optimizer(json_object(record, "record")) == optimizer_kind::made_up, "records name it");
  maxtext_run run;
  run.job = job;
  run.job.optimizer = optimizer_kind::made_up;
  const std::vector<std::string> written = detail::maxtext_types(run.job);
  check(written.size() == 1 && written[0] == "opt_type=made_up_pax", "MaxText has its own name of it");
  maxtext_keys keys;
  for (const char* argument : {"model_name=llama3.1-8b", "opt_type=made_up_pax"}) add_maxtext_argument(keys, argument);
  check(read_maxtext(std::move(keys), where, 1).job.optimizer == optimizer_kind::made_up, "and is read by it");
  return failures == 0 ? 0 : 1;
}

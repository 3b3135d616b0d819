// What tpuplan plan --items-per-hour answers.
#include <tpuplan/ask/plan_generation.hpp>
#include <tpuplan/show/views/plan_generation.hpp>

#include "cli/plan.hpp"
#include "cli/report.hpp"
#include "cli/train_generation.hpp"

namespace cli {

using namespace tpuplan;

namespace {

/// The question: what images and clips are asked with, and the options that training has too.
asked_generation_plan asked_of(const plan_options& given, const session& with) {
  nlohmann::json request = given.generation;
  if (given.epochs.steps) request["make"]["steps"] = *given.epochs.steps;
  asked_generation_plan asked = read_request<asked_generation_plan>(request);
  if (with.is_given("--weights")) asked.make.weights = *given.job.weights;
  asked.batch = given.job.job.global_batch;
  fill_limits(given.asked, with.is_given("--max-chips"), asked);
  if (given.asked.budget) asked.budget = usd_per_hour(given.asked.budget->value());
  asked.most_plans = given.rows.value_or(asked.most_plans);
  return asked;
}

/// The command that looks at the best plan more closely.
std::string generate_command(const generation_plan_row& best, const session& with) {
  const auto count = [](std::int64_t value) { return std::to_string(value); };
  std::vector<follow_up_option> own = {{"--slice", best.slice},
                                       {"--batch", count(best.batch)},
                                       {"--data", count(best.mesh.data)},
                                       {"--fsdp", count(best.mesh.fsdp)},
                                       {"--tensor", count(best.mesh.tensor)},
                                       {"--context", count(best.mesh.context)}};
  if (best.slices > 1) own.emplace_back("--slices", count(best.slices));
  if (best.mesh.context > 1) own.emplace_back("--context-exchange", std::string(name(best.mesh.exchange)));
  if (best.kind != provisioning::on_demand) own.emplace_back("--provisioning", std::string(name(best.kind)));
  if (best.region != "us") own.emplace_back("--region", best.region);
  return follow_up(with, "generate", own, {"--region", "--provisioning"});
}

}  // namespace

void plan_of_items(const plan_options& given, const price_book& prices, session& with) {
  const asked_generation_plan asked = asked_of(given, with);
  std::vector<assumption> read;
  const diffusion_pipeline pipeline = load_pipeline(given.job.config == "-" ? "/dev/stdin" : given.job.config, read);
  const generation_plan_document document = answer_to_plan_generation(
      filled(pipeline, std::move(read), asked.make, asked.batch > 0 ? asked.batch : 1), asked, prices);
  if (document.plans.empty()) with.status = 1;
  view shown = view_of(document, view_options_of(with));
  if (!document.plans.empty()) {
    shown.next.front().command = generate_command(document.plans.front(), with);
    const auto& best = document.plans.front();
    if (best.maxdiffusion_refuses.empty()) {
      maxdiffusion_run made = run_of(document, document.size, false);
      made.job = document.job;
      add_launch(shown, made, slice_for(best.slice), 1, best.kind);
    }
  }
  answer(with, shown, [&] { return ordered_json(document); });
}

}  // namespace cli

// A decision of a million dollars: 6e12 tokens for a model of 8 billion parameters, within 60 days and $1M. Which way
// of paying, on which slices, with what chance, and what would change the answer?
#include <cstdio>
#include <string>
#include <tpuplan/estimate/training/critical_batch.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/plan/sensitivity.hpp>
#include <tpuplan/read/hf.hpp>

using namespace tpuplan;

namespace {

plan_request question(const std::string& data) {
  plan_request request;
  request.model = load_hf_config(data + "/models/llama-3.1-8b.json").model;
  request.job.sequence_length = 8192;
  request.tokens = 6e12;
  request.job.global_batch = 1024;
  request.generations = {"v5p", "v6e"};
  request.smallest_chips = 256;
  request.largest_chips = 768;
  request.largest_slices = 3;
  request.deadline = 60_days;
  request.budget = usd{1e6};
  return request;
}

// A plan in a line: what it costs, how long it takes, and with what chance it keeps both limits.
void tell(const char* label, const plan_request& request, const plan_answer& answer) {
  if (answer.plans.empty()) return (void)std::printf("%-30s no plan keeps the limits\n", label);
  const plan& best = answer.plans.front();
  const plan_cost& cost = chosen_cost(best);
  const maybe<run_chances> chances = chances_of(best, cost, request);
  std::printf("%-30s %d x %-10s $%4.0fk ($%.0fk to $%.0fk) in %2.0f days, in time %3.0f %%, in budget %3.0f %%\n",
              label, static_cast<int>(slices(best.mesh)), std::string(name(best.where).view()).c_str(),
              cost.total.value() / 1e3, cost.low.value() / 1e3, cost.high.value() / 1e3, in_days(cost.wall),
              100 * chances->in_time, 100 * chances->in_budget);
}

}  // namespace

int main(int argument_count, char** arguments) {
  plan_request request = question(argument_count > 1 ? arguments[1] : "data");

  // What each way of paying offers within the limits, as expected.
  for (const provisioning kind : {provisioning::on_demand, provisioning::spot}) {
    request.kinds = {kind};
    tell(std::string(name(kind)).c_str(), request, plan_or_relax(request).answer);
  }

  // Within the limits as expected is about even odds at the limit. What keeps both in nine of ten runs?
  request.kinds = {provisioning::on_demand, provisioning::spot};
  request.chance = 0.9;
  const plan_answer sure = plan_or_relax(request).answer;
  tell("with a chance of 90 %", request, sure);
  if (sure.plans.empty()) return 1;

  // What the recommended plan rests on.
  const plan& best = sure.plans.front();
  const plan_sensitivity changed = sensitivity_of(best, request);
  std::printf("a tenth more for a chip: $%.0fk", changed.price_up.value() / 1e3);
  if (changed.twice_preempted)
    std::printf("; twice the preemptions: $%.0fk", changed.twice_preempted->total.value() / 1e3);
  if (changed.step_high) std::printf("; steps at the slow end: $%.0fk", changed.step_high->total.value() / 1e3);

  // Its batch beside what published laws say of how many tokens a step help.
  const critical_batch_band band = *critical_batch_of(request.model, best.job, request.tokens);
  std::printf("\n%.1f M tokens a step; more than %.1f M to %.1f M hardly help\n",
              static_cast<double>(tokens_per_step(best.job)) / 1e6, band.low / 1e6, band.high / 1e6);
}

#ifndef TPUPLAN_CLI_PLAN_HPP
#define TPUPLAN_CLI_PLAN_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/plan/relax.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/epochs.hpp"
#include "cli/input.hpp"
#include "cli/job.hpp"
#include "cli/option.hpp"
#include "cli/prices.hpp"
#include "cli/traffic.hpp"

// The options of the command plan. Training and serving have answers of their own.
namespace cli {

struct plan_options {
  job_options job;
  traffic_options traffic;
  tpuplan::fixed_degrees degrees;
  std::optional<double> tokens;
  epoch_options epochs;
  input_options input;
  std::optional<tpuplan::usd> budget;  // for serving an hour
  std::optional<double> smallest_batch_tokens, largest_batch_tokens;
  std::optional<tpuplan::seconds> deadline;
  tpuplan::objective best = tpuplan::objective::cheapest;
  tpuplan::seconds between = tpuplan::spot_terms{}.mean_time_between_preemptions;
  std::optional<std::int64_t> smallest_chips, largest_chips;
  std::int64_t largest_slices = 1;
  std::vector<std::string> generations, regions{"us"}, kind_names;
  std::vector<std::string> gpus;
  std::vector<tpuplan::provisioning> kinds{tpuplan::provisioning::on_demand};
  std::string prices, quotas, zone;
  double rest_used = 0;
  std::optional<std::int64_t> rows;  // 8, beside the best of each generation and those with a star, if not given
  bool accept_uncertain = false, explain = false, front_only = false, best_per_chip = false, to_serve = false;
};

/// The limits that training and serving share, put into a request of either.
template <class Request>
void fill_limits(const plan_options& given, Request& asked) {
  asked.best = given.best;
  asked.kinds = given.kinds;
  asked.regions = given.regions;
  asked.generations = given.generations;
  asked.smallest_chips = given.smallest_chips.value_or(asked.smallest_chips);
  asked.largest_chips = given.largest_chips.value_or(asked.largest_chips);
  if (given.largest_chips && asked.smallest_chips > asked.largest_chips)
    refuse("--min-chips", std::to_string(asked.smallest_chips), "at most --max-chips");
  asked.accept_uncertain = given.accept_uncertain;
}

/// What a zone has, put into the question: its generations, and the prices of its region where there are some.
void keep_to_zone(plan_options& given, const session& with);
/// Ways of paying by their names, or all of them.
std::vector<tpuplan::provisioning> kinds_of(const std::vector<std::string>& given);
/// What a plan of a language model's training is asked.
tpuplan::plan_request training_request_of(const plan_options& given, const tpuplan::model_config& config,
                                          const tpuplan::price_book& prices, assumed_values& assumed);

/// tpuplan plan, without and with --serve.
void plan_training(const tpuplan::model_config& config, const plan_options& given, const tpuplan::price_book& prices,
                   session& with);
void plan_serving(tpuplan::model_config config, const plan_options& given, const tpuplan::price_book& prices,
                  session& with);

}  // namespace cli

#endif

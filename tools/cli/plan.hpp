#ifndef TPUPLAN_CLI_PLAN_HPP
#define TPUPLAN_CLI_PLAN_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/plan/relax_serving.hpp>
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
  job_options job;  // whose request is that of the plan
  traffic_options traffic;
  tpuplan::asked_plan asked;  // as the request says it
  epoch_options epochs;
  nlohmann::json input = nlohmann::json::object();       // what an example costs a host
  nlohmann::json generation = nlohmann::json::object();  // what images and clips are asked with
  nlohmann::json pictures = nlohmann::json::object();    // what training on them is asked with
  std::vector<std::string> gpus;
  std::string prices, quotas, zone, lifetimes;
  std::optional<std::int64_t> rows;  // 8, beside the best of each generation and those with a star, if not given
  nlohmann::json standing = nlohmann::json::object();  // what a fleet has to stand, and its router
  std::string day;                                     // the traffic of a day, with what is asked of it alone
  nlohmann::json of_day = nlohmann::json::object();
  bool explain = false, front_only = false, best_per_chip = false, to_serve = false;
};

/// What the request says of the job, the limits and, with --serve, the traffic.
void read_plan(plan_options& into);

/// The limits that training and serving share, put into a request of either.
template <class Request>
void fill_limits(const tpuplan::asked_plan& given, bool most_chips_given, Request& asked) {
  asked.best = given.best;
  asked.kinds = given.kinds;
  asked.regions = given.regions;
  asked.generations = given.generations;
  asked.smallest_chips = given.smallest_chips;
  if (most_chips_given) asked.largest_chips = given.largest_chips;
  asked.accept_uncertain = given.accept_uncertain;
}

/// What a zone has, put into the question: its generations, and the prices of its region where there are some.
void keep_to_zone(plan_options& given, const session& with);
/// What a plan of a language model's training is asked.
tpuplan::plan_request training_request_of(const plan_options& given, const tpuplan::model_config& config,
                                          const tpuplan::price_book& prices, assumed_values& assumed);

/// tpuplan plan with --items-per-hour; the prices are of the regions that are asked for.
void plan_of_items(const plan_options& given, const tpuplan::price_book& prices, session& with);
/// tpuplan plan, without and with --serve.
void plan_training(const tpuplan::model_config& config, plan_options given, const tpuplan::price_book& prices,
                   session& with);
void plan_serving(tpuplan::model_config config, const plan_options& given, const tpuplan::price_book& prices,
                  session& with);

}  // namespace cli

#endif

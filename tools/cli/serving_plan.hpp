#ifndef TPUPLAN_CLI_SERVING_PLAN_HPP
#define TPUPLAN_CLI_SERVING_PLAN_HPP

#include <string>
#include <tpuplan/cost/price.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <vector>

#include "cli/commands.hpp"
#include "cli/traffic.hpp"

namespace cli {

/// Limits of a plan that serving shares with training, as typed.
struct serving_limits {
  std::string best, budget, smallest_chips, largest_chips;
  std::vector<std::string> generations;
  std::vector<tpuplan::provisioning> kinds;
  std::vector<std::string> regions;
  std::size_t rows = 8;
  bool accept_uncertain = false;
};

/// tpuplan plan --serve
void run_serving_plan(const tpuplan::model_config& config, const serve_options& traffic, const serving_limits& limits,
                      const tpuplan::price_book& prices, session& with);

}  // namespace cli

#endif

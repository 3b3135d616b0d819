#ifndef TPUPLAN_IO_LAUNCH_PLAN_HPP
#define TPUPLAN_IO_LAUNCH_PLAN_HPP

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/io/json.hpp>
#include <tpuplan/io/json_file.hpp>
#include <tpuplan/io/launch_maxtext.hpp>
#include <type_traits>

/// @file
/// One plan of a document that `tpuplan plan --json` prints, as far as a launch needs it.

namespace tpuplan {
inline namespace abi_0 {

/// What a plan says about its launch.
struct planned_launch {
  slice where{};                                    ///< each slice
  std::int64_t slices = 1;                          ///< over DCN
  maxtext_run program{};                            ///< how it trains
  seconds run{};                                    ///< uninterrupted
  double preemptions = 0;                           ///< expected on spot; 0 where the plan has no price of spot
  provisioning capacity = provisioning::on_demand;  ///< the way of paying that the plan chose
};

namespace detail {

inline layout read_plan_layout(const json_object& from) {
  layout mesh;
  mesh.data = from.positive_count("data");
  mesh.fsdp = from.positive_count("fsdp");
  mesh.tensor = from.positive_count("tensor");
  mesh.expert = from.positive_count("expert");
  mesh.context = from.positive_count("context");
  mesh.pipeline = from.positive_count("pipeline");
  mesh.dcn_data = from.positive_count("dcn_data");
  mesh.dcn_fsdp = from.positive_count("dcn_fsdp");
  mesh.dcn_pipeline = from.positive_count("dcn_pipeline");
  return mesh;
}

/// A value of any type that io/json.hpp reads.
template <class T>
[[nodiscard]] T read_key(const json_object& from, std::string_view key) {
  return read_json<T>(from.at(key), {}, from.path(key));
}

/// What the plan says of formats, optimizer, attention and hosts; what it does not say is as `training` has it.
inline void read_plan_types(const json_object& from, training& into) {
  const auto read = [&from](const char* key, auto& value) {
    if (from.has(key)) value = read_key<std::decay_t<decltype(value)>>(from, key);
  };
  read("compute", into.compute);
  read("weights", into.weights);
  read("moments", into.moments);
  read("optimizer", into.optimizer);
  read("attention", into.attention);
  read("state_on_host", into.state_on_host);
  read("pipeline_microbatches", into.pipeline_microbatches);
  read("vocabulary_tiles", into.vocabulary_tiles);
  read("capacity_factor", into.capacity_factor);
  read("lora_rank", into.lora_rank);
  read("pipeline_rounds", into.pipeline_rounds);
}

/// Steps between checkpoints and expected preemptions, where the plan has a cost on spot.
inline void read_plan_spot(const json_object& from, double step_time, planned_launch& into) {
  if (!from.has("costs")) return;
  const nlohmann::json& costs = from.at("costs");
  if (!costs.is_array()) fail(errc::malformed_input, from.path("costs"), costs.type_name(), "an array");
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const json_object cost(costs[i], from.path("costs") + "[" + std::to_string(i) + "]");
    if (cost.string("provisioning") != name(provisioning::spot)) continue;
    const double interval = cost.positive_number("checkpoint_interval_s") / step_time;
    into.program.checkpoint_period = static_cast<std::int64_t>(std::fmax(1, std::fmin(std::floor(interval), 1e9)));
    into.preemptions = not_negative(cost.path("preemptions"), cost.number("preemptions"));
  }
}

}  // namespace detail

/// The plan of that rank (1: the first) in a document of `tpuplan plan --json`. Throws, naming the key, where one is
/// missing or is not what it should be. Reads of each plan `slice`, `slices`, `layout`, `global_batch`,
/// `sequence_length`, `gradient_accumulation`, `remat`, `steps`, `step_time_s`, `run_s`; where it has them
/// `provisioning`, formats, optimizer and the like, and of a cost on spot `checkpoint_interval_s` and `preemptions`.
[[nodiscard]] inline planned_launch read_planned_launch(const nlohmann::json& document, std::int64_t rank = 1,
                                                        const std::string& source = "plan") {
  const detail::json_object root(document, source);
  const nlohmann::json& plans = root.at("plans");
  if (!plans.is_array()) detail::fail(errc::malformed_input, root.path("plans"), plans.type_name(), "an array");
  if (!plans.empty() && plans.front().is_object() && plans.front().contains("tpot_s"))
    detail::fail(errc::unsupported, root.path("plans"), "for serving", "a plan of training");
  if (plans.empty()) detail::fail(errc::infeasible, root.path("plans"), "empty", "a document with a plan to launch");
  const auto count = static_cast<std::int64_t>(plans.size());
  if (rank < 1 || rank > count) detail::fail(errc::out_of_range, "rank", rank, "1 to " + std::to_string(count));
  const detail::json_object from(plans[static_cast<std::size_t>(rank - 1)],
                                 root.path("plans") + "[" + std::to_string(rank - 1) + "]");
  planned_launch result;
  result.where = detail::read_key<slice>(from, "slice");
  result.slices = from.positive_count("slices");
  result.program.mesh = detail::read_plan_layout(from.object("layout"));
  result.program.job.global_batch = from.positive_count("global_batch");
  result.program.job.sequence_length = from.positive_count("sequence_length");
  result.program.job.gradient_accumulation = from.positive_count("gradient_accumulation");
  result.program.job.remat = detail::read_key<remat_policy>(from, "remat");
  detail::read_plan_types(from, result.program.job);
  if (from.has("layers")) result.program.layers = from.positive_count("layers");
  const double steps = from.positive_number("steps");
  if (steps > 1e12) detail::fail(errc::out_of_range, from.path("steps"), steps, "at most 1e12");
  result.program.steps = static_cast<std::int64_t>(std::ceil(steps));
  result.run = seconds{from.positive_number("run_s")};
  if (from.has("provisioning")) result.capacity = detail::read_key<provisioning>(from, "provisioning");
  detail::read_plan_spot(from, from.positive_number("step_time_s"), result);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

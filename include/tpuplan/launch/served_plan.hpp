#ifndef TPUPLAN_LAUNCH_SERVED_PLAN_HPP
#define TPUPLAN_LAUNCH_SERVED_PLAN_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/estimate/serving/replica.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch/plan.hpp>
#include <tpuplan/launch/serving.hpp>
#include <tpuplan/plan/serving_request.hpp>
#include <utility>

/// @file
/// The service that a plan is: what `launch` reads of the document of `tpuplan plan --serve --json`.

namespace tpuplan {
inline namespace abi_0 {

/// The plan for serving of that rank in a document of `tpuplan plan --serve --json`, the best first. Throws for other
/// documents. Worked: rank 1 of a document is its first plan.
[[nodiscard]] inline serving_plan read_serving_plan(const nlohmann::json& document, std::int64_t rank = 1,
                                                    const std::string& source = "plan") {
  const json_object row = detail::row_of_plan(document, rank, source);
  if (!row.object("plan").has("estimate"))
    detail::fail(errc::unsupported, row.path("plan"), "for training", "a plan for serving");
  return read_json<serving_plan>(row.at("plan"), {}, row.path("plan"));
}

/// What a launch has to know of the question of a document of `tpuplan plan --serve --json`: the architecture of its
/// model, its experts, whether its attention is latent, and its adapters. A document without a question leaves them as
/// they are. Worked: of DeepSeek-V3 256 experts and latent attention, of BERT an encoder.
inline void use_model_of(const nlohmann::json& document, serving_launch& launch) {
  const nlohmann::json::json_pointer place("/request/model");
  if (!document.contains(place)) return;
  const transformer model = read_json<transformer>(document[place], {}, "request.model");
  launch.kind = model.kind;
  launch.max_positions = model.max_positions;
  launch.experts = model.moe.experts;
  launch.latent = has_latent_attention(model);
  const nlohmann::json& request = document["request"];
  if (!request.contains("adapters")) return;
  launch.adapters = read_json<std::int64_t>(request["adapters"], {}, "request.adapters");
  launch.adapter_rank =
      read_json<std::int64_t>(request.value("adapter_rank", nlohmann::json{}), {}, "request.adapter_rank");
}

/// An autoscaler that keeps a slice as busy as the plan has it: with so many sequences that its targets are kept.
/// Worked: of a plan that runs 16.3 sequences in each of two replicas of a slice it keeps 32.
[[nodiscard]] inline service_scaler scaler_of(const serving_plan& planned, std::int64_t least, std::int64_t most) {
  const double running = planned.estimate.running * static_cast<double>(planned.estimate.replicas);
  return {least, most, std::fmax(1, std::floor(running))};
}

/// The request that launches a plan for serving: its slices, replicas and job. A limit of sequences that the job leaves
/// open is set to what memory allows. A pod that ends waits for the longest request at the high end of the range, or
/// the p99 of the simulation where that is longer. Worked: a plan of 3 slices is a request of 3 slices.
[[nodiscard]] inline serving_launch launch_of(const serving_plan& planned, serving_engine engine,
                                              launch_request request = {}) {
  serving_launch launch;
  request.where = planned.where;
  request.slices = planned.slices;
  request.capacity = is_commitment(planned.kind) ? provisioning::on_demand : planned.kind;
  launch.request = std::move(request);
  launch.engine = engine;
  launch.mesh = planned.mesh;
  launch.job = planned.share;
  if (launch.job.max_running == 0) launch.job.max_running = planned.estimate.largest_running;
  launch.weights = planned.estimate.memory.weights * detail::replica_of(planned.mesh, planned.where).devices;
  const serving_estimate& estimate = planned.estimate;
  const auto later = static_cast<double>(std::max<std::int64_t>(1, launch.job.output.longest) - 1);
  launch.longest_request =
      max(estimate.first_token_high + estimate.per_token.high * later, planned.simulated.end_to_end.value.p99);
  return launch;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

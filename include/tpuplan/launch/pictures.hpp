#ifndef TPUPLAN_LAUNCH_PICTURES_HPP
#define TPUPLAN_LAUNCH_PICTURES_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/cost/checkpoint_storage.hpp>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/launch/maxdiffusion.hpp>
#include <tpuplan/launch/plan.hpp>
#include <tpuplan/launch/request.hpp>
#include <utility>
#include <vector>

/// @file
/// Images and clips as an answer describes them, for MaxDiffusion, and whether it does what an answer says.

namespace tpuplan {
inline namespace abi_0 {

/// Why MaxDiffusion does not do what a run asks of so many slices, in the words of the refusal; empty: it does, once it
/// is told what only its user knows (the prompt; data set, learning rate and a folder). Worked: of Wan 2.1 14B with
/// context 8 and weights that each device holds whole it is "mesh.fsdp is 1; valid: …".
[[nodiscard]] inline std::string maxdiffusion_refusal(maxdiffusion_run run, const slice& where,
                                                      std::int64_t slice_total = 1) {
  launch_request request;
  request.name = "tpuplan", request.where = where, request.slices = slice_total;
  request.checkpoint = "gs://bucket/folder";
  run.extra = run.trains ? std::vector<std::string>{"train_data_dir=gs://bucket/folder", "learning_rate=1e-5"}
                         : std::vector<std::string>{"prompt=PROMPT"};
  try {
    const std::string_view cache = maxdiffusion_cache(run);
    if (run.job.cache_speedup > 1 && !cache.empty()) run.extra.push_back(std::string(cache) + "=True");
    (void)maxdiffusion_command(request, run);
    return {};
  } catch (const error& refusal) {
    return std::string(refusal.what()).substr(9);  // without "tpuplan: "
  }
}

/// What a document says of images or clips: the job, and where and for how long it is launched.
struct planned_pictures {
  maxdiffusion_run run{};    ///< the job
  launch_request request{};  ///< its slices, capacity, time and restarts
  std::string region;        ///< of its prices; empty: not said
  std::int64_t slices = 1;   ///< of the plan, of which one is started
  bytes checkpoint{};        ///< of a training
};

namespace detail {

/// The way of paying of a row; capacity for a commitment is created on demand.
inline provisioning capacity_named(const json_object& row) {
  const maybe<provisioning> kind = row.has("kind") ? parse_provisioning(row.string("kind")) : maybe<provisioning>{};
  return kind && !is_commitment(*kind) ? *kind : provisioning::on_demand;
}

/// Steps between checkpoints and the time of the run of a training, with what preemptions add; of a plan those of a
/// row.
inline void set_training(planned_pictures& planned, const json_object& answer, const json_object& row,
                         launch_request& request) {
  maxdiffusion_run& run = planned.run;
  run.training = read_json<diffusion_training_job>(answer.at("job"), {}, answer.path("job"));
  if (!answer.has("epochs"))
    fail(errc::missing_field, answer.path("epochs"), "missing", "a run: tpuplan train with --examples and --epochs");
  run.steps = answer.object("epochs").count("steps");
  const seconds step{positive("step_time_s", row.number("step_time_s"))};
  const seconds high{row.number("step_time_high_s")};
  const payment_terms terms = read_json<payment_terms>(row.at("terms"), {}, row.path("terms"));
  request.run = high * static_cast<double>(run.steps);
  if (request.capacity == provisioning::spot) {
    const expected_spot_run expected = expected_run(best_spot_run(request.run, request.slices, terms.spot));
    request.max_restarts =
        std::max(request.max_restarts, static_cast<std::int64_t>(std::fmin(std::ceil(2 * expected.preemptions), 1e6)));
    request.run = expected.wall;
  }
  planned.checkpoint = training_state_of(answer.count("trained_parameters"), run.training.weights,
                                         run.training.optimizer, run.training.moments)
                           .total;
  run.checkpoint_period = steps_between_checkpoints(
      checkpoint_interval_of(request.capacity, request.slices, step * static_cast<double>(run.steps), terms), step);
  if (run.checkpoint_period >= run.steps) run.checkpoint_period = 0;
}

}  // namespace detail

/// Whether a document is one of images or clips: an answer of generate, of a plan for them, of their training, or of a
/// plan of that.
/// Worked: one with `denoiser_parameters`.
[[nodiscard]] inline bool is_of_pictures(const nlohmann::json& document) {
  return document.is_object() && document.contains("denoiser_parameters");
}

/// The job of such a document, of a plan the one of that rank, on the capacity that is given, else on its own. A plan
/// of several slices is that of one of them: each makes batches of its own. Worked: of two v6e-16 that make 40 clips an
/// hour the request has one v6e-16 and a batch of 1.
[[nodiscard]] inline planned_pictures read_pictures(const nlohmann::json& document, std::int64_t rank = 1,
                                                    const maybe<provisioning>& capacity = nothing,
                                                    const launch_request& launched = {},
                                                    const std::string& source = "document") {
  const json_object answer(document, source);
  planned_pictures planned;
  planned.request = launched;
  maxdiffusion_run& run = planned.run;
  run.pipeline = answer.string("model");
  run.denoiser_parameters =
      read_json<std::vector<std::int64_t>>(answer.at("denoiser_parameters"), {}, answer.path("denoiser_parameters"));
  if (answer.has("text_tokens")) run.text_tokens = answer.count("text_tokens");
  run.trains = answer.has("buckets");
  const json_object row = answer.has("plans") ? detail::row_of_plan(document, rank, source) : answer;
  run.mesh = read_json<generation_layout>(row.at("mesh"), {}, row.path("mesh"));
  planned.request.where = slice_for(row.string("slice"));
  planned.region = row.has("region") ? row.string("region") : std::string();
  planned.request.capacity = capacity ? *capacity : detail::capacity_named(row);
  if (!run.trains) {
    run.job = read_json<generation_job>(answer.at("job"), {}, answer.path("job"));
    run.size = read_json<picture_size>(answer.at("size"), {}, answer.path("size"));
    if (row.has("batch")) run.job.batch = row.count("batch");
    if (row.has("slices")) planned.slices = row.count("slices");
    return planned;
  }
  const std::vector<json_object> buckets = answer.objects("buckets");
  if (buckets.size() != 1)
    detail::fail(errc::unsupported, answer.path("buckets"), static_cast<std::int64_t>(buckets.size()),
                 "one size: MaxDiffusion trains at one");
  run.size = read_json<picture_size>(buckets.front().at("size"), {}, buckets.front().path("size"));
  if (answer.has("slices")) planned.request.slices = answer.count("slices");
  detail::set_training(planned, answer, row, planned.request);
  return planned;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

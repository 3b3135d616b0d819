#ifndef TPUPLAN_ASK_SOFTWARE_HPP
#define TPUPLAN_ASK_SOFTWARE_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/adapters.hpp>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/estimate/serving/at_rate.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/quantiles.hpp>
#include <tpuplan/model/engines.hpp>
#include <vector>

/// @file
/// Which software serves, how sure that is, and with what chance its estimate keeps what was asked.

namespace tpuplan {
inline namespace abi_0 {

/// An engine that may run, and what is then expected.
struct served_software {
  /// @{
  /// The engine, its share of the published runs of such models, each source counted once, and what each token takes
  /// where it runs, with so many sequences at once; no times where it cannot serve this.
  serving_engine engine{};
  double share = 0;
  std::optional<seconds> per_token{}, per_token_low{}, per_token_high{};
  std::optional<double> running{};
  /// @}
};
/// Which engine's constants are used, and how many published runs are behind them, as what is assumed under "engine".
/// Worked: of vLLM the value begins with "vllm: ", of no engine with "not named: ".
[[nodiscard]] inline assumed_values assumed_engine(serving_engine engine) {
  const engine_runs behind = runs_behind(engine), all = runs_behind(serving_engine::unnamed);
  const std::string of = std::to_string(all.sources) + " sources";
  if (engine == serving_engine::unnamed)
    return {{"engine", "not named: what the engines of " + std::to_string(all.runs) + " runs of " + of +
                           " have in common; see job.engine"}};
  if (const std::string_view counted = detail::row_of(engine).counted_as; !counted.empty())
    return {{"engine", std::string(name(engine)) + ": " + std::string(counted) + "; constants of all engines"}};
  return {{"engine", std::string(name(engine)) + ": " + std::to_string(behind.runs) + " of " +
                         std::to_string(all.runs) + " runs, by " + std::to_string(behind.sources) + " of " + of}};
}
/// What is assumed of the engine; of a model with a vision tower also what its images are. Worked: one entry for Llama
/// 3 8B, two for PaliGemma.
[[nodiscard]] inline assumed_values assumed_engine(serving_engine engine, const transformer& model,
                                                   std::int64_t images = 0) {
  assumed_values assumed = assumed_engine(engine);
  if (has_vision(model) && images == 0)
    assumed.emplace_back("images", "none: prompts of text alone, the vision tower does not run; see job.images");
  if (images > 0) {
    const std::string side = std::to_string(model.vision.image_size);
    assumed.emplace_back("images", "of " + side + " x " + side + " pixels, " +
                                       std::to_string(image_tokens(model.vision)) +
                                       " tokens each on top of the prompt; the tower runs at the rate of prompts, as "
                                       "no run of one that serves is published");
  }
  return assumed;
}
/// That a replica over several hosts is estimated as its engine ran there in published runs, where the engine that
/// `launch` starts prepares steps ahead. Worked: of vLLM on v5e-16 one entry, on v6e-8 none.
[[nodiscard]] inline assumed_values assumed_hosts(serving_engine engine, const serving_layout& mesh,
                                                  const slice& where) {
  const detail::engine_row& row = detail::row_of(engine);
  if (!row.hosts_in_turn || !detail::can_start(engine) || !(detail::replica_of(mesh, where).hosts > 1)) return {};
  return {{"hosts",
           "the device waits while they prepare a step, as in the published runs of vLLM over several, which are from "
           "before it had --async-scheduling there (vllm-project/tpu-inference pull request 2341); launch writes that "
           "flag, with which a step may take as little as the longer of both"}};
}
/// How many runs of one's own correct an estimate. Worked: "3 token times of your own" are one entry, no runs none.
[[nodiscard]] inline assumed_values assumed_runs(const serving_calibration& constants) {
  return assumed_runs({{constants.own_decode.count, "token time", "token times"},
                       {constants.own_prefill.count, "first token", "first tokens"}});
}

/// What requests that come at a rate meet if all steps are as short, and as long, as their band has them.
struct requests_at_rate {
  /// @{
  /// Mean times at either end; no upper ones where more requests come than are served then.
  seconds first_token_low{};
  std::optional<seconds> first_token_high{};
  seconds per_token_low{};
  std::optional<seconds> per_token_high{};
  per_second served_at_most{};  ///< requests, with steps at the upper end
  /// @}
};

namespace detail {

/// The chance that mean times keep limits, of which 0 is none; nothing without a limit or where nothing is served. Of
/// requests that come at a rate it is that of the steps with which they do; the steps of adapters are those of a slower
/// clock, by which limits are shorter and requests closer together.
[[nodiscard]] inline std::optional<double> chance_to_keep(const serving_estimate& estimate, const request_times& limits,
                                                          const transformer& model, serving_job job,
                                                          const serving_layout& mesh, const slice& where,
                                                          const serving_calibration& constants) {
  const bool of_first = limits.first_token.value() > 0, has_later = !detail::has_one_token(job);
  const bool of_each = has_later && limits.per_token.value() > 0;
  if (estimate.refusal != serving_refusal::none || !(of_first || of_each)) return std::nullopt;
  const double slower = most_slower(job);
  job.request_rate = job.request_rate * slower;
  if (job.request_rate.value() > 0)
    return chance_of_requests({limits.first_token / slower, limits.per_token / slower}, estimate, model, job, mesh,
                              where, constants);
  return of_first ? chance(first_token_of(estimate), limits.first_token / slower)
                  : chance(estimate.per_token, limits.per_token / slower);
}

/// What is known of the software behind an estimate, and the chances that follow.
struct software_of {
  const transformer& model;
  const serving_job& job;
  const serving_layout& mesh;
  const slice& where;
  const serving_calibration& constants;
  const serving_estimate& estimate;
  std::int64_t prefill_chunk = 0;  // as asked; 0: each engine has its own
  std::int64_t block_tokens = 0;   // likewise

  /// The estimate under an engine; nothing where it cannot serve this.
  [[nodiscard]] maybe<serving_estimate> under(serving_engine engine) const {
    if (estimate.refusal != serving_refusal::none) return nothing;
    if (engine == job.engine) return estimate;
    if (!is_listed(row_of(engine).kinds, name(model.kind))) return nothing;
    serving_job other = job;
    other.engine = engine, other.prefill_chunk = prefill_chunk, other.block_tokens = block_tokens;
    const serving_estimate found = serve(model, as_engine_runs(other, model), mesh, where, constants);
    return found.refusal == serving_refusal::none ? maybe<serving_estimate>(found) : nothing;
  }
  /// The estimate where nobody says how well the program is tuned; nothing where nobody does, or it cannot serve.
  [[nodiscard]] maybe<serving_estimate> untold() const {
    if (estimate.refusal != serving_refusal::none || job.software == software_level::unnamed) return nothing;
    serving_job other = job;
    other.software = software_level::unnamed;
    const serving_estimate found = serve(model, other, mesh, where, constants);
    return found.refusal == serving_refusal::none ? maybe<serving_estimate>(found) : nothing;
  }
  /// The one that is named or, where none is, those that ran in published runs.
  [[nodiscard]] std::vector<served_software> engines() const {
    std::vector<served_software> rows;
    if (estimate.refusal != serving_refusal::none) return rows;
    if (model.kind != architecture::decoder) return rows;  // no run of such a model says which
    const serving_kind kind = has_experts(model) ? serving_kind::expert_decode : serving_kind::decode;
    const engines_that_ran only{{{{job.engine, 1}}}, 1};
    const engines_that_ran& ran = job.engine == serving_engine::unnamed ? ran_of(kind) : only;
    for (std::size_t i = 0; i < ran.count; ++i) {
      served_software& row = rows.emplace_back();
      row.engine = ran.items[i].engine, row.share = ran.items[i].share;
      if (const maybe<serving_estimate> of = under(row.engine))
        row.per_token = of->per_token.total, row.per_token_low = of->per_token.low,
        row.per_token_high = of->per_token.high, row.running = of->running;
    }
    return rows;
  }
  [[nodiscard]] double chance_to_fit() const {
    return estimate.fit == verdict::no ? even_shape.places[0].share : tpuplan::chance_to_fit(estimate.memory);
  }
  [[nodiscard]] std::optional<double> chance_to_keep_ttft() const {
    return chance_to_keep(estimate, {job.ttft_target, seconds{0}}, model, job, mesh, where, constants);
  }
  [[nodiscard]] std::optional<double> chance_to_keep_tpot() const {
    return chance_to_keep(estimate, {seconds{0}, job.tpot_target}, model, job, mesh, where, constants);
  }
  [[nodiscard]] std::optional<requests_at_rate> at_rate() const {
    if (estimate.refusal != serving_refusal::none || job.request_rate.value() <= 0) return std::nullopt;
    const request_range range = range_of_requests(estimate, model, job, mesh, where, constants);
    requests_at_rate ends{range.low.first_token, std::nullopt, range.low.per_token, std::nullopt, {}};
    if (range.high) ends.first_token_high = range.high->first_token, ends.per_token_high = range.high->per_token;
    ends.served_at_most = estimate.capacity / tpuplan::detail::steps_of(estimate).high;
    return ends;
  }
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::requests_at_rate, first_token_low, first_token_high, per_token_low, per_token_high,
               served_at_most)
TPUPLAN_FIELDS(tpuplan::served_software, engine, share, per_token, per_token_low, per_token_high, running)

#endif

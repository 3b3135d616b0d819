#ifndef TPUPLAN_ESTIMATE_SERVING_OWN_RUNS_HPP
#define TPUPLAN_ESTIMATE_SERVING_OWN_RUNS_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/estimate/serving/engine.hpp>

/// @file
/// Measured serving runs of the caller's own, which correct estimates for other batches, slices and models.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Those of a token at that many running sequences, or of a first token of that many tokens.
constexpr run_features serving_features_at(run_features served_model::*which, const transformer& model, double load,
                                           const serving_job& job, const serving_layout& mesh, const slice& where) {
  run_features about = served_by(model, job, mesh, where).*which;
  about.load = math::log2(load);
  return about;
}

/// Refuses a time that no engine can have: shorter than peak rates, HBM and links allow. Times are printed in three
/// figures, so that the least is 1 % less.
constexpr void check_own_time(words field, seconds measured, seconds floor) {
  if (measured >= 0.99 * floor) return;
  text<160> valid{"at least "};
  valid.append(floor_to_count(floor.value() * 1e6)).append(" us, which peak rates, HBM and links take");
  fail(errc::out_of_range, field, measured.value(), valid.view());
}

/// The time of a token that no engine can beat where so many sequences run.
constexpr seconds token_floor(const transformer& model, double running, const serving_job& job,
                              const serving_layout& mesh, const slice& where, const serving_calibration& constants) {
  const engine_constants own = constants_of(constants, job.engine);
  const auto tokens = static_cast<double>(held_tokens(job, running_context(job)));
  const double round = job.speculation.draft_tokens > 0 ? tokens_of_round(job.speculation) : 1;
  return with_stacks(model, job, mesh, where, false, [&](const auto& of) {
    return seconds{floor_at(terms_of(of.served, tokens, job, mesh, own), running)} / round;
  });
}

/// The time of a prefill of one prompt that no engine can beat.
constexpr seconds prompt_floor(const transformer& model, const serving_job& job, const serving_layout& mesh,
                               const slice& where, const serving_calibration& constants) {
  const engine_constants own = constants_of(constants, job.engine);
  return with_stacks(model, job, mesh, where, false, [&](const auto& of) {
    const prefill_breakdown alone = mean_prefill(of.prompts, of.takes_in, 1, job, mesh, own);
    return floor_of(of.prompts, alone, static_cast<double>(fresh_tokens(job)), job, mesh, own).total();
  });
}

}  // namespace detail

/// The constants with one more measured token time of the caller's own: the mean time of an output token while
/// `running` sequences run in each replica. All estimates move towards it, the more alike the more, and their bands
/// narrow. `spread` is the relative standard deviation of the measurement where it is more than usual, `version` names
/// the engine's where it changed between runs (see with_own_run). Throws for a
/// time that is not above 0, shorter than peak rates, HBM and links allow, or off the estimate by a factor of more than
/// 148, and for more than 20 runs. Worked: a
/// token that takes twice its estimate is kept as ln 2 = 0.693.
[[nodiscard]] constexpr serving_calibration with_own_decode(serving_calibration constants, seconds measured,
                                                            const transformer& model, double running,
                                                            const serving_job& job, const serving_layout& mesh,
                                                            const slice& where, double spread = 0,
                                                            std::string_view version = {}) {
  detail::positive("measured time of a token", measured.value());
  serving_calibration before = constants;
  before.own_decode.count = 0;
  const seconds estimated = time_per_token(model, running, job, mesh, where, before).total;
  detail::check_own_time("measured time of a token", measured,
                         detail::token_floor(model, running, job, mesh, where, before));
  constants.own_decode = with_run(
      constants.own_decode, decode_spreads,
      detail::of_version(detail::serving_features_at(&detail::served_model::about, model, running, job, mesh, where),
                         version),
      math::log(measured / estimated), spread);
  return constants;
}

/// The constants with one more measured time to the first token, of one prompt alone in the engine: see
/// `engine_prefill_time`. Throws where `with_own_decode` does. Worked: half of the estimated time is kept as -ln 2 =
/// -0.693.
[[nodiscard]] constexpr serving_calibration with_own_prefill(serving_calibration constants, seconds measured,
                                                             const transformer& model, const serving_job& job,
                                                             const serving_layout& mesh, const slice& where,
                                                             double spread = 0, std::string_view version = {}) {
  detail::positive("measured time to the first token", measured.value());
  serving_calibration before = constants;
  before.own_prefill.count = 0;
  const seconds estimated = engine_prefill_time(model, job, mesh, where, before);
  detail::check_own_time("measured time to the first token", measured,
                         detail::prompt_floor(model, job, mesh, where, before));
  const auto tokens = static_cast<double>(detail::fresh_tokens(job));
  constants.own_prefill = with_run(
      constants.own_prefill, prefill_spreads,
      detail::of_version(
          detail::serving_features_at(&detail::served_model::about_prompts, model, tokens, job, mesh, where), version),
      math::log(measured / estimated), spread);
  return constants;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

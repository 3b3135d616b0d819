// The worked numbers in the comments of estimate/serving/calibration.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/estimate/serving/calibration.hpp>

using namespace tpuplan;

namespace static_estimate_serving_calibration_tests {

namespace {

// What bounds take for granted: every rate at its peak, nothing beside it.
static_assert(peak_only.weight_stream == 1 && peak_only.cache_stream == 1 && peak_only.decode_mxu == 1 &&
              peak_only.decode_collectives == 0 && peak_only.layer_latency == 0_s && peak_only.engine_step == 0_s &&
              peak_only.sequence_bytes.value() == 0 && peak_only.dispatch_passes == 0 &&
              peak_only.engine_array == 0_s && peak_only.engine_sequence == 0_s && peak_only.prefill_mxu == 1 &&
              peak_only.prefill_attention == 1 && peak_only.engine_request == 0_s && peak_only.token_head == 0_s &&
              peak_only.prefill_hbm_passes == 0 && peak_only.prefill_collectives == 0 && peak_only.engine_prefill == 1);

// Estimates take the constants of the library as valid.
static_assert([] {
  validate(default_serving_calibration);
  return true;
}());

// An engine's own factors are in its constants; what has none is common to all.
constexpr serving_calibration twice_as_slow = [] {
  serving_calibration constants = peak_only;
  constants.sequence_bytes = bytes{8};
  constants.engines = with_factors(constants.engines, {serving_engine::sglang_jax, 2, 0.5, 3});
  return constants;
}();
constexpr detail::engine_constants own = detail::constants_of(twice_as_slow, serving_engine::sglang_jax);
static_assert(own.cache_stream == 0.5 && own.sequence_bytes.value() == 4 && own.engine_prefill == 3);
static_assert(&own.common == &twice_as_slow);
static_assert(detail::constants_of(twice_as_slow, serving_engine::vllm).engine_prefill == 1);
static_assert(factors_of(twice_as_slow.engines, serving_engine::unnamed).cache == 1);
static_assert(with_factors(twice_as_slow.engines, {serving_engine::sglang_jax, 5, 1, 1}).count == 1);
static_assert([] {
  const fitted_engines shipped = serving_calibration{}.engines;
  const fitted_engines changed = with_factors(shipped, {serving_engine::vllm, 2, 1, 1});
  return factors_of(changed, serving_engine::vllm).cache == 2 && changed.count == shipped.count &&
         factors_of(changed, serving_engine::sglang_jax).cache == factors_of(shipped, serving_engine::sglang_jax).cache;
}());

// Nothing is narrower than where runs are.
static_assert([] {
  for (const detail::serving_kind kind : detail::all_serving_kinds) {
    const detail::serving_band near = detail::band_of(kind, true), far = detail::band_of(kind, false);
    if (!(near.over > 0.05 && near.under > 0.05 && near.under < 1)) return false;
    if (!(far.over > near.over && far.under > near.under && far.under < 1)) return false;
  }
  return true;
}());

static_assert([] {
  std::int32_t all = 0;
  for (const engine_runs& row : runs_by_engine) all += row.engine == serving_engine::unnamed ? 0 : row.runs;
  return runs_behind(serving_engine::unnamed).runs == all && runs_behind(serving_engine::unnamed).sources >= 9;
}());
static_assert(runs_behind(serving_engine::vllm).runs >= 45 && runs_behind(serving_engine::vllm).sources >= 4);

}  // namespace

}  // namespace static_estimate_serving_calibration_tests

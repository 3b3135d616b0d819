#ifndef TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP
#define TPUPLAN_ESTIMATE_SERVING_CALIBRATION_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/estimate/own_runs.hpp>
#include <tpuplan/hardware/chip.hpp>
#include <tpuplan/model/serving_job.hpp>

/// @file
/// The constants of the serving estimates, calibrated on published runs, and what those runs cover. Every estimate
/// takes the constants as an argument.

namespace tpuplan {
inline namespace abi_0 {

/// Factors on the times that the common constants give, for one engine: its attention kernel, its handling of cache
/// pages, and its prefill. They are 1 for an engine without published runs.
struct engine_factors {
  serving_engine engine = serving_engine::unnamed;  ///< whose they are
  double cache = 1;                                 ///< on the time of reading keys and values
  double paging = 1;   ///< on the attention time of each sequence that does not depend on its length
  double prefill = 1;  ///< on the time of prefill
};

/// The engines with factors of their own.
struct fitted_engines {
  std::array<engine_factors, 16> items{};  ///< the first `count` are set
  std::size_t count = 0;                   ///< engines
};

namespace detail {
// generated: engine_factors from data/measured
// clang-format off
inline constexpr fitted_engines engine_fit = {{{
    {serving_engine::vllm, 0.917, 0.964, 0.889}, {serving_engine::vllm_torch_xla, 1.67, 1.29, 1.27},
    {serving_engine::sglang_jax, 0.915, 0.973, 1.02},
}}, 3};
// clang-format on
// end of generated: engine_factors
}  // namespace detail

/// Constants of decode steps and prefill. Each has a physical meaning; tools/calibrate fits those that are not marked
/// as set, and writes them here, rounded to three digits. Few sources publish serving runs, so these are
/// calibrated rules, not laws.
struct serving_calibration {
  // generated: serving_constants from data/measured
  double weight_stream = 0.842;        ///< fraction of the HBM bandwidth while weights are read
  double cache_stream = 0.421;         ///< fraction of the HBM bandwidth while keys and values are read
  double decode_mxu = 0.544;           ///< sustained fraction of the peak in decode steps that products limit
  double decode_collectives = 0.984;   ///< time of all-reduces in decode over their bandwidth bound
  seconds layer_latency{2.30e-5};      ///< of the two small all-reduces of a layer, for each doubling of the devices
  seconds ported_layer{5.69e-4};       ///< of a layer of experts in a decode step of a first port
  bytes sequence_bytes{2.59e+06};      ///< of HBM for each layer and sequence in pages, whatever it holds
  double dispatch_passes = 24.4;       ///< HBM passes of expert sort, gather and scatter per routed token
  seconds engine_step{3.54e-3};        ///< host time of a serving engine each step
  seconds engine_array{1.29e-6};       ///< host time of each array of weights or cache and each device of a host
  seconds engine_sequence{3.61e-5};    ///< host time that each running sequence adds to a step
  seconds engine_request{0.0226};      ///< host time of a request, over all steps in which it runs
  double prefill_mxu = 0.784;          ///< sustained fraction of the peak in prefill
  double prefill_attention = 2.44;     ///< time of the attention kernel over a dense product of the same FLOPs
  double prefill_hbm_passes = 1.5;     ///< HBM traffic of elementwise work over the bytes counted; set
  seconds token_head{2.99e-8};         ///< of a query head of a prompt's token in a layer with pages, beside products
  double prefill_collectives = 0.621;  ///< time of all-reduces in prefill over their bandwidth bound
  double engine_prefill = 1.02;        ///< time of a prefill in a serving engine over one by itself
  // end of generated: serving_constants
  fitted_engines engines{detail::engine_fit};  ///< factors of single engines
  own_runs own_decode{};                       ///< measured token times of the caller's own: see with_own_decode
  own_runs own_prefill{};                      ///< measured times to the first token: see with_own_prefill
  /// Host time of a step as the caller knows it, for `engine_step` and `engine_array`: no token takes less.
  maybe<seconds> known_step{};
};

/// The constants that estimates take where none are given.
inline constexpr serving_calibration default_serving_calibration{};

/// @{
/// How measured decode and prefill times of one source differ from the estimates. tools/calibrate finds these spreads
/// over all sources.
// generated: serving_spreads from data/measured
// clang-format off
inline constexpr own_spreads decode_spreads{0.0539, 0.2, 0.02, 3.42, 2.2, 2.35, 3.29, 0.56, 0.51, 0.0529, 0.0397, 1.75};
inline constexpr own_spreads prefill_spreads{0.0491, 0.16, 0.0216, 3.17, 2.12, 3.06, 1.99, 0.47, 0.42, 0.057, 0.0349, 1.33};
// clang-format on
// end of generated: serving_spreads
/// @}

/// The factors of an engine; 1 where it has none of its own. Worked: 1 for a question that names no engine.
[[nodiscard]] constexpr engine_factors factors_of(const fitted_engines& engines, serving_engine engine) noexcept {
  for (std::size_t i = 0; i < engines.count && i < engines.items.size(); ++i) {
    if (engines.items[i].engine == engine) return engines.items[i];
  }
  return {engine};
}

/// The same engines with these factors of one. Throws where there is no place for another. Worked: with {vllm, 2, 1, 1}
/// the cache factor of vLLM is 2, and those of other engines are what they were.
[[nodiscard]] constexpr fitted_engines with_factors(fitted_engines engines, const engine_factors& factors) {
  std::size_t place = 0;
  while (place < engines.count && place < engines.items.size() && engines.items[place].engine != factors.engine)
    ++place;
  if (place == engines.items.size())
    detail::fail(errc::out_of_range, "fitted_engines.count", static_cast<std::int64_t>(place) + 1, "at most 16");
  engines.items[place] = factors;
  if (place == engines.count) ++engines.count;
  return engines;
}

/// Throws, naming the constant, unless rates and factors are above 0 and shares and additions at least 0.
constexpr void validate(const serving_calibration& constants) {
  detail::positive("serving_calibration.weight_stream", constants.weight_stream);
  detail::positive("serving_calibration.cache_stream", constants.cache_stream);
  detail::positive("serving_calibration.decode_mxu", constants.decode_mxu);
  detail::not_negative("serving_calibration.decode_collectives", constants.decode_collectives);
  detail::not_negative("serving_calibration.layer_latency", constants.layer_latency.value());
  detail::not_negative("serving_calibration.ported_layer", constants.ported_layer.value());
  detail::not_negative("serving_calibration.sequence_bytes", constants.sequence_bytes.value());
  detail::not_negative("serving_calibration.dispatch_passes", constants.dispatch_passes);
  detail::not_negative("serving_calibration.engine_step", constants.engine_step.value());
  if (constants.known_step) detail::not_negative("serving_calibration.known_step", constants.known_step->value());
  detail::not_negative("serving_calibration.engine_array", constants.engine_array.value());
  detail::not_negative("serving_calibration.engine_sequence", constants.engine_sequence.value());
  detail::not_negative("serving_calibration.engine_request", constants.engine_request.value());
  detail::positive("serving_calibration.prefill_mxu", constants.prefill_mxu);
  detail::positive("serving_calibration.prefill_attention", constants.prefill_attention);
  detail::not_negative("serving_calibration.prefill_hbm_passes", constants.prefill_hbm_passes);
  detail::not_negative("serving_calibration.token_head", constants.token_head.value());
  detail::not_negative("serving_calibration.prefill_collectives", constants.prefill_collectives);
  detail::positive("serving_calibration.engine_prefill", constants.engine_prefill);
  if (constants.engines.count > constants.engines.items.size())
    detail::fail(errc::out_of_range, "serving_calibration.engines.count",
                 static_cast<std::int64_t>(constants.engines.count), "at most 16");
  for (std::size_t i = 0; i < constants.engines.count; ++i) {
    detail::positive("serving_calibration.engines.cache", constants.engines.items[i].cache);
    detail::not_negative("serving_calibration.engines.paging", constants.engines.items[i].paging);
    detail::positive("serving_calibration.engines.prefill", constants.engines.items[i].prefill);
  }
  validate(constants.own_decode);
  validate(constants.own_prefill);
}

namespace detail {

constexpr serving_calibration peak_only_constants() {
  serving_calibration ideal;
  ideal.weight_stream = ideal.cache_stream = ideal.decode_mxu = 1;
  ideal.prefill_mxu = ideal.prefill_attention = ideal.engine_prefill = 1;
  ideal.decode_collectives = ideal.prefill_collectives = ideal.prefill_hbm_passes = ideal.dispatch_passes = 0;
  ideal.layer_latency = ideal.engine_step = ideal.engine_array = ideal.engine_sequence = seconds{0};
  ideal.ported_layer = ideal.engine_request = ideal.token_head = seconds{0};
  ideal.sequence_bytes = bytes{0};
  ideal.engines = {};
  return ideal;
}

}  // namespace detail

/// Constants of an ideal machine: peak rates, and no time for collectives, experts' dispatch or engine. For bounds, and
/// for chips on which nothing is calibrated, such as GPUs.
inline constexpr serving_calibration peak_only = detail::peak_only_constants();

namespace detail {

/// The constants of one engine: those that all engines share, and the three that have a factor of the engine. It refers
/// to the constants that it is made from.
struct engine_constants {
  const serving_calibration& common;
  double cache_stream = 1;
  bytes sequence_bytes{};
  double engine_prefill = 1;
};

constexpr engine_constants constants_of(const serving_calibration& constants, serving_engine engine) {
  if (&constants != &default_serving_calibration) validate(constants);  // those of the library are, by a static test
  const engine_factors own = factors_of(constants.engines, engine);
  return {constants, constants.cache_stream / own.cache, constants.sequence_bytes * own.paging,
          constants.engine_prefill * own.prefill};
}
engine_constants constants_of(const serving_calibration&&, serving_engine) = delete;

/// Seconds of the host for a step to whose devices so many arrays are passed.
constexpr double host_of_step(const serving_calibration& constants, double passed) {
  return (constants.known_step ? *constants.known_step : constants.engine_step + constants.engine_array * passed)
      .value();
}
/// Seconds of the host that the caller knows; 0 where nothing is known.
constexpr double known_host(const serving_calibration& constants) {
  return constants.known_step ? constants.known_step->value() : 0;
}

/// Whether there are measured runs of the caller's own.
constexpr bool has_own_runs(const serving_calibration& constants) noexcept {
  return constants.own_decode.count > 0 || constants.own_prefill.count > 0;
}

/// Kinds of serving estimates whose errors differ.
enum class serving_kind : std::uint8_t { decode, expert_decode, prefill };
inline constexpr serving_kind all_serving_kinds[] = {serving_kind::decode, serving_kind::expert_decode,
                                                     serving_kind::prefill};

/// How far an estimate may lie above and below the measured time, as shares of that time.
struct serving_band {
  double over = 0;   // predicted over measured, less 1
  double under = 0;  // 1 less predicted over measured
};

/// The band of one kind, from errors on sources left out of the fit; and the least time that any of its runs took over
/// the floor of physics, 0 where that is not looked at.
struct serving_bands {
  serving_band band{};
  double best = 0;
};
/// Those of each kind and, behind them, that of decode of experts where nobody says how well the program is tuned.
// generated: serving_bands from data/measured
// clang-format off
inline constexpr serving_bands bands_by_kind[] = {
    {{0.47, 0.55}, 1.1}, {{0.56, 0.61}, 1.68}, {{0.5, 0.38}, 0}, {{0.56, 0.75}, 1.68},
};
// clang-format on
// end of generated: serving_bands

/// An engine, and its share of the published runs of a kind, each of their sources counted once.
struct engine_that_ran {
  serving_engine engine = serving_engine::unnamed;
  double share = 0;
};
inline constexpr std::size_t most_engines_that_ran = 8;
/// What ran; the shares of the first `count` are 1 together.
struct engines_that_ran {
  std::array<engine_that_ran, most_engines_that_ran> items{};
  std::size_t count = 0;
};
// generated: engine_shares from data/measured
// clang-format off
inline constexpr engines_that_ran ran_by_kind[] = {
    {{{{serving_engine::vllm, 0.467}, {serving_engine::example, 0.333}, {serving_engine::jetstream, 0.1},
    {serving_engine::sglang_jax, 0.064}, {serving_engine::vllm_torch_xla, 0.036}}}, 5},
    {{{{serving_engine::vllm, 0.647}, {serving_engine::sglang_jax, 0.186}, {serving_engine::example, 0.167}}}, 3},
    {{{{serving_engine::vllm, 0.667}, {serving_engine::jetstream, 0.111}, {serving_engine::example, 0.111},
    {serving_engine::sglang_jax, 0.087}, {serving_engine::vllm_torch_xla, 0.024}}}, 5},
};
// clang-format on
// end of generated: engine_shares

/// The band of a kind. Where nobody says whether experts run in the kernels of a first port, it holds those that do.
constexpr const serving_bands& bands_of(serving_kind kind, software_level software) {
  const bool any = kind == serving_kind::expert_decode && software == software_level::unnamed;
  return bands_by_kind[any ? 3 : static_cast<std::size_t>(kind)];
}

/// The time that the best measured software takes, over the floor of physics.
constexpr double best_reached(serving_kind kind) { return bands_by_kind[static_cast<std::size_t>(kind)].best; }

/// The factor, in logarithms, by which a band is wider on a chip without published runs; set by hand.
inline constexpr double uncovered_width = 1.5;

/// Published runs of quality A or B in data/measured, by chip.
struct serving_coverage {
  std::string_view chip{};
  std::int32_t decode_runs = 0;   // decode steps, engines, and batches from prompt to last token
  std::int32_t prefill_runs = 0;  // prompts taken in
};
// generated: serving_runs from data/measured
// clang-format off
inline constexpr serving_coverage serving_runs_by_chip[] = {
    {"v4", 7, 4}, {"v5e", 43, 8}, {"v5p", 2, 0}, {"v6e", 90, 38}, {"tpu7x", 60, 9},
};
// clang-format on
// end of generated: serving_runs

/// The published runs on a chip of that name; none on a renamed copy of a chip.
constexpr serving_coverage serving_runs_on(const chip_spec& chip) noexcept {
  for (const serving_coverage& row : serving_runs_by_chip) {
    if (chip.name == row.chip) return row;
  }
  return {};
}

/// The band of an estimate of that kind, wider where the chip is not covered.
constexpr serving_band band_of(serving_kind kind, bool covered, software_level software = software_level::unnamed) {
  const serving_band& band = bands_of(kind, software).band;
  if (covered) return band;
  return {math::pow(1 + band.over, uncovered_width) - 1, 1 - math::pow(1 - band.under, uncovered_width)};
}

}  // namespace detail

/// How many published runs the constants of an engine are fitted to.
struct engine_runs {
  serving_engine engine = serving_engine::unnamed;  ///< which engine; unnamed: all engines together
  std::int32_t runs = 0;                            ///< decode and prefill runs
  std::int32_t sources = 0;                         ///< repositories, papers and authors that published them
};
/// The runs behind the constants of each engine.
// generated: engine_runs from data/measured
// clang-format off
inline constexpr engine_runs runs_by_engine[] = {
    {serving_engine::unnamed, 261, 12}, {serving_engine::jetstream, 3, 1}, {serving_engine::vllm, 135, 7},
    {serving_engine::vllm_torch_xla, 23, 1}, {serving_engine::sglang_jax, 67, 2}, {serving_engine::example, 33, 4},
};
// clang-format on
// end of generated: engine_runs

/// How many runs an engine's constants are fitted to; 0 of 0 sources where there is none. Worked: vLLM has 45 or more,
/// of at least 4 sources; where no engine is named it is the sum over all.
[[nodiscard]] constexpr engine_runs runs_behind(serving_engine engine) noexcept {
  for (const engine_runs& row : runs_by_engine) {
    if (row.engine == engine) return row;
  }
  return {engine, 0, 0};
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

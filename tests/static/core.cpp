// What the public types are made of, and which mistakes with units do not compile. It compiles, so it passes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tpuplan/core.hpp>
#include <tpuplan/cost.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/handbook.hpp>
#include <tpuplan/handbook/sharding.hpp>
#include <tpuplan/plan/plan.hpp>
#include <type_traits>
#include <utility>

using namespace tpuplan;

namespace static_core_tests {

namespace {

// ---- Plain data: copied as bytes, so that it may stand in constants, in shared memory and in GPU buffers
// --------------

template <class... Types>
constexpr bool all_plain = (... && (std::is_trivially_copyable_v<Types> && std::is_standard_layout_v<Types>));

static_assert(all_plain<bytes, flops, seconds, usd, bytes_per_second, flops_per_second, flops_per_byte, per_second,
                        usd_per_second, flops_per_usd, byte_seconds>);
static_assert(all_plain<text<10>, text<24>, text<160>, known<double>, known<std::int64_t>, known<bytes>, known<bool>>);
static_assert(all_plain<topology, mxu_spec, peak_rates, hbm_spec, on_chip_spec, ici_spec, host_spec, pod_spec,
                        chip_spec, machine_type, slice, nearest_slices>);
static_assert(
    all_plain<latent_attention_spec, indexer_spec, recurrent_spec, attention_spec, mlp_spec, moe_spec, projector_spec,
              vision_spec, transformer, parameter_count, lora_targets, flop_convention, forward_flops>);
static_assert(all_plain<remat_policy, named_remat_policy, training_job, layout, sharded_array>);
static_assert(all_plain<tile, matrix_shape, padding_cost, weight_matrix, weight_matrices, model_padding, product_dtypes,
                        product_shape, product_time>);
static_assert(all_plain<layer_widths, stack_widths, held_parameters, memory_breakdown, memory_calibration, calibration,
                        collective_time, step_breakdown>);
static_assert(all_plain<price_row, price_book, run_cost, spot_run, expected_spot_run, plan_cost, rejected_slice>);

// The structs that callers fill in are aggregates: named fields, no constructors.
template <class... Types>
constexpr bool all_aggregates = (... && std::is_aggregate_v<Types>);
static_assert(all_aggregates<chip_spec, slice, transformer, vision_spec, training_job, layout, calibration,
                             product_shape, product_dtypes, price_row, spot_run, plan_request>);

// ---- Sizes: a change of layout is a change of interface
// ---------------------------------------------------------------

static_assert(sizeof(bytes) == sizeof(double));
static_assert(sizeof(known<double>) == 16);
static_assert(sizeof(text<24>) == 40);
static_assert(sizeof(topology) == 16);
static_assert(sizeof(chip_spec) == 456);
static_assert(sizeof(slice) == 480);
static_assert(sizeof(attention_spec) == 240);
static_assert(sizeof(vision_spec) == 176);
static_assert(sizeof(transformer) == 840);
static_assert(sizeof(training_job) == 160);
static_assert(sizeof(layout) == 80);
static_assert(sizeof(memory_breakdown) == 15 * sizeof(bytes));
static_assert(sizeof(step_breakdown) == 344);
static_assert(sizeof(price_row) == 144);
static_assert(sizeof(dtype) == 1 && sizeof(errc) == 1 && sizeof(verdict) == 1 && sizeof(provisioning) == 1);

// ---- Mistakes with units do not compile
// -------------------------------------------------------------------------------

template <class A, class B, class = void>
constexpr bool can_add = false;
template <class A, class B>
constexpr bool can_add<A, B, std::void_t<decltype(std::declval<A>() + std::declval<B>())>> = true;

template <class A, class B, class = void>
constexpr bool can_compare = false;
template <class A, class B>
constexpr bool can_compare<A, B, std::void_t<decltype(std::declval<A>() < std::declval<B>())>> = true;

// The positive of every negative below: it is the types that forbid, not a slip in the test.
static_assert(can_add<bytes, bytes> && can_add<seconds, seconds> && can_add<usd, usd>);
static_assert(can_compare<bytes, bytes> && can_compare<flops_per_second, flops_per_second>);

static_assert(!can_add<bytes, seconds>);
static_assert(!can_add<bytes, flops>);
static_assert(!can_add<flops, flops_per_second>);
static_assert(!can_add<bytes, bytes_per_second>);
static_assert(!can_add<usd, usd_per_second>);
static_assert(!can_add<bytes, double> && !can_add<double, bytes>);
static_assert(!can_add<seconds, int>);
static_assert(!can_compare<bytes, flops>);
static_assert(!can_compare<flops_per_second, bytes_per_second>);
static_assert(!can_compare<seconds, double>);

// A number is no amount, an amount is no number, and no amount is another.
static_assert(std::is_constructible_v<bytes, double>);
static_assert(!std::is_convertible_v<double, bytes> && !std::is_convertible_v<int, bytes>);
static_assert(!std::is_convertible_v<bytes, double>);
static_assert(!std::is_assignable_v<bytes&, double>);
static_assert(!std::is_convertible_v<bytes_per_second, flops_per_second>);
static_assert(!std::is_constructible_v<flops_per_second, bytes_per_second>);
static_assert(!std::is_constructible_v<flops, flops_per_second>);
static_assert(!std::is_constructible_v<seconds, per_second>);

// Swapped arguments.
template <class A, class B, class = void>
constexpr bool can_cost = false;
template <class A, class B>
constexpr bool can_cost<A, B, std::void_t<decltype(cost(std::declval<A>(), std::declval<B>()))>> = true;
static_assert(can_cost<usd_per_second, seconds>);
static_assert(!can_cost<seconds, usd_per_second> && !can_cost<usd, seconds> && !can_cost<double, double>);

// Quotients and products are of the dimension that they should be.
static_assert(std::is_same_v<decltype(std::declval<bytes>() / std::declval<bytes_per_second>()), seconds>);
static_assert(std::is_same_v<decltype(std::declval<flops>() / std::declval<flops_per_second>()), seconds>);
static_assert(std::is_same_v<decltype(std::declval<flops>() / std::declval<bytes>()), flops_per_byte>);
static_assert(
    std::is_same_v<decltype(std::declval<flops_per_second>() / std::declval<bytes_per_second>()), flops_per_byte>);
static_assert(std::is_same_v<decltype(std::declval<usd_per_second>() * std::declval<seconds>()), usd>);
static_assert(std::is_same_v<decltype(std::declval<bytes>() * std::declval<seconds>()), byte_seconds>);
static_assert(std::is_same_v<decltype(std::declval<bytes>() / std::declval<bytes>()), double>);
static_assert(std::is_same_v<decltype(std::declval<seconds>() * std::declval<per_second>()), double>);
static_assert(std::is_same_v<decltype(1.0 / std::declval<seconds>()), per_second>);
static_assert(
    std::is_same_v<decltype(std::declval<flops_per_second>() / std::declval<usd_per_second>()), flops_per_usd>);

// Names of formats and kinds are not numbers either.
static_assert(!std::is_convertible_v<int, dtype> && !std::is_convertible_v<dtype, int>);
static_assert(!std::is_convertible_v<verdict, bool>);

// A figure that may be missing does not turn into a number silently.
static_assert(std::is_convertible_v<double, known<double>>);
static_assert(!std::is_convertible_v<known<double>, double>);

}  // namespace

}  // namespace static_core_tests

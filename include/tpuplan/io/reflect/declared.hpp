#ifndef TPUPLAN_IO_REFLECT_DECLARED_HPP
#define TPUPLAN_IO_REFLECT_DECLARED_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// The public types by name alone. What shows them or turns them into JSON includes no more than that: whoever has a
/// value has its header.

namespace tpuplan {
inline namespace abi_0 {

// Every enumeration and every struct, for whoever has something to say of each.
// clang-format off
#define TPUPLAN_DETAIL_ENUMS(each)                                                                                     \
  each(architecture) each(attention_against) each(attention_flops) each(attention_kernel) each(bound)                  \
  each(cache_sharding) each(cache_policy) each(date_qualifier) each(decode_limit) each(dtype) each(errc)                    \
  each(finding_kind) each(host_state) each(member_share) each(memory_level) each(memory_stage) each(mesh_unit)         \
  each(name_counts) each(network_kind) each(not_judged) each(objective) each(optimizer_kind) each(placement)           \
  each(plan_limit) each(provisioning) each(rejection) each(remainder) each(serving_finding_kind)                       \
  each(serving_limit) each(serving_question) each(serving_refusal) each(serving_rejection) each(software_level) each(spot_market)            \
  each(step_bound) each(tpu_creation) each(verdict) each(weight_sharding) each(window_eviction) each(window_flops)          \
  each(wraparound_rule)
#define TPUPLAN_DETAIL_STRUCTS(each)                                                                                   \
  each(accuracy_chart) each(chip_constants) each(fitted_chips) each(training_coverage) each(training_sizes) each(work_terms) each(work_sums) each(layout_terms) each(stage_terms) each(memory_layout) each(accuracy_point) each(assumption) each(attention_shape) each(attention_spec)                \
  each(baseline_errors) each(calibration) each(calibration_fit) each(checkpoint_store) each(chip_position)             \
  each(chip_spec) each(collective_cost) each(collective_group) each(collective_time) each(commitment_cost)             \
  each(contraction_limits) each(sharded_product) each(decode_batch) each(decode_bound) each(decode_breakdown)              \
  each(decode_server) each(decode_turnover) each(decode_work) each(error_summary) each(expected_spot_run) each(finding) each(findings)     \
  each(fitted_constant) each(fixed_degrees) each(flex_start_terms) each(flop_convention) each(forward_flops)           \
  each(frontier_point) each(gcloud_launch) each(gpu_offer) each(growing_work) each(hbm_spec) each(held_parameters)     \
  each(host_spec) each(ici_spec) each(latent_attention_spec) each(launch_request) each(layer_backward_times)           \
  each(layer_sharding) each(layer_times) each(layer_traffic) each(layer_widths) each(layout) each(left_out_run)        \
  each(length_quantile) each(lora_targets) each(machine_type) each(matrix_shape) each(maxtext_run) each(memory_bar)    \
  each(memory_breakdown) each(memory_calibration) each(memory_chart) each(migration) each(mlp_spec)                    \
  each(model_config) each(model_padding) each(moe_spec) each(mxu_spec) each(named_remat_policy)                        \
  each(nearest_slices) each(network_share) each(offer) each(offer_comparison) each(on_chip_spec)                       \
  each(operation_prices) each(padding_cost) each(paid_run) each(parameter_count) each(pareto_chart)                    \
  each(pareto_point) each(payment_options) each(payment_terms) each(peak_rates) each(pipeline_transfer)                \
  each(placed_degree) each(plan) each(plan_answer) each(plan_cost) each(plan_request) each(plan_sensitivity)           \
  each(pod_spec) each(prefill_breakdown) each(price_row) each(product_dtypes) each(product_shape)                      \
  each(product_time) each(projector_spec) each(prompt_batch) each(quota_row) each(record_check)                        \
  each(record_exception) each(rejected_server) each(rejected_slice) each(relaxation) each(remat_policy) each(request_tokens) \
  each(roofline_chart) each(roofline_point) each(run_cost) each(search_counts) each(send_breakdown) each(server_memory) each(serving_job) \
  each(serving_calibration) each(serving_cost) each(serving_estimate) each(serving_finding) each(serving_findings)     \
  each(serving_fit) each(serving_frontier) each(serving_layout) each(serving_memory) each(serving_memory_record)       \
  each(serving_plan) each(serving_plan_answer) each(serving_prediction) each(serving_record)                           \
  each(serving_relaxation) each(serving_request) each(sharded_array) each(slice) each(spot_comparison)                 \
  each(spot_prices) each(spot_run) each(spot_terms) each(step_bar) each(step_breakdown) each(step_chart)               \
  each(storage_cost) each(svg_chart) each(tile) each(time_bounds) each(timed_run) each(token_lengths) each(token_time)                 \
  each(topology) each(torus_placement) each(training_job) each(training_case) each(training_record)                        \
  each(training_state) each(transformer) each(vision_spec) each(weight_matrices) each(weight_matrix)                   \
  each(weight_stationary_degrees)
// clang-format on
#define TPUPLAN_DETAIL_DECLARE(type) enum class type : std::uint8_t;
TPUPLAN_DETAIL_ENUMS(TPUPLAN_DETAIL_DECLARE)
#undef TPUPLAN_DETAIL_DECLARE
#define TPUPLAN_DETAIL_DECLARE(type) struct type;
TPUPLAN_DETAIL_STRUCTS(TPUPLAN_DETAIL_DECLARE)
#undef TPUPLAN_DETAIL_DECLARE
class owned_price_book;
class price_book;
template <class T>
class known;
template <class T>
class maybe;
template <std::size_t Capacity>
class text;

namespace detail {
/// Whether a type is one of some others.
template <class T, class... Others>
inline constexpr bool is_one_of = (std::is_same<T, Others>::value || ...);

/// Whether a type is one of the enumerations above, all of which have names.
template <class T>
inline constexpr bool is_declared_enum = false;
#define TPUPLAN_DETAIL_IS_ENUM(type) \
  template <>                        \
  inline constexpr bool is_declared_enum<type> = true;
TPUPLAN_DETAIL_ENUMS(TPUPLAN_DETAIL_IS_ENUM)
#undef TPUPLAN_DETAIL_IS_ENUM
}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif

#ifndef TPUPLAN_TESTS_SUPPORT_JSON_TYPES_HPP
#define TPUPLAN_TESTS_SUPPORT_JSON_TYPES_HPP

#include <tpuplan/handbook/thresholds.hpp>
#include <tpuplan/hardware/gpus.hpp>
#include <tpuplan/io/json/named.hpp>
#include <tpuplan/plan/relax.hpp>
#include <tpuplan/tpuplan.hpp>

/// The types that io/json/named.hpp lists, those of io/ apart (json_io_types.hpp). A test of tests/unit/json.cpp holds
/// these lists against that header.
namespace json_types {

using namespace tpuplan;

template <class T>
struct type_of {
  using type = T;
};

template <class... T, class Visit>
void each_type_of(const Visit& visit) {
  (visit(type_of<T>{}), ...);
}

template <class Visit>
void each_core_type(const Visit& visit) {
  // hardware, model, roofline, parallel
  each_type_of<mxu_spec, peak_rates, hbm_spec, on_chip_spec, ici_spec, host_spec, pod_spec, chip_spec, gpu_offer, slice,
               nearest_slices, machine_type, topology, flop_convention, forward_flops, parameter_count, lora_targets,
               token_lengths, length_quantile, serving_job, latent_attention_spec, attention_spec, mlp_spec, moe_spec,
               transformer, projector_spec, vision_spec, training_state, remat_policy, named_remat_policy, training_job,
               attention_shape, decode_work, decode_bound, server_memory, decode_server, request_tokens,
               decode_turnover, sharded_product, weight_stationary_degrees, tile, matrix_shape, padding_cost,
               weight_matrix, weight_matrices, model_padding, product_dtypes, product_shape, growing_work, product_time,
               time_bounds, collective_group, collective_cost, layout, sharded_array, chip_position, send_breakdown,
               network_share, placed_degree, torus_placement, contraction_limits, layer_sharding, layer_times,
               layer_backward_times, layer_traffic, pipeline_transfer>(visit);
  // estimate, cost, plan
  each_type_of<training_case, finding, findings, calibration, memory_calibration, serving_layout, decode_batch,
               decode_breakdown, memory_breakdown, prompt_batch, prefill_breakdown, token_time, serving_estimate,
               frontier_point, serving_frontier, serving_finding, serving_findings, serving_calibration, serving_memory,
               collective_time, step_breakdown, layer_widths, held_parameters, operation_prices, checkpoint_store,
               storage_cost, commitment_cost, migration, offer, offer_comparison, payment_terms, paid_run,
               payment_options, spot_run, expected_spot_run, spot_prices, spot_comparison, price_row, run_cost,
               serving_cost, spot_terms, timed_run, flex_start_terms, quota_row, fixed_degrees, plan_request, plan_cost,
               plan, rejected_slice, search_counts, plan_answer, plan_sensitivity, relaxation, serving_request,
               serving_plan, rejected_server, serving_plan_answer, serving_relaxation>(visit);
}

}  // namespace json_types

#endif

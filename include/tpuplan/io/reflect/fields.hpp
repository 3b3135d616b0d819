#ifndef TPUPLAN_IO_REFLECT_FIELDS_HPP
#define TPUPLAN_IO_REFLECT_FIELDS_HPP

#include <cstddef>
#include <string_view>
#include <tpuplan/io/reflect/declared.hpp>
#include <type_traits>

/// @file
/// The fields of every public struct, by the folder of its header: what io/json.hpp writes and io/text/one_line.hpp
/// shows. The binding in `each` does not compile unless all of them are listed.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// `fields_of<T>::each(x, visit)` calls visit("name", field) for each field in its order.
template <class T>
struct fields_of;
/// An array with a count beside it: `values` and `count`.
template <class T>
struct list_of;

template <template <class> class Trait, class T, class = void>
inline constexpr bool has_trait = false;
template <template <class> class Trait, class T>
inline constexpr bool has_trait<Trait, T, std::enable_if_t<(sizeof(Trait<T>) > 0)>> = true;

/// Visits each field under its name, of which `names` has them all: "rows, columns".
template <class Visit, class... Fields>
constexpr void visit_fields(std::string_view names, const Visit& visit, Fields&... fields) {
  const auto next = [&names] {
    const std::string_view first = names.substr(0, names.find(','));
    names.remove_prefix(first.size() == names.size() ? first.size() : first.size() + 2);
    return first;
  };
  (visit(next(), fields), ...);
}

#define TPUPLAN_DETAIL_FIELDS(type, ...)                         \
  template <>                                                    \
  struct fields_of<type> {                                       \
    static constexpr std::string_view type_name = #type;         \
    template <class Self, class Visit>                           \
    static constexpr void each(Self& self, const Visit& visit) { \
      auto& [__VA_ARGS__] = self;                                \
      visit_fields(#__VA_ARGS__, visit, __VA_ARGS__);            \
    }                                                            \
  };
// clang-format off
// hardware/
TPUPLAN_DETAIL_FIELDS(mxu_spec, per_tensorcore, side, macs_per_cell_cycle)
TPUPLAN_DETAIL_FIELDS(peak_rates, bf16, int8, fp8, int4)
TPUPLAN_DETAIL_FIELDS(hbm_spec, capacity, documented, usable_per_device, bandwidth)
TPUPLAN_DETAIL_FIELDS(on_chip_spec, vmem_per_tensorcore, vmem_bandwidth_over_hbm, cmem, smem_per_tensorcore)
TPUPLAN_DETAIL_FIELDS(ici_spec, links, axes, link_one_way, achievable_fraction, wraparound, die_to_die_over_link)
TPUPLAN_DETAIL_FIELDS(host_spec, chips, dram, pcie, dcn)
TPUPLAN_DETAIL_FIELDS(pod_spec, shape, largest_slice)
TPUPLAN_DETAIL_FIELDS(chip_spec, name, announced_year, tensorcores, jax_devices, megacore, mxu, peak, clock, hbm,
                      on_chip, sparsecores, ici, host, pod, slice_name_counts)
TPUPLAN_DETAIL_FIELDS(gpu_offer, name, machine, per_machine, bf16, hbm, bandwidth, on_demand, spot, date)
TPUPLAN_DETAIL_FIELDS(slice, chip, shape, chips_per_vm)
TPUPLAN_DETAIL_FIELDS(nearest_slices, smaller, larger)
TPUPLAN_DETAIL_FIELDS(machine_type, name, chip, chips, vcpus, ram_gb, makes_one_vm, makes_several_vms)
TPUPLAN_DETAIL_FIELDS(topology, dims, axes)

// model/
TPUPLAN_DETAIL_FIELDS(flop_convention, attention, window, router, all_parameters, latent_norms)
TPUPLAN_DETAIL_FIELDS(forward_flops, qkv, attention_output, attention, mlp_up, mlp_down, experts_up, experts_down,
                      router, logits, weights, total)
TPUPLAN_DETAIL_FIELDS(parameter_count, embedding, attention, mlp, experts, router, norms, lm_head, vision, projector,
                      head, total, active, matrices)
TPUPLAN_DETAIL_FIELDS(lora_targets, q, k, v, o, gate, up, down)
TPUPLAN_DETAIL_FIELDS(token_lengths, mean, mean_square, longest)
TPUPLAN_DETAIL_FIELDS(length_quantile, share, tokens)
TPUPLAN_DETAIL_FIELDS(serving_job, prompt, output, concurrency, request_rate, ttft_target, tpot_target, weights, cache,
                      activations, prefix_hit_rate, prefill_chunk, max_running, block_tokens, policy, memory_fraction,
                      beyond_max_positions)
TPUPLAN_DETAIL_FIELDS(latent_attention_spec, q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim)
TPUPLAN_DETAIL_FIELDS(attention_spec, heads, kv_heads, head_dim, qkv_bias, output_bias, qk_norm, sinks, latent, window,
                      local_layers, global_head_dim, global_kv_heads, global_kv_shared, kv_shared_layers,
                      relative_buckets, cross_layers)
TPUPLAN_DETAIL_FIELDS(mlp_spec, d_ff, gated, bias, double_wide_in_shared)
TPUPLAN_DETAIL_FIELDS(moe_spec, experts, top_k, expert_d_ff, shared_d_ff, parallel_dense_d_ff, dense_layers,
                      router_bias, expert_bias, shared_gate)
TPUPLAN_DETAIL_FIELDS(transformer, name, kind, layers, encoder_layers, d_model, vocab, tied_embeddings,
                      learned_positions, token_types, extra_input_rows, max_positions, norms_per_layer, norm_bias,
                      embedding_norm, final_norm, pooler, classes, attention, mlp, moe, vision, published_parameters,
                      published_active_parameters)
TPUPLAN_DETAIL_FIELDS(projector_spec, norm_weights, merge, merge_matrix, input, hidden, output, bias)
TPUPLAN_DETAIL_FIELDS(vision_spec, image_size, patch_size, channels, temporal_patch, layers, d_model, heads, d_ff,
                      gated, qkv_bias, output_bias, mlp_bias, norm_bias, patch_bias, class_token, learned_positions,
                      extra_norms, other_weights, tokens_per_image, projector)
TPUPLAN_DETAIL_FIELDS(training_state, weights, optimizer, total)
TPUPLAN_DETAIL_FIELDS(remat_policy, layer_input, qkv, context, out_proj, mlp_up, mlp_down, elementwise, attention_again)
TPUPLAN_DETAIL_FIELDS(named_remat_policy, name, policy)
TPUPLAN_DETAIL_FIELDS(training_job, global_batch, sequence_length, compute, weights, moments, optimizer, remat,
                      gradient_accumulation, pipeline_microbatches, pipeline_rounds, capacity_factor, vocabulary_tiles,
                      logits_fraction, synchronous_collectives, work_multiplier, images_per_sequence, software,
                      attention, state_on_host, lora_rank, lora, frozen_weights)

// roofline/
TPUPLAN_DETAIL_FIELDS(attention_shape, queries, context, heads_per_kv_head)
TPUPLAN_DETAIL_FIELDS(decode_work, batch, weights, cache_per_sequence, products_per_sequence)
TPUPLAN_DETAIL_FIELDS(decode_bound, memory, cache, weights, products, total, tokens_per_second)
TPUPLAN_DETAIL_FIELDS(server_memory, hbm, weights, cache_per_sequence)
TPUPLAN_DETAIL_FIELDS(decode_server, batch, step, output_tokens)
TPUPLAN_DETAIL_FIELDS(request_tokens, prompt, output)
TPUPLAN_DETAIL_FIELDS(decode_turnover, sequences, tokens)
TPUPLAN_DETAIL_FIELDS(sharded_product, ici, hbm, math)
TPUPLAN_DETAIL_FIELDS(weight_stationary_degrees, d_model, d_ff)
TPUPLAN_DETAIL_FIELDS(tile, sublanes, lanes)
TPUPLAN_DETAIL_FIELDS(matrix_shape, rows, columns)
TPUPLAN_DETAIL_FIELDS(padding_cost, shape, padded, flop_utilization, stored, stored_waste)
TPUPLAN_DETAIL_FIELDS(weight_matrix, name, shape, count, used_per_token)
TPUPLAN_DETAIL_FIELDS(model_padding, flop_utilization, stored, stored_waste)
TPUPLAN_DETAIL_FIELDS(product_dtypes, weights, activations, output, compute)
TPUPLAN_DETAIL_FIELDS(product_shape, batch, inner, outer)
TPUPLAN_DETAIL_FIELDS(growing_work, once, flops_per_element, bytes_per_element)
TPUPLAN_DETAIL_FIELDS(product_time, math, memory, lower, upper, limited_by)
TPUPLAN_DETAIL_FIELDS(time_bounds, lower, upper)

// parallel/
TPUPLAN_DETAIL_FIELDS(collective_group, lengths, network, one_way, per_hop, share, closed)
TPUPLAN_DETAIL_FIELDS(collective_cost, bandwidth, latency, total, latency_bound)
TPUPLAN_DETAIL_FIELDS(layout, data, fsdp, tensor, expert, context, pipeline, dcn_data, dcn_fsdp, dcn_pipeline, unit)
TPUPLAN_DETAIL_FIELDS(sharded_array, elements_per_device, per_device, over_mesh)
TPUPLAN_DETAIL_FIELDS(chip_position, at)
TPUPLAN_DETAIL_FIELDS(send_breakdown, hops, ports, first_byte, streaming, total)
TPUPLAN_DETAIL_FIELDS(network_share, host, chip)
TPUPLAN_DETAIL_FIELDS(placed_degree, name, degree, lengths, on_chip, rings)
TPUPLAN_DETAIL_FIELDS(torus_placement, degrees)
TPUPLAN_DETAIL_FIELDS(contraction_limits, gather_first_batch, reduce_after_inner, reduce_after_degree,
                      equal_traffic_batch)
TPUPLAN_DETAIL_FIELDS(layer_sharding, fsdp, fsdp_axes, tensor, tensor_axes)
TPUPLAN_DETAIL_FIELDS(layer_times, math, fsdp, tensor, compute_bound)
TPUPLAN_DETAIL_FIELDS(layer_backward_times, math, dcn)
TPUPLAN_DETAIL_FIELDS(layer_traffic, data, fsdp, tensor)
TPUPLAN_DETAIL_FIELDS(pipeline_transfer, per_hop, total)

// estimate/
TPUPLAN_DETAIL_FIELDS(training_case, model, job, mesh, where)
TPUPLAN_DETAIL_FIELDS(finding, kind, subject, now, better, step_time_now, step_time_then, work, gain, then)
TPUPLAN_DETAIL_FIELDS(chip_constants, chip, mxu_fraction)
TPUPLAN_DETAIL_FIELDS(training_coverage, chip, dense, eight_bit, experts)
TPUPLAN_DETAIL_FIELDS(training_sizes, width, work, adapters, held, layers, passes, exchanged)
TPUPLAN_DETAIL_FIELDS(work_terms, dense_products, expert_products, logits, attention, vision, elementwise, scores,
                      operands, dispatch, operand_weights, weight_reads, weight_update, tensor_passes, expert_passes)
TPUPLAN_DETAIL_FIELDS(work_sums, per_token, per_microbatch, weight_reads, weight_update, tensor_passes, expert_passes)
TPUPLAN_DETAIL_FIELDS(layout_terms, tokens, weight_shards, gathered_share, fsdp, data, tensor, expert, context,
                      overhead, bubble, jitter, dcn_once, dcn_each, dcn_exposed, host_once, host_each, host_exposed,
                      hidden_by_work, software)
TPUPLAN_DETAIL_FIELDS(stage_terms, parameters, optimizer, gradients, accumulated_gradients, brought, gathered,
                      gathered_experts, activations, logits, workspace)
TPUPLAN_DETAIL_FIELDS(memory_layout, weight_shards, stages, gathers, experts, tokens)
TPUPLAN_DETAIL_FIELDS(calibration, chips, other_mxu_fraction, products_padded, attention_slowdown,
                      attention_block, latent_values_padded, global_heads_apart, fixed_update, hbm_passes,
                      operand_reads, weight_reads, dispatch_passes, dispatch_on_every_shard, exposed_fsdp,
                      exposed_tensor, exposed_expert, exposed_context, exposed_dcn, exposed_host, hidden_by_work_only,
                      slowdown_per_doubling, low_precision_share, general_software, own_factor, per_layer_pass)
TPUPLAN_DETAIL_FIELDS(memory_calibration, logits_copies, weight_layers, gradient_layers, kept_gradients, recomputed,
                      activation_gradients, quantised_bytes, host_layers)
TPUPLAN_DETAIL_FIELDS(serving_layout, tensor, weights, cache)
TPUPLAN_DETAIL_FIELDS(decode_batch, sequences, context)
TPUPLAN_DETAIL_FIELDS(decode_breakdown, weights, products, cache, latency, collectives, total, low, high, band,
                      extrapolated, limited_by)
TPUPLAN_DETAIL_FIELDS(memory_breakdown, parameters, optimizer, gradients, activations, logits, gathered_weights,
                      workspace, total, low, high, usable, stage)
TPUPLAN_DETAIL_FIELDS(prompt_batch, prompts, tokens)
TPUPLAN_DETAIL_FIELDS(prefill_breakdown, products, attention, elementwise, weights, collectives, latency, total, low,
                      high, band, extrapolated)
TPUPLAN_DETAIL_FIELDS(token_time, step, prompts, engine, total, low, high, band, extrapolated)
TPUPLAN_DETAIL_FIELDS(serving_estimate, refusal, floor, floor_limited_by, memory, fit, replicas, largest_running,
                      capacity, running, per_token, prefill, queue, first_token, requests, input_tokens, output_tokens,
                      prefill_servers, meets_ttft, meets_tpot)
TPUPLAN_DETAIL_FIELDS(frontier_point, running, per_token, output_tokens)
TPUPLAN_DETAIL_FIELDS(serving_finding, kind, subject, now, better, rate_now, rate_then, per_token_now, per_token_then,
                      gain, job_then, mesh_then)
TPUPLAN_DETAIL_FIELDS(serving_calibration, weight_stream, cache_stream, decode_mxu, decode_collectives, layer_latency,
                      engine_step, engine_sequence, prefill_between_steps, prefill_mxu, prefill_attention,
                      prefill_hbm_passes, prefill_collectives, engine_prefill)
TPUPLAN_DETAIL_FIELDS(serving_memory, weights, cache, workspace, total, low, high, usable)
TPUPLAN_DETAIL_FIELDS(collective_time, whole, exposed)
TPUPLAN_DETAIL_FIELDS(step_breakdown, dense_products, expert_products, logits, attention, vision, compute, elementwise,
                      scores, operands, weight_reads, weight_update, dispatch, hbm, fsdp, data, tensor, expert, context,
                      ici, overhead, bubble, jitter, dcn, host, software, total, low, high, band, extrapolated,
                      limited_by, mfu, tokens_per_second)
TPUPLAN_DETAIL_FIELDS(layer_widths, d_model, qkv, context, mlp_up, mlp, scores)
TPUPLAN_DETAIL_FIELDS(held_parameters, trained, frozen)

// cost/
TPUPLAN_DETAIL_FIELDS(operation_prices, write, read)
TPUPLAN_DETAIL_FIELDS(checkpoint_store, checkpoint, kept, held, written, restored, objects)
TPUPLAN_DETAIL_FIELDS(storage_cost, kept, storage, operations, total)
TPUPLAN_DETAIL_FIELDS(commitment_cost, run, idle, total, whole, term, unused, utilization, terms)
TPUPLAN_DETAIL_FIELDS(migration, engineering, saving_per_job, jobs_per_month, discount)
TPUPLAN_DETAIL_FIELDS(offer, price, throughput)
TPUPLAN_DETAIL_FIELDS(offer_comparison, cost, other_cost, saving_fraction, speed_ratio, break_even_price,
                      other_break_even_price, break_even_throughput)
TPUPLAN_DETAIL_FIELDS(payment_terms, spot, flex_start, rest_of_term_used)
TPUPLAN_DETAIL_FIELDS(paid_run, kind, price, rate, run, overhead, unused, billed, queue, wall, total, unused_cost,
                      checkpoint_interval, preemptions, pieces)
TPUPLAN_DETAIL_FIELDS(spot_run, work, checkpoint_interval, checkpoint_time, mean_time_between_preemptions, restart_time,
                      queue_time, restart_can_be_preempted, final_checkpoint)
TPUPLAN_DETAIL_FIELDS(expected_spot_run, work, checkpoints, lost_work, restarts, queue, failure_free, billed, wall,
                      preemptions, billed_factor, wall_factor, segments)
TPUPLAN_DETAIL_FIELDS(spot_prices, on_demand, spot)
TPUPLAN_DETAIL_FIELDS(spot_comparison, on_demand_cost, spot_cost, saving, saving_fraction, effective_price,
                      billed_factor, break_even_billed_factor, spot_is_cheaper)
TPUPLAN_DETAIL_FIELDS(price_row, generation, region, kind, smallest_chips, per_chip, date, qualifier, grade)
TPUPLAN_DETAIL_FIELDS(run_cost, rate, run, billed, wall, total, price)
TPUPLAN_DETAIL_FIELDS(serving_cost, rate, input, output, all_on_output)
TPUPLAN_DETAIL_FIELDS(spot_terms, mean_time_between_preemptions, correlation, checkpoint_time, restart_time, queue_time)
TPUPLAN_DETAIL_FIELDS(timed_run, run, overhead, unused, queue, billed, wall, pieces)
TPUPLAN_DETAIL_FIELDS(flex_start_terms, limit, checkpoint_time, restart_time, queue_time, may_be_split)

// plan/
TPUPLAN_DETAIL_FIELDS(quota_row, generation, region, kind, chips)
TPUPLAN_DETAIL_FIELDS(fixed_degrees, data, fsdp, tensor, expert, context, pipeline, dcn_data, dcn_fsdp, dcn_pipeline)
TPUPLAN_DETAIL_FIELDS(plan_request, model, job, tokens, smallest_batch_tokens, largest_batch_tokens, best, kinds,
                      regions, deadline, budget, generations, chips, smallest_chips, largest_chips, largest_slices,
                      degrees, policies, quotas, accept_uncertain, most_plans, terms, prices, constants)
TPUPLAN_DETAIL_FIELDS(plan_cost, kind, price, billed, wall, total, low, high, checkpoint_interval, preemptions, goodput)
TPUPLAN_DETAIL_FIELDS(plan, where, mesh, job, memory, fit, step, steps, run, costs, chosen, on_front)
TPUPLAN_DETAIL_FIELDS(rejected_slice, where, slices, why, amount, by)
TPUPLAN_DETAIL_FIELDS(search_counts, slices, layouts, pruned, candidates, priced)
TPUPLAN_DETAIL_FIELDS(plan_answer, plans, rejected, counts)
TPUPLAN_DETAIL_FIELDS(plan_sensitivity, price_down, price_up, twice_preempted, step_low, step_high, twice_the_batch)
TPUPLAN_DETAIL_FIELDS(relaxation, limit, given, needed, nearest)
TPUPLAN_DETAIL_FIELDS(serving_request, model, job, best, kinds, regions, budget, generations, chips, smallest_chips,
                      largest_chips, accept_uncertain, most_plans, prices, constants)
TPUPLAN_DETAIL_FIELDS(serving_plan, where, mesh, slices, share, estimate, kind, region, price, cost, rate)
TPUPLAN_DETAIL_FIELDS(rejected_server, where, why, amount)
TPUPLAN_DETAIL_FIELDS(serving_plan_answer, plans, rejected, candidates)
TPUPLAN_DETAIL_FIELDS(serving_relaxation, limit, given, needed, nearest)

// io/
TPUPLAN_DETAIL_FIELDS(calibration_fit, constants, fitted, mxu_spread)
TPUPLAN_DETAIL_FIELDS(left_out_run, id, family, error, predicted)
TPUPLAN_DETAIL_FIELDS(serving_fit, constants, fitted)
TPUPLAN_DETAIL_FIELDS(record_exception, id, what, reason, source)
TPUPLAN_DETAIL_FIELDS(model_config, model, model_type, assumed)
TPUPLAN_DETAIL_FIELDS(assumption, field, value, why)
TPUPLAN_DETAIL_FIELDS(svg_chart, svg, words)
TPUPLAN_DETAIL_FIELDS(gcloud_launch, create, state, run, remove)
TPUPLAN_DETAIL_FIELDS(maxtext_run, mesh, job, layers, steps, checkpoint_period, config, extra)
TPUPLAN_DETAIL_FIELDS(launch_request, name, where, slices, capacity, reservation, project, zone, cluster, image,
                      checkpoint, command, max_restarts, run, max_run)
TPUPLAN_DETAIL_FIELDS(fitted_constant, name, prior, prior_spread, value, spread)
TPUPLAN_DETAIL_FIELDS(training_record, id, family, quality, model, job, mesh, where, measured, in_domain)
TPUPLAN_DETAIL_FIELDS(serving_record, id, family, quality, model, job, mesh, where, question, saturated, batch,
                      measured)
TPUPLAN_DETAIL_FIELDS(serving_memory_record, use, held, whole)
TPUPLAN_DETAIL_FIELDS(serving_prediction, time, band, extrapolated)
TPUPLAN_DETAIL_FIELDS(memory_bar, label, memory)
TPUPLAN_DETAIL_FIELDS(memory_chart, title, bars)
TPUPLAN_DETAIL_FIELDS(step_bar, label, step)
TPUPLAN_DETAIL_FIELDS(step_chart, title, bars)
TPUPLAN_DETAIL_FIELDS(roofline_point, label, intensity, rate)
TPUPLAN_DETAIL_FIELDS(roofline_chart, title, peak, bandwidth, points, memory)
TPUPLAN_DETAIL_FIELDS(pareto_point, label, wall, total)
TPUPLAN_DETAIL_FIELDS(pareto_chart, title, points)
TPUPLAN_DETAIL_FIELDS(accuracy_point, label, group, predicted, measured)
TPUPLAN_DETAIL_FIELDS(accuracy_chart, title, band, points)
TPUPLAN_DETAIL_FIELDS(record_check, id, kind, quality, family, generation, type, predicted, measured, low, high, error,
                      fit, fitted, memory_skipped, used, measured_used, bytes_skipped, roofline_error,
                      model_flops_seconds, in_domain, extrapolated, skipped, guesses)
TPUPLAN_DETAIL_FIELDS(error_summary, records, median, p90, bias, inside)
TPUPLAN_DETAIL_FIELDS(baseline_errors, roofline, one_mfu, generation_mfu)

// clang-format on
#undef TPUPLAN_DETAIL_FIELDS

#define TPUPLAN_DETAIL_LIST(type, members, size)         \
  template <>                                            \
  struct list_of<type> {                                 \
    static constexpr std::string_view type_name = #type; \
    template <class Self>                                \
    static auto& values(Self& self) {                    \
      [[maybe_unused]] auto& [members, size] = self;     \
      return self.members;                               \
    }                                                    \
    template <class Self>                                \
    static auto& count(Self& self) {                     \
      return self.size;                                  \
    }                                                    \
  };
TPUPLAN_DETAIL_LIST(findings, items, count)
TPUPLAN_DETAIL_LIST(fitted_chips, items, count)
TPUPLAN_DETAIL_LIST(payment_options, ways, count)
TPUPLAN_DETAIL_LIST(serving_findings, items, count)
TPUPLAN_DETAIL_LIST(serving_frontier, points, count)
TPUPLAN_DETAIL_LIST(weight_matrices, items, size)
#undef TPUPLAN_DETAIL_LIST

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

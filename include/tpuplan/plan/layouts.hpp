#ifndef TPUPLAN_PLAN_LAYOUTS_HPP
#define TPUPLAN_PLAN_LAYOUTS_HPP

#include <cstdint>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/plan.hpp>

/// @file
/// Every layout of a model on some slices alike: the space that the planner searches.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Calls `visit(degree)` for the divisors of `whole`, small ones first, or for the wanted one alone if it divides.
template <class Visit>
constexpr void for_each_degree(std::int64_t whole, std::int64_t wanted, const Visit& visit) {
  if (wanted > 0) {
    if (whole % wanted == 0) visit(wanted);
    return;
  }
  for (std::int64_t degree = 1; degree <= whole; ++degree) {
    if (whole % degree == 0) visit(degree);
  }
}

/// Whether heads, experts, layers and the sequence can be cut so.
constexpr bool can_cut(const layout& mesh, const transformer& model, const training_job& job) {
  const attention_spec& a = model.attention;
  if (a.heads % mesh.tensor != 0 || (a.kv_heads % mesh.tensor != 0 && mesh.tensor % a.kv_heads != 0)) return false;
  if (mesh.expert > 1 && (!has_experts(model) || model.moe.experts % mesh.expert != 0)) return false;
  return job.sequence_length % mesh.context == 0 && mesh.pipeline * mesh.dcn_pipeline <= model.layers;
}

/// Degrees over slices: data x FSDP x pipeline.
template <class Visit>
constexpr void for_each_dcn(layout mesh, std::int64_t slice_total, const fixed_degrees& wanted, const Visit& visit) {
  for_each_degree(slice_total, wanted.dcn_pipeline, [&](std::int64_t pipeline) {
    for_each_degree(slice_total / pipeline, wanted.dcn_fsdp, [&](std::int64_t fsdp) {
      mesh.dcn_pipeline = pipeline;
      mesh.dcn_fsdp = fsdp;
      mesh.dcn_data = slice_total / pipeline / fsdp;
      if (wanted.dcn_data == 0 || wanted.dcn_data == mesh.dcn_data) visit(mesh);
    });
  });
}

/// Calls `visit(layout)` for every layout of the devices of a slice, and of that many slices, that the model can be cut
/// into; the batch is not looked at. Those with little tensor parallelism and no replicas come first: they win most
/// often, and the rest is pruned.
template <class Visit>
constexpr void for_each_layout(std::int64_t device_count, std::int64_t slice_total, const transformer& model,
                               const training_job& job, const fixed_degrees& wanted, const Visit& visit) {
  for_each_degree(device_count, wanted.pipeline, [&](std::int64_t pipeline) {
    for_each_degree(device_count / pipeline, wanted.context, [&](std::int64_t context) {
      for_each_degree(device_count / pipeline / context, has_experts(model) ? wanted.expert : 1,
                      [&](std::int64_t expert) {
                        const std::int64_t left = device_count / pipeline / context / expert;
                        for_each_degree(left, wanted.tensor, [&](std::int64_t tensor) {
                          for_each_degree(left / tensor, wanted.data, [&](std::int64_t data) {
                            layout l;
                            l.pipeline = pipeline;
                            l.context = context;
                            l.expert = expert;
                            l.tensor = tensor;
                            l.data = data;
                            l.fsdp = left / tensor / data;
                            if (wanted.fsdp > 0 && wanted.fsdp != l.fsdp) return;
                            for_each_dcn(l, slice_total, wanted, [&](const layout& whole) {
                              if (can_cut(whole, model, job)) visit(whole);
                            });
                          });
                        });
                      });
    });
  });
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

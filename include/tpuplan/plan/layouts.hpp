#ifndef TPUPLAN_PLAN_LAYOUTS_HPP
#define TPUPLAN_PLAN_LAYOUTS_HPP

#include <cstdint>
#include <tpuplan/integer.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/parallel/layout.hpp>
#include <tpuplan/plan/plan.hpp>

/// @file
/// Every layout of a model on a number of equal slices: the space that the planner searches.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Calls `visit(degree)` for every divisor of `whole`, or for the wanted one alone if it divides.
template <class Visit>
constexpr void for_each_degree(std::int64_t whole, std::int64_t wanted, const Visit& visit) {
  if (wanted == 0) return for_each_divisor(whole, visit);
  if (whole % wanted == 0) visit(wanted);
}

/// Whether the model's experts and layers and the job's sequences can be sharded by a layout. The tensor degree is
/// checked by `heads_divide`.
constexpr bool can_shard(const layout& mesh, const transformer& model, const training_job& job) {
  if (mesh.expert > 1 && (!has_experts(model) || model.moe.experts % mesh.expert != 0)) return false;
  return job.sequence_length % mesh.context == 0 && mesh.pipeline * mesh.dcn_pipeline <= model.layers;
}

/// Calls `visit(layout)` with every choice of degrees over slices: pipeline x FSDP x data.
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

/// Calls `visit(layout)` for every layout that uses all devices of that many equal slices and by which the model can be
/// sharded, whether or not the batch divides. Layouts with little tensor parallelism and no replicas come first: they
/// are the fastest most often, and a good layout found early prunes the others.
template <class Visit>
constexpr void for_each_layout(std::int64_t device_count, std::int64_t slice_total, const transformer& model,
                               const training_job& job, const fixed_degrees& wanted, const Visit& visit) {
  layout mesh;
  const auto visit_data = [&](std::int64_t left) {
    for_each_degree(left, wanted.data, [&](std::int64_t data) {
      mesh.data = data;
      mesh.fsdp = left / data;
      if (wanted.fsdp > 0 && wanted.fsdp != mesh.fsdp) return;
      for_each_dcn(mesh, slice_total, wanted, [&](const layout& whole) {
        if (can_shard(whole, model, job)) visit(whole);
      });
    });
  };
  for_each_degree(device_count, wanted.pipeline, [&](std::int64_t pipeline) {
    for_each_degree(device_count / pipeline, wanted.context, [&](std::int64_t context) {
      const std::int64_t stage = device_count / pipeline / context;
      for_each_degree(stage, has_experts(model) ? wanted.expert : 1, [&](std::int64_t expert) {
        for_each_degree(stage / expert, wanted.tensor, [&](std::int64_t tensor) {
          mesh.pipeline = pipeline;
          mesh.context = context;
          mesh.expert = expert;
          mesh.tensor = tensor;
          if (heads_divide(model, tensor)) visit_data(stage / expert / tensor);
        });
      });
    });
  });
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

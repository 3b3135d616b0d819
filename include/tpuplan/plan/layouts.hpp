#ifndef TPUPLAN_PLAN_LAYOUTS_HPP
#define TPUPLAN_PLAN_LAYOUTS_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
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

/// Whether the model's experts can be sharded that many ways.
constexpr bool experts_divide(const transformer& model, std::int64_t ways) noexcept {
  return ways == 1 || (has_experts(model) && model.moe.experts % ways == 0);
}

/// Calls `visit(layout)` with every choice of degrees over slices, pipeline x FSDP x data, that has a layer for each
/// stage.
template <class Visit>
constexpr void for_each_dcn(layout mesh, std::int64_t slice_total, const transformer& model,
                            const fixed_degrees& wanted, const Visit& visit) {
  for_each_degree(slice_total, wanted.dcn_pipeline, [&](std::int64_t pipeline) {
    if (mesh.pipeline * pipeline > most_stages(model)) return;
    for_each_degree(slice_total / pipeline, wanted.dcn_fsdp, [&](std::int64_t fsdp) {
      mesh.dcn_pipeline = pipeline;
      mesh.dcn_fsdp = fsdp;
      mesh.dcn_data = slice_total / pipeline / fsdp;
      if (wanted.dcn_data == 0 || wanted.dcn_data == mesh.dcn_data) visit(mesh);
    });
  });
}

/// Shows `search` every layout that uses all devices of that many equal slices and by which the model can be sharded,
/// whether or not the batch divides. Layouts with little tensor parallelism and no replicas come first: they are the
/// fastest most often, and a good layout found early prunes the others.
///
///   search.enter_stages(layout)   stages and shards of sequences in a slice are chosen; the rest is FSDP
///   search.enter_group(layout)    all degrees are but those of data and FSDP in a slice, which is all FSDP: the
///   layouts
///                                 of a group shard the batch alike, and this one shards weights furthest
///   search.visit(layout)          a layout
///
/// Where one of the first two is false, what is behind it is left out.
template <class Search>
constexpr void for_each_layout(std::int64_t device_count, std::int64_t slice_total, const transformer& model,
                               const training_job& job, const fixed_degrees& wanted, Search& search) {
  const auto visit_group = [&](layout group) {
    const std::int64_t left = group.fsdp;
    if (!search.enter_group(group)) return;
    for_each_degree(left, wanted.data, [&](std::int64_t data) {
      group.data = data;
      group.fsdp = left / data;
      if (wanted.fsdp == 0 || wanted.fsdp == group.fsdp) search.visit(group);
    });
  };
  const auto visit_stages = [&](layout mesh) {
    const std::int64_t stage = mesh.fsdp;
    for_each_degree(stage, has_experts(model) ? wanted.expert : 1, [&](std::int64_t expert) {
      if (!experts_divide(model, expert)) return;
      mesh.expert = expert;
      for_each_degree(stage / expert, wanted.tensor, [&](std::int64_t tensor) {
        if (!heads_divide(model, tensor)) return;
        mesh.tensor = tensor;
        mesh.fsdp = stage / expert / tensor;
        for_each_dcn(mesh, slice_total, model, wanted, visit_group);
      });
    });
  };
  for_each_degree(device_count, wanted.pipeline, [&](std::int64_t pipeline) {
    if (pipeline > most_stages(model)) return;
    for_each_degree(device_count / pipeline, wanted.context, [&](std::int64_t context) {
      if (job.sequence_length % context != 0 || (context > 1 && has_two_stacks(model))) return;
      layout mesh;
      mesh.pipeline = pipeline;
      mesh.context = context;
      mesh.fsdp = device_count / pipeline / context;
      mesh.dcn_data = slice_total;
      if (search.enter_stages(mesh)) visit_stages(mesh);
    });
  });
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

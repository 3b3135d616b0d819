#ifndef TPUPLAN_LAUNCH_OFFERS_HPP
#define TPUPLAN_LAUNCH_OFFERS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/hardware/slice.hpp>

/// @file
/// The capacity that each service is documented to offer, by the name of the chip. A chip whose name is not in the
/// table, such as a renamed copy, is offered nowhere. The table between the marks is generated from data/launch.json,
/// which has the sources, by `cmake --build BUILD --target generate`, and is not edited here.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// What GKE offers of a chip.
struct gke_offer {
  std::string_view one_vm{};            ///< the label gke-tpu-accelerator of slices of one VM; empty: not offered
  std::string_view several_vms{};       ///< the same label of larger slices
  bool multislice = false;              ///< several slices in one JobSet
  bool flex_start = false;              ///< capacity that waits in a queue and lasts for 7 days
  bool pools_of_several_vms = false;    ///< whether it is documented how such a node pool is made
  bool workload_policy = false;         ///< pools of several VMs need a workload policy
  bool flex_start_several_vms = false;  ///< flex-start also for slices of several VMs
  bool queued = false;                  ///< flex-start by queued provisioning, with a queue of Kueue
  bool hyperdisk = false;               ///< the blueprints boot its nodes from hyperdisk-balanced
};

/// What the Cloud TPU API offers of a chip.
struct cloud_tpu_offer {
  std::string_view runtime_version{};  ///< the VM image that the documentation pairs with the chip; empty: not offered
  bool multislice = false;             ///< several slices in one queued resource
  bool flex_start = false;             ///< capacity that waits in a queue and lasts for 7 days
  std::int64_t most_chips = 0;         ///< of the largest accelerator type, where that is less than a slice may have
};

/// What Compute Engine offers of a chip by its own instances.
struct compute_offer {
  std::string_view image_family{};  ///< the VM image of the chip; empty: not offered
  bool hyperdisk = false;           ///< its VMs boot from hyperdisk-balanced
  std::string_view flex_fails{};    ///< the machine type that was asked for on flex-start and never came; empty: none
};

/// What SkyPilot and XPK offer of a chip.
struct tool_offer {
  std::int64_t xpk_smallest = 0;   ///< chips of the smallest slice on VMs of four chips that XPK has; 0: it has none
  bool xpk_single_chip = false;    ///< XPK has the slice of one chip, too
  bool accelerators = false;       ///< SkyPilot makes its slices by the Cloud TPU API
  bool machine_types = false;      ///< SkyPilot makes VMs of it by Compute Engine
  std::string_view flex_zones{};   ///< where SkyPilot has flex-start of it, with a space between zones; empty: nowhere
  std::string_view flex_shapes{};  ///< the topologies that SkyPilot has on flex-start, on VMs of four chips
};

/// What the services offer of one chip.
struct launch_offer {
  std::string_view chip{};   ///< the name of the chip
  gke_offer gke{};           ///< of GKE
  cloud_tpu_offer gcloud{};  ///< of the Cloud TPU API
  compute_offer gce{};       ///< of Compute Engine
  tool_offer tools{};        ///< of SkyPilot and XPK
};

/// A chip that a service offers, for services of which data/launch.json has no more than a list: `generations`.
struct service_chip {
  std::string_view service{};  ///< its key in data/launch.json
  std::string_view chip{};     ///< the name of the chip
  std::string_view called{};   ///< the service's own name of it; empty: it has none
};

// generated: launch_offers from data/launch.json
// clang-format off
inline constexpr launch_offer launch_offers[] = {
    {"v2",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"", "", false, false, false, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"tpu-ubuntu2204-base", false, false, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {0, false, true, false, "", ""}},
    {"v3",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"tpu-v3-device", "tpu-v3-slice", false, false, false, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"tpu-ubuntu2204-base", false, false, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {0, false, true, false, "", ""}},
    {"v4",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"tpu-v4-podslice", "tpu-v4-podslice", true, false, true, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"tpu-ubuntu2204-base", true, false, 2048},
     /*gce: image_family, hyperdisk, flex_fails*/ {"", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {4, false, true, false, "", ""}},
    {"v5e",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"tpu-v5-lite-podslice", "tpu-v5-lite-podslice", true, true, true, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"v2-alpha-tpuv5-lite", true, true, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {8, false, true, false, "", ""}},
    {"v5p",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"tpu-v5p-slice", "tpu-v5p-slice", true, true, true, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"v2-alpha-tpuv5", true, false, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {4, false, true, false, "", ""}},
    {"v6e",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"tpu-v6e-slice", "tpu-v6e-slice", true, true, true, false, true, true, true},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"v2-alpha-tpuv6e", true, true, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"ubuntu-accel-2204-amd64-tpu-v5e-v5p-v6e", false, "ct6e-standard-8t"},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {4, true, true, true, "asia-northeast1-b us-east5-a us-south1-ai1b", "2x2 4x4 4x8 8x8 8x16 16x16"}},
    {"tpu7x",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"tpu7x", "tpu7x", true, true, true, true, true, true, true},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"", false, false, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"ubuntu-accel-2404-amd64-tpu-tpu7x", true, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {4, false, false, true, "us-central1-c", "2x2x1 2x2x2 2x2x4 2x4x4 4x4x4 4x4x8 4x8x8 8x8x8 8x8x16 8x16x16"}},
    {"tpu8t",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"", "", false, false, false, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"", false, false, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {0, false, false, false, "", ""}},
    {"tpu8i",
     /*gke: one_vm, several_vms, multislice, flex_start, pools_of_several_vms, workload_policy,
       flex_start_several_vms, queued, hyperdisk*/
     {"", "", false, false, false, false, false, false, false},
     /*gcloud: runtime_version, multislice, flex_start, most_chips*/ {"", false, false, 0},
     /*gce: image_family, hyperdisk, flex_fails*/ {"", false, ""},
     /*tools: xpk_smallest, xpk_single_chip, accelerators, machine_types, flex_zones, flex_shapes*/
     {0, false, false, false, "", ""}},
};
// clang-format on
// end of generated: launch_offers

// generated: service_chips from data/launch.json
// clang-format off
inline constexpr service_chip service_chips[] = {
    {"calendar", "v5p", ""},
    {"calendar", "v6e", ""},
    {"calendar", "tpu7x", ""},
    {"vertex", "v2", "TPU_V2"},
    {"vertex", "v3", "TPU_V3"},
    {"vertex", "v5e", ""},
    {"vertex", "v6e", ""},
    {"gcluster", "v4", ""},
    {"gcluster", "v5e", ""},
    {"gcluster", "v5p", ""},
    {"gcluster", "v6e", ""},
    {"gcluster", "tpu7x", ""},
    {"maxtext_dense", "v6e", "--xla_tpu_scoped_vmem_limit_kib=98304 --xla_tpu_enable_async_collective_fusion=true --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true --xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true --xla_enable_async_all_gather=true"},
    {"maxtext_dense", "tpu7x", "--xla_tpu_scoped_vmem_limit_kib=61440 --xla_tpu_bf16_emission_mode=NATIVE_EMISSION --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true --xla_tpu_use_single_sparse_core_for_all_gather_offload=true"},
    {"maxtext_experts", "v5p", "--xla_tpu_scoped_vmem_limit_kib=81920 --xla_tpu_enable_async_collective_fusion=true --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true --xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true --xla_enable_async_all_gather=true --xla_tpu_enable_data_parallel_all_reduce_opt=true --xla_tpu_data_parallel_opt_different_sized_ops=true"},
    {"maxtext_experts", "v6e", "--xla_tpu_scoped_vmem_limit_kib=81920 --xla_tpu_enable_async_collective_fusion=true --xla_tpu_enable_async_collective_fusion_fuse_all_gather=true --xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true --xla_enable_async_all_gather=true --xla_tpu_enable_data_parallel_all_reduce_opt=true --xla_tpu_data_parallel_opt_different_sized_ops=true"},
    {"maxtext_experts", "tpu7x", "--xla_tpu_dvfs_p_state=3 --xla_tpu_scoped_vmem_limit_kib=61440 --xla_tpu_enable_sparse_core_collective_offload_all_gather=true --xla_tpu_enable_sparse_core_collective_offload_all_reduce=true --xla_tpu_use_single_sparse_core_for_all_gather_offload=true"},
    {"maxtext_offload", "v6e", "--xla_tpu_enable_all_experimental_scheduler_features=true --xla_tpu_enable_scheduler_memory_pressure_tracking=true --xla_tpu_host_transfer_overlap_limit=24 --xla_tpu_aggressive_opt_barrier_removal=ENABLED --xla_lhs_prioritize_async_depth_over_stall=ENABLED --xla_tpu_enable_ag_backward_pipelining=true --xla_should_allow_loop_variant_parameter_in_chain=ENABLED --xla_should_add_loop_invariant_op_in_chain=ENABLED --xla_max_concurrent_host_send_recv=100 --xla_tpu_scheduler_percent_shared_memory_limit=100 --xla_latency_hiding_scheduler_rerun=2"},
    {"maxtext_offload", "tpu7x", "--xla_tpu_enable_all_experimental_scheduler_features=true --xla_tpu_enable_scheduler_memory_pressure_tracking=true --xla_tpu_host_transfer_overlap_limit=24 --xla_tpu_aggressive_opt_barrier_removal=ENABLED --xla_lhs_prioritize_async_depth_over_stall=ENABLED --xla_tpu_enable_ag_backward_pipelining=true --xla_should_allow_loop_variant_parameter_in_chain=ENABLED --xla_should_add_loop_invariant_op_in_chain=ENABLED --xla_max_concurrent_host_send_recv=100 --xla_tpu_scheduler_percent_shared_memory_limit=100 --xla_latency_hiding_scheduler_rerun=2"},
    {"maxdiffusion_wan", "v5p", "--xla_tpu_enable_async_collective_fusion_fuse_all_gather=true --xla_tpu_megacore_fusion_allow_ags=false --xla_enable_async_collective_permute=true --xla_tpu_enable_ag_backward_pipelining=true --xla_tpu_enable_data_parallel_all_reduce_opt=true --xla_tpu_data_parallel_opt_different_sized_ops=true --xla_tpu_enable_async_collective_fusion=true --xla_tpu_enable_async_collective_fusion_multiple_steps=true --xla_tpu_overlap_compute_collective_tc=true --xla_enable_async_all_gather=true --xla_tpu_scoped_vmem_limit_kib=65536 --xla_tpu_enable_async_all_to_all=true --xla_tpu_enable_all_experimental_scheduler_features=true --xla_tpu_enable_scheduler_memory_pressure_tracking=true --xla_tpu_host_transfer_overlap_limit=24 --xla_tpu_aggressive_opt_barrier_removal=ENABLED --xla_lhs_prioritize_async_depth_over_stall=ENABLED --xla_should_allow_loop_variant_parameter_in_chain=ENABLED --xla_should_add_loop_invariant_op_in_chain=ENABLED --xla_max_concurrent_host_send_recv=100 --xla_tpu_scheduler_percent_shared_memory_limit=100 --xla_latency_hiding_scheduler_rerun=2 --xla_tpu_use_minor_sharding_for_major_trivial_input=true --xla_tpu_relayout_group_size_threshold_for_reduce_scatter=1 --xla_tpu_assign_all_reduce_scatter_layout=true"},
    {"jax", "v4", "jax[tpu]==0.6.2"},
    {"jax", "v5e", "jax[tpu]==0.6.2"},
    {"jax", "v5p", "jax[tpu]==0.6.2"},
    {"jax", "v6e", "jax[tpu]==0.6.2"},
    {"jax", "tpu7x", "jax[tpu]>=0.8.3"},
    {"torch_xla", "v5e", "torch==2.8.0 torch_xla[tpu]==2.8.0 --find-links=https://storage.googleapis.com/libtpu-releases/index.html"},
    {"torch_xla", "v5p", "torch==2.8.0 torch_xla[tpu]==2.8.0 --find-links=https://storage.googleapis.com/libtpu-releases/index.html"},
    {"torch_xla", "v6e", "torch==2.8.0 torch_xla[tpu]==2.8.0 --find-links=https://storage.googleapis.com/libtpu-releases/index.html"},
    {"tensorflow", "v5e", "tensorflow-tpu==2.18.0 --find-links=https://storage.googleapis.com/libtpu-tf-releases/index.html"},
    {"tensorflow", "v5p", "tensorflow-tpu==2.19.1 --find-links=https://storage.googleapis.com/libtpu-tf-releases/index.html"},
    {"tensorflow", "v6e", "tensorflow-tpu==2.19.1 --find-links=https://storage.googleapis.com/libtpu-tf-releases/index.html"},
};
// clang-format on
// end of generated: service_chips

/// What the services offer of the chip of exactly that name; nothing of a chip that is not in the table.
constexpr launch_offer offers_of(std::string_view chip) noexcept {
  for (const launch_offer& offer : launch_offers) {
    if (offer.chip == chip) return offer;
  }
  return {};
}

/// The service's row of the chip of exactly that name; nothing where it does not offer the chip. Worked:
/// chip_of_service("vertex", "v2")->called is "TPU_V2", and there is no chip_of_service("vertex", "v4").
constexpr const service_chip* chip_of_service(std::string_view service, std::string_view chip) noexcept {
  for (const service_chip& row : service_chips) {
    if (row.service == service && row.chip == chip) return &row;
  }
  return nullptr;
}

/// The chips that a service offers, as a message lists them. Worked: "v5p, v6e or tpu7x" of "calendar".
inline std::string chips_of_service(std::string_view service) {
  return std::string(
      chip_names_where([&](std::string_view chip) { return chip_of_service(service, chip) != nullptr; }).view());
}

/// The chips of which a service offers something, as a message lists them: "v5e, v5p or v6e".
template <class Offered>
inline std::string chips_with(Offered offered) {
  return std::string(chip_names_where([&](std::string_view chip) { return offered(offers_of(chip)); }).view());
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

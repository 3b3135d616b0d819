// Which layouts have been run: the worked example, and what does not count.
#include <tpuplan/estimate/training/published_layouts.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

namespace static_estimate_training_published_layouts_tests {

constexpr layout mesh_of(std::int64_t tensor, std::int64_t expert = 1, std::int64_t slices = 1) {
  layout mesh;
  mesh.fsdp = 64;
  mesh.data = 2;
  mesh.tensor = tensor;
  mesh.expert = expert;
  mesh.dcn_data = slices;
  return mesh;
}
constexpr layout staged(std::int64_t pipeline, std::int64_t over_slices, std::int64_t fsdp_over_slices = 1) {
  layout mesh = mesh_of(1);
  mesh.pipeline = pipeline;
  mesh.dcn_pipeline = over_slices;
  mesh.dcn_fsdp = fsdp_over_slices;
  return mesh;
}
constexpr chip_spec own_chip() {
  chip_spec chip = v6e;
  chip.name = "mine";
  return chip;
}

static_assert(has_been_run(mesh_of(1), v2) && has_been_run(mesh_of(1), tpu7x));
static_assert(has_been_run(mesh_of(4), tpu7x) && !has_been_run(mesh_of(8), tpu7x));
static_assert(has_been_run(mesh_of(1, 4), tpu7x) && !has_been_run(mesh_of(2, 4), tpu7x));  // not both at once
static_assert(!has_been_run(mesh_of(1, 1, 2), tpu7x) && has_been_run(mesh_of(1, 1, 2), v5p));
static_assert(has_been_run(mesh_of(16), v5e) && !has_been_run(mesh_of(32), v5e));
static_assert(has_been_run(mesh_of(2), v6e));  // 8B models on v6e-8
static_assert(has_been_run(mesh_of(4, 64), v6e) && !has_been_run(mesh_of(8, 64), v6e));
static_assert(has_been_run(staged(1, 16), v6e) && !has_been_run(staged(1, 2), v5p) && !has_been_run(staged(2, 1), v5e));
static_assert(!has_been_run(staged(1, 1, 2), v6e));
static_assert(has_been_run(mesh_of(64), own_chip()));  // a chip without runs is not judged

}  // namespace static_estimate_training_published_layouts_tests

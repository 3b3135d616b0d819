// The worked numbers in the comments of parallel/layout.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/parallel/layout.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_parallel_layout_tests {

namespace {

static_assert(fsdp_layout(slice_for("v5p-128")).fsdp == 64);

// What a mesh fills, spans and shards the batch into: tensor shards work on the same sequences.
constexpr layout mixed = [] {
  layout mesh;
  mesh.data = 2, mesh.fsdp = 16, mesh.tensor = 2, mesh.dcn_data = 2;
  return mesh;
}();
static_assert(mesh_size(mixed) == 64 && slices(mixed) == 2 && batch_shards(mixed) == 64);
static_assert(slices([] {
                layout mesh;
                mesh.dcn_data = 2, mesh.dcn_fsdp = 3;
                return mesh;
              }()) == 6);

// A pipeline of as many stages as layers.
static_assert([] {
  transformer m = llama_3_8b();
  m.layers = 4;
  layout l;
  l.pipeline = 4, l.fsdp = 2;
  validate(l, m, job_of(64, 128));
  return true;
}());

// Experts are sharded over devices that work on different sequences.
static_assert(batch_shards([] {
                layout mesh;
                mesh.data = 2, mesh.fsdp = 4, mesh.expert = 8, mesh.tensor = 2, mesh.dcn_data = 3;
                return mesh;
              }()) == 192);

// A slice has at most 1048576 devices, two for each chip of tpu7x.
static_assert(detail::check_devices({v5p, topology{{128, 128, 64}, 3}, 4}) == 1 << 20);
static_assert(detail::check_devices({tpu7x, topology{{64, 128, 64}, 3}, 4}) == 1 << 20);

}  // namespace

}  // namespace static_parallel_layout_tests

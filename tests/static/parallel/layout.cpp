// The worked numbers in the comments of parallel/layout.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/parallel/layout.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace {

static_assert(fsdp_layout(slice_for("v5p-128")).fsdp == 64);

// A pipeline of as many stages as layers.
static_assert([] {
  transformer m = llama_3_8b();
  m.layers = 4;
  layout l;
  l.pipeline = 4, l.fsdp = 2;
  validate(l, m, job_of(64, 128));
  return true;
}());

}  // namespace

// The worked numbers in the comments of estimate/widths.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/estimate/widths.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_widths_tests {

namespace {

static_assert(widths_of(llama_3_8b()).qkv == 6144);
static_assert(widths_of(llama_3_8b()).context == 4096);
static_assert(widths_of(llama_3_8b()).mlp_up == 28672);
static_assert(saved_width(widths_of(llama_3_8b()), remat::full) == 4096);
static_assert(saved_width(widths_of(llama_3_8b()), remat::minimal) == 51200);

static_assert(update_bytes_per_parameter({}) == 28_B);

}  // namespace

}  // namespace static_estimate_widths_tests

// Advice in constant expressions.

#include <tpuplan/estimate/training/advice.hpp>
#include <type_traits>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_training_advice_tests {

namespace {

static_assert(std::is_trivially_copyable<findings>::value);

// FSDP is limited by arithmetic from 2550 tokens per chip and axis on: scaling book, "Training". On v6e-64 the rings
// are open: 918 TFLOP/s over half of two axes of 2 x 100 GB/s x 0.9.
constexpr slice v5p_128 = slice_for("v5p-128");
constexpr slice v6e_64 = slice_for("v6e-64");
static_assert(critical_tokens_per_chip(llama_3_8b(), fsdp_layout(v5p_128), v5p_128) == 850);
static_assert(critical_tokens_per_chip(llama_3_8b(), fsdp_layout(v6e_64), v6e_64) == 5100);
static_assert(name(finding_kind::microbatch) == "microbatch");

// A small model on one chip, whose policy keeps nothing though there is room. One chip, because clang stops a constant
// evaluation after a million steps.
constexpr transformer small() {
  transformer m = llama_3_8b();
  m.layers = 4;
  m.d_model = 1024;
  m.mlp.d_ff = 4096;
  m.attention.heads = m.attention.kv_heads = 8;
  m.vocab = 32768;
  return m;
}
constexpr slice v6e_1 = slice_for("v6e-1");
constexpr findings advised = training_advice(small(), job_of(8, 2048), fsdp_layout(v6e_1), v6e_1);
static_assert(find_finding(advised, finding_kind::remat)->gain > smallest_gain);
static_assert(find_finding(advised, finding_kind::remat)->then.job.remat != remat::full);
static_assert(!find_finding(advised, finding_kind::layout).has_value());

}  // namespace

}  // namespace static_estimate_training_advice_tests

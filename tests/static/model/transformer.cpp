// The worked numbers in the comments of model/transformer.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/transformer.hpp>

#include "support/pairs.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_transformer_tests {

namespace {

static_assert(moe_layers(deepseek_v3()) == 58);
static_assert(has_two_stacks(t5_small()) && has_two_stacks(whisper_large_v3()) && !has_two_stacks(deepseek_v3()));

constexpr transformer vit() {
  transformer m;
  m.kind = architecture::vision;
  m.vision = vit_b16();
  return m;
}
static_assert(has_text(llama_3_8b()) && !has_vision(llama_3_8b()) && !has_text(vit()) && has_vision(vit()) &&
              vit().vision.layers == 12);
static_assert(has_experts(deepseek_v3()) && !has_experts(llama_3_8b()) && router_width(deepseek_v3()) == 256);
static_assert(has_latent_attention(deepseek_v3()) && deepseek_v3().attention.latent.kv_lora_rank == 512);
constexpr transformer with_gate() {  // Qwen1.5-MoE
  transformer m;
  m.moe.experts = 60, m.moe.shared_gate = true;
  return m;
}
static_assert(router_width(with_gate()) == 61);
constexpr transformer mostly_recurrent() {  // Qwen3-Next
  transformer m;
  m.layers = 48, m.recurrent.layers = 36;
  return m;
}
static_assert(has_recurrence(mostly_recurrent()) && !has_recurrence(llama_3_8b()) &&
              attention_layers(mostly_recurrent()) == 12);

}  // namespace

}  // namespace static_model_transformer_tests

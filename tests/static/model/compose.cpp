// The order in which model/compose.hpp hands out the blocks of a transformer. It compiles, so it passes.
#include <tpuplan/model/compose.hpp>
#include <tpuplan/model/model.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/pairs.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_compose_tests {

namespace {

constexpr blocks::model deepseek = model_of(deepseek_v3());
constexpr bool is(const blocks::model& m, std::size_t block, blocks::kind what, std::int64_t count) {
  return m.all.items[block].what() == what && m.all.items[block].at.count == count;
}
static_assert(deepseek.all.size == 7);
static_assert(is(deepseek, 0, blocks::kind::table, 1) && is(deepseek, 1, blocks::kind::latent_attention, 61));
static_assert(is(deepseek, 2, blocks::kind::mlp, 3) && is(deepseek, 3, blocks::kind::experts, 58));
static_assert(is(deepseek, 4, blocks::kind::norm, 61) && is(deepseek, 5, blocks::kind::norm, 1));
static_assert(is(deepseek, 6, blocks::kind::logits, 1));

// Layers without a mixer come first and have an MLP, those without an MLP last.
constexpr transformer hybrid() {
  transformer m = llama_3_8b();
  m.layers = 10;
  m.recurrent.kind = recurrence::mamba2;
  m.recurrent.width = 8192, m.recurrent.heads = 64, m.recurrent.key_dim = 128, m.recurrent.kernel = 4;
  m.recurrent.layers = 5, m.recurrent.idle_layers = 3;
  m.mlp.absent = 7;
  return m;
}
constexpr blocks::model mixed = model_of(hybrid());
static_assert(mixed.in_order.size == 3 && mixed.in_order.items[0].count == 3 && mixed.in_order.items[1].count == 5);
static_assert(is(mixed, static_cast<std::size_t>(mixed.in_order.items[0].parts[0]), blocks::kind::mlp, 3));
static_assert(is(mixed, static_cast<std::size_t>(mixed.in_order.items[2].parts[0]), blocks::kind::attention, 2));
static_assert(mixed.in_order.items[2].parts[2] == -1);

// A single layer with a window is one of the stack, and a stem of a single weight is one of the encoder's.
constexpr transformer one_window() {
  transformer m = llama_3_8b();
  m.attention.window = 1024, m.attention.local_layers = 1;
  return m;
}
static_assert(is(model_of(one_window()), 1, blocks::kind::attention, 1));
static_assert(is(model_of(one_window()), 2, blocks::kind::attention, 31));
static_assert(parameters(model_of(one_window())).total == parameters(llama_3_8b()).total);
constexpr transformer whisper_with_stem(std::int64_t weights) {
  transformer m = whisper_large_v3();
  m.encoder_stem = weights;
  return m;
}
static_assert(parameters(model_of(whisper_with_stem(1))).total == parameters(model_of(whisper_with_stem(0))).total + 1);

}  // namespace

}  // namespace static_model_compose_tests

// The worked numbers in the comments of model/model.hpp, sizes, and what reading the wrong kind does. It compiles, so
// it passes.
#include <tpuplan/model/model.hpp>
#include <type_traits>

#include "support/blocks.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_model_tests {

namespace {

static_assert(sizeof(blocks::block) == 120 && sizeof(blocks::model) == 13432 && sizeof(blocks::sums) == 1224);
static_assert(std::is_trivially_copyable<blocks::block>::value && std::is_trivially_copyable<blocks::model>::value);

static_assert(blocks::as<blocks::mlp>(blocks::block{blocks::place{}, blocks::mlp{8}}).d_ff == 8);
static_assert(name(blocks::kind::latent_attention) == "latent_attention");
static_assert(blocks::block{blocks::place{}, blocks::mlp{8}} != blocks::block{blocks::place{}, blocks::mlp{9}});
static_assert(blocks::block{blocks::place{2}, blocks::mlp{8}} != blocks::block{blocks::place{}, blocks::mlp{8}});
static_assert(blocks::block{blocks::place{}, blocks::mlp{8}} != blocks::block{blocks::place{}, blocks::norm{}});

// A block over one of another kind, in a constant expression.
constexpr bool changes_kind() {
  blocks::block one{blocks::place{}, blocks::mlp{8}};
  one = blocks::block{blocks::place{3}, blocks::norm{2}};
  const blocks::block copy = one;
  return blocks::as<blocks::norm>(copy).norms == 2 && copy.at.count == 3;
}
static_assert(changes_kind());

constexpr blocks::model llama = model_of(llama_3_8b());
static_assert(llama.all.size == 6 && llama.in_order.size == 1 && llama.in_order.items[0].count == 32);
static_assert(llama == model_of(llama_3_8b()) && llama != model_of(llama_2_7b()));

// The same by hand: a list is a list, however it was made.
constexpr blocks::model by_hand() {
  blocks::model m;
  m.name = "llama-3-8b";
  const std::int8_t text = put(m, blocks::stream{"text", blocks::flow::tokens, 4096});
  const blocks::place once{1, 0, text}, in_layers{0, 0, text};
  put(m, once, blocks::table{128256});
  const int attention = put(m, in_layers, blocks::attention{32, 8, 128});
  const int mlp = put(m, in_layers, blocks::mlp{14336});
  const int norms = put(m, in_layers, blocks::norm{2});
  repeat(m, 32, {attention, mlp, norms});
  put(m, once, blocks::norm{});
  blocks::place end = once;
  end.branch = true;
  put(m, end, blocks::logits{128256, 4096});
  return m;
}
static_assert(by_hand() == llama);
static_assert(blocks::sums_of(alone(4, blocks::mlp{8, 0, false})).matrices() == 64);

}  // namespace

}  // namespace static_model_model_tests

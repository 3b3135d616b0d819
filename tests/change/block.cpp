// What the library says of a kind of layer that was added as docs/change.md says.
#include <tpuplan/model/model.hpp>
#include <tpuplan/model/sums.hpp>

#include "check.hpp"

using namespace tpuplan;

constexpr blocks::model three_layers(std::int64_t rank) {
  blocks::model m;
  put(m, blocks::stream{"text", blocks::flow::tokens, 4096});
  blocks::place at;
  at.count = 0;
  const int thin = put(m, at, blocks::low_rank{rank}), wide = put(m, at, blocks::mlp{14336});
  blocks::repeat(m, 3, {thin, wide});
  return m;
}

static_assert(parameters(three_layers(64)).mlp == 3 * (524288 + 176160768));
static_assert(blocks::name(three_layers(64).all.items[0].what()) == "low_rank");
static_assert(blocks::as<blocks::low_rank>(three_layers(64).all.items[0]).rank == 64);
static_assert(three_layers(64) == three_layers(64) && three_layers(64) != three_layers(65));
static_assert(blocks::work_of(three_layers(64)).product_count == 4);
static_assert(forward_flops_per_token(three_layers(64), 1).total.value() == 2.0 * 3 * (524288 + 176160768));

int main() {
  try {
    (void)three_layers(0);
    check(false, "a rank of 0 is refused");
  } catch (const error& refusal) {
    check(refusal.field() == "low_rank.rank", "the field is named");
  }
  try {
    (void)blocks::as<blocks::low_rank>(three_layers(64).all.items[1]);
    check(false, "a block of another kind is refused");
  } catch (const error& refusal) {
    check(refusal.given() == "low_rank" && refusal.valid() == "mlp", "both kinds are named");
  }
  return failures == 0 ? 0 : 1;
}

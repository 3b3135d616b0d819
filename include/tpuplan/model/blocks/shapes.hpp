#ifndef TPUPLAN_MODEL_BLOCKS_SHAPES_HPP
#define TPUPLAN_MODEL_BLOCKS_SHAPES_HPP

#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// What a block says of itself, whatever its kind: the products of its weights, the arithmetic besides these, and what
/// it keeps for later tokens. A kind is an aggregate of its sizes with up to five functions in its own header:
///   check(kind)           refuses sizes out of range, by field
///   weigh(kind, at, to)   tells its weights to sums: to.add(product), to.vectors(part, numbers), to.statistic(numbers)
///   core_of(kind, at)     arithmetic besides products
///   kept_by(kind, at)     what later tokens need
///   after(kind, at)       how it changes its stream
/// Those that a kind does without are the ones of this header. Sums over blocks know no kind.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// Where a block stands: the width of its stream, and its positions for one example, in one to three dimensions.
struct site {
  std::int64_t width = 0;        ///< numbers of a position
  std::int64_t height = 1;       ///< positions, or rows of them
  std::int64_t columns = 1;      ///< positions of a row
  std::int64_t other_width = 0;  ///< of the stream that the block attends to
  std::int64_t frames = 1;       ///< of a clip, each of them rows and columns
};

/// Positions of one example. Worked: 14 x 14 patches are 196.
[[nodiscard]] constexpr std::int64_t positions(const site& at) {
  return checked_multiply(at.height, at.columns, at.frames);
}

/// What a product does in its layer.
enum class role : std::uint8_t { qkv, output, up, down, router, logits, other };

/// The parts of a count of parameters.
enum class part : std::uint8_t {
  embedding,
  attention,
  recurrent,
  mlp,
  experts,
  router,
  norms,
  prediction,
  other,
  lm_head,
  vision,
  projector,
  head,
};

/// A product of each position with weights: [positions, inner] x [inner, outer]. There are `copies` of the weights, of
/// which a position meets `used`; a matrix that stands elsewhere too (tied) has 0 copies and is used once.
struct product {
  /// @{
  /// Sizes and numbers, as above.
  std::int64_t inner = 0, outer = 0, copies = 1, used = 1;
  /// @}
  role what = role::other;   ///< in its layer
  part of = part::other;     ///< of the count
  bool from_other = false;   ///< its positions are those of the stream that the block attends to
  std::int8_t matrices = 1;  ///< that stand side by side in it, as those of queries, keys and values
};

/// Arithmetic besides products. For a position: heads x (key_width + value_width) multiply-adds for each key that it
/// sees, index_heads x (index_width + 1) for each key among which an indexer chooses, and `fixed`.
struct core {
  /// @{
  /// Heads, and the widths of a key and a value of each.
  std::int32_t heads = 0, key_width = 0, value_width = 0;
  /// @}
  /// @{
  /// Of an indexer: its heads, the width of its keys, and how many keys it chooses; 0: all.
  std::int32_t index_heads = 0, index_width = 0, chosen = 0;
  /// @}
  std::int32_t ratio = 0;   ///< positions that a key stands for; 0: each for itself
  bool causal = false;      ///< a position sees those before it
  bool from_other = false;  ///< the keys are those of the other stream, all of which are seen
  std::int64_t window = 0;  ///< positions seen at most; 0: all
  flops fixed{};            ///< of a position, whatever it sees
};

/// Whether there is any such arithmetic. Worked: not in an MLP.
[[nodiscard]] constexpr bool has_work(const core& c) noexcept { return c.heads > 0 || c.fixed.value() > 0; }

/// Whether two are the same.
[[nodiscard]] constexpr bool is_same(const core& a, const core& b) noexcept {
  return a.heads == b.heads && a.key_width == b.key_width && a.value_width == b.value_width && a.window == b.window &&
         a.chosen == b.chosen && a.index_heads == b.index_heads && a.index_width == b.index_width &&
         a.ratio == b.ratio && a.causal == b.causal && a.from_other == b.from_other && !(a.fixed < b.fixed) &&
         !(b.fixed < a.fixed);
}

/// What decoding keeps for later tokens.
struct kept {
  std::int64_t numbers = 0;      ///< of the cache, for each entry
  std::int64_t window = 0;       ///< tokens held at most; 0: all
  std::int64_t ratio = 0;        ///< tokens that an entry stands for; 0: each for itself
  std::int64_t read_always = 0;  ///< of the numbers, those that are read for all tokens though attention chooses
  bytes state{};                 ///< of a sequence, however long it is
  bool of_other = false;         ///< an entry is a position of the stream that the block attends to
};

/// What a kind answers that has none of them.
struct none {};

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif

#ifndef TPUPLAN_MODEL_BLOCKS_LOGITS_HPP
#define TPUPLAN_MODEL_BLOCKS_LOGITS_HPP

#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/model/blocks/norm.hpp>
#include <tpuplan/model/blocks/sums.hpp>

/// @file
/// The output head of a language model.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// From the stream to the words of a vocabulary. Worked: 128256 words on a stream of 4096 are 525336576 weights, or
/// none where the matrix is the token table, which is as much work.
struct logits {
  std::int64_t vocab = 0;                 ///< words
  std::int64_t width = 0;                 ///< of the table; 0: as the stream
  bool own = true;                        ///< the matrix is not the token table
  bool bias = false;                      ///< one for each word
  bool works = true;                      ///< false: nothing is multiplied (the bias stands alone)
  norm_kind transform = norm_kind::none;  ///< of a dense layer with that norm before the words, as of BERT
};

/// @{
/// What it says of itself: see blocks/shapes.hpp.
constexpr void check(const logits& l) {
  detail::check_dimension("logits.vocab", l.vocab);
  detail::check_size("logits.width", l.width);
}

constexpr void weigh(const logits& l, const site& at, sums& to) {
  const std::int64_t width = l.width > 0 ? l.width : at.width, used = l.works ? 1 : 0;
  if (l.transform != norm_kind::none) {
    to.add(product{at.width, width, 1, used, role::logits, part::head});
    to.vectors(part::head, width + detail::norm_weights(l.transform, width));
  }
  to.add(product{width, l.vocab, l.own ? 1 : 0, used, role::logits, part::lm_head});
  if (l.bias) to.vectors(part::lm_head, l.vocab);
}
/// @}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif

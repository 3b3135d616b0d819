#ifndef TPUPLAN_MODEL_BLOCKS_PLACE_HPP
#define TPUPLAN_MODEL_BLOCKS_PLACE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/checks.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/model/blocks/shapes.hpp>

/// @file
/// Where a block stands in a model: on which stream, how often, and when it is used.

namespace tpuplan {
inline namespace abi_0 {
namespace blocks {

/// What the positions of a stream are.
enum class flow : std::uint8_t {
  tokens,   ///< of the sequence that a job counts
  source,   ///< tokens of an encoder
  frames,   ///< audio before an encoder: as many as its tokens
  image,    ///< pixels and patches of a tower, whose weights count as vision
  example,  ///< as the stream itself says: images of a network, latent video, or one for each example
};

/// When a block is used. `prediction`: modules that predict further tokens, in memory alone. `scoring`: work of
/// training that decoding does without (an encoder that is trained with the token table as its head).
enum class use : std::uint8_t { always, prediction, scoring };

/// What the positions of a stream follow where images or clips of several sizes are made.
enum class extent : std::uint8_t {
  fixed,   ///< nothing: there are as many for any size
  latent,  ///< latent patches of the image or the clip
  text,    ///< tokens of text
  both,    ///< these and those, as one sequence
  pixels,  ///< pixels of the image or the clip
};

/// A sequence of positions with a width, on which blocks work.
struct stream {
  text<16> name{};                 ///< for people
  flow what = flow::example;       ///< what its positions are
  std::int64_t width = 0;          ///< numbers of a position before the first block
  std::int64_t height = 1;         ///< positions of an example before the first block, or rows of them
  std::int64_t columns = 1;        ///< positions of a row
  std::int64_t frames = 1;         ///< images of a clip, each of them rows and columns
  extent follows = extent::fixed;  ///< what decides how many positions there are
};

/// Streams of a model at most.
inline constexpr std::size_t most_streams = 8;

/// What every block has.
struct place {
  std::int64_t count = 1;  ///< layers that have it
  std::int64_t sets = 0;   ///< sets of weights that they share; 0: each its own
  std::int8_t stream = 0;  ///< that it works on
  std::int8_t other = -1;  ///< that it attends to, from another one; -1: none
  use when = use::always;  ///< in training and serving, or in one of them
  bool branch = false;     ///< what follows is fed by the block before it
};

/// Refuses sizes out of range, by field.
constexpr void check(const stream& on) {
  detail::check_dimension("stream.width", on.width);
  detail::check_dimension("stream.height", on.height);
  detail::check_dimension("stream.columns", on.columns);
  detail::check_dimension("stream.frames", on.frames);
}

}  // namespace blocks
}  // namespace abi_0
}  // namespace tpuplan

#endif

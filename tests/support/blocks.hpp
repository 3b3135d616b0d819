#ifndef TPUPLAN_TESTS_SUPPORT_BLOCKS_HPP
#define TPUPLAN_TESTS_SUPPORT_BLOCKS_HPP

#include <cstdint>
#include <tpuplan/model/model.hpp>

/// A model of one block, once, on a stream of tokens of that width.
template <class Kind>
constexpr tpuplan::blocks::model alone(std::int64_t width, const Kind& one) {
  tpuplan::blocks::model m;
  put(m, tpuplan::blocks::stream{"text", tpuplan::blocks::flow::tokens, width});
  put(m, tpuplan::blocks::place{}, one);
  return m;
}

/// A model of one block, once, on an image of that side and those channels.
template <class Kind>
constexpr tpuplan::blocks::model on_image(std::int64_t side, std::int64_t channels, const Kind& one) {
  tpuplan::blocks::model m;
  put(m, tpuplan::blocks::stream{"image", tpuplan::blocks::flow::example, channels, side, side});
  put(m, tpuplan::blocks::place{}, one);
  return m;
}

#endif

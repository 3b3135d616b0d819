#ifndef TPUPLAN_MODEL_WEIGHT_BITS_HPP
#define TPUPLAN_MODEL_WEIGHT_BITS_HPP

#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/model/parameters.hpp>

/// @file
/// Models whose parts are stored in different formats, as in quantised checkpoints.

namespace tpuplan {
inline namespace abi_0 {

/// Stored bits per parameter of each part, with its share of the scales and zero points of its block; 0 where the part
/// has the format of the whole model. Embeddings, output head, norms, router and vision tower always have the latter.
struct weight_bits {
  double attention = 0;  ///< also recurrent layers
  double mlp = 0;        ///< dense MLPs and shared experts
  double experts = 0;    ///< routed experts
};

/// Whether any part has a format other than that of the whole model. Worked: yes for MLPs in 4 bits beside a model in
/// bf16.
[[nodiscard]] constexpr bool any_part(const weight_bits& parts) noexcept {
  return parts.attention > 0 || parts.mlp > 0 || parts.experts > 0;
}

/// Throws, naming the field, unless every width is 0 or 1 to 64 bits.
constexpr void validate(const weight_bits& parts, detail::words field = "weight_bits") {
  const auto check = [field](double bits) {
    if (bits != 0) detail::in_range(field, bits, 1, 64, "0 (as the whole model), or 1 to 64 bits");
  };
  check(parts.attention);
  check(parts.mlp);
  check(parts.experts);
}

/// Bytes of one parameter of a part with that many bits; 0 bits stand for the usual format. Worked: 4.5 bits are 0.5625
/// B, 0 bits in a model of fp8 are 1 B.
[[nodiscard]] constexpr bytes part_size(double part_bits, dtype usual) {
  return part_bits > 0 ? bytes{part_bits / 8} : size_of(usual);
}

/// Bytes of one copy of all weights as they are stored. Worked: gpt-oss-20b with experts in MXFP4 (4.25 bits) and the
/// rest in bf16 takes 13.76 GB, of which 10.15 GB are experts.
[[nodiscard]] constexpr bytes stored_bytes(const parameter_count& count, dtype usual, const weight_bits& parts = {}) {
  validate(parts);
  if (!any_part(parts)) return size_of(usual) * static_cast<double>(count.total);
  const auto more = [&](double part_bits, std::int64_t weights) {
    return (part_size(part_bits, usual) - size_of(usual)) * static_cast<double>(weights);
  };
  return size_of(usual) * static_cast<double>(count.total) + more(parts.attention, count.attention + count.recurrent) +
         more(parts.mlp, count.mlp) + more(parts.experts, count.experts);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

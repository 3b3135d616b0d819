#ifndef TPUPLAN_BASE_DTYPE_HPP
#define TPUPLAN_BASE_DTYPE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/base/units.hpp>

/// @file
/// Number formats of weights, activations, optimizer state and caches.

namespace tpuplan {
inline namespace abi_0 {

/// A number format. `fp8` stands for e4m3 and e5m2 alike: their size and rate are the same.
enum class dtype : std::uint8_t { fp32, bf16, fp16, fp8, int8, int4 };

/// Bits of one element. Worked: bits(dtype::int4) = 4.
[[nodiscard]] constexpr std::int64_t bits(dtype type) {
  switch (type) {
    case dtype::fp32: return 32;
    case dtype::bf16:
    case dtype::fp16: return 16;
    case dtype::fp8:
    case dtype::int8: return 8;
    case dtype::int4: return 4;
  }
  detail::fail(errc::unknown_name, "dtype", static_cast<std::int64_t>(type), "fp32, bf16, fp16, fp8, int8 or int4");
}

/// Bytes of one element; half a byte for int4. Worked: size_of(dtype::bf16) = 2 B.
[[nodiscard]] constexpr bytes size_of(dtype type) { return bytes{static_cast<double>(bits(type)) / 8}; }

/// "bf16" and so on; what `parse_dtype` reads.
[[nodiscard]] constexpr std::string_view name(dtype type) noexcept {
  constexpr const char* names[] = {"fp32", "bf16", "fp16", "fp8", "int8", "int4"};
  return detail::name_of(names, static_cast<std::size_t>(type));
}

/// The format of that name, also as frameworks write it ("bfloat16", "float32", "float8_e4m3fn"); nothing if unknown.
/// Worked: "float8_e4m3fn" is fp8, of 8 bits.
[[nodiscard]] constexpr maybe<dtype> parse_dtype(std::string_view given) noexcept {
  struct alias {
    const char* name;  // plain characters: a constant std::string_view is measured letter by letter
    dtype type;
  };
  constexpr alias aliases[] = {{"fp32", dtype::fp32},         {"float32", dtype::fp32},    {"f32", dtype::fp32},
                               {"bf16", dtype::bf16},         {"bfloat16", dtype::bf16},   {"fp16", dtype::fp16},
                               {"float16", dtype::fp16},      {"f16", dtype::fp16},        {"fp8", dtype::fp8},
                               {"float8_e4m3fn", dtype::fp8}, {"float8_e5m2", dtype::fp8}, {"f8e4m3", dtype::fp8},
                               {"f8e5m2", dtype::fp8},        {"int8", dtype::int8},       {"s8", dtype::int8},
                               {"int4", dtype::int4},         {"s4", dtype::int4}};
  for (const alias& candidate : aliases) {
    if (detail::same_name(given, candidate.name)) return candidate.type;
  }
  return nothing;
}

/// The format of that name; an unknown one throws `errc::unknown_name` and lists the valid ones. Worked:
/// size_of(dtype_for("float32")) = 4 B.
[[nodiscard]] constexpr dtype dtype_for(std::string_view given) {
  if (const maybe<dtype> found = parse_dtype(given)) return *found;
  detail::fail(errc::unknown_name, "dtype", given, "fp32, bf16, fp16, fp8, int8 or int4");
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

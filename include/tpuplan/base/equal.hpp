#ifndef TPUPLAN_BASE_EQUAL_HPP
#define TPUPLAN_BASE_EQUAL_HPP

#include <array>
#include <cstddef>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/maybe.hpp>
#include <type_traits>

/// @file
/// `==` and `!=` of every public struct, field by field: of any aggregate, so that a struct with one more field needs
/// nothing here. <tpuplan/tpuplan.hpp> and <tpuplan/json.hpp> include it; beside <tpuplan/core.hpp>, which is light, it
/// is included by who compares.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// The fields of a struct that reflect/ lists.
template <class T>
struct fields_of;
template <class T, class = void>
inline constexpr bool lists_fields = false;
template <class T>
inline constexpr bool lists_fields<T, std::enable_if_t<(sizeof(fields_of<T>) > 0)>> = true;

/// Becomes a field of any type, to find out how many a struct has.
struct any_field {
  template <class T>
  constexpr operator T() const noexcept;  // NOLINT(google-explicit-constructor): never defined
};
template <class T, class Void, class... Fields>
inline constexpr bool takes_fields = false;
template <class T, class... Fields>
inline constexpr bool takes_fields<T, decltype(static_cast<void>(T{Fields{}...})), Fields...> = true;

/// The fields of an aggregate: as many as its braces take.
template <class T, class... Fields>
constexpr std::size_t field_count() {
  if constexpr (takes_fields<T, void, any_field, Fields...>) {
    return field_count<T, any_field, Fields...>();
  } else {
    return sizeof...(Fields);
  }
}

#define TPUPLAN_DETAIL_8(p) p##0, p##1, p##2, p##3, p##4, p##5, p##6, p##7
#define TPUPLAN_DETAIL_FIELDS(number, ...)    \
  if constexpr (field_count<T>() == number) { \
    const auto& [__VA_ARGS__] = x;            \
    return use(__VA_ARGS__);                  \
  }

/// What use(fields...) returns for the fields of a struct.
template <class T, class Use>
constexpr bool with_fields(const T& x, const Use& use) {
  if constexpr (lists_fields<T>) {
    return fields_of<T>::with(x, use);
  } else {
    static_assert(field_count<T>() > 0 && field_count<T>() <= 40, "a struct with more fields than stand here");
    TPUPLAN_DETAIL_FIELDS(1, a0)
    TPUPLAN_DETAIL_FIELDS(2, a0, a1)
    TPUPLAN_DETAIL_FIELDS(3, a0, a1, a2)
    TPUPLAN_DETAIL_FIELDS(4, a0, a1, a2, a3)
    TPUPLAN_DETAIL_FIELDS(5, a0, a1, a2, a3, a4)
    TPUPLAN_DETAIL_FIELDS(6, a0, a1, a2, a3, a4, a5)
    TPUPLAN_DETAIL_FIELDS(7, a0, a1, a2, a3, a4, a5, a6)
    TPUPLAN_DETAIL_FIELDS(8, TPUPLAN_DETAIL_8(a))
    TPUPLAN_DETAIL_FIELDS(9, TPUPLAN_DETAIL_8(a), b0)
    TPUPLAN_DETAIL_FIELDS(10, TPUPLAN_DETAIL_8(a), b0, b1)
    TPUPLAN_DETAIL_FIELDS(11, TPUPLAN_DETAIL_8(a), b0, b1, b2)
    TPUPLAN_DETAIL_FIELDS(12, TPUPLAN_DETAIL_8(a), b0, b1, b2, b3)
    TPUPLAN_DETAIL_FIELDS(13, TPUPLAN_DETAIL_8(a), b0, b1, b2, b3, b4)
    TPUPLAN_DETAIL_FIELDS(14, TPUPLAN_DETAIL_8(a), b0, b1, b2, b3, b4, b5)
    TPUPLAN_DETAIL_FIELDS(15, TPUPLAN_DETAIL_8(a), b0, b1, b2, b3, b4, b5, b6)
    TPUPLAN_DETAIL_FIELDS(16, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b))
    TPUPLAN_DETAIL_FIELDS(17, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0)
    TPUPLAN_DETAIL_FIELDS(18, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0, c1)
    TPUPLAN_DETAIL_FIELDS(19, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0, c1, c2)
    TPUPLAN_DETAIL_FIELDS(20, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0, c1, c2, c3)
    TPUPLAN_DETAIL_FIELDS(21, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0, c1, c2, c3, c4)
    TPUPLAN_DETAIL_FIELDS(22, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0, c1, c2, c3, c4, c5)
    TPUPLAN_DETAIL_FIELDS(23, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), c0, c1, c2, c3, c4, c5, c6)
    TPUPLAN_DETAIL_FIELDS(24, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c))
    TPUPLAN_DETAIL_FIELDS(25, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0)
    TPUPLAN_DETAIL_FIELDS(26, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0, d1)
    TPUPLAN_DETAIL_FIELDS(27, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0, d1, d2)
    TPUPLAN_DETAIL_FIELDS(28, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0, d1, d2, d3)
    TPUPLAN_DETAIL_FIELDS(29, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0, d1, d2, d3, d4)
    TPUPLAN_DETAIL_FIELDS(30, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0, d1, d2, d3, d4, d5)
    TPUPLAN_DETAIL_FIELDS(31, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), d0, d1, d2, d3, d4, d5, d6)
    TPUPLAN_DETAIL_FIELDS(32, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d))
    TPUPLAN_DETAIL_FIELDS(33, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0)
    TPUPLAN_DETAIL_FIELDS(34, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0,
                          e1)
    TPUPLAN_DETAIL_FIELDS(35, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0,
                          e1, e2)
    TPUPLAN_DETAIL_FIELDS(36, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0,
                          e1, e2, e3)
    TPUPLAN_DETAIL_FIELDS(37, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0,
                          e1, e2, e3, e4)
    TPUPLAN_DETAIL_FIELDS(38, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0,
                          e1, e2, e3, e4, e5)
    TPUPLAN_DETAIL_FIELDS(39, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d), e0,
                          e1, e2, e3, e4, e5, e6)
    TPUPLAN_DETAIL_FIELDS(40, TPUPLAN_DETAIL_8(a), TPUPLAN_DETAIL_8(b), TPUPLAN_DETAIL_8(c), TPUPLAN_DETAIL_8(d),
                          TPUPLAN_DETAIL_8(e))
  }
}

#undef TPUPLAN_DETAIL_FIELDS
#undef TPUPLAN_DETAIL_8

template <class T>
constexpr bool same_fields(const T& a, const T& b);

template <class Field>
const Field& some();  // never defined
template <class Field, class = void>
inline constexpr bool has_equality = false;
template <class Field>
inline constexpr bool has_equality<Field, decltype(static_cast<void>(some<Field>() == some<Field>()))> = true;

template <class Field>
constexpr bool same_field(const Field& a, const Field& b) {
  if constexpr (has_equality<Field>) {
    return a == b;
  } else {
    return same_fields(a, b);
  }
}
template <class Field, std::size_t Count>
constexpr bool same_field(const std::array<Field, Count>& a, const std::array<Field, Count>& b) {
  for (std::size_t i = 0; i < Count; ++i) {
    if (!same_field(a[i], b[i])) return false;
  }
  return true;
}

/// Whether two structs are the same in every field; numbers exactly.
template <class T>
constexpr bool same_fields(const T& a, const T& b) {
  return with_fields(a, [&](const auto&... of_a) {
    return with_fields(b, [&](const auto&... of_b) { return (same_field(of_a, of_b) && ...); });
  });
}

/// Whether both are one struct with open fields.
template <class A, class B>
inline constexpr bool are_structs = false;
template <class A>
inline constexpr bool are_structs<A, A> = std::is_aggregate<A>::value&& std::is_class<A>::value;

}  // namespace detail

/// @{
/// Whether two structs are the same in every field, numbers exactly. Worked: slice_for("v5e-16") ==
/// slice_for("v5litepod-16"), and two `spot_run` with other restart times differ.
template <class A, class B, std::enable_if_t<detail::are_structs<A, B>, int> = 0>
[[nodiscard]] constexpr bool operator==(const A& a, const B& b) {
  return detail::same_fields(a, b);
}
template <class A, class B, std::enable_if_t<detail::are_structs<A, B>, int> = 0>
[[nodiscard]] constexpr bool operator!=(const A& a, const B& b) {
  return !detail::same_fields(a, b);
}
/// @}

/// @{
/// Whether two look-ups found the same, or both nothing. Worked: find_slice("v5e-16") == find_slice("v5litepod-16").
template <class T>
[[nodiscard]] constexpr bool operator==(const maybe<T>& a, const maybe<T>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || detail::same_field(*a, *b));
}
template <class T>
[[nodiscard]] constexpr bool operator!=(const maybe<T>& a, const maybe<T>& b) {
  return !(a == b);
}
/// @}

}  // namespace abi_0
}  // namespace tpuplan

#endif

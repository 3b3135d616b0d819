#ifndef TPUPLAN_BASE_MAYBE_HPP
#define TPUPLAN_BASE_MAYBE_HPP

#include <string_view>
#include <tpuplan/base/error.hpp>
#include <type_traits>

/// @file
/// The answer of a look-up that may find nothing. It is used like `std::optional`, and converts to it; it is not
/// `std::optional` because each of that costs a compiler about 80 class templates, which a header with a dozen look-ups
/// pays a dozen times over (benchmarks/NOTES.md).

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// Whether a type is a tag for nothing, as std::nullopt is: an empty type that cannot be made without an argument.
template <class T>
inline constexpr bool is_tag_of_nothing =
    std::is_empty<T>::value && !std::is_default_constructible<T>::value && std::is_trivially_copyable<T>::value;

}  // namespace detail

/// Tag: nothing was found. std::nullopt converts to it: `find_slice(name) == std::nullopt`.
struct nothing_t {
  constexpr nothing_t() noexcept = default;
  /// From std::nullopt and its like.
  template <class Tag, class = std::enable_if_t<detail::is_tag_of_nothing<Tag>>>
  constexpr nothing_t(const Tag&) noexcept {}  // NOLINT(google-explicit-constructor)
};
/// Nothing was found.
inline constexpr nothing_t nothing{};

/// A value, or nothing. `if (const auto s = find_slice("v5e-16")) use(*s);`
template <class T>
class maybe {
 public:
  using value_type = T;  ///< of what may be found

  constexpr maybe() noexcept = default;
  /// Nothing.
  constexpr maybe(nothing_t) noexcept {}  // NOLINT(google-explicit-constructor)
  /// What was found.
  constexpr maybe(const T& value) noexcept : value_{value}, found_{true} {}  // NOLINT(google-explicit-constructor)

  /// @{
  /// Whether something was found.
  [[nodiscard]] constexpr bool has_value() const noexcept { return found_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return found_; }
  /// @}

  /// The value. @pre has_value(); otherwise a compile error in a constant expression, an exception at run time.
  [[nodiscard]] constexpr const T& value() const {
    if (!found_) detail::fail(errc::infeasible, "value of a look-up", "nothing", "a look-up that found something");
    return value_;
  }
  /// @{
  /// As value().
  [[nodiscard]] constexpr const T& operator*() const { return value(); }
  [[nodiscard]] constexpr const T* operator->() const { return &value(); }
  /// @}
  /// The value, or `other` where nothing was found.
  [[nodiscard]] constexpr T value_or(const T& other) const noexcept { return found_ ? value_ : other; }

  /// To `std::optional<T>` and its like.
  template <class Optional, class = std::enable_if_t<std::is_same<typename Optional::value_type, T>::value &&
                                                     !std::is_same<Optional, maybe>::value>>
  [[nodiscard]] constexpr operator Optional() const {  // NOLINT(google-explicit-constructor)
    return found_ ? Optional{value_} : Optional{};
  }

  /// @{
  /// Whether nothing, or that value, was found.
  friend constexpr bool operator==(const maybe& a, nothing_t) noexcept { return !a.found_; }
  friend constexpr bool operator!=(const maybe& a, nothing_t) noexcept { return a.found_; }
  friend constexpr bool operator==(const maybe& a, const T& b) noexcept { return a.found_ && a.value_ == b; }
  friend constexpr bool operator!=(const maybe& a, const T& b) noexcept { return !(a == b); }
  /// @}

 private:
  T value_{};
  bool found_ = false;
};

}  // namespace abi_0
}  // namespace tpuplan

#endif

#ifndef TPUPLAN_BASE_KNOWN_HPP
#define TPUPLAN_BASE_KNOWN_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>

/// @file
/// A figure that may be absent (the chip has no such unit) or unknown (no source establishes it). Neither is ever 0.

namespace tpuplan {
inline namespace abi_0 {

/// Tag: the chip has no such thing, such as an int8 rate on v3.
struct absent_t {};
/// Tag: the thing exists, or may, but no source establishes its figure.
struct unknown_t {};
/// The chip has no such thing.
inline constexpr absent_t absent{};
/// It may exist; its figure is not established.
inline constexpr unknown_t unknown{};

/// A value, or the reason why there is none.
template <class T>
class known {
 public:
  constexpr known() noexcept = default;
  /// A figure that is known.
  constexpr known(T value) noexcept : value_{value}, state_{state::value} {}  // NOLINT(google-explicit-constructor)
  /// None, because the chip has no such thing.
  constexpr known(absent_t) noexcept : state_{state::not_there} {}  // NOLINT(google-explicit-constructor)
  /// None, because no source establishes it.
  constexpr known(unknown_t) noexcept {}  // NOLINT(google-explicit-constructor)

  /// Whether there is a figure.
  [[nodiscard]] constexpr bool has_value() const noexcept { return state_ == state::value; }
  /// Whether the chip has no such thing.
  [[nodiscard]] constexpr bool is_absent() const noexcept { return state_ == state::not_there; }
  /// Whether no source establishes the figure.
  [[nodiscard]] constexpr bool is_unknown() const noexcept { return state_ == state::not_known; }

  /// The figure. Throws `errc::unknown_figure`, naming `field`, where it is absent or unknown.
  [[nodiscard]] constexpr T value(detail::words field = "figure") const {
    if (state_ == state::not_there) detail::fail(errc::unknown_figure, field, "absent", "a chip that has it");
    if (state_ == state::not_known)
      detail::fail(errc::unknown_figure, field, "unknown", "a figure given by the caller");
    return value_;
  }

  /// The figure, or `other` where there is none.
  [[nodiscard]] constexpr T value_or(T other) const noexcept { return has_value() ? value_ : other; }

  /// @{
  /// Equal where both have the same figure, or none for the same reason.
  friend constexpr bool operator==(const known& a, const known& b) noexcept {
    return a.state_ == b.state_ && (a.state_ != state::value || a.value_ == b.value_);
  }
  friend constexpr bool operator!=(const known& a, const known& b) noexcept { return !(a == b); }
  /// @}

 private:
  enum class state : std::uint8_t { not_known, not_there, value };
  T value_{};
  state state_ = state::not_known;
};

}  // namespace abi_0
}  // namespace tpuplan

#endif

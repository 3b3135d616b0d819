#ifndef TPUPLAN_BASE_ERROR_HPP
#define TPUPLAN_BASE_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#if !defined(__cpp_exceptions)
#include <cstdio>
#include <cstdlib>
#endif

/// @file
/// What tpuplan throws, and how every check in it reports: the field, the value given, and what would be valid.

// Where exceptions are off a refusal ends the program, so functions of one name would have two bodies, of which a
// linker keeps either: all names stand in another inline namespace there.
#if !defined(__cpp_exceptions)
/// The inline namespace of all names where exceptions are off.
#define abi_0 abi_0_without_exceptions
#endif

namespace tpuplan {
inline namespace abi_0 {

/// Why a call was refused. Enumerators are stable: new ones are added at the end.
enum class errc : std::uint8_t {
  invalid_argument,  ///< a value outside of what the function is defined for
  out_of_range,      ///< too large or too small for the field or for the arithmetic
  not_finite,        ///< NaN or infinity
  unknown_name,      ///< no chip, slice, region, dtype or model type of that name
  not_divisible,     ///< a batch, mesh or dimension that does not divide
  missing_field,     ///< a field without a sensible default was left at 0, or is not in the file
  unknown_figure,    ///< the chip has no such unit, or the figure is not established
  no_price,          ///< the price book has no row for this; never the same as free
  malformed_input,   ///< a file that cannot be read, or is not what it should be
  unsupported,       ///< right input that tpuplan does not model
  infeasible,        ///< a well-formed question that has no answer
};

/// The stable name of a reason, for logs and JSON: `name(errc::no_price)` is "no_price".
[[nodiscard]] constexpr std::string_view name(errc code) noexcept {
  switch (code) {
    case errc::invalid_argument: return "invalid_argument";
    case errc::out_of_range: return "out_of_range";
    case errc::not_finite: return "not_finite";
    case errc::unknown_name: return "unknown_name";
    case errc::not_divisible: return "not_divisible";
    case errc::missing_field: return "missing_field";
    case errc::unknown_figure: return "unknown_figure";
    case errc::no_price: return "no_price";
    case errc::malformed_input: return "malformed_input";
    case errc::unsupported: return "unsupported";
    case errc::infeasible: return "infeasible";
  }
  return "?";
}

/// The one exception of tpuplan. `what()` reads "tpuplan: FIELD is VALUE; valid: WHAT". It owns its text (at most 319
/// characters) and allocates nothing. What is not printable ASCII is shown as `?`, a byte each: it could speak to a
/// terminal, or be cut in the middle. In a constant expression the same refusal is a compile error.
class error : public std::exception {
 public:
  /// The reason and the three parts of the message; empty ones are left out.
  error(errc code, std::string_view field, std::string_view given, std::string_view valid) noexcept : code_{code} {
    append("tpuplan: ");
    field_ = append_part(field);
    if (!given.empty()) {
      append(" is ");
      const std::size_t begin = size_;
      append_shortened(given, sizeof(message_) - 1 - size_, valid.empty() ? 0 : valid.size() + 9);
      given_ = {begin, size_};
    }
    if (!valid.empty()) {
      append("; valid: ");
      valid_ = append_part(valid);
    }
  }

  /// Why the call was refused.
  [[nodiscard]] errc code() const noexcept { return code_; }
  /// The message, valid as long as this object lives.
  [[nodiscard]] const char* what() const noexcept override { return message_; }
  /// @{
  /// The parts of the message, each as far as it stands there: what was wrong, what it was, what would be right.
  [[nodiscard]] std::string_view field() const noexcept { return part(field_); }
  [[nodiscard]] std::string_view given() const noexcept { return part(given_); }
  [[nodiscard]] std::string_view valid() const noexcept { return part(valid_); }
  /// @}

 private:
  /// Where a part of the message stands.
  struct span {
    std::size_t begin = 0, end = 0;
  };
  [[nodiscard]] std::string_view part(span where) const noexcept {
    return {message_ + where.begin, where.end - where.begin};
  }
  span append_part(std::string_view words) noexcept {
    const std::size_t begin = size_;
    append(words);
    return {begin, size_};
  }
  /// The value given, shortened so that what is valid keeps its place behind it.
  void append_shortened(std::string_view given, std::size_t left, std::size_t reserved) noexcept {
    const std::size_t room = left > reserved + 16 ? left - reserved : 16;
    if (given.size() <= room) return append(given);
    append(given.substr(0, room - 3));
    append("...");
  }
  void append(std::string_view more) noexcept {
    constexpr std::size_t room = sizeof(message_) - 1;
    for (const char character : more) {
      if (size_ == room) {
        message_[room - 1] = message_[room - 2] = message_[room - 3] = '.';
        return;
      }
      message_[size_++] = character >= ' ' && character <= '~' ? character : '?';
    }
  }

  char message_[320] = {};
  std::size_t size_ = 0;
  span field_{}, given_{}, valid_{};
  errc code_;
};

namespace detail {

// None of these is constexpr: a check that fails inside a constant expression does not compile, and the compiler shows
// the call with its arguments.

[[noreturn, gnu::cold]] inline void fail(errc code, std::string_view field, std::string_view given,
                                         std::string_view valid) {
#if defined(__cpp_exceptions)
  throw error{code, field, given, valid};
#else
  const error refusal{code, field, given, valid};
#if defined(TPUPLAN_REFUSED)  // the caller's own, which does not return: see docs/embed.md
  TPUPLAN_REFUSED(refusal);
#endif
  std::fprintf(stderr, "%s\n", refusal.what());
  std::abort();
#endif
}

[[noreturn, gnu::cold]] inline void fail(errc code, std::string_view field, double given, std::string_view valid) {
  char number[32] = {};
  __builtin_snprintf(number, sizeof(number), "%.10g", given);
  fail(code, field, std::string_view{number}, valid);
}

[[noreturn, gnu::cold]] inline void fail(errc code, std::string_view field, std::int64_t given,
                                         std::string_view valid) {
  char number[32] = {};
  __builtin_snprintf(number, sizeof(number), "%lld", static_cast<long long>(given));
  fail(code, field, std::string_view{number}, valid);
}

// Most refusals have literals, which are handed over as addresses and measured here: a call is a third as long.

[[noreturn, gnu::cold]] inline void fail(errc code, const char* field, std::string_view given, const char* valid) {
  fail(code, std::string_view{field}, given, std::string_view{valid});
}
[[noreturn, gnu::cold]] inline void fail(errc code, const char* field, double given, const char* valid) {
  fail(code, std::string_view{field}, given, std::string_view{valid});
}
[[noreturn, gnu::cold]] inline void fail(errc code, const char* field, std::int64_t given, const char* valid) {
  fail(code, std::string_view{field}, given, std::string_view{valid});
}
[[noreturn, gnu::cold]] inline void fail(errc code, std::string_view field, std::string_view given, const char* valid) {
  fail(code, field, given, std::string_view{valid});
}
[[noreturn, gnu::cold]] inline void fail(errc code, std::string_view field, double given, const char* valid) {
  fail(code, field, given, std::string_view{valid});
}
[[noreturn, gnu::cold]] inline void fail(errc code, std::string_view field, std::int64_t given, const char* valid) {
  fail(code, field, given, std::string_view{valid});
}
[[noreturn, gnu::cold]] inline void fail(errc code, const char* field, const char* given, const char* valid) {
  fail(code, std::string_view{field}, std::string_view{given}, std::string_view{valid});
}

/// Words for a refusal, which are only measured where there is one: a check inside a constant expression costs no step
/// per character. Two words long, so that it is handed over in registers.
class words {
 public:
  constexpr words(const char* literal) noexcept : start_{literal} {}  // NOLINT(google-explicit-constructor)
  template <class Text, class = decltype(static_cast<const Text*>(nullptr)->size())>
  constexpr words(const Text& text) noexcept  // NOLINT(google-explicit-constructor)
      : start_{text.data()}, size_{text.size()} {}
  constexpr operator std::string_view() const noexcept {  // NOLINT(google-explicit-constructor)
    return size_ == std::string_view::npos ? std::string_view{start_} : std::string_view{start_, size_};
  }

 private:
  const char* start_;
  std::size_t size_ = std::string_view::npos;  // not measured
};

/// The largest finite number.
inline constexpr double most_finite = 1.7976931348623157e308;

/// Whether a number is neither NaN nor an infinity.
constexpr bool is_finite(double value) noexcept { return value <= most_finite && value >= -most_finite; }

// A check is one comparison where it passes. What is wrong with a value is found out behind `fail_`, which stays out
// of line, so that a hundred checks in a row are a hundred comparisons.

[[noreturn, gnu::cold]] inline void fail_positive(words field, double value) {
  if (!is_finite(value)) fail(errc::not_finite, field, value, "a finite number above 0");
  fail(value == 0 ? errc::missing_field : errc::invalid_argument, field, value, "a number above 0");
}

/// The value, or a refusal that names the field unless it is finite and above zero.
[[gnu::always_inline]] constexpr double positive(words field, double value) {
  if (!(value > 0 && value <= most_finite)) fail_positive(field, value);
  return value;
}

[[noreturn, gnu::cold]] inline void fail_not_negative(words field, double value) {
  if (!is_finite(value)) fail(errc::not_finite, field, value, "a finite number, 0 or more");
  fail(errc::invalid_argument, field, value, "0 or more");
}

/// The value, or a refusal that names the field unless it is finite and not negative.
[[gnu::always_inline]] constexpr double not_negative(words field, double value) {
  if (!(value >= 0 && value <= most_finite)) fail_not_negative(field, value);
  return value;
}

[[noreturn, gnu::cold]] inline void fail_positive_count(words field, std::int64_t value) {
  fail(value == 0 ? errc::missing_field : errc::invalid_argument, field, value, "a whole number from 1 on");
}

[[gnu::always_inline]] constexpr std::int64_t positive_count(words field, std::int64_t value) {
  if (value <= 0) fail_positive_count(field, value);
  return value;
}

[[noreturn, gnu::cold]] inline void fail_count_from(words field, std::int64_t value, std::int64_t least) {
  fail(errc::invalid_argument, field, value, least == 0 ? "0 or more" : "a larger whole number");
}

[[gnu::always_inline]] constexpr std::int64_t count_from(words field, std::int64_t value, std::int64_t least) {
  if (value < least) fail_count_from(field, value, least);
  return value;
}

[[noreturn, gnu::cold]] inline void fail_range(words field, double value, words valid) {
  fail(is_finite(value) ? errc::out_of_range : errc::not_finite, field, value, valid);
}

/// The value, or a refusal unless it lies in [low, high], which are finite. `valid` says the range in words.
[[gnu::always_inline]] constexpr double in_range(words field, double value, double low, double high, words valid) {
  if (!(value >= low && value <= high)) fail_range(field, value, valid);
  return value;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

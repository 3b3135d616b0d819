#ifndef TPUPLAN_BASE_TEXT_HPP
#define TPUPLAN_BASE_TEXT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/maybe.hpp>

/// @file
/// Short text held by value: names of chips, slices, regions and models inside plain structs, also in constants.

namespace tpuplan {
inline namespace abi_0 {

/// At most `Capacity` characters held by value, so that a struct with a name stays trivially copyable and can be a
/// constant. Converts from and to `std::string_view`. Text that does not fit is refused (`errc::out_of_range`).
template <std::size_t Capacity>
class text {
 public:
  constexpr text() noexcept = default;
  /// @{
  /// The characters given, or a refusal.
  constexpr text(const char* characters) {  // NOLINT(google-explicit-constructor)
    const std::size_t size = __builtin_strlen(characters);  // by a constant expression in one step
    if (size > Capacity) refuse(characters);
    for (std::size_t i = 0; i < size; ++i) characters_[i] = characters[i];
    size_ = size;
  }
  constexpr text(std::string_view characters) {  // NOLINT(google-explicit-constructor)
    append(characters);
  }
  /// @}

  /// @{
  /// The characters, valid as long as this object lives.
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {characters_, size_}; }
  [[nodiscard]] constexpr operator std::string_view() const noexcept {  // NOLINT(google-explicit-constructor)
    return view();
  }
  /// @}
  /// Whether there are no characters.
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  /// Characters.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

  /// Appends characters, or refuses what does not fit.
  constexpr text& append(std::string_view more) {
    if (more.size() > Capacity - size_) refuse(more);
    for (std::size_t i = 0; i < more.size(); ++i) characters_[size_ + i] = more[i];
    size_ += more.size();
    return *this;
  }

  /// Appends a non-negative or negative whole number in decimal.
  constexpr text& append(std::int64_t number) {
    char digits[20] = {};
    std::size_t count = 0;
    std::uint64_t rest =
        number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
    do {
      digits[count++] = static_cast<char>('0' + static_cast<char>(rest % 10));
      rest /= 10;
    } while (rest != 0);
    if (number < 0) append("-");
    while (count != 0) append(std::string_view{&digits[--count], 1});
    return *this;
  }

  /// Appends a whole number from 0 on with its thousands apart: 8,960.
  constexpr text& append_grouped(std::int64_t number) {
    if (number < 1000) return append(number);
    const std::int64_t last = number % 1000;
    return append_grouped(number / 1000).append(last < 10 ? ",00" : last < 100 ? ",0" : ",").append(last);
  }

 private:
  [[noreturn]] static void refuse(std::string_view given) {
    char valid[40] = {};
    __builtin_snprintf(valid, sizeof(valid), "at most %d characters", static_cast<int>(Capacity));
    detail::fail(errc::out_of_range, "text", given, valid);
  }

  char characters_[Capacity + 1] = {};
  std::size_t size_ = 0;
};

/// @{
/// Comparison by characters, letter case included.
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr bool operator==(const text<A>& a, const text<B>& b) noexcept {
  return a.view() == b.view();
}
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr bool operator!=(const text<A>& a, const text<B>& b) noexcept {
  return a.view() != b.view();
}
template <std::size_t A, std::size_t B>
[[nodiscard]] constexpr bool operator<(const text<A>& a, const text<B>& b) noexcept {
  return a.view() < b.view();
}
template <std::size_t Capacity>
[[nodiscard]] constexpr bool operator==(const text<Capacity>& a, std::string_view b) noexcept {
  return a.view() == b;
}
template <std::size_t Capacity>
[[nodiscard]] constexpr bool operator!=(const text<Capacity>& a, std::string_view b) noexcept {
  return a.view() != b;
}
template <std::size_t Capacity>
[[nodiscard]] constexpr bool operator==(std::string_view a, const text<Capacity>& b) noexcept {
  return a == b.view();
}
template <std::size_t Capacity>
[[nodiscard]] constexpr bool operator!=(std::string_view a, const text<Capacity>& b) noexcept {
  return a != b.view();
}
/// @}

/// Writes the characters to any stream that takes them: `std::cout << name(s)` needs iostream alone. Worked:
/// name(slice_for("v5p-128")) is written as "v5p-128".
template <class Stream, std::size_t Capacity>
constexpr auto operator<<(Stream& to, const text<Capacity>& words) -> decltype(to << words.view()) {
  return to << words.view();
}

namespace detail {

/// The name at that place, "?" past the end: enumerators and their names in one order.
template <std::size_t Count>
constexpr std::string_view name_of(const char* const (&names)[Count], std::size_t place) noexcept {
  return place < Count ? names[place] : "?";
}

/// ASCII lower case, whatever the locale.
constexpr char to_lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Equality of names as people type them: letter case ignored.
constexpr bool same_name(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

constexpr bool starts_with_name(std::string_view name, std::string_view prefix) noexcept {
  return name.size() >= prefix.size() && same_name(name.substr(0, prefix.size()), prefix);
}

/// The enumerator of that name; nothing if there is none. Enumerators count from 0, and `name` is "?" past the last.
template <class Enumeration>
constexpr maybe<Enumeration> enumerator_named(std::string_view given) noexcept {
  for (unsigned i = 0; name(static_cast<Enumeration>(i)) != "?"; ++i) {
    if (same_name(given, name(static_cast<Enumeration>(i)))) return static_cast<Enumeration>(i);
  }
  return nothing;
}

/// A whole number of at most nine digits, or -1 where the text is anything else.
constexpr std::int64_t parse_count(std::string_view digits) noexcept {
  if (digits.empty() || digits.size() > 9) return -1;
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return -1;
    value = value * 10 + (digit - '0');
  }
  return value;
}

}  // namespace detail

/// The names of an enumeration for which `wanted(enumerator)` is true, as a message lists them, in the order of the
/// enumerators. Worked: the optimizers that keep less than a byte for each parameter are "adafactor or sgd".
template <class Enumeration, class Wanted>
[[nodiscard]] constexpr text<240> names_where(Wanted wanted) {
  text<240> list;
  std::string_view last;
  for (unsigned i = 0; name(static_cast<Enumeration>(i)) != "?"; ++i) {
    if (!wanted(static_cast<Enumeration>(i))) continue;
    if (!last.empty()) list.append(list.empty() ? "" : ", ").append(last);
    last = name(static_cast<Enumeration>(i));
  }
  return list.append(list.empty() ? "" : " or ").append(last);
}

/// All names of an enumeration as a message lists them. Worked: names_of<software_level>() is "tuned, general or
/// first_port".
template <class Enumeration>
[[nodiscard]] constexpr text<240> names_of() {
  return names_where<Enumeration>([](Enumeration) { return true; });
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

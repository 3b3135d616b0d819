#ifndef TPUPLAN_JSON_VALUE_HPP
#define TPUPLAN_JSON_VALUE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/known.hpp>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/base/units.hpp>
#include <tpuplan/json/key.hpp>
#include <tpuplan/json/number.hpp>
#include <tpuplan/json/sink.hpp>
#include <tpuplan/reflect/types.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// How each kind of value becomes JSON: a number, an enumerator, a quantity, a list, a struct. Callers include
/// json.hpp.

namespace tpuplan {
inline namespace abi_0 {

/// What becomes of a key that the struct does not have.
enum class unknown_keys : std::uint8_t {
  refuse,  ///< an error that names the key
  ignore,  ///< for documents of later versions
};

/// How a document is read.
struct json_reading {
  unknown_keys unknown = unknown_keys::refuse;  ///< keys that the struct does not have
  /// Where the rows of a price book that is not the built-in one are kept: the book refers to them, and they must
  /// outlive it.
  std::vector<price_row>* prices = nullptr;
};

namespace detail {

[[nodiscard]] inline bool is_text(const nlohmann::json& given, std::string_view words) {
  const auto* const text = given.get_ptr<const std::string*>();
  return text != nullptr && *text == words;
}

/// The given text; refuses values of other types.
[[nodiscard]] inline const std::string& expect_text(const nlohmann::json& given, const json_place& at,
                                                    std::string_view valid = "a text") {
  const auto* const text = given.get_ptr<const std::string*>();
  if (text == nullptr) at.refuse(errc::malformed_input, given, valid);
  return *text;
}

/// Whether every sequence of bytes is a character of UTF-8: not truncated, not spelled longer than it must be, no half
/// of a pair of UTF-16, nothing above U+10FFFF.
[[nodiscard]] constexpr bool is_utf8(std::string_view words) noexcept {
  for (std::size_t i = 0; i < words.size();) {
    const unsigned first = static_cast<unsigned char>(words[i++]);
    if (first < 0x80) continue;
    const int more = first < 0xC2 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : 0;
    if (more == 0) return false;
    unsigned code = first & (0x3Fu >> more);
    for (int k = 0; k < more; ++k, ++i) {
      if (i == words.size() || (static_cast<unsigned char>(words[i]) & 0xC0u) != 0x80) return false;
      code = code << 6 | (static_cast<unsigned char>(words[i]) & 0x3Fu);
    }
    if (code < (more == 3 ? 0x10000u : more == 2 ? 0x800u : 0x80u) || code > 0x10FFFF) return false;
    if (code >= 0xD800 && code < 0xE000) return false;
  }
  return true;
}

inline void write_text(std::string_view words, const json_place& at, json_sink& to) {
  if (!is_utf8(words)) fail(errc::malformed_input, at.text(), "not UTF-8", "a text in UTF-8");
  to.text(words);
}

/// `of(name, place)` is the value of that name, for types that may be given by one.
template <class T>
struct named_value;

/// A field of a struct that may be given under the key `also` instead of its own, `key`.
template <class T>
struct other_key;

/// The object with that key under its own name; refuses both at once.
[[nodiscard]] inline nlohmann::json under_own_key(nlohmann::json given, std::string_view also, std::string_view key,
                                                  const json_place& at) {
  const auto found = given.find(std::string(also));
  if (given.contains(std::string(key)))
    at.under(also).refuse(errc::invalid_argument, *found, joined({"none beside ", key, ", which says the same"}));
  nlohmann::json value = std::move(*found);
  given.erase(found);
  given[std::string(key)] = std::move(value);
  return given;
}

/// `write(x, place, sink)` writes x as JSON and `read(given, place, how, into)` reads it, for each kind of type.
template <class T, class = void>
struct json_form;

// A struct is written and read by a table of its fields, which hold their addresses and how their types are written or
// read: one function for each type of field, and one loop for all structs.

template <class T>
void write_json(const void* x, const json_place& at, json_sink& to) {
  json_form<T>::write(*static_cast<const T*>(x), at, to);
}
using json_writer = void (*)(const void* x, const json_place& at, json_sink& to);

template <class T>
void read_json_into(const nlohmann::json& given, const json_place& at, const json_reading& how, void* into) {
  json_form<T>::read(given, at, how, *static_cast<T*>(into));
}
using json_reader = void (*)(const nlohmann::json& given, const json_place& at, const json_reading& how, void* into);

/// The type as which a field is written and read. A quantity is its number, and the key has its unit: one function for
/// all dimensions.
template <class T>
struct json_content {
  using type = T;
};
template <class Dim>
struct json_content<quantity<Dim>> {
  static_assert(std::is_standard_layout<quantity<Dim>>::value && sizeof(quantity<Dim>) == sizeof(double),
                "a quantity lies where its number does");
  using type = double;
};

/// How a type of field is written or read, and the unit that its key ends in.
template <class Function>
struct field_form {
  Function call;
  std::string_view unit;
};
template <class T>
inline constexpr field_form<json_writer> written_form{&write_json<typename json_content<T>::type>,
                                                      json_unit<T>::suffix};
template <class T>
inline constexpr field_form<json_reader> read_form{&read_json_into<typename json_content<T>::type>,
                                                   json_unit<T>::suffix};

struct written_field {
  template <class T>
  written_field(const T& x) noexcept : value{&x}, form{&written_form<T>} {}  // NOLINT(google-explicit-constructor)
  const void* value;
  const field_form<json_writer>* form;
};
struct read_field {
  template <class T>
  read_field(T& x) noexcept : value{&x}, form{&read_form<T>} {}  // NOLINT(google-explicit-constructor)
  void* value;
  const field_form<json_reader>* form;
};

/// Writes the fields, whose `names` are "rows, columns", as an object.
struct fields_writer {
  std::string_view names;
  const json_place& at;
  json_sink& to;

  void operator()(const written_field* table, std::size_t size) const {
    to.begin_object(size);
    std::string_view rest = names;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string key = json_key(take_name(rest), table[i].form->unit);
      to.key(key);
      table[i].form->call(table[i].value, at.under(key), to);
    }
    to.end();
  }
};

/// Names the first key that is none of these, and the ones that it may be a slip of, or that begin most like it.
[[noreturn]] inline void refuse_key_not_of(const std::vector<std::string>& keys, const nlohmann::json& given,
                                           const json_place& at) {
  std::string wrong;
  for (auto entry = given.begin(); entry != given.end(); ++entry) {
    wrong = entry.key();
    bool known_key = false;
    for (const std::string& key : keys) known_key = known_key || key == wrong;
    if (!known_key) break;
  }
  const auto alike = [&](const std::string& key) {
    std::size_t same = 0;
    while (same < key.size() && same < wrong.size() && key[same] == wrong[same]) ++same;
    return same;
  };
  const auto slips = [&](const std::string& key) {
    return alike(key) == 0 ? std::size_t{1000} : edit_distance(wrong.substr(0, 40), key);
  };
  std::size_t most = 0, fewest = 3;
  for (const std::string& key : keys) most = std::max(most, alike(key)), fewest = std::min(fewest, slips(key));
  std::string valid;
  for (const std::string& key : keys) {
    const bool is_meant = fewest < 3 ? slips(key) == fewest : most < 3 || alike(key) == most;
    if (is_meant) valid.append(valid.empty() ? "" : ", ").append(key);
  }
  fail(errc::unknown_name, at.under(wrong).text(), "not a key", valid);
}

/// Reads those fields that an object gives; the others stay as they are.
struct fields_reader {
  std::string_view names;
  const nlohmann::json& given;
  const json_place& at;
  const json_reading& how;

  void operator()(const read_field* table, std::size_t size) const {
    if (!given.is_object()) at.refuse(errc::malformed_input, given, "an object");
    std::vector<std::string> keys;
    std::size_t found = 0;
    std::string_view rest = names;
    for (std::size_t i = 0; i < size; ++i) {
      keys.push_back(json_key(take_name(rest), table[i].form->unit));
      const auto entry = given.find(keys.back());
      if (entry == given.end()) continue;
      ++found;
      table[i].form->call(*entry, at.under(keys.back()), how, table[i].value);
    }
    if (found != given.size() && how.unknown == unknown_keys::refuse) refuse_key_not_of(keys, given, at);
  }
};

template <>
struct json_form<bool> {
  static void write(bool x, const json_place&, json_sink& to) { to.flag(x); }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, bool& into) {
    const auto* const flag = given.get_ptr<const bool*>();
    if (flag == nullptr) at.refuse(errc::malformed_input, given, "true or false");
    into = *flag;
  }
};

/// A grade: one character.
template <>
struct json_form<char> {
  static void write(char x, const json_place& at, json_sink& to) { write_text({&x, 1}, at, to); }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, char& into) {
    const std::string& words = expect_text(given, at, "one character");
    if (words.size() != 1) at.refuse(errc::malformed_input, given, "one character");
    into = words.front();
  }
};

/// A whole number in [least, most]; `valid` says the range.
[[nodiscard]] inline std::int64_t whole_number_in(const nlohmann::json& given, const json_place& at, std::int64_t least,
                                                  std::int64_t most, std::string_view valid) {
  const std::int64_t count = whole_number(given, [&at] { return at.text(); });
  if (count < least || count > most) fail(errc::out_of_range, at.text(), count, valid);
  return count;
}

/// A count of any size. 1e6 is read as a million.
template <class T>
struct json_form<T, std::enable_if_t<std::is_integral<T>::value && !is_one_of<T, bool, char>>> {
  static void write(T x, const json_place&, json_sink& to) {
    if constexpr (std::is_unsigned<T>::value) {
      to.count(x);
    } else {
      to.whole(x);
    }
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, T& into) {
    if constexpr (std::is_unsigned<T>::value && sizeof(T) == 8) {
      const auto* const count = given.get_ptr<const nlohmann::json::number_unsigned_t*>();
      if (count != nullptr) return static_cast<void>(into = static_cast<T>(*count));
    }
    constexpr bool is_unsigned = std::is_unsigned<T>::value;
    constexpr std::int64_t least = is_unsigned ? 0 : std::int64_t{std::numeric_limits<T>::min()};
    constexpr std::int64_t most = static_cast<std::int64_t>(std::min(
        std::uint64_t{std::numeric_limits<T>::max()}, std::uint64_t{std::numeric_limits<std::int64_t>::max()}));
    into = static_cast<T>(whole_number_in(given, at, least, most,
                                          is_unsigned ? "a whole number from 0 on" : "a whole number of 32 bits"));
  }
};

/// A number; JSON has no infinity, so that is a text. NaN is refused both ways.
template <>
struct json_form<double> {
  static void write(double x, const json_place& at, json_sink& to) {
    if (std::isnan(x)) fail(errc::not_finite, at.text(), x, "a number");
    if (std::isinf(x)) return to.text(x > 0 ? "infinity" : "-infinity");
    to.number(x);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, double& into) {
    if (const auto* const count = given.get_ptr<const nlohmann::json::number_unsigned_t*>()) {
      into = static_cast<double>(*count);
    } else if (const auto* const whole = given.get_ptr<const nlohmann::json::number_integer_t*>()) {
      into = static_cast<double>(*whole);
    } else if (const auto* const real = given.get_ptr<const nlohmann::json::number_float_t*>()) {
      into = *real;
    } else if (is_text(given, "infinity")) {
      into = std::numeric_limits<double>::infinity();
    } else if (is_text(given, "-infinity")) {
      into = -std::numeric_limits<double>::infinity();
    } else {
      at.refuse(errc::malformed_input, given, "a number");
    }
  }
};

/// The number in the base unit, which the key names.
template <class Dim>
struct json_form<quantity<Dim>> {
  static void write(quantity<Dim> x, const json_place& at, json_sink& to) {
    json_form<double>::write(x.value(), at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, quantity<Dim>& into) {
    double value = 0;
    json_form<double>::read(given, at, how, value);
    into = quantity<Dim>{value};
  }
};

/// The index of the enumerator whose name, as `called` returns it, is given; refuses other names.
[[nodiscard]] inline std::uint8_t read_enumerator(const nlohmann::json& given, const json_place& at,
                                                  std::string_view (*called)(std::uint8_t)) {
  std::string valid;
  for (std::uint8_t i = 0; called(i) != "?"; ++i) {
    if (is_text(given, called(i))) return i;
    valid.append(i == 0 ? "" : ", ").append(called(i));
  }
  at.refuse(given.is_string() ? errc::unknown_name : errc::malformed_input, given, valid);
}

/// An enumerator by its name.
template <class T>
struct json_form<T, std::enable_if_t<std::is_enum<T>::value>> {
  static void write(T x, const json_place& at, json_sink& to) {
    const std::string_view called = name(x);
    if (called == "?") fail(errc::invalid_argument, at.text(), static_cast<std::int64_t>(x), "an enumerator");
    to.text(called);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, T& into) {
    into = static_cast<T>(
        read_enumerator(given, at, [](std::uint8_t i) -> std::string_view { return name(static_cast<T>(i)); }));
  }
};

template <>
struct json_form<std::string> {
  static void write(const std::string& x, const json_place& at, json_sink& to) { write_text(x, at, to); }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, std::string& into) {
    into = expect_text(given, at);
  }
};

/// The given text; refuses one that is too long or could control a terminal.
[[nodiscard]] inline std::string_view read_short_text(const nlohmann::json& given, const json_place& at,
                                                      std::size_t capacity) {
  const std::string& words = expect_text(given, at);
  if (words.size() > capacity)
    at.refuse(errc::out_of_range, given, joined({"a text of at most ", std::to_string(capacity), " characters"}));
  if (has_control(words)) at.refuse(errc::malformed_input, given, "a text without control characters");
  return words;
}

template <std::size_t Capacity>
struct json_form<text<Capacity>> {
  static void write(const text<Capacity>& x, const json_place& at, json_sink& to) {
    if (has_control(x.view())) fail(errc::malformed_input, at.text(), x.view(), "a text without control characters");
    write_text(x.view(), at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, text<Capacity>& into) {
    into = text<Capacity>{read_short_text(given, at, Capacity)};
  }
};

/// A figure, "absent" or "unknown".
template <class T>
struct json_form<known<T>> {
  static void write(const known<T>& x, const json_place& at, json_sink& to) {
    if (!x.has_value()) return to.text(x.is_absent() ? "absent" : "unknown");
    json_form<T>::write(x.value(), at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, known<T>& into) {
    if (is_text(given, "absent")) {
      into = known<T>{absent_t{}};
    } else if (is_text(given, "unknown")) {
      into = known<T>{};
    } else if (given.is_null() || (given.is_string() && !is_text(given, "infinity") && !is_text(given, "-infinity"))) {
      at.refuse(errc::unknown_name, given, "a figure, absent or unknown");
    } else {
      T value{};
      json_form<T>::read(given, at, how, value);
      into = known<T>{value};
    }
  }
};

/// A value or null.
template <class Optional>
struct optional_form {
  using value_type = typename Optional::value_type;
  static void write(const Optional& x, const json_place& at, json_sink& to) {
    if (!x.has_value()) return to.null();
    json_form<value_type>::write(*x, at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, Optional& into) {
    into = Optional{};
    if (given.is_null()) return;
    value_type value{};
    json_form<value_type>::read(given, at, how, value);
    into = Optional{value};
  }
};
template <class T>
struct json_form<std::optional<T>> : optional_form<std::optional<T>> {};
template <class T>
struct json_form<maybe<T>> : optional_form<maybe<T>> {};

/// Contiguous values as an array.
template <class T>
void write_values(const T* first, std::size_t count, const json_place& at, json_sink& to) {
  to.begin_array();
  for (std::size_t i = 0; i < count; ++i) json_form<T>::write(first[i], at.under(i), to);
  to.end();
}
template <class T>
void read_values(const nlohmann::json& given, const json_place& at, const json_reading& how, T* first) {
  for (std::size_t i = 0; i < given.size(); ++i) json_form<T>::read(given[i], at.under(i), how, first[i]);
}

inline void expect_array(const nlohmann::json& given, const json_place& at, std::size_t least, std::size_t most) {
  if (given.is_array() && given.size() >= least && given.size() <= most) return;
  const bool any_size = most == std::numeric_limits<std::size_t>::max();
  const std::string size = any_size ? "" : std::to_string(most);
  const std::string valid = joined({"an array", any_size ? "" : least < most ? " of at most " : " of ", size});
  if (!given.is_array()) at.refuse(errc::malformed_input, given, valid);
  fail(errc::out_of_range, at.text(), joined({"an array of ", std::to_string(given.size())}), valid);
}

template <class T, std::size_t Count>
struct json_form<std::array<T, Count>> {
  static void write(const std::array<T, Count>& x, const json_place& at, json_sink& to) {
    write_values(x.data(), Count, at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how,
                   std::array<T, Count>& into) {
    expect_array(given, at, Count, Count);
    read_values(given, at, how, into.data());
  }
};

template <class T>
struct json_form<std::vector<T>> {
  static void write(const std::vector<T>& x, const json_place& at, json_sink& to) {
    write_values(x.data(), x.size(), at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, std::vector<T>& into) {
    expect_array(given, at, 0, std::numeric_limits<std::size_t>::max());
    into.clear();
    for (std::size_t i = 0; i < given.size(); ++i) {  // one by one: the first invalid value ends the reading
      into.emplace_back();
      json_form<T>::read(given[i], at.under(i), how, into.back());
    }
  }
};

/// An array with a count beside it: the values that count.
template <class T>
struct json_form<T, std::enable_if_t<has_trait<list_of, T>>> {
  static void write(const T& x, const json_place& at, json_sink& to) {
    const auto& values = list_of<T>::values(x);
    const auto count = static_cast<std::size_t>(list_of<T>::count(x));
    if (count > values.size())
      fail(errc::out_of_range, at.text() + ": count", std::to_string(count), "no more than the list has room for");
    write_values(values.data(), count, at, to);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, T& into) {
    auto& values = list_of<T>::values(into);
    expect_array(given, at, 0, values.size());
    read_values(given, at, how, values.data());
    list_of<T>::count(into) = given.size();
  }
};

/// The fields of a struct under their names. A field that is not given keeps its default.
template <class T>
struct json_form<T, std::enable_if_t<has_trait<fields_of, T>>> {
  static void write(const T& x, const json_place& at, json_sink& to) {
    fields_of<T>::template table<written_field>(x, fields_writer{fields_of<T>::names, at, to});
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, T& into) {
    if constexpr (has_trait<named_value, T>) {
      if (given.is_string()) return static_cast<void>(into = named_value<T>::of(expect_text(given, at), at));
    }
    if constexpr (has_trait<other_key, T>) {
      if (given.is_object() && given.contains(std::string(other_key<T>::also)))
        return read(under_own_key(given, other_key<T>::also, other_key<T>::key, at), at, how, into);
    }
    fields_of<T>::template table<read_field>(into, fields_reader{fields_of<T>::names, given, at, how});
  }
};

/// The value as a type of nlohmann_json.
template <class Json, class T>
[[nodiscard]] Json json_of(const T& x, const json_place& at) {
  Json value;
  json_builder<Json> builder{value};
  json_sink to = builder.sink();
  json_form<T>::write(x, at, to);
  return value;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

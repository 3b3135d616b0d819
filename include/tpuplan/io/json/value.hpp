#ifndef TPUPLAN_IO_JSON_VALUE_HPP
#define TPUPLAN_IO_JSON_VALUE_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/error.hpp>
#include <tpuplan/io/json/number.hpp>
#include <tpuplan/io/reflect/fields.hpp>
#include <tpuplan/known.hpp>
#include <tpuplan/units.hpp>
#include <type_traits>
#include <vector>

/// @file
/// How a value of each kind stands in JSON: a number, an enumerator, a quantity, a list, a struct. io/json.hpp is what
/// callers include.

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
  /// Where the rows of a price book that is not the built-in one are kept: the book looks at them as long as they live.
  std::vector<price_row>* prices = nullptr;
};

namespace detail {

/// Where a value stands, kept on the stack; a refusal spells it out: "plan.costs[3].total_usd".
struct json_place {
  const json_place* above;
  std::string_view key;
  std::size_t index;

  [[nodiscard]] std::string text() const {
    if (above == nullptr) return std::string(key);
    return above->text() + (index == no_index ? "." + std::string(key) : "[" + std::to_string(index) + "]");
  }
  static constexpr std::size_t no_index = std::numeric_limits<std::size_t>::max();
  [[nodiscard]] json_place under(std::string_view name) const noexcept { return {this, name, no_index}; }
  [[nodiscard]] json_place under(std::size_t place) const noexcept { return {this, {}, place}; }

  template <class Json>
  [[noreturn]] void refuse(errc code, const Json& given, std::string_view valid) const {
    fail(code, text(), shown_json(given), valid);
  }
};

// Functions that read have the type of the document as a parameter because a template costs nothing until it is used.
template <class Json>
[[nodiscard]] const std::string& text_of(const Json& given) {
  return given.template get_ref<const std::string&>();
}

template <class Json>
[[nodiscard]] bool is_text(const Json& given, std::string_view words) {
  return given.is_string() && text_of(given) == words;
}

/// A text as JSON, which is UTF-8.
template <class Json>
[[nodiscard]] Json json_text(std::string_view words, const json_place& at) {
  Json value = std::string(words);
  try {
    (void)value.dump();
  } catch (const nlohmann::json::exception&) {
    fail(errc::malformed_input, at.text(), "not UTF-8", "a text in UTF-8");
  }
  return value;
}

/// The value of that name where a name may stand for the whole. A given_name<T> is found with T's look-ups.
template <class T>
struct named_value;
template <class T>
struct given_name {
  std::string_view view;
  operator std::string_view() const noexcept { return view; }  // NOLINT(google-explicit-constructor)
};

/// What the unit adds to a key. SI, as all JSON of the library.
template <class T>
struct json_unit {
  static constexpr std::string_view suffix = "";
};
template <class Dim>
struct json_unit<quantity<Dim>>;  // a dimension without a suffix does not compile
#define TPUPLAN_DETAIL_UNIT(bytes, flops, seconds, usd, text)   \
  template <>                                                   \
  struct json_unit<quantity<dim<bytes, flops, seconds, usd>>> { \
    static constexpr std::string_view suffix = text;            \
  };
TPUPLAN_DETAIL_UNIT(1, 0, 0, 0, "_bytes")
TPUPLAN_DETAIL_UNIT(0, 1, 0, 0, "_flops")
TPUPLAN_DETAIL_UNIT(0, 0, 1, 0, "_s")
TPUPLAN_DETAIL_UNIT(0, 0, 0, 1, "_usd")
TPUPLAN_DETAIL_UNIT(1, 0, -1, 0, "_bytes_per_s")
TPUPLAN_DETAIL_UNIT(0, 1, -1, 0, "_flops_per_s")
TPUPLAN_DETAIL_UNIT(-1, 1, 0, 0, "_flops_per_byte")
TPUPLAN_DETAIL_UNIT(0, 0, -1, 0, "_per_s")
TPUPLAN_DETAIL_UNIT(0, 0, -1, 1, "_usd_per_s")
#undef TPUPLAN_DETAIL_UNIT
template <class T>
struct json_unit<known<T>> : json_unit<T> {};
template <class T>
struct json_unit<maybe<T>> : json_unit<T> {};
template <class T>
struct json_unit<std::optional<T>> : json_unit<T> {};
template <class T>
struct json_unit<std::vector<T>> : json_unit<T> {};
template <class T, std::size_t Count>
struct json_unit<std::array<T, Count>> : json_unit<T> {};

/// The field's name and its unit: "total" in seconds is total_s, tokens_per_second is tokens_per_s.
template <class T>
[[nodiscard]] std::string json_key(std::string_view field) {
  constexpr std::string_view suffix = json_unit<T>::suffix;
  constexpr std::string_view spelled = "_per_second";
  if (suffix == "_per_s" && field.size() > spelled.size() && field.substr(field.size() - spelled.size()) == spelled)
    field.remove_suffix(spelled.size());
  return std::string(field) + std::string(suffix);
}

/// `write(x, place)` is x as JSON, `read(given, place, how, into)` the way back, for each kind of type.
template <class T, class = void>
struct json_form;

template <class Json, class T>
[[nodiscard]] Json json_of(const T& x, const json_place& at) {
  return json_form<T>::template write<Json>(x, at);
}

template <class T>
void read_json_into(const nlohmann::json& given, const json_place& at, const json_reading& how, T& into) {
  json_form<T>::read(given, at, how, into);
}

template <>
struct json_form<bool> {
  template <class Json>
  static Json write(bool x, const json_place&) {
    return x;
  }
  template <class Given>
  static void read(const Given& given, const json_place& at, const json_reading&, bool& into) {
    if (!given.is_boolean()) at.refuse(errc::malformed_input, given, "true or false");
    into = given.template get<bool>();
  }
};

/// A grade: one character.
template <>
struct json_form<char> {
  template <class Json>
  static Json write(char x, const json_place& at) {
    return json_text<Json>(std::string(1, x), at);
  }
  template <class Given>
  static void read(const Given& given, const json_place& at, const json_reading&, char& into) {
    if (!given.is_string() || text_of(given).size() != 1) at.refuse(errc::malformed_input, given, "one character");
    into = text_of(given).front();
  }
};

/// A count of any size. 1e6 is read as a million.
template <class T>
struct json_form<T, std::enable_if_t<std::is_integral<T>::value && !is_one_of<T, bool, char>>> {
  template <class Json>
  static Json write(T x, const json_place&) {
    return x;
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, T& into) {
    if constexpr (std::is_unsigned<T>::value && sizeof(T) == 8) {
      if (given.is_number_unsigned()) return static_cast<void>(into = given.template get<T>());
    }
    const std::int64_t count = whole_number(given, [&] { return at.text(); });
    constexpr std::int64_t least = std::is_unsigned<T>::value ? 0 : std::int64_t{std::numeric_limits<T>::min()};
    constexpr std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (count < least || (count > 0 && static_cast<std::uint64_t>(count) > most))
      fail(errc::out_of_range, at.text(), count,
           std::is_unsigned<T>::value ? "a whole number from 0 on" : "a whole number of 32 bits");
    into = static_cast<T>(count);
  }
};

/// A number; JSON has no infinity, so that is a text. NaN is refused both ways.
template <>
struct json_form<double> {
  template <class Json>
  static Json write(double x, const json_place& at) {
    if (std::isnan(x)) fail(errc::not_finite, at.text(), x, "a number");
    if (std::isinf(x)) return x > 0 ? "infinity" : "-infinity";
    return x;
  }
  template <class Given>
  static void read(const Given& given, const json_place& at, const json_reading&, double& into) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (given.is_number()) {
      into = given.template get<double>();
    } else if (is_text(given, "infinity")) {
      into = infinity;
    } else if (is_text(given, "-infinity")) {
      into = -infinity;
    } else {
      at.refuse(errc::malformed_input, given, "a number");
    }
  }
};

/// The number in the base unit, which the key names.
template <class Dim>
struct json_form<quantity<Dim>> {
  template <class Json>
  static Json write(quantity<Dim> x, const json_place& at) {
    return json_of<Json>(x.value(), at);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, quantity<Dim>& into) {
    double value = 0;
    read_json_into(given, at, how, value);
    into = quantity<Dim>{value};
  }
};

/// An enumerator by its name.
template <class T>
struct json_form<T, std::enable_if_t<std::is_enum<T>::value>> {
  template <class Json>
  static Json write(T x, const json_place& at) {
    const std::string_view called = name(x);
    if (called == "?") fail(errc::invalid_argument, at.text(), static_cast<std::int64_t>(x), "an enumerator");
    return std::string(called);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, T& into) {
    std::string valid;
    for (std::uint8_t i = 0; name(static_cast<T>(i)) != "?"; ++i) {
      const std::string called{name(static_cast<T>(i))};
      if (given.is_string() && text_of(given) == called) {
        into = static_cast<T>(i);
        return;
      }
      valid += (i == 0 ? "" : ", ") + called;
    }
    at.refuse(given.is_string() ? errc::unknown_name : errc::malformed_input, given, valid);
  }
};

template <>
struct json_form<std::string> {
  template <class Json>
  static Json write(const std::string& x, const json_place& at) {
    return json_text<Json>(x, at);
  }
  template <class Given>
  static void read(const Given& given, const json_place& at, const json_reading&, std::string& into) {
    if (!given.is_string()) at.refuse(errc::malformed_input, given, "a text");
    into = given.template get<std::string>();
  }
};

template <std::size_t Capacity>
struct json_form<text<Capacity>> {
  template <class Json>
  static Json write(const text<Capacity>& x, const json_place& at) {
    if (has_control(x.view())) fail(errc::malformed_input, at.text(), x.view(), "a text without control characters");
    return json_text<Json>(x.view(), at);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading&, text<Capacity>& into) {
    if (!given.is_string()) at.refuse(errc::malformed_input, given, "a text");
    const std::string& words = text_of(given);
    if (words.size() > Capacity)
      at.refuse(errc::out_of_range, given, "a text of at most " + std::to_string(Capacity) + " characters");
    if (has_control(words)) at.refuse(errc::malformed_input, given, "a text without control characters");
    into = text<Capacity>{std::string_view{words}};
  }
};

/// A figure, "absent" or "unknown".
template <class T>
struct json_form<known<T>> {
  template <class Json>
  static Json write(const known<T>& x, const json_place& at) {
    if (!x.has_value()) return x.is_absent() ? "absent" : "unknown";
    return json_of<Json>(x.value(), at);
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
      read_json_into(given, at, how, value);
      into = known<T>{value};
    }
  }
};

/// A value or null.
template <class Optional>
struct optional_form {
  template <class Json>
  static Json write(const Optional& x, const json_place& at) {
    return x.has_value() ? json_of<Json>(*x, at) : Json(nullptr);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, Optional& into) {
    into = Optional{};
    if (given.is_null()) return;
    typename Optional::value_type value{};
    read_json_into(given, at, how, value);
    into = Optional{value};
  }
};
template <class T>
struct json_form<std::optional<T>> : optional_form<std::optional<T>> {};
template <class T>
struct json_form<maybe<T>> : optional_form<maybe<T>> {};

/// The first so many of some values as an array.
template <class Json, class Values>
[[nodiscard]] Json json_array(const Values& values, std::size_t count, const json_place& at) {
  Json array = Json::array();
  for (std::size_t i = 0; i < count; ++i)
    array.push_back(json_of<Json>(static_cast<const typename Values::value_type&>(values[i]), at.under(i)));
  return array;
}

template <class Json>
void expect_array(const Json& given, const json_place& at, std::size_t least, std::size_t most) {
  if (given.is_array() && given.size() >= least && given.size() <= most) return;
  const std::string size = most == std::numeric_limits<std::size_t>::max() ? "" : " of " + std::to_string(most);
  const std::string valid = "an array" + (least < most && !size.empty() ? " of at most" + size.substr(3) : size);
  if (!given.is_array()) at.refuse(errc::malformed_input, given, valid);
  fail(errc::out_of_range, at.text(), "an array of " + std::to_string(given.size()), valid);
}

template <class T, std::size_t Count>
struct json_form<std::array<T, Count>> {
  template <class Json>
  static Json write(const std::array<T, Count>& x, const json_place& at) {
    return json_array<Json>(x, Count, at);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how,
                   std::array<T, Count>& into) {
    expect_array(given, at, Count, Count);
    for (std::size_t i = 0; i < Count; ++i) read_json_into(given[i], at.under(i), how, into[i]);
  }
};

template <class T>
struct json_form<std::vector<T>> {
  template <class Json>
  static Json write(const std::vector<T>& x, const json_place& at) {
    return json_array<Json>(x, x.size(), at);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, std::vector<T>& into) {
    expect_array(given, at, 0, std::numeric_limits<std::size_t>::max());
    into.clear();
    for (std::size_t i = 0; i < given.size(); ++i) {
      into.emplace_back();
      read_json_into(given[i], at.under(i), how, into.back());
    }
  }
};

/// An array with a count beside it: the values that count.
template <class T>
struct json_form<T, std::enable_if_t<has_trait<list_of, T>>> {
  template <class Json>
  static Json write(const T& x, const json_place& at) {
    return json_array<Json>(list_of<T>::values(x), list_of<T>::count(x), at);
  }
  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, T& into) {
    auto& values = list_of<T>::values(into);
    expect_array(given, at, 0, values.size());
    for (std::size_t i = 0; i < given.size(); ++i) read_json_into(given[i], at.under(i), how, values[i]);
    list_of<T>::count(into) = given.size();
  }
};

/// Names the first key that is none of these, and the ones that begin most like it.
template <class Json>
[[noreturn]] void refuse_key_not_of(const std::vector<std::string>& keys, const Json& given, const json_place& at) {
  std::string wrong;
  for (const auto& entry : given.items()) {
    bool known_key = false;
    for (const std::string& key : keys) known_key = known_key || key == entry.key();
    if (known_key) continue;
    wrong = entry.key();
    break;
  }
  const auto alike = [&](const std::string& key) {
    std::size_t same = 0;
    while (same < key.size() && same < wrong.size() && key[same] == wrong[same]) ++same;
    return same;
  };
  std::size_t most = 0;
  for (const std::string& key : keys) most = alike(key) > most ? alike(key) : most;
  std::string valid;
  for (const std::string& key : keys) {
    if (alike(key) == most) valid += (valid.empty() ? "" : ", ") + key;
  }
  fail(errc::unknown_name, at.under(wrong).text(), "not a key", valid);
}

/// The fields of a struct under their names. A field that is not given keeps its default.
template <class T>
struct json_form<T, std::enable_if_t<has_trait<fields_of, T>>> {
  template <class Json>
  static Json write(const T& x, const json_place& at) {
    Json object = Json::object();
    fields_of<T>::each(x, [&](std::string_view field, const auto& value) {
      using Value = std::decay_t<decltype(value)>;
      const std::string key = json_key<Value>(field);
      object[key] = json_of<Json>(value, at.under(key));
    });
    return object;
  }

  static void read(const nlohmann::json& given, const json_place& at, const json_reading& how, T& into) {
    if constexpr (has_trait<named_value, T>) {
      if (given.is_string()) {
        into = named_value<T>::of(given_name<T>{text_of(given)}, at);
        return;
      }
    }
    if (!given.is_object()) at.refuse(errc::malformed_input, given, "an object");
    std::size_t found = 0;
    fields_of<T>::each(into, [&](std::string_view field, auto& value) {
      using Value = std::decay_t<decltype(value)>;
      const std::string key = json_key<Value>(field);
      const auto entry = given.find(key);
      if (entry == given.end()) return;
      ++found;
      read_json_into(*entry, at.under(key), how, value);
    });
    if (found != given.size() && how.unknown == unknown_keys::refuse) refuse_unknown_key(given, at);
  }

 private:
  [[noreturn]] static void refuse_unknown_key(const nlohmann::json& given, const json_place& at) {
    std::vector<std::string> keys;
    const T any{};
    fields_of<T>::each(any, [&](std::string_view field, const auto& value) {
      keys.push_back(json_key<std::decay_t<decltype(value)>>(field));
    });
    refuse_key_not_of(keys, given, at);
  }
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

#ifndef TPUPLAN_ASK_SCHEMA_HPP
#define TPUPLAN_ASK_SCHEMA_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/json.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The JSON Schema of a public type, made from reflect. Structs stand once, under "$defs".

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

template <class T, class = void>
struct schema_form;

/// The schema of T; structs that it meets are put into `defs`.
template <class T>
[[nodiscard]] nlohmann::ordered_json schema_of(nlohmann::ordered_json& defs) {
  return schema_form<T>::of(defs);
}

/// A field of a struct: the unit of its key, and its schema.
struct schema_row {
  template <class T>
  schema_row(const T&) noexcept  // NOLINT(google-explicit-constructor)
      : unit{json_unit<T>::suffix}, of{&schema_of<typename json_content<T>::type>} {}
  std::string_view unit;
  nlohmann::ordered_json (*of)(nlohmann::ordered_json&);
};
// What is below is not a template, as each type's form would be compiled again: those name what they are made of.
using schema_maker = nlohmann::ordered_json (*)(nlohmann::ordered_json& defs);

[[nodiscard]] inline nlohmann::ordered_json type_schema(std::string_view type) { return {{"type", type}}; }
[[nodiscard]] inline nlohmann::ordered_json text_schema(std::size_t longest) {
  return {{"type", "string"}, {"maxLength", longest}};
}
[[nodiscard]] inline nlohmann::ordered_json any_of(nlohmann::ordered_json one, nlohmann::ordered_json other) {
  return {{"anyOf", nlohmann::ordered_json::array({std::move(one), std::move(other)})}};
}
[[nodiscard]] inline nlohmann::ordered_json one_of(std::initializer_list<std::string_view> names) {
  return {{"enum", names}};
}
[[nodiscard]] inline nlohmann::ordered_json number_schema() {
  return any_of(type_schema("number"), one_of({"infinity", "-infinity"}));
}
[[nodiscard]] inline nlohmann::ordered_json list_schema(nlohmann::ordered_json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}
/// The names of an enumeration, or of a table: until "?".
[[nodiscard]] inline nlohmann::ordered_json names_schema(std::string_view (*name_at)(std::uint8_t)) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (std::uint8_t i = 0; name_at(i) != "?"; ++i) names.push_back(name_at(i));
  return {{"enum", std::move(names)}};
}
[[nodiscard]] inline nlohmann::ordered_json properties_schema(const schema_row* rows, std::size_t size,
                                                              std::string_view names, nlohmann::ordered_json& defs,
                                                              bool all_required) {
  nlohmann::ordered_json properties = nlohmann::ordered_json::object(), keys = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < size; ++i) {
    const std::string key = json_key(take_name(names), rows[i].unit);
    properties[key] = rows[i].of(defs);
    keys.push_back(key);
  }
  nlohmann::ordered_json schema = type_schema("object");
  schema["properties"] = std::move(properties);
  schema["additionalProperties"] = false;
  if (all_required) schema["required"] = std::move(keys);
  return schema;
}
/// The fields as "properties": keys with their units, and no others.
template <class T>
[[nodiscard]] nlohmann::ordered_json object_schema(nlohmann::ordered_json& defs, bool all_required) {
  nlohmann::ordered_json schema;
  const T value{};
  fields_of<T>::template table<schema_row>(value, [&](const schema_row* rows, std::size_t size) {
    schema = properties_schema(rows, size, fields_of<T>::names, defs, all_required);
  });
  return schema;
}
template <class T>
[[nodiscard]] nlohmann::ordered_json fields_object(nlohmann::ordered_json& defs) {
  return object_schema<T>(defs, false);
}
/// A reference to the struct of that type among `defs`, where it is put if it is not there; `named` are the texts that
/// stand for a value.
[[nodiscard]] inline nlohmann::ordered_json struct_schema(std::string_view type, schema_maker fields,
                                                          nlohmann::ordered_json (*named)(),
                                                          nlohmann::ordered_json& defs) {
  const std::string called(type.substr(type.rfind(':') + 1));
  if (!defs.contains(called)) {
    defs[called] = nullptr;  // so that what it contains may refer to it
    nlohmann::ordered_json own = fields(defs);
    defs[called] = named == nullptr ? std::move(own) : any_of(std::move(own), named());
  }
  return {{"$ref", "#/$defs/" + called}};
}

/// The texts that stand for a value: a policy is one of a table.
template <class T>
nlohmann::ordered_json schema_of_name() {
  if constexpr (std::is_same<T, remat_policy>::value) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const named_remat_policy& one : remat_policies) names.push_back(one.name.view());
    return {{"enum", std::move(names)}};
  } else {
    return type_schema("string");
  }
}
template <class T>
[[nodiscard]] std::string_view name_at(std::uint8_t i) {
  return name(static_cast<T>(i));
}

template <class T, class>
struct schema_form {
  static nlohmann::ordered_json of(nlohmann::ordered_json& defs) {
    (void)defs;
    if constexpr (std::is_same<T, bool>::value) {
      return type_schema("boolean");
    } else if constexpr (std::is_same<T, char>::value) {
      return text_schema(1);
    } else if constexpr (std::is_integral<T>::value) {
      return type_schema("integer");
    } else if constexpr (std::is_floating_point<T>::value) {
      return number_schema();
    } else if constexpr (std::is_enum<T>::value) {
      return names_schema(&name_at<T>);
    } else if constexpr (std::is_same<T, std::string>::value) {
      return type_schema("string");
    } else if constexpr (has_trait<list_of, T>) {
      using Value = std::decay_t<decltype(list_of<T>::values(std::declval<T&>())[0])>;
      return list_schema(schema_of<Value>(defs));
    } else if constexpr (has_trait<fields_of, T>) {
      if constexpr (has_trait<named_value, T>)
        return struct_schema(fields_of<T>::type_name, &fields_object<T>, &schema_of_name<T>, defs);
      else
        return struct_schema(fields_of<T>::type_name, &fields_object<T>, nullptr, defs);
    } else {
      return nlohmann::ordered_json::object();  // JSON of others, a price book
    }
  }
};
template <class Dim>
struct schema_form<quantity<Dim>> : schema_form<double> {};
template <std::size_t Capacity>
struct schema_form<text<Capacity>> {
  static nlohmann::ordered_json of(nlohmann::ordered_json&) { return text_schema(Capacity); }
};
template <class T>
struct schema_form<known<T>> {
  static nlohmann::ordered_json of(nlohmann::ordered_json& defs) {
    return any_of(schema_of<T>(defs), one_of({"absent", "unknown"}));
  }
};
template <class T>
struct nullable_schema {
  static nlohmann::ordered_json of(nlohmann::ordered_json& defs) {
    return any_of(schema_of<T>(defs), type_schema("null"));
  }
};
template <class T>
struct schema_form<std::optional<T>> : nullable_schema<T> {};
template <class T>
struct schema_form<maybe<T>> : nullable_schema<T> {};
template <class T>
struct schema_form<std::vector<T>> {
  static nlohmann::ordered_json of(nlohmann::ordered_json& defs) { return list_schema(schema_of<T>(defs)); }
};
template <class T, std::size_t Count>
struct schema_form<std::array<T, Count>> {
  static nlohmann::ordered_json of(nlohmann::ordered_json& defs) {
    nlohmann::ordered_json schema = list_schema(schema_of<T>(defs));
    schema["minItems"] = Count;
    schema["maxItems"] = Count;
    return schema;
  }
};

/// A row of a question as programs read it: its place, its option, title and unit, what it is for, its limits, names,
/// and what it needs and excludes.
[[nodiscard]] inline nlohmann::ordered_json field_schema(const question_row& row) {
  nlohmann::ordered_json field = {{"path", row.path}};
  const auto add = [&field](const char* key, std::string_view words) {
    if (!words.empty()) field[key] = words;
  };
  add("kind", name(row.kind));
  add("option", row.option);
  add("title", row.label);
  add("unit", row.unit);
  add("description", row.help);
  add("usual", row.usual);
  if (row.least != 0 || row.most != 0) field["minimum"] = row.least, field["maximum"] = row.most;
  for (std::size_t i = 0; row.choices != nullptr && row.choices->at(i) != "?"; ++i)
    field["enum"].push_back(row.choices->at(i));
  add("needs", row.needs);
  add("excludes", row.excludes);
  if (row.part != 0) field["share"] = row.part;
  if (row.several) field["list"] = true;
  if (row.must_be_given) field["required"] = true;
  return field;
}
[[nodiscard]] inline nlohmann::ordered_json fields_schema(const row_list* tables, std::size_t size) {
  nlohmann::ordered_json fields = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < size; ++i) {
    for (const question_row& row : tables[i]) fields.push_back(field_schema(row));
  }
  return fields;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

#ifndef TPUPLAN_ASK_SCHEMA_HPP
#define TPUPLAN_ASK_SCHEMA_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
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

/// What a type is in a schema.
enum class schema_kind : std::uint8_t {
  any,        ///< JSON of others, a price book
  flag,       ///< true or false
  whole,      ///< a whole number
  number,     ///< a number, which may be infinite
  words,      ///< a text of any length
  text,       ///< of at most `size` bytes
  names,      ///< of an enumeration
  known,      ///< or "absent", or "unknown"
  nullable,   ///< or null
  list,       ///< of any length
  array,      ///< of `size`
  map,        ///< values by name
  structure,  ///< with fields, which stands among the definitions
};
struct schema_field;
/// The shape of a type: data, so that no function is compiled for it.
struct schema_form {
  schema_kind kind = schema_kind::any;
  std::size_t size = 0;                                 ///< of a text or an array, and how many fields a struct has
  const schema_form* inner = nullptr;                   ///< of what is in it
  std::string_view (*name_at)(std::uint8_t) = nullptr;  ///< the names of an enumeration: until "?"
  std::string_view type{}, names{};                     ///< of a struct: its type and its fields
  const schema_field* const* fields = nullptr;
  bool by_name = false, is_policy = false;  ///< whether a text may stand for it, and one of the policies
};
/// A field of a struct: the unit of its key, and its shape.
struct schema_field {
  std::string_view unit;
  const schema_form* form;
};

template <class T>
[[nodiscard]] std::string_view name_at(std::uint8_t i) {
  return name(static_cast<T>(i));
}
template <class T>
[[nodiscard]] constexpr schema_form schema_form_of();
/// `value` is the shape of a type.
template <class T>
struct schema_of {
  static constexpr schema_form value = schema_form_of<T>();
};
template <class T>
inline constexpr schema_field schema_field_of{json_unit<T>::suffix, &schema_of<typename json_content<T>::type>::value};
template <class Types>
struct schema_fields;
template <class... Fields>
struct schema_fields<field_types<Fields...>> {
  static constexpr std::size_t size = sizeof...(Fields);
  static constexpr const schema_field* rows[] = {&schema_field_of<Fields>...};
};

template <class T>
constexpr schema_form schema_form_of() {
  schema_form form;
  if constexpr (std::is_same<T, bool>::value) {
    form.kind = schema_kind::flag;
  } else if constexpr (std::is_same<T, char>::value) {
    form.kind = schema_kind::text, form.size = 1;
  } else if constexpr (std::is_integral<T>::value) {
    form.kind = schema_kind::whole;
  } else if constexpr (std::is_floating_point<T>::value) {
    form.kind = schema_kind::number;
  } else if constexpr (std::is_enum<T>::value) {
    form.kind = schema_kind::names, form.name_at = &name_at<T>;
  } else if constexpr (std::is_same<T, std::string>::value) {
    form.kind = schema_kind::words;
  } else if constexpr (has_trait<list_of, T>) {
    form.kind = schema_kind::list;
    form.inner = &schema_of<std::decay_t<decltype(list_of<T>::values(std::declval<T&>())[0])>>::value;
  } else if constexpr (has_trait<fields_of, T>) {
    using fields = schema_fields<field_types_of<T>>;
    form = {schema_kind::structure,  fields::size,        nullptr,     nullptr,
            fields_of<T>::type_name, fields_of<T>::names, fields::rows};
    form.by_name = has_trait<named_value, T>;
    form.is_policy = std::is_same<T, remat_policy>::value;
  }
  return form;
}
template <class Dim>
struct schema_of<quantity<Dim>> : schema_of<double> {};
template <std::size_t Capacity>
struct schema_of<text<Capacity>> {
  static constexpr schema_form value{schema_kind::text, Capacity};
};
template <class T, schema_kind Kind, std::size_t Size = 0>
struct schema_around {
  static constexpr schema_form value{Kind, Size, &schema_of<T>::value};
};
template <class T>
struct schema_of<known<T>> : schema_around<T, schema_kind::known> {};
template <class T>
struct schema_of<std::optional<T>> : schema_around<T, schema_kind::nullable> {};
template <class T>
struct schema_of<maybe<T>> : schema_around<T, schema_kind::nullable> {};
template <class T>
struct schema_of<std::vector<T>> : schema_around<T, schema_kind::list> {};
template <class T, std::size_t Count>
struct schema_of<std::array<T, Count>> : schema_around<T, schema_kind::array, Count> {};
template <class T>
struct schema_of<std::map<std::string, T>> : schema_around<T, schema_kind::map> {};

[[nodiscard]] inline nlohmann::ordered_json type_schema(std::string_view type) { return {{"type", type}}; }
[[nodiscard]] inline nlohmann::ordered_json any_of(nlohmann::ordered_json one, nlohmann::ordered_json other) {
  return {{"anyOf", nlohmann::ordered_json::array({std::move(one), std::move(other)})}};
}
[[nodiscard]] inline nlohmann::ordered_json one_of(std::initializer_list<std::string_view> names) {
  return {{"enum", names}};
}
/// The texts that stand for a value: a policy is one of a table.
[[nodiscard]] inline nlohmann::ordered_json schema_of_name(const schema_form& form) {
  if (!form.is_policy) return type_schema("string");
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const named_remat_policy& one : remat_policies) names.push_back(one.name.view());
  return {{"enum", std::move(names)}};
}

[[nodiscard]] inline nlohmann::ordered_json schema_for(const schema_form& form, nlohmann::ordered_json& defs);
/// The fields as "properties": keys with their units, and no others.
[[nodiscard]] inline nlohmann::ordered_json object_schema(const schema_form& form, nlohmann::ordered_json& defs,
                                                          bool all_required = false) {
  nlohmann::ordered_json properties = nlohmann::ordered_json::object(), keys = nlohmann::ordered_json::array();
  std::string_view names = form.names;
  for (std::size_t i = 0; i < form.size; ++i) {
    const std::string key = json_key(take_name(names), form.fields[i]->unit);
    properties[key] = schema_for(*form.fields[i]->form, defs);
    keys.push_back(key);
  }
  nlohmann::ordered_json schema = type_schema("object");
  schema["properties"] = std::move(properties);
  schema["additionalProperties"] = false;
  if (all_required) schema["required"] = std::move(keys);
  return schema;
}
/// A reference to the struct of that shape among `defs`, where it is put if it is not there.
[[nodiscard]] inline nlohmann::ordered_json struct_schema(const schema_form& form, nlohmann::ordered_json& defs) {
  const std::string called(form.type.substr(form.type.rfind(':') + 1));
  if (!defs.contains(called)) {
    defs[called] = nullptr;  // so that what it contains may refer to it
    nlohmann::ordered_json own = object_schema(form, defs);
    defs[called] = form.by_name ? any_of(std::move(own), schema_of_name(form)) : std::move(own);
  }
  return {{"$ref", "#/$defs/" + called}};
}
/// The schema of that shape; structs that it meets are put into `defs`.
inline nlohmann::ordered_json schema_for(const schema_form& form, nlohmann::ordered_json& defs) {
  nlohmann::ordered_json schema = nlohmann::ordered_json::object();
  switch (form.kind) {
    case schema_kind::any: break;
    case schema_kind::flag: return type_schema("boolean");
    case schema_kind::whole: return type_schema("integer");
    case schema_kind::number: return any_of(type_schema("number"), one_of({"infinity", "-infinity"}));
    case schema_kind::words: return type_schema("string");
    case schema_kind::text:
      schema = type_schema("string");
      schema["maxLength"] = form.size;
      break;
    case schema_kind::names:
      schema["enum"] = nlohmann::ordered_json::array();
      for (std::uint8_t i = 0; form.name_at(i) != "?"; ++i) schema["enum"].push_back(form.name_at(i));
      break;
    case schema_kind::known: return any_of(schema_for(*form.inner, defs), one_of({"absent", "unknown"}));
    case schema_kind::nullable: return any_of(schema_for(*form.inner, defs), type_schema("null"));
    case schema_kind::list:
    case schema_kind::array:
      schema = type_schema("array");
      schema["items"] = schema_for(*form.inner, defs);
      if (form.kind == schema_kind::array) schema["minItems"] = form.size, schema["maxItems"] = form.size;
      break;
    case schema_kind::map:
      schema = type_schema("object");
      schema["additionalProperties"] = schema_for(*form.inner, defs);
      break;
    case schema_kind::structure: return struct_schema(form, defs);
  }
  return schema;
}

/// A row of a question as programs read it: its place, its option, title and unit, what it is for, its limits, names,
/// what a flag stands for, and what it needs and excludes.
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
  if (row.least != 0 || row.most != 0) {
    field["minimum"] = row.in_request(row.least);
    field["maximum"] = row.in_request(row.most);
  }
  for (std::size_t i = 0; row.choices != nullptr && row.choices->at(i) != "?"; ++i)
    field["enum"].push_back(row.choices->at(i));
  if (row.kind == value_kind::flag) {
    const nlohmann::json value = nlohmann::json::parse(row.value, nullptr, false);
    field["value"] = value.is_discarded() ? nlohmann::json(row.value) : value;
  }
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

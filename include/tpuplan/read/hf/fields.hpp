#ifndef TPUPLAN_READ_HF_FIELDS_HPP
#define TPUPLAN_READ_HF_FIELDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/spelling.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/transformer.hpp>
#include <tpuplan/read/hf/defaults.hpp>
#include <tpuplan/read/hf/layer_places.hpp>
#include <utility>
#include <vector>

/// @file
/// The fields of a Hugging Face configuration: as the file states them, or as the defaults of its class, which go on
/// record.

namespace tpuplan {
inline namespace abi_0 {

/// A value that a configuration does not state and that was assumed.
struct assumption {
  std::string field;  ///< with its path, as "text_config.head_dim"
  std::string value;  ///< as it would stand in the file; "none" for null
  std::string why;    ///< "class default of llama"
};

namespace detail {

/// What reading a configuration leaves on record.
struct config_record {
  std::vector<assumption> assumed;
  std::set<std::string> asked;  ///< paths of fields that were looked for
  layer_places places{};        ///< layers that differ in what they have
};

/// Paths of a file that nothing has asked for, in its order.
inline void list_not_read(const nlohmann::json& object, const std::string& prefix, const std::set<std::string>& asked,
                          std::vector<std::string>& list) {
  for (const auto& [key, value] : object.items()) {
    const std::string path = prefix + key, inside = path + ".";
    if (key == "model_type" || key == "architectures") continue;
    const auto next = asked.lower_bound(inside);
    if (value.is_object() && next != asked.end() && next->compare(0, inside.size(), inside) == 0) {
      list_not_read(value, inside, asked, list);
    } else if (asked.count(path) == 0) {
      list.push_back(path);
    }
  }
}

/// One configuration, or one inside of another, with the defaults of its class. A field that the file does not state
/// takes the default and goes on record; where the class has none it is refused by name. What null means for a field is
/// up to the class.
class config_fields {
 public:
  /// `prefix` is the path inside of the file, empty or ending in a dot; `type` is a name that outlives this object;
  /// `record` is what goes on record; `outer` is the configuration around this one.
  config_fields(json_object object, std::string prefix, std::string_view type, config_record& record,
                config_fields* outer = nullptr)
      : object_{std::move(object)}, prefix_{std::move(prefix)}, type_{type}, record_{&record}, outer_{outer} {}

  [[nodiscard]] std::string_view type() const noexcept { return type_; }
  [[nodiscard]] const json_object& object() const noexcept { return object_; }
  [[nodiscard]] std::string path(std::string_view field) const { return object_.path(field); }
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }
  [[nodiscard]] config_record& record() noexcept { return *record_; }

  /// Whether the file states the field, and not as null.
  [[nodiscard]] bool has(std::string_view field) const { return ask(field).has(field); }
  [[nodiscard]] bool is_null(std::string_view field) const { return ask(field).is_null(field); }

  /// @{
  /// What the file states, or else another value that does not go on record.
  [[nodiscard]] std::int64_t count_or(std::string_view field, std::int64_t other) const {
    return ask(field).count_or(field, other);
  }
  [[nodiscard]] bool flag_or(std::string_view field, bool other) const { return ask(field).flag_or(field, other); }
  [[nodiscard]] double number_or(std::string_view field, double other) const {
    return ask(field).number_or(field, other);
  }
  /// @}

  /// Defaults that come before those of the class: of a part that the file leaves out as a whole.
  void set_first_defaults(std::string type) { first_type_ = std::move(type); }

  /// The default of the class; nothing where it has none.
  [[nodiscard]] maybe<hf_default> default_of(std::string_view field) const noexcept {
    const maybe<hf_default> first = first_default_of(field);
    return first ? first : hf_default_for(type_, field);
  }

  /// The name under which the file states a field of several names (GPT-2 calls hidden_size n_embd, and its class takes
  /// both), or else the one that the class has for it. Values that differ are refused.
  [[nodiscard]] std::string_view own_name(std::string_view field) const {
    const maybe<hf_default> row = default_of(field);
    const std::string_view own = row && row->kind == default_kind::alias ? row->text : field;
    std::string_view stated;
    const auto look_at = [&](std::string_view name) {
      if (!has(name) || name == stated) return;
      if (stated.empty()) stated = name;
      if (object_.at(name) != object_.at(stated) && !is_length_alone(own))
        fail(errc::invalid_argument, path(name), shown_json(object_.at(name)),
             shown_json(object_.at(stated)) + " as " + std::string(stated) + ": both are names of the same");
    };
    look_at(field);
    look_at(own);
    each_default(type_, [&](std::string_view name, std::string_view written) {
      const maybe<std::string_view> as = argument_of(written, "named");
      if (as && *as == own) look_at(name);
      return false;
    });
    return !stated.empty() ? stated : is_null(field) ? field : own;
  }

  /// A dimension: 1 to 2^24.
  [[nodiscard]] std::int64_t count(std::string_view asked) {
    const std::string_view field = own_name(asked);
    const std::optional<std::int64_t> value = resolve(field);
    if (!value) fail_missing(field);
    check_dimension(path(field), *value);
    return *value;
  }
  /// A dimension, or 0 for one that is null.
  [[nodiscard]] std::int64_t count_or_none(std::string_view asked) {
    const std::string_view field = own_name(asked);
    const std::optional<std::int64_t> value = resolve(field);
    if (value) check_dimension(path(field), *value);
    return value.value_or(0);
  }
  /// The size of a part that may be absent: 0 to `most`.
  [[nodiscard]] std::int64_t part(std::string_view asked, std::int64_t most = 16777216) {
    const std::string_view field = own_name(asked);
    const std::optional<std::int64_t> value = resolve(field);
    if (!value) fail_missing(field);
    check_part(path(field), *value, most, "0 to " + std::to_string(most));
    return *value;
  }
  /// A length in tokens: 1 to 2^40, or 0 for null.
  [[nodiscard]] std::int64_t tokens(std::string_view asked) {
    const std::string_view field = own_name(asked);
    const std::optional<std::int64_t> value = resolve(field);
    if (value) check_part(path(field), positive_count(path(field), *value), std::int64_t{1} << 40, "1 to 2^40 tokens");
    return value.value_or(0);
  }
  /// A dimension with a second name.
  [[nodiscard]] std::int64_t count(std::string_view field, std::string_view alias) {
    return count(!has(field) && has(alias) ? alias : field);
  }

  [[nodiscard]] bool flag(std::string_view asked) {
    const std::string_view field = own_name(asked);
    if (has(field)) return object_.flag(field);
    const maybe<hf_default> row = default_of(field);
    if (is_null(field) || !row || row->kind != default_kind::boolean) fail_missing(field);
    assume(field, row->value != 0 ? "true" : "false", *row);
    return row->value != 0;
  }

  [[nodiscard]] std::string string(std::string_view field) {
    if (has(field)) return object_.string(field);
    const maybe<hf_default> row = default_of(field);
    if (is_null(field) || !row || row->kind != default_kind::text) fail_missing(field);
    assume(field, std::string(row->text), *row);
    return std::string(row->text);
  }

  /// An array; null is an empty one.
  [[nodiscard]] nlohmann::json list(std::string_view asked) {
    const std::string_view field = own_name(asked);
    if (is_null(field)) return nlohmann::json::array();
    if (has(field)) {
      const nlohmann::json& given = object_.at(field);
      if (!given.is_array()) fail(errc::malformed_input, path(field), given.type_name(), "an array");
      return given;
    }
    const maybe<hf_default> row = default_of(field);
    if (!row || row->kind != default_kind::list) fail_missing(field);
    assume(field, std::string(row->text), *row);
    return nlohmann::json::parse(row->text);
  }

  /// How many different layers a list of layer numbers names; each has to be one of the `layers`.
  [[nodiscard]] std::int64_t layers_listed(std::string_view field, std::int64_t layers) {
    return static_cast<std::int64_t>(numbers_listed(field, layers).size());
  }
  /// Those layers, in their order.
  [[nodiscard]] std::vector<std::int64_t> numbers_listed(std::string_view field, std::int64_t layers) {
    std::vector<std::int64_t> numbers;
    for (const nlohmann::json& entry : list(field)) {
      const std::int64_t number = entry.is_number_integer() ? entry.get<std::int64_t>() : -1;
      if (number < 0 || number >= layers) {
        fail(errc::invalid_argument, path(field), shown_json(entry), "numbers of layers, from 0 on");
      }
      numbers.push_back(number);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  }

  /// An object inside of this one.
  [[nodiscard]] json_object inside(std::string_view field) const { return ask(field).object(field); }

  /// Puts on record that a field was looked for by other means.
  void looked_for(std::string_view field) const { (void)ask(field); }

  /// Refuses a field that asks for what the model structs cannot describe.
  void refuse_true(std::string_view field) const {
    if (has(field) && object_.flag(field)) fail(errc::unsupported, path(field), "true", "false or absent");
  }

  /// Puts something on record, once. What a model takes instead of a class default takes its place there.
  void assume(std::string_view field, std::string value, std::string why) {
    constexpr std::string_view of_class = "class default";
    std::string where = prefix_ + std::string(field);
    std::vector<assumption>& assumed = record_->assumed;
    const auto known =
        std::find_if(assumed.begin(), assumed.end(), [&](const assumption& earlier) { return earlier.field == where; });
    if (known == assumed.end()) return assumed.push_back({std::move(where), std::move(value), std::move(why)});
    const auto is_default = [&](const std::string& reason) {
      return reason.compare(0, of_class.size(), of_class) == 0;
    };
    if (is_default(known->why) && !is_default(why)) known->value = std::move(value), known->why = std::move(why);
  }
  void assume(std::string_view field, std::string value, const hf_default& row) {
    std::string why = "class default of " + (first_default_of(field) ? first_type_ : std::string(type_));
    if (row.kind == default_kind::same_as) why += ": " + std::string(row.text);
    if (row.kind == default_kind::quotient) why += ": " + std::string(row.text) + " / " + std::string(row.divisor);
    assume(field, std::move(value), std::move(why));
  }

  [[noreturn]] void fail_missing(std::string_view field) const {
    const bool has_default = is_null(field) && default_of(field);
    fail(errc::missing_field, path(field), is_null(field) ? "null" : "missing",
         has_default ? "a value, or no such key for the default of " + std::string(type_)
                     : "a value: " + std::string(type_) + " has no default for it");
  }

 private:
  /// The longest sequence of classes that have no table of positions: another value beside it changes nothing.
  static bool is_length_alone(std::string_view own) {
    return own == "seq_length" || own == "model_max_length" || own == "context_length";
  }

  maybe<hf_default> first_default_of(std::string_view field) const noexcept {
    return first_type_.empty() ? maybe<hf_default>{} : hf_default_for(first_type_, field);
  }

  /// The file's object, with the field on record as asked for.
  const json_object& ask(std::string_view field) const {
    record_->asked.insert(prefix_ + std::string(field));
    return object_;
  }

  /// The number that the file states, or that of the class; nothing for null.
  std::optional<std::int64_t> resolve(std::string_view field) {
    if (has(field)) return object_.count(field);
    const maybe<hf_default> row = default_of(field);
    if (is_null(field)) return row ? derived(*row) : std::nullopt;
    if (!row) fail_missing(field);
    std::optional<std::int64_t> value = derived(*row);
    if (row->kind == default_kind::number) value = row->value;
    if (!value && row->kind != default_kind::none) fail_missing(field);
    assume(field, value ? std::to_string(*value) : "none", *row);
    return value;
  }

  /// What a default says in terms of other fields; nothing for one that is a value of its own.
  std::optional<std::int64_t> derived(const hf_default& row) {
    switch (row.kind) {
      case default_kind::same_as: return count(row.text);
      case default_kind::same_as_outer:
        if (outer_ != nullptr) return outer_->count(row.text);
        return std::nullopt;
      case default_kind::quotient: return quotient(row);
      case default_kind::multiple: return checked_multiply(row.value, count(row.text));
      case default_kind::list_length: return static_cast<std::int64_t>(list(row.text).size());
      default: return std::nullopt;
    }
  }
  std::int64_t quotient(const hf_default& row) {
    const std::int64_t whole = count(row.text);
    const std::int64_t parts = count(row.divisor);
    if (whole % parts != 0) {
      fail(errc::not_divisible, path(own_name(row.divisor)), parts, "a divisor of " + std::string(own_name(row.text)));
    }
    return whole / parts;
  }

  json_object object_;
  std::string prefix_;
  std::string_view type_;
  std::string first_type_;
  config_record* record_;
  config_fields* outer_;
};

/// The fields of `text_config` or `vision_config`; `nothing` is an empty object that stands in for a missing one.
inline config_fields part_fields(config_fields& top, const std::string& part, std::string_view type,
                                 const nlohmann::json& nothing) {
  const bool given = top.has(part);
  config_fields fields{given ? top.object().object(part) : json_object{nothing, top.path(part)},
                       top.prefix() + part + ".", type, top.record(), &top};
  if (!given) fields.set_first_defaults(std::string(top.type()) + "." + part);
  return fields;
}

/// Adds weights that each layer has outside of products.
inline void add_weights(transformer& model, std::int64_t layers, std::int64_t each) {
  model.other_weights = checked_add(model.other_weights, checked_multiply(layers, each));
}

/// Weights of a matrix with its bias.
inline std::int64_t biased(std::int64_t in, std::int64_t out) { return checked_add(checked_multiply(in, out), out); }

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

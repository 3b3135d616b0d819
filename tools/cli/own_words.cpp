#include "cli/own_words.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <tpuplan/ask/field_place.hpp>

namespace cli {

using namespace tpuplan;

namespace {

/// How well a path that an option fills names the field: 3 the same place, 2 a part of it is meant, 1 the same name.
int likeness_of(std::string_view filled, std::string_view place) {
  const std::string_view own = path_without_unit(filled), asked = path_without_unit(place);
  if (own == asked) return 3;
  if (asked.size() > own.size() && asked.substr(0, own.size()) == own && asked[own.size()] == '.') return 2;
  if (asked.substr(0, 6) == "model.") return 0;  // of the model's config
  const bool one_is_a_part = own.find('.') != std::string_view::npos || asked.find('.') != std::string_view::npos;
  return one_is_a_part && last_of_path(own) == last_of_path(asked) ? 1 : 0;
}

/// How well the option of a command names the field.
int likeness_of(const option& one, std::string_view place) {
  int best = 0;
  std::string_view rest = one.fills;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) best = std::max(best, likeness_of(rest.substr(0, end), place));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return best;
}

/// The option of the command that filled the field: of those that name it best one that was given, else the first; null
/// of a field of a part of a config.json.
const option* option_of(const command& asked, std::string_view field) {
  if (field.find("_config.") != std::string_view::npos) return nullptr;
  const std::string place = place_of_field(field);
  const option* there = nullptr;
  int best = 0;
  for (const option& one : asked.options) {
    if (one.name.front() != '-') continue;
    const int likeness = likeness_of(one, place) * 2 + (one.is_given() ? 1 : 0);
    if (likeness < 2 || likeness <= best) continue;
    best = likeness;
    there = &one;
  }
  return there;
}

bool is_number(std::string_view words) {
  return !words.empty() && words.find_first_not_of("0123456789.e+-") == std::string_view::npos &&
         words.find_first_of("0123456789") == 0;
}

/// Whether a refused value is the name that the library has for what was typed, "two_dimensions" of 2d, and no word
/// about it.
bool is_another_name(std::string_view refused, const std::string& words) {
  return refused.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string_view::npos &&
         refused.find('_') != std::string_view::npos && words.find(refused) == std::string::npos;
}

/// The typed text, followed by the refused number if that differs from it.
std::string typed(const option& one, std::string_view refused, errc why) {
  if (!one.is_given()) {
    if (why == errc::missing_field) return "missing";
    return std::string(refused) + (is_number(refused) ? " where it is not given" : "");
  }
  if (one.form == option::shape::flag) return "given";
  const std::string& words = one.given.back();
  if (!is_number(refused)) return is_another_name(refused, words) ? words : std::string(refused);
  const bool another = is_number(words)
                           ? std::strtod(words.c_str(), nullptr) != std::strtod(std::string(refused).c_str(), nullptr)
                           : words.find_first_of("smhdw%") == std::string::npos;
  return another ? words + ", which is " + std::string(refused) : words;
}

/// The valid values with options in place of fields, without fields for which there is no option.
std::string valid_words(const command& asked, std::string valid) {
  for (const std::string_view none : {", or one of plan.chips", ", or beyond_max_positions"}) {
    const std::size_t at = valid.find(none);
    if (at == std::string::npos) continue;
    const bool has_flag = none == ", or beyond_max_positions" && asked.find("--beyond-max") != nullptr;
    valid.replace(at, none.size(), has_flag ? ", or --beyond-max" : "");
  }
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  for (std::size_t at = 0; at < valid.size(); ++at) {
    std::size_t end = at;
    while (end < valid.size() && is_part(valid[end])) ++end;
    const std::string word = valid.substr(at, end - at);
    const bool is_field = word.find('_') != std::string::npos && word.find_first_of(".0123456789") != 0;
    const option* const there = is_field ? option_of(asked, word) : nullptr;
    if (there != nullptr) valid.replace(at, word.size(), there->name), end = at + there->name.size();
    at = end;
  }
  return valid;
}

/// Whether a field is a place in a file that was given, "prices.json.rows[0].region" or "runs.jsonl:3", which no option
/// stands for.
bool is_place_in_a_file(std::string_view field) {
  for (const std::string_view ending : {".json", ".jsonl", ".yml", ".yaml", ".csv"}) {
    const std::size_t at = field.find(ending);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = field.substr(at + ending.size());
    if (!rest.empty() && (rest.front() == '.' || rest.front() == ':' || rest.front() == '[' || rest.front() == ','))
      return true;
  }
  return field.find("rows[") != std::string_view::npos || field.find("records[") != std::string_view::npos ||
         field.substr(0, 4) == "run ";  // of a file of runs
}

/// The option or argument whose file a refusal is about: the field is the text that was typed for it, alone or with a
/// place in the file behind it. Null where it is no such text.
const option* file_of(const command& asked, std::string_view field, std::string_view& typed_text) {
  for (const option& one : asked.options) {
    for (const std::string& text : one.given) {
      const bool is_path = text.find_first_of("./") != std::string::npos && !is_number(text);
      if (!is_path || field.substr(0, text.size()) != text) continue;
      const std::string_view rest = field.substr(text.size());
      if (!rest.empty() && std::string_view(".:[,").find(rest.front()) == std::string_view::npos) continue;
      typed_text = text;
      return &one;
    }
  }
  return nullptr;
}
/// The option with that text, as an error would show it; null where there is none.
const option* given_as(const command& asked, std::string_view text) {
  for (const option& one : asked.options) {
    if (one.form != option::shape::flag && one.is_given() &&
        error{errc::malformed_input, "", one.given.back(), ""}.given() == text)
      return &one;
  }
  return nullptr;
}

/// The option that a sentence of the library is about, where it names no field: "int8 peak of the chip is absent".
const option* option_behind(const command& asked, std::string_view field) {
  constexpr std::string_view sentences[][2] = {{"peak of the chip", "--dtype"},
                                               {"LoRA on ", "--lora"},
                                               {"longest context of serving", "--output-len"},
                                               {"longest context of serving", "--input-len"},
                                               {"zone of ", "--zone"},
                                               {"model.vision.patch_size", "--image-size"}};
  for (const auto& [words, name] : sentences) {
    const option* const one = asked.find(name);
    if (field.find(words) != std::string_view::npos && one != nullptr && one->is_given()) return one;
  }
  return nullptr;
}

/// "--fsdp 8, --tensor 3".
std::string degrees_given(const command& asked) {
  std::string words;
  for (const char* name : {"--data", "--fsdp", "--tensor", "--expert", "--context", "--pipeline"}) {
    const option* one = asked.find(name);
    if (one != nullptr && one->is_given()) words += (words.empty() ? "" : ", ") + one->name + " " + one->given.back();
  }
  return words;
}

/// What is meant by several slices in one name, "4 x v6e-256", as the tables write them; empty for other words.
std::string several_slices(const command& asked, std::string_view words) {
  const std::size_t digits = words.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return {};
  const std::size_t cross = words.find_first_not_of(' ', digits);
  if (cross == std::string_view::npos || words[cross] != 'x') return {};
  const std::size_t from = words.find_first_not_of(' ', cross + 1);
  if (from == std::string_view::npos || !find_slice(words.substr(from))) return {};
  const std::string one(words.substr(from));
  return asked.find("--slices") == nullptr ? one + ": one slice"
                                           : one + " with --slices " + std::string(words.substr(0, digits));
}

}  // namespace

error in_own_words(const command& asked, const error& refusal) {
  const std::string_view field = refusal.field();
  std::string_view path;
  if (const option* const file = file_of(asked, field, path)) {
    const bool is_named = file->name.front() == '-' && field == path;
    return is_named ? error{refusal.code(), file->name + " " + std::string(path), refusal.given(), refusal.valid()}
                    : refusal;
  }
  if (is_place_in_a_file(field)) return refusal;
  if (const std::string_view instead = without_figure(field, refusal.given()); !instead.empty())
    return {refusal.code(), field, refusal.given(), instead};
  const std::string valid = valid_words(asked, std::string(refusal.valid()));
  if (const option* const one = field == "file" ? given_as(asked, refusal.given()) : nullptr)
    return {refusal.code(), one->name, refusal.given(), valid};
  if (const option* const one = option_behind(asked, field))
    return {refusal.code(), one->name + " " + one->given.back() + ": " + std::string(field), refusal.given(), valid};
  if (field == "product of the layout's degrees" && !degrees_given(asked).empty())
    return {refusal.code(), "product of the degrees, with " + degrees_given(asked), refusal.given(), valid};
  constexpr std::string_view quotas = "plan.quotas.";
  if (field.substr(0, quotas.size()) == quotas)
    return {refusal.code(), std::string(field.substr(quotas.size())) + " in the file of --quota", refusal.given(),
            valid};
  const option* const there = option_of(asked, field);
  const bool of_plan = asked.name == "launch" && field.substr(0, 8) == "serving_";
  if (there == nullptr)
    return {refusal.code(), of_plan ? place_of_field(field) + " of the plan" : std::string(field), refusal.given(),
            valid};
  if (there->name == "--maxtext" && there->is_given() && is_number(refusal.given()))
    return {refusal.code(),
            "--maxtext " + there->given.back() + ": " + std::string(last_of_path(place_of_field(field))),
            refusal.given(), valid};
  if (there->name == "--slice" && there->is_given()) {
    const std::string meant = several_slices(asked, there->given.back());
    if (!meant.empty()) return {refusal.code(), there->name, there->given.back(), meant};
  }
  return {refusal.code(), there->name, typed(*there, refusal.given(), refusal.code()), valid};
}

std::string change_in_own_words(const command& asked, std::string_view field, std::string_view value,
                                std::string_view before) {
  const option* const there = option_of(asked, field);
  if (there != nullptr && there->form == option::shape::flag) return (there->is_given() ? "no " : "") + there->name;
  std::string words = there == nullptr ? std::string(field) : there->name;
  for (const std::string_view one : {std::string_view(" "), value, std::string_view(" instead of "), before})
    words += one;
  return words;
}

}  // namespace cli

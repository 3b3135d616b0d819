#ifndef TPUPLAN_ASK_REPLY_HPP
#define TPUPLAN_ASK_REPLY_HPP

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/field_place.hpp>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/json.hpp>
#include <tpuplan/show/csv.hpp>
#include <tpuplan/show/html.hpp>
#include <tpuplan/show/markdown.hpp>
#include <tpuplan/show/view.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The answer to a question as JSON, whole or short, with its pictures and its view; limits of a request.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

template <class Answer, class = void>
struct has_pictures : std::false_type {};
template <class Answer>
struct has_pictures<Answer, std::void_t<decltype(pictures_of(std::declval<const Answer&>()))>> : std::true_type {};
template <class Answer, class = void>
struct has_view : std::false_type {};
template <class Answer>
struct has_view<Answer, std::void_t<decltype(view_of(std::declval<const Answer&>()))>> : std::true_type {};
/// What is asked for beside an answer: its pictures, and its view.
struct wanted_beside {
  bool pictures = false;
  std::optional<view_options> view{};
};
/// An answer as a document, with its pictures and its view if they were asked for.
struct reply {
  nlohmann::ordered_json document{};
  std::vector<picture> pictures{};
  view shown{};
};
template <class Answer>
[[nodiscard]] reply reply_of(const Answer& answer, [[maybe_unused]] const wanted_beside& beside) {
  reply whole{answer, {}, {}};
  if constexpr (has_pictures<Answer>::value) {
    if (beside.pictures) whole.pictures = pictures_of(answer);
  }
  if constexpr (has_view<Answer>::value) {
    if (beside.view) whole.shown = view_of(answer, *beside.view);
  }
  return whole;
}

/// The rows of a question, table by table.
using question_rows = std::array<row_list, 17>;

/// The most rows of a list in a short answer, which has the numbers, texts, truth values and nulls of an object or a
/// row.
inline constexpr std::size_t rows_in_short = 10;
[[nodiscard]] inline nlohmann::ordered_json short_form(const nlohmann::ordered_json& answer, bool rows = true) {
  nlohmann::ordered_json kept = nlohmann::ordered_json::object();
  for (const auto& [key, value] : answer.items()) {
    if (value.is_primitive()) kept[key] = value;
    if (!rows || !value.is_array()) continue;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const nlohmann::ordered_json& one : value) {
      if (list.size() == rows_in_short) break;
      if (!one.is_array()) list.push_back(one.is_object() ? short_form(one, false) : one);
    }
    kept[key] = list;
  }
  return kept;
}

[[nodiscard]] inline nlohmann::ordered_json error_document(errc code, std::string_view field, std::string_view value,
                                                           std::string_view valid, std::string_view message) {
  return {
      {"schema", json_schema},
      {"error", {{"code", name(code)}, {"field", field}, {"value", value}, {"valid", valid}, {"message", message}}}};
}

/// The view in that form.
[[nodiscard]] inline nlohmann::ordered_json view_in(const view& shown, std::string_view form) {
  if (form == "text") return to_terminal(shown);
  if (form == "markdown") return to_markdown(shown);
  if (form == "html") return html_parts(shown);
  if (form == "csv") return to_csv(shown);
  return shown;
}

/// What a request has at the place of a row: null where it is left open.
[[nodiscard]] inline nlohmann::json value_at(const nlohmann::json& request, std::string_view path) {
  const nlohmann::json* at = &request;
  while (!path.empty()) {
    const std::string_view key = path.substr(0, path.find('.'));
    if (!at->is_object()) return {};
    const auto found = at->find(std::string(key));
    if (found == at->end()) return {};
    at = &*found;
    path.remove_prefix(key.size() == path.size() ? key.size() : key.size() + 1);
  }
  return *at;
}

/// Refuses times beyond the limits of their rows, which are those of the command line. A time of 0 is left open.
inline void keep_times(const nlohmann::json& request, const question_rows& tables) {
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      if (row.kind != value_kind::time && row.kind != value_kind::target) continue;
      nlohmann::json given = value_at(request, row.path);
      if (row.kind == value_kind::target) given = value_at(given, "limit_s");
      if (!given.is_number() || given == 0) continue;
      const double time = given.get<double>();
      if (time >= row.least && time <= row.most) continue;
      fail(errc::out_of_range, "request." + std::string(row.path), time,
           "from " + nlohmann::json(row.least).dump() + " to " + nlohmann::json(row.most).dump() + " seconds");
    }
  }
}

/// Refuses amounts beyond the limits of their rows, which are those of the command line, that nothing else has refused:
/// in a field without effect here, or read as none. An amount of 0 is left open.
inline void keep_amounts(const nlohmann::json& request, const question_rows& tables) {
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      const bool is_amount = row.kind == value_kind::count || row.kind == value_kind::number ||
                             row.kind == value_kind::share || row.kind == value_kind::rate ||
                             row.kind == value_kind::dollars || row.kind == value_kind::dollars_an_hour;
      const nlohmann::json given = is_amount ? value_at(request, row.path) : nlohmann::json{};
      for (const nlohmann::json& one : given.is_array() ? given : nlohmann::json::array({given})) {
        const double amount = one.is_number() ? one.get<double>() : 0;
        const double least = row.in_request(row.least), most = row.in_request(row.most);
        if (amount == 0 || (amount >= least && amount <= most)) continue;
        fail(errc::out_of_range, "request." + std::string(row.path), one.dump(),
             "from " + nlohmann::json(least).dump() + " to " + nlohmann::json(most).dump());
      }
    }
  }
}

/// Whether a request has something in the place of a row: not null, 0, false or nothing.
[[nodiscard]] inline bool has_at(const nlohmann::json& request, std::string_view path) {
  const nlohmann::json given = value_at(request, path);
  return !given.empty() && given != 0 && given != false && given != "";
}

/// Whether a list of words has that one.
[[nodiscard]] inline bool has_word(std::string_view words, std::string_view one) {
  return (' ' + std::string(words) + ' ').find(' ' + std::string(one) + ' ') != std::string::npos;
}

/// Refuses a field that has no effect without another one, as its option is on the command line, where that is not
/// given and nothing else has refused it. Worked: groups of prefixes without a shared one.
inline void keep_needs(const nlohmann::json& request, const question_rows& tables) {
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      if (row.needs.empty() || !has_at(request, row.path)) continue;
      const std::string given = value_at(request, row.path).dump();
      if (given == row.usual || (row.kind == value_kind::flag && given != row.value)) continue;  // as if left open
      std::string paths;
      bool is_there = false;
      for (const row_list& others : tables) {
        for (const question_row& other : others) {
          if (other.option.empty() || !has_word(row.needs, other.option)) continue;
          paths.append(paths.empty() ? "only with " : ", ").append(other.path);
          is_there = is_there || !value_at(request, other.path).is_null();
        }
      }
      if (!paths.empty() && !is_there)
        fail(errc::invalid_argument, "request." + std::string(row.path), "given without effect", paths);
    }
  }
}

/// A refusal by the key of the request that is meant, where a row of the question has it: the place of the field, a
/// part of it, the only one of that name, or a given one from which the field follows. Of others it is an amount beyond
/// its limits that is refused, where there is one, which computing ran into; else they are as they are. Worked:
/// "serving_job.request_rate" of `serve` is "job.request_rate_per_s", "job.steps" of `generate` is "make.steps".
[[nodiscard]] inline error by_key_of_request(const error& refusal, const nlohmann::json& request,
                                             const question_rows& tables) {
  const std::string_view field = refusal.field();
  if (field.substr(0, 8) == "request." || field.find('[') != std::string_view::npos) return refusal;
  if (const std::string_view valid = without_figure(field, refusal.given()); !valid.empty())
    return {refusal.code(), field, refusal.given(), valid};
  const std::string place = place_of_field(field);
  const std::string_view owner = field.substr(0, field.find('.')), name = last_of_path(place);
  std::string_view whole, part, only, source;
  bool several = owner == "model";  // which has names of its own
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      if (row.path.substr(0, row.path.find('.')) == owner) return refusal;  // it is one already
      const std::string_view own = path_without_unit(row.path);
      if (own == place || row.path == place) whole = row.path;
      if (last_of_path(own) == name) several = several || (!only.empty() && only != row.path), only = row.path;
      if (has_word(row.decides, place) && has_at(request, row.path)) source = row.path;
      if (place.size() > own.size() && place.compare(0, own.size(), own) == 0 && place[own.size()] == '.')
        part = own.size() > part.size() ? row.path : part;
    }
  }
  if (whole.empty() && part.empty()) whole = !source.empty() ? source : several ? std::string_view() : only;
  if (!whole.empty()) return {refusal.code(), whole, refusal.given(), refusal.valid()};
  if (part.empty()) keep_amounts(request, tables);
  return part.empty() ? refusal : error{refusal.code(), place, refusal.given(), refusal.valid()};
}

/// Refuses a list without rows in place of a file: it would say that there is nothing, and be taken as not given.
inline void refuse_empty_lists(const nlohmann::json& request, const question_rows& tables) {
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      if (row.kind != value_kind::file) continue;
      const nlohmann::json given = value_at(request, row.path);
      if (given.is_array() && given.empty())
        fail(errc::missing_field, "request." + std::string(row.path), "empty", "a row or more");
    }
  }
}

/// Refuses a key that is none of a request but stands deeper in it, by where it stands: "job.speculation" for
/// "speculation".
inline void refuse_misplaced(const error& refusal, const question_rows& tables) {
  constexpr std::string_view begin = "request.";
  if (refusal.given() != "not a key" || refusal.field().substr(0, begin.size()) != begin) return;
  const std::string key = '.' + std::string(refusal.field().substr(begin.size()));
  for (const row_list& table : tables) {
    for (const question_row& row : table) {
      const std::string path = std::string(row.path) + '.';
      const std::size_t at = path.find(key + '.');
      if (at != std::string::npos)
        fail(errc::unknown_name, refusal.field(), refusal.given(), path.substr(0, at + key.size()));
    }
  }
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

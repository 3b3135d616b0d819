#ifndef TPUPLAN_ASK_QUESTION_HPP
#define TPUPLAN_ASK_QUESTION_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tpuplan/base/dtype.hpp>
#include <tpuplan/base/maybe.hpp>
#include <tpuplan/base/text.hpp>
#include <tpuplan/cost/price_table.hpp>
#include <tpuplan/cost/spot.hpp>
#include <tpuplan/model/remat.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/model/training_job.hpp>
#include <tpuplan/plan/plan.hpp>

/// @file
/// What a question can say: a row for each field. Where it stands in the request, what it is called on the command line
/// and on the page, its unit, what it is for, its limits, what it needs and excludes, and what is taken where it is
/// left open. The options of the command line with their help and refusals, the fields of the JSON Schema, the controls
/// of the page and the words of the Python functions are made from these rows: a question is declared once.

namespace tpuplan {
inline namespace abi_0 {

/// What a row holds.
enum class value_kind : std::uint8_t {
  words,            ///< a name or any other text
  count,            ///< a whole number
  number,           ///< any number
  share,            ///< 0.4 or 40%
  time,             ///< seconds
  dollars,          ///< US dollars
  dollars_an_hour,  ///< typed for an hour; in the request for a second
  rate,             ///< a number for each second
  choice,           ///< one of some names
  flag,             ///< given or not; `value` is what it stands for
  lengths,          ///< numbers of tokens by their moments: the same for all, or spread
  distribution,     ///< numbers of tokens as they are drawn
  target,           ///< a time that `share` of all requests keep
  file,             ///< JSON that the command line reads from a file
};

/// "count" and so on.
[[nodiscard]] constexpr std::string_view name(value_kind kind) noexcept {
  constexpr const char* names[] = {"words", "count",  "number", "share",   "time",         "dollars", "dollars_an_hour",
                                   "rate",  "choice", "flag",   "lengths", "distribution", "target",  "file"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// The names that a choice may have.
struct row_choices {
  std::string_view (*read)(std::string_view given) = nullptr;  ///< the name as JSON has it; empty: there is none
  std::string_view (*at)(std::size_t place) = nullptr;         ///< the name at that place; "?" after the last
  std::string_view valid{};                                    ///< all of them, in words
};

namespace detail {
/// The one part that can be left untrained; as JSON has it, the flag of a job.
constexpr std::string_view frozen_named(std::string_view given) { return given == "vision" ? "true" : ""; }
constexpr std::string_view frozen_at(std::size_t) { return "?"; }
template <class Enumeration>
constexpr std::string_view enumerator_at(std::size_t place) {
  return name(static_cast<Enumeration>(place));
}
constexpr std::string_view remat_policy_at(std::size_t place) {
  return place < std::size(remat_policies) ? remat_policies[place].name.view() : std::string_view("?");
}
constexpr text<600> list_of_policies() {
  text<600> list;
  for (const named_remat_policy& one : remat_policies) list.append(list.empty() ? "" : ", ").append(one.name);
  return list;
}
/// Kept, so that rows may point at them.
template <class Enumeration>
inline constexpr text<240> all_names = names_of<Enumeration>();
inline constexpr text<600> all_policies = list_of_policies();
template <class T>
constexpr std::string_view name_or_none(const maybe<T>& found) {
  return found ? name(*found) : std::string_view{};
}
constexpr std::string_view format_named(std::string_view given) { return name_or_none(parse_dtype(given)); }
constexpr std::string_view arithmetic_named(std::string_view given) {
  const std::string_view found = format_named(given);
  return found == "fp16" || found == "int4" ? std::string_view() : found;
}
constexpr std::string_view arithmetic_at(std::size_t place) {
  constexpr std::string_view names[] = {"fp32", "bf16", "fp8", "int8"};
  return place < std::size(names) ? names[place] : std::string_view("?");
}
constexpr std::string_view optimizer_named(std::string_view given) { return name_or_none(parse_optimizer(given)); }
constexpr std::string_view kernel_named(std::string_view given) { return name_or_none(parse_attention_kernel(given)); }
constexpr std::string_view software_named(std::string_view given) { return name_or_none(parse_software_level(given)); }
constexpr std::string_view policy_named(std::string_view given) {
  for (const named_remat_policy& one : remat_policies) {
    if (same_name(given, one.name)) return one.name;
  }
  return {};
}
constexpr std::string_view objective_named(std::string_view given) { return name_or_none(parse_objective(given)); }
constexpr std::string_view engine_named(std::string_view given) { return name_or_none(parse_serving_engine(given)); }
constexpr std::string_view market_named(std::string_view given) { return name_or_none(parse_spot_market(given)); }
/// Also "preemptible", and hyphens in place of underscores.
constexpr std::string_view payment_named(std::string_view given) {
  text<32> usual;
  for (const char c : given.substr(0, 32)) usual.append(c == '-' ? std::string_view("_") : std::string_view(&c, 1));
  return given == "preemptible" ? name(provisioning::spot) : name_or_none(parse_provisioning(usual.view()));
}
template <class Enumeration>
constexpr row_choices choices_of(std::string_view (*read)(std::string_view)) {
  return {read, enumerator_at<Enumeration>, all_names<Enumeration>.view()};
}
}  // namespace detail

/// @{
/// The names of an enumeration.
inline constexpr row_choices format_choices = detail::choices_of<dtype>(detail::format_named);
inline constexpr row_choices arithmetic_choices{detail::arithmetic_named, detail::arithmetic_at,
                                                "fp32, bf16, fp8 or int8"};
inline constexpr row_choices optimizer_choices = detail::choices_of<optimizer_kind>(detail::optimizer_named);
inline constexpr row_choices kernel_choices = detail::choices_of<attention_kernel>(detail::kernel_named);
inline constexpr row_choices software_choices = detail::choices_of<software_level>(detail::software_named);
inline constexpr row_choices policy_choices{detail::policy_named, detail::remat_policy_at, detail::all_policies.view()};
inline constexpr row_choices objective_choices = detail::choices_of<objective>(detail::objective_named);
inline constexpr row_choices engine_choices = detail::choices_of<serving_engine>(detail::engine_named);
inline constexpr row_choices market_choices = detail::choices_of<spot_market>(detail::market_named);
inline constexpr row_choices payment_choices = detail::choices_of<provisioning>(detail::payment_named);
inline constexpr row_choices frozen_choices{detail::frozen_named, detail::frozen_at, "vision"};
/// @}

/// One field of a question. Rows are made by the functions below, and say what is particular to them by the functions
/// here.
struct question_row {
  std::string_view path{};       ///< in the request: "job.global_batch"
  std::string_view option{};     ///< of the command line: "--batch"; empty: it has none
  std::string_view label{};      ///< of the control on the page, and the title in the schema
  value_kind kind{};             ///< what it holds
  std::string_view unit{};       ///< "sequences"
  std::string_view help{};       ///< what it is for
  double least = 0;              ///< the least that is valid; with `most` both 0: the usual limits of the kind
  double most = 0;               ///< the most that is valid
  const row_choices* choices{};  ///< of a choice
  std::string_view value{};      ///< of a flag: what it puts into the request, as JSON; of lengths: the path of their
                                 ///< distribution, where they vary
  double part = 0;               ///< of a target: the share of requests that keep it
  std::string_view usual{};      ///< what is taken where it is left open, in words
  std::string_view needs{};      ///< options of which one has to be given too
  std::string_view excludes{};   ///< options beside which it has no effect
  std::string_view decides{};    ///< other fields that follow from it, by their paths
  bool several = false;          ///< a list
  bool must_be_given = false;    ///< nothing can be taken in its place

  /// @{
  /// The row, with that said of it.
  [[nodiscard]] constexpr question_row within(double from, double to) const {
    question_row row = *this;
    return row.least = from, row.most = to, row;
  }
  [[nodiscard]] constexpr question_row usually(std::string_view words) const {
    return but(&question_row::usual, words);
  }
  [[nodiscard]] constexpr question_row with(std::string_view options) const {
    return but(&question_row::needs, options);
  }
  [[nodiscard]] constexpr question_row not_with(std::string_view options) const {
    return but(&question_row::excludes, options);
  }
  [[nodiscard]] constexpr question_row deciding(std::string_view paths) const {
    return but(&question_row::decides, paths);
  }
  [[nodiscard]] constexpr question_row in(std::string_view its_unit) const {
    return but(&question_row::unit, its_unit);
  }
  [[nodiscard]] constexpr question_row list() const {
    question_row row = *this;
    return row.several = true, row;
  }
  [[nodiscard]] constexpr question_row needed() const {
    question_row row = *this;
    return row.must_be_given = true, row;
  }
  /// A limit as it is in the request.
  [[nodiscard]] constexpr double in_request(double limit) const {
    return kind == value_kind::dollars_an_hour ? limit / 3600 : limit;
  }
  [[nodiscard]] constexpr question_row but(std::string_view question_row::*member, std::string_view words) const {
    question_row row = *this;
    return row.*member = words, row;
  }
  /// @}
};

/// Rows that belong together: a part of a question, or several questions' part.
struct row_list {
  const question_row* first = nullptr;  ///< the first row
  std::size_t size = 0;                 ///< how many there are

  constexpr row_list() = default;
  /// The rows of an array.
  template <std::size_t Size>
  constexpr row_list(const question_row (&rows)[Size]) noexcept  // NOLINT(google-explicit-constructor)
      : first{rows}, size{Size} {}
  [[nodiscard]] constexpr const question_row* begin() const noexcept { return first; }       ///< the first row
  [[nodiscard]] constexpr const question_row* end() const noexcept { return first + size; }  ///< behind the last
};

namespace rows {
/// @{
/// A row of that kind.
[[nodiscard]] constexpr question_row row(value_kind kind, std::string_view path, std::string_view option,
                                         std::string_view label, std::string_view help, std::string_view unit = {}) {
  question_row one;
  one.path = path, one.option = option, one.label = label, one.kind = kind, one.unit = unit, one.help = help;
  return one;
}
[[nodiscard]] constexpr question_row words(std::string_view path, std::string_view option, std::string_view label,
                                           std::string_view help) {
  return row(value_kind::words, path, option, label, help);
}
[[nodiscard]] constexpr question_row count(std::string_view path, std::string_view option, std::string_view label,
                                           std::string_view unit, std::string_view help) {
  return row(value_kind::count, path, option, label, help, unit).within(1, 9e15);
}
[[nodiscard]] constexpr question_row number(std::string_view path, std::string_view option, std::string_view label,
                                            std::string_view unit, std::string_view help) {
  return row(value_kind::number, path, option, label, help, unit).within(1e-9, 1e18);
}
[[nodiscard]] constexpr question_row share(std::string_view path, std::string_view option, std::string_view label,
                                           std::string_view help) {
  return row(value_kind::share, path, option, label, help, "share").within(0, 1);
}
[[nodiscard]] constexpr question_row time(std::string_view path, std::string_view option, std::string_view label,
                                          std::string_view help) {
  return row(value_kind::time, path, option, label, help, "s").within(1e-6, 3.2e9);  // a hundred years
}
[[nodiscard]] constexpr question_row dollars(std::string_view path, std::string_view option, std::string_view label,
                                             std::string_view help) {
  return row(value_kind::dollars, path, option, label, help, "USD").within(1e-6, 1e12);
}
[[nodiscard]] constexpr question_row dollars_an_hour(std::string_view path, std::string_view option,
                                                     std::string_view label, std::string_view help) {
  return row(value_kind::dollars_an_hour, path, option, label, help, "USD an hour").within(1e-6, 1e6);
}
[[nodiscard]] constexpr question_row rate(std::string_view path, std::string_view option, std::string_view label,
                                          std::string_view help) {
  return row(value_kind::rate, path, option, label, help, "a second").within(1e-6, 1e9);
}
[[nodiscard]] constexpr question_row choice(std::string_view path, std::string_view option, std::string_view label,
                                            const row_choices& choices, std::string_view help) {
  question_row one = row(value_kind::choice, path, option, label, help);
  return one.choices = &choices, one;
}
[[nodiscard]] constexpr question_row flag(std::string_view path, std::string_view option, std::string_view value,
                                          std::string_view help) {
  return row(value_kind::flag, path, option, {}, help).but(&question_row::value, value);
}
[[nodiscard]] constexpr question_row lengths(std::string_view path, std::string_view option, std::string_view label,
                                             std::string_view help) {
  return row(value_kind::lengths, path, option, label, help, "tokens").within(1, 1e9);
}
/// Of which a simulation draws those that vary from the distribution at the other path.
[[nodiscard]] constexpr question_row but_moments(question_row lengths, std::string_view drawn) {
  return lengths.but(&question_row::value, drawn);
}
[[nodiscard]] constexpr question_row but_drawn(question_row lengths, std::string_view path) {
  return lengths.path = path, lengths.kind = value_kind::distribution, lengths;
}
[[nodiscard]] constexpr question_row target(std::string_view path, std::string_view option, std::string_view label,
                                            double part, std::string_view help) {
  question_row one = row(value_kind::target, path, option, label, help, "s").within(1e-6, 3.2e9);
  return one.part = part, one;
}
[[nodiscard]] constexpr question_row file(std::string_view path, std::string_view option, std::string_view help) {
  return row(value_kind::file, path, option, {}, help);
}
/// @}
}  // namespace rows

namespace detail {
/// The row of that option.
template <std::size_t Size>
constexpr question_row row_named(const question_row (&rows)[Size], std::string_view option) {
  for (const question_row& one : rows) {
    if (one.option == option) return one;
  }
  fail(errc::unknown_name, "row", option, "an option of these rows");
}
}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif

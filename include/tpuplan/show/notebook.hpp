#ifndef TPUPLAN_SHOW_NOTEBOOK_HPP
#define TPUPLAN_SHOW_NOTEBOOK_HPP

// First, so that a kernel without the path to the library stops before it has read standard headers, which it would
// lose.
#include <tpuplan/core.hpp>

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/handbook/utilization.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/show/ostream.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/text/lost.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <utility>
#include <vector>

#if defined(__has_include)
#if __has_include(<xcpp/xdisplay.hpp>)
#include <xcpp/xdisplay.hpp>
#define TPUPLAN_DETAIL_KERNEL
#endif
#endif

/// @file
/// How the public types look in a notebook of xeus-cpp or xeus-cling: `xcpp::display(x)` finds `mime_bundle_repr` by
/// argument-dependent look-up. Every type is shown as text, types with figures also as tables, and charts as pictures.
/// nlohmann_json must be the kernel's own. In a kernel it includes `xcpp/xdisplay.hpp`, so that this header alone is a
/// first cell.

namespace tpuplan {
inline namespace abi_0 {

/// A picture as SVG text, to be displayed: `svg_chart{to_svg(chart), "my chart"}`.
struct svg_chart {
  std::string svg{};    ///< the picture
  std::string words{};  ///< for readers without pictures
};

namespace detail {

/// Types of the library that have a text: public types, and amounts.
template <class T>
inline constexpr bool is_shown = has_one_line<T>;
template <class Dim>
inline constexpr bool is_shown<quantity<Dim>> = true;

/// `type`, looked up only when the template parameter `Late` is known.
template <class Type, class Late>
struct same {
  using type = Type;
};
template <class Type, class Late>
using same_t = typename same<Type, Late>::type;

using html_rows = std::vector<std::vector<std::string>>;

/// A table whose first row is its header; columns after the first hold figures.
[[nodiscard]] inline std::string html_table(const html_rows& rows) {
  std::string html = "<table>";
  for (const std::vector<std::string>& row : rows) {
    const std::string cell = &row == &rows.front() ? "th" : "td";
    html += "<tr>";
    for (const std::string& words : row) {
      html += "<" + cell + (&words == &row.front() ? " style=\"text-align:left\">" : " style=\"text-align:right\">");
      html += escaped(words) + "</" + cell + ">";
    }
    html += "</tr>";
  }
  return html + "</table>";
}

[[nodiscard]] inline nlohmann::json bundle_of(const std::string& words) { return {{"text/plain", words}}; }
[[nodiscard]] inline nlohmann::json bundle_of(const std::string& words, const html_rows& rows) {
  return {{"text/plain", words}, {"text/html", html_table(rows)}};
}

template <class T>
[[nodiscard]] nlohmann::json text_bundle(const T& value) {
  return bundle_of(one_line(value));
}

template <class T>
[[nodiscard]] nlohmann::json table_bundle(const T& value, const html_rows& rows) {
  return bundle_of(one_line(value), rows);
}

template <class Chart>
[[nodiscard]] nlohmann::json chart_bundle(const Chart& chart) {
  return {{"text/plain", chart.title}, {"image/svg+xml", to_svg(chart)}};
}

/// The parts that are not 0, and the total.
template <class Quantity, std::size_t Count>
[[nodiscard]] html_rows rows_of(std::string_view title, const std::array<part, Count>& parts, Quantity total) {
  html_rows rows = {{"part", std::string(title)}};
  for (const part& p : parts) {
    if (p.value != 0) rows.push_back({std::string(p.name), one_line(Quantity{p.value})});
  }
  rows.push_back({"total", one_line(total)});
  return rows;
}

/// A header of field names and a row for each value, or a row of texts.
template <class Values>
[[nodiscard]] html_rows rows_of_values(const Values& values, std::size_t count) {
  using Value = std::decay_t<decltype(values[0])>;
  html_rows rows;
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (has_trait<fields_of, Value> && !has_name<Value>) {
      std::vector<std::string> names, cells;
      fields_of<Value>::each(values[i], [&](std::string_view field, const auto& value) {
        names.emplace_back(field);
        cells.push_back(field_text(value));
      });
      if (i == 0) rows.push_back(names);
      rows.push_back(cells);
    } else {
      if (i == 0) rows.push_back({"#", ""});
      rows.push_back({std::to_string(i), field_text(values[i])});
    }
  }
  return rows;
}

/// Adds a row for each field: its name and its text.
struct fields_rows {
  std::string_view names;
  html_rows& rows;

  void operator()(const shown_field* fields, std::size_t size) const {
    std::string_view rest = names;
    for (std::size_t i = 0; i < size; ++i)
      rows.push_back({std::string(take_name(rest)), fields[i].text(fields[i].value)});
  }
};

// `shown` is what a notebook shows of a type: text and, for what has figures, a table.

template <class T>
[[nodiscard]] nlohmann::json shown(const T& x) {
  if constexpr (has_trait<list_of, T>) {
    if (list_of<T>::count(x) == 0) return text_bundle(x);
    return table_bundle(x, rows_of_values(list_of<T>::values(x), list_of<T>::count(x)));
  } else if constexpr (has_trait<fields_of, T> && !has_name<T>) {
    using fields = fields_of<T>;
    html_rows rows = {{std::string(fields::type_name), ""}};
    fields::template table<shown_field>(x, fields_rows{fields::names, rows});
    return table_bundle(x, rows);
  } else {
    return text_bundle(x);
  }
}

/// A table of the chip's figures.
[[nodiscard]] inline nlohmann::json shown(const chip_spec& chip) {
  return table_bundle(chip, {{"chip", std::string(chip.name.view())},
                             {"bf16", one_line(chip.peak.bf16)},
                             {"fp8", one_line(chip.peak.fp8)},
                             {"int8", one_line(chip.peak.int8)},
                             {"HBM", one_line(chip.hbm.capacity)},
                             {"usable on a device", one_line(chip.hbm.usable_per_device)},
                             {"HBM bandwidth", one_line(chip.hbm.bandwidth)},
                             {"ICI links", std::to_string(chip.ici.links)},
                             {"ICI link, one way", one_line(chip.ici.nominal_one_way)},
                             {"JAX devices", std::to_string(chip.jax_devices)}});
}

/// A table of the slice's figures.
[[nodiscard]] inline nlohmann::json shown(const slice& where) {
  return table_bundle(where, {{"slice", one_line(where)},
                              {"chip", std::string(where.chip.name.view())},
                              {"shape", one_line(where.shape)},
                              {"chips", std::to_string(chips(where))},
                              {"JAX devices", std::to_string(devices(where))},
                              {"VMs", std::to_string(vms(where))},
                              {"usable HBM", one_line(usable_hbm(where))}});
}

/// A table of the parts.
[[nodiscard]] inline nlohmann::json shown(const memory_breakdown& memory) {
  html_rows rows = rows_of("HBM of one device", memory_parts(memory), memory.total);
  rows.push_back({"usable", one_line(memory.usable)});
  rows.push_back({"fits", one_line(fits(memory))});
  return table_bundle(memory, rows);
}

/// A table of the parts.
[[nodiscard]] inline nlohmann::json shown(const step_breakdown& step) {
  html_rows rows = rows_of("time of one step", step_parts(step), step.total);
  rows.push_back({"between", readable::duration_range(step.low, step.high)});
  rows.push_back({"MFU", readable::percent(step.mfu)});
  return table_bundle(step, rows);
}

/// A table of the cost and its price.
[[nodiscard]] inline nlohmann::json shown(const run_cost& cost) {
  return table_bundle(cost, {{"cost of the run", one_line(cost.total)},
                             {"rate", one_line(cost.rate)},
                             {"billed", one_line(cost.billed)},
                             {"wall time", one_line(cost.wall)},
                             {"price", one_line(cost.price)}});
}

[[nodiscard]] inline nlohmann::json shown(const expected_spot_run& run) {
  html_rows rows = rows_of("expected time", spot_parts(run), run.wall);
  rows.push_back({"billed", one_line(run.billed)});
  rows.push_back({"preemptions", readable::three_digits(run.preemptions)});
  return table_bundle(run, rows);
}

[[nodiscard]] inline nlohmann::json shown(const spot_comparison& compared) {
  return table_bundle(compared,
                      {{"the same work", "cost"},
                       {"on demand", one_line(compared.on_demand_cost)},
                       {"on spot", one_line(compared.spot_cost)},
                       {"saved", readable::percent(compared.saving_fraction)},
                       {"billed for each hour of work", readable::fixed(compared.billed_factor, 2) + " h"},
                       {"spot is cheaper up to", readable::fixed(compared.break_even_billed_factor, 2) + " h"}});
}

/// The parts of a time, and its range.
template <class Time, std::size_t Count>
[[nodiscard]] nlohmann::json time_bundle(const Time& time, std::string_view title,
                                         const std::array<part, Count>& parts) {
  html_rows rows = rows_of(title, parts, time.total);
  rows.push_back({"between", readable::duration_range(time.low, time.high)});
  return table_bundle(time, rows);
}

[[nodiscard]] inline nlohmann::json shown(const prefill_breakdown& prefill) {
  return time_bundle(prefill, "time of prefill", prefill_parts(prefill));
}
[[nodiscard]] inline nlohmann::json shown(const token_time& token) {
  return time_bundle(token, "time of one token", token_parts(token));
}

[[nodiscard]] inline nlohmann::json shown(const serving_memory& memory) {
  html_rows rows = rows_of("HBM of one device", serving_memory_parts(memory), memory.total);
  rows.push_back({"usable", one_line(memory.usable)});
  rows.push_back({"fits", one_line(fits(memory))});
  return table_bundle(memory, rows);
}

[[nodiscard]] inline nlohmann::json shown(const serving_estimate& estimate) {
  if (estimate.running == 0 || estimate.output_tokens.value() <= 0) return text_bundle(estimate);  // little is there
  return table_bundle(
      estimate, {{"serving", std::to_string(estimate.replicas) + (estimate.replicas == 1 ? " replica" : " replicas")},
                 {"fits", one_line(estimate.fit)},
                 {"HBM of one device", readable::used_of(estimate.memory.total, estimate.memory.usable)},
                 {"sequences that run",
                  readable::three_digits(estimate.running) + " of " + std::to_string(estimate.largest_running)},
                 {"time of a token", one_line(estimate.per_token.total)},
                 {"between", readable::duration_range(estimate.per_token.low, estimate.per_token.high)},
                 {"first token after", one_line(estimate.first_token)},
                 {"requests", one_line(estimate.requests)},
                 {"prompt tokens", one_line(estimate.input_tokens)},
                 {"output tokens", one_line(estimate.output_tokens)}});
}

[[nodiscard]] inline nlohmann::json shown(const serving_cost& cost) {
  if (cost.all_on_output.value() <= 0) return text_bundle(cost);  // of an encoder
  return table_bundle(cost, {{"a million tokens", "cost"},
                             {"of prompts", one_line(cost.input)},
                             {"of output", one_line(cost.output)},
                             {"of output, prompts free", one_line(cost.all_on_output)},
                             {"slice", one_line(cost.rate)}});
}

[[nodiscard]] inline html_rows rows_of(const std::vector<plan>& plans) {
  html_rows rows = {{"slice", "chips", "layout", "remat", "step", "MFU", "run", "on demand", "spot", "HBM per device"}};
  const auto dollars = [](const plan& p, provisioning kind) {
    const plan_cost* cost = find_cost(p, kind);
    return cost == nullptr ? std::string("no price") : one_line(cost->total);
  };
  for (const plan& p : plans) {
    rows.push_back({slices_line(p) + (p.on_front ? " *" : ""),
                    std::to_string(checked_multiply(chips(p.where), slices(p.mesh))), one_line(p.mesh),
                    one_line(p.job.remat), one_line(p.step.total), readable::percent(p.step.mfu), one_line(p.run),
                    dollars(p, provisioning::on_demand), dollars(p, provisioning::spot),
                    readable::used_of(p.memory.total, p.memory.usable)});
  }
  return rows;
}

/// A table of one plan.
[[nodiscard]] inline nlohmann::json shown(const plan& planned) {
  return table_bundle(planned, rows_of(std::vector<plan>{planned}));
}
/// The plans from best to worst; a star marks those on the front of time and cost. If there are no plans, the reason
/// why each slice lost.
[[nodiscard]] inline nlohmann::json shown(const plan_answer& answer) {
  if (!answer.plans.empty()) return table_bundle(answer, rows_of(answer.plans));
  html_rows rows = {{"no plan: slices", "reason", "the closest"}};
  for (const auto& lost : readable::by_reason(answer.rejected))
    rows.push_back({std::to_string(lost.count), readable::reason(lost.why), readable::amount(lost.closest)});
  return table_bundle(answer, rows);
}

/// @{
/// The picture, and words shown where pictures are not.
[[nodiscard]] inline nlohmann::json shown(const svg_chart& chart) {
  return {{"text/plain", chart.words}, {"image/svg+xml", chart.svg}};
}
[[nodiscard]] inline nlohmann::json shown(const roofline_chart& chart) { return chart_bundle(chart); }
[[nodiscard]] inline nlohmann::json shown(const memory_chart& chart) { return chart_bundle(chart); }
[[nodiscard]] inline nlohmann::json shown(const step_chart& chart) { return chart_bundle(chart); }
[[nodiscard]] inline nlohmann::json shown(const pareto_chart& chart) { return chart_bundle(chart); }
[[nodiscard]] inline nlohmann::json shown(const frontier_chart& chart) { return chart_bundle(chart); }
[[nodiscard]] inline nlohmann::json shown(const accuracy_chart& chart) { return chart_bundle(chart); }
/// @}

}  // namespace detail

// One overload for each type, because a template for all of them would be as good a match as the kernel's own; and each
// a template, so that it needs nothing of a type whose header is not included.
#define TPUPLAN_DETAIL_SHOWN(type)                                           \
  template <class Json = nlohmann::json>                                     \
  [[nodiscard]] Json mime_bundle_repr(const type& x) {                       \
    return detail::shown(static_cast<const detail::same_t<type, Json>&>(x)); \
  }
#define TPUPLAN_STRUCT(type, ...) TPUPLAN_DETAIL_SHOWN(type)
#define TPUPLAN_NAMED_ENUM(type) TPUPLAN_DETAIL_SHOWN(type)
#include <tpuplan/reflect/types.inc>
TPUPLAN_DETAIL_SHOWN(price_book)
TPUPLAN_DETAIL_SHOWN(owned_price_book)
#undef TPUPLAN_DETAIL_SHOWN

/// @{
/// What a notebook shows of an amount, a figure or a text: one line; of a `maybe` its value or "none". Worked: 16_GiB
/// is
/// {"text/plain": "16.0 GiB"}.
template <class Dim>
[[nodiscard]] nlohmann::json mime_bundle_repr(const quantity<Dim>& amount) {
  return detail::text_bundle(amount);
}
template <class T>
[[nodiscard]] nlohmann::json mime_bundle_repr(const known<T>& figure) {
  return detail::text_bundle(figure);
}
template <std::size_t Capacity>
[[nodiscard]] nlohmann::json mime_bundle_repr(const text<Capacity>& words) {
  return detail::text_bundle(words);
}
template <class T>
[[nodiscard]] nlohmann::json mime_bundle_repr(const maybe<T>& found) {
  if constexpr (detail::has_one_line<T>) {
    if (found) return mime_bundle_repr(*found);
  }
  return detail::text_bundle(found);
}
/// @}

/// What a notebook shows of an optional: its value, or "none". Worked: std::optional<seconds>{} is {"text/plain":
/// "none"}.
template <class T, std::enable_if_t<detail::is_shown<T>, int> = 0>
[[nodiscard]] nlohmann::json mime_bundle_repr(const std::optional<T>& found) {
  if (found) return mime_bundle_repr(*found);
  return {{"text/plain", "none"}};
}

/// What a notebook shows of several values of a public type or amounts: a table. Worked: no values have no "text/html".
template <class T, std::enable_if_t<detail::is_shown<T>, int> = 0>
[[nodiscard]] nlohmann::json mime_bundle_repr(const std::vector<T>& values) {
  nlohmann::json bundle = {{"text/plain", detail::values_line(values, values.size())}};
  if (values.empty()) return bundle;
  if constexpr (std::is_same<T, plan>::value) {
    bundle["text/html"] = detail::html_table(detail::rows_of(values));
  } else {
    bundle["text/html"] = detail::html_table(detail::rows_of_values(values, values.size()));
  }
  return bundle;
}

namespace detail {

// If a cell of clang-repl is the first to use a function template and then fails, the function is lost with the cell
// and not found again. So everything that a cell may do with a public type is named here, in a function that nobody
// calls: the cell that includes this header instantiates and keeps them.

/// Whether the header of a type is included: the type is complete; an enumeration has its `name`.
template <class T, class = void>
inline constexpr bool is_there = false;
template <class T>
inline constexpr bool is_there<T, std::enable_if_t<!std::is_enum<T>::value && (sizeof(T) > 0)>> = true;
template <class T>
inline constexpr bool is_there<T, std::enable_if_t<std::is_enum<T>::value && (sizeof(name(T{})) > 0)>> = true;

template <class T>
void use_first(const T& given, std::ostream& out) {
  T copy = given;
  copy = given;
  tpuplan::operator<<(out, copy);  // qualified, so that the compiler need not consider all others
#ifdef TPUPLAN_DETAIL_KERNEL
  xcpp::display(copy);
#else
  (void)mime_bundle_repr(copy);
#endif
}

template <class T>
void use_first(std::ostream& out) {
  if constexpr (is_there<T>) use_first(T{}, out);
}

template <class T>
void use_list_first(std::ostream& out) {
  const T one{};
  std::vector<T> list{T{}};
  std::vector<T> copy = list;
  copy = list;
  copy.push_back(T{});
  copy.push_back(one);
  copy.emplace_back(one);
  for (T& each : copy) each = list[0];
  for (const T& each : list) out << each;
  out << copy.size() << copy.empty() << list.front() << copy.back() << copy.at(0) << (copy.begin() == copy.end());
  copy = std::vector<T>{};
  (void)mime_bundle_repr(list).dump();
}

template <class T>
void use_map_first() {
  std::map<std::string, T> named;
  named["a name"] = T{};
  const std::string another = "another";
  named[another] = T{};
  for (const auto& [name, each] : named) (void)(named.size() + named.count(name) + sizeof(each));
  (void)named.at(another);
}

/// What people keep beside values of the library.
inline void use_numbers_first() {
  const double number = 1;
  const std::string name = "a name";
  std::vector<double> numbers{number};
  numbers.push_back(number);
  numbers.push_back(2.0);
  std::vector<std::string> names{name};
  names.push_back(name);
  names.emplace_back("another");
}

inline void use_all_first(std::ostream& out) {
#define TPUPLAN_STRUCT(type, ...) use_first<type>(out);
#define TPUPLAN_NAMED_ENUM(type) use_first<type>(out);
#include <tpuplan/reflect/types.inc>
  use_first<bytes>(out);
  use_first<flops>(out);
  use_first<seconds>(out);
  use_first<usd>(out);
  use_first<bytes_per_second>(out);
  use_first<flops_per_second>(out);
  use_first<flops_per_byte>(out);
  use_first<per_second>(out);
  use_first<usd_per_second>(out);
  use_first<maybe<slice>>(out);
  use_first<maybe<chip_spec>>(out);
  use_first<known<flops_per_second>>(out);
  use_list_first<slice>(out);
  use_list_first<transformer>(out);
  use_list_first<seconds>(out);
  use_list_first<plan>(out);
  use_list_first<plan_cost>(out);
  use_list_first<plan_answer>(out);
  use_list_first<rejected_slice>(out);
  use_map_first<plan_answer>();
  use_map_first<double>();
  use_numbers_first();
}

}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#undef TPUPLAN_DETAIL_KERNEL

#endif

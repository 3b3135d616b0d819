#ifndef TPUPLAN_IO_JUPYTER_HPP
#define TPUPLAN_IO_JUPYTER_HPP

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tpuplan/core.hpp>
#include <tpuplan/cost/serving_cost.hpp>
#include <tpuplan/estimate/advice.hpp>
#include <tpuplan/estimate/serving.hpp>
#include <tpuplan/estimate/serving_advice.hpp>
#include <tpuplan/io/one_line.hpp>
#include <tpuplan/io/svg.hpp>
#include <tpuplan/plan/plan.hpp>
#include <utility>
#include <vector>

/// @file
/// How the public types look in a notebook of xeus-cpp or xeus-cling: `xcpp::display(x)` finds `mime_bundle_repr` by
/// argument-dependent look-up. Text for all, tables for what has figures, pictures for charts. nlohmann_json must be
/// the kernel's own.

namespace tpuplan {
inline namespace abi_0 {

/// A picture that is at hand as text, to be displayed: `svg_chart{to_svg(chart), "my chart"}`.
struct svg_chart {
  std::string svg{};    ///< the picture
  std::string words{};  ///< for readers without pictures
};

namespace detail {

using html_rows = std::vector<std::vector<std::string>>;

/// A table whose first row is its header; what is not its first column is a figure.
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

template <class T>
[[nodiscard]] nlohmann::json text_bundle(const T& x) {
  return {{"text/plain", one_line(x)}};
}

template <class T>
[[nodiscard]] nlohmann::json table_bundle(const T& x, const html_rows& rows) {
  return {{"text/plain", one_line(x)}, {"text/html", html_table(rows)}};
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

}  // namespace detail

// One overload for each type: a template for all of them would be as good a match as the kernel's own.
/// A value as a line of text.
#define TPUPLAN_DETAIL_TEXT(type) \
  [[nodiscard]] inline nlohmann::json mime_bundle_repr(const type& x) { return detail::text_bundle(x); }
TPUPLAN_DETAIL_TEXT(architecture)
TPUPLAN_DETAIL_TEXT(attention_kernel)
TPUPLAN_DETAIL_TEXT(bound)
TPUPLAN_DETAIL_TEXT(cache_policy)
TPUPLAN_DETAIL_TEXT(date_qualifier)
TPUPLAN_DETAIL_TEXT(decode_limit)
TPUPLAN_DETAIL_TEXT(dtype)
TPUPLAN_DETAIL_TEXT(errc)
TPUPLAN_DETAIL_TEXT(finding_kind)
TPUPLAN_DETAIL_TEXT(memory_level)
TPUPLAN_DETAIL_TEXT(memory_stage)
TPUPLAN_DETAIL_TEXT(objective)
TPUPLAN_DETAIL_TEXT(optimizer_kind)
TPUPLAN_DETAIL_TEXT(provisioning)
TPUPLAN_DETAIL_TEXT(rejection)
TPUPLAN_DETAIL_TEXT(serving_finding_kind)
TPUPLAN_DETAIL_TEXT(software_level)
TPUPLAN_DETAIL_TEXT(step_bound)
TPUPLAN_DETAIL_TEXT(verdict)
TPUPLAN_DETAIL_TEXT(remat_policy)
TPUPLAN_DETAIL_TEXT(topology)
TPUPLAN_DETAIL_TEXT(decode_breakdown)
TPUPLAN_DETAIL_TEXT(finding)
TPUPLAN_DETAIL_TEXT(layout)
TPUPLAN_DETAIL_TEXT(price_row)
TPUPLAN_DETAIL_TEXT(serving_finding)
TPUPLAN_DETAIL_TEXT(training)
TPUPLAN_DETAIL_TEXT(transformer)
#undef TPUPLAN_DETAIL_TEXT

/// @{
/// An amount or a text, as a line.
template <class Dim>
[[nodiscard]] nlohmann::json mime_bundle_repr(const quantity<Dim>& amount) {
  return {{"text/plain", one_line(amount)}};
}
template <class Dim>
[[nodiscard]] nlohmann::json mime_bundle_repr(const known<quantity<Dim>>& figure) {
  return {{"text/plain", one_line(figure)}};
}
template <std::size_t Capacity>
[[nodiscard]] nlohmann::json mime_bundle_repr(const text<Capacity>& words) {
  return {{"text/plain", one_line(words)}};
}
/// @}

/// A table of the chip's figures.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const chip_spec& c) {
  return detail::table_bundle(c, {{"chip", std::string(c.name.view())},
                                  {"bf16", one_line(c.peak.bf16)},
                                  {"fp8", one_line(c.peak.fp8)},
                                  {"int8", one_line(c.peak.int8)},
                                  {"HBM", one_line(c.hbm.capacity)},
                                  {"usable on a device", one_line(c.hbm.usable_per_device)},
                                  {"HBM bandwidth", one_line(c.hbm.bandwidth)},
                                  {"ICI links", std::to_string(c.ici.links)},
                                  {"ICI link, one way", one_line(c.ici.link_one_way)},
                                  {"JAX devices", std::to_string(c.jax_devices)}});
}

/// A table of the slice's figures.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const slice& s) {
  return detail::table_bundle(s, {{"slice", one_line(s)},
                                  {"chip", std::string(s.chip.name.view())},
                                  {"shape", one_line(s.shape)},
                                  {"chips", std::to_string(chips(s))},
                                  {"JAX devices", std::to_string(devices(s))},
                                  {"VMs", std::to_string(vms(s))},
                                  {"usable HBM", one_line(usable_hbm(s))}});
}

/// A table of the parts.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const memory_breakdown& m) {
  detail::html_rows rows = detail::rows_of("HBM of one device", detail::memory_parts(m), m.total);
  rows.push_back({"usable", one_line(m.usable)});
  rows.push_back({"fits", one_line(fits(m))});
  return detail::table_bundle(m, rows);
}

/// A table of the parts.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const step_breakdown& t) {
  detail::html_rows rows = detail::rows_of("time of one step", detail::step_parts(t), t.total);
  rows.push_back({"between", readable::duration_range(t.low, t.high)});
  rows.push_back({"MFU", readable::percent(t.mfu)});
  return detail::table_bundle(t, rows);
}

/// A table of the cost and its price.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const run_cost& c) {
  return detail::table_bundle(c, {{"cost of the run", one_line(c.total)},
                                  {"rate", one_line(c.rate)},
                                  {"billed", one_line(c.billed)},
                                  {"wall time", one_line(c.wall)},
                                  {"price", one_line(c.price)}});
}

/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const expected_spot_run& run) {
  detail::html_rows rows = detail::rows_of("expected time", detail::spot_parts(run), run.wall);
  rows.push_back({"billed", one_line(run.billed)});
  rows.push_back({"preemptions", readable::three_digits(run.preemptions)});
  return detail::table_bundle(run, rows);
}

/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const spot_comparison& c) {
  return detail::table_bundle(c, {{"the same work", "cost"},
                                  {"on demand", one_line(c.on_demand_cost)},
                                  {"on spot", one_line(c.spot_cost)},
                                  {"saved", readable::percent(c.saving_fraction)},
                                  {"billed for each hour of work", readable::fixed(c.billed_factor, 2) + " h"},
                                  {"spot is cheaper up to", readable::fixed(c.break_even_billed_factor, 2) + " h"}});
}

namespace detail {

/// A time in parts with its range.
template <class Time, std::size_t Count>
[[nodiscard]] nlohmann::json time_bundle(const Time& t, std::string_view title, const std::array<part, Count>& parts) {
  html_rows rows = rows_of(title, parts, t.total);
  rows.push_back({"between", readable::duration_range(t.low, t.high)});
  return table_bundle(t, rows);
}

}  // namespace detail

/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const prefill_breakdown& t) {
  return detail::time_bundle(t, "time of prefill", detail::prefill_parts(t));
}
/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const token_time& t) {
  return detail::time_bundle(t, "time of one token", detail::token_parts(t));
}

/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const serving_memory& m) {
  detail::html_rows rows = detail::rows_of("HBM of one device", detail::serving_memory_parts(m), m.total);
  rows.push_back({"usable", one_line(m.usable)});
  rows.push_back({"fits", one_line(fits(m))});
  return detail::table_bundle(m, rows);
}

/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const serving_estimate& e) {
  if (e.running == 0) return detail::text_bundle(e);  // nothing else is estimated
  return detail::table_bundle(
      e, {{"serving", std::to_string(e.replicas) + (e.replicas == 1 ? " replica" : " replicas")},
          {"fits", one_line(e.fit)},
          {"HBM of one device", readable::used_of(e.memory.total, e.memory.usable)},
          {"sequences that run", readable::three_digits(e.running) + " of " + std::to_string(e.largest_running)},
          {"time of a token", one_line(e.per_token.total)},
          {"between", readable::duration_range(e.per_token.low, e.per_token.high)},
          {"first token after", one_line(e.first_token)},
          {"requests", one_line(e.requests)},
          {"prompt tokens", one_line(e.input_tokens)},
          {"answer tokens", one_line(e.output_tokens)}});
}

/// As text and as a table.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const serving_cost& c) {
  return detail::table_bundle(c, {{"a million tokens", "cost"},
                                  {"of prompts", one_line(c.input)},
                                  {"of answers", one_line(c.output)},
                                  {"of answers, prompts free", one_line(c.all_on_output)},
                                  {"slice", one_line(c.rate)}});
}

namespace detail {

[[nodiscard]] inline html_rows rows_of(const std::vector<plan>& plans) {
  html_rows rows = {{"slice", "chips", "layout", "remat", "step", "MFU", "run", "on demand", "spot", "HBM per device"}};
  const auto dollars = [](const plan& p, provisioning kind) {
    const plan_cost* cost = find_cost(p, kind);
    return cost == nullptr ? std::string("no price") : one_line(cost->total);
  };
  for (const plan& p : plans) {
    rows.push_back({one_line(p.where) + (p.on_front ? " *" : ""), std::to_string(chips(p.where)), one_line(p.mesh),
                    one_line(p.job.remat), one_line(p.step.total), readable::percent(p.step.mfu), one_line(p.run),
                    dollars(p, provisioning::on_demand), dollars(p, provisioning::spot),
                    readable::used_of(p.memory.total, p.memory.usable)});
  }
  return rows;
}

}  // namespace detail

/// A table of one plan.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const plan& p) {
  return detail::table_bundle(p, detail::rows_of(std::vector<plan>{p}));
}
/// The plans from best to worst; those with a star are beaten by no other in both time and cost.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const plan_answer& answer) {
  return detail::table_bundle(answer, detail::rows_of(answer.plans));
}

/// @{
/// The picture, and words for readers without pictures.
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const svg_chart& chart) {
  return {{"text/plain", chart.words}, {"image/svg+xml", chart.svg}};
}
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const roofline_chart& c) { return detail::chart_bundle(c); }
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const memory_chart& c) { return detail::chart_bundle(c); }
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const step_chart& c) { return detail::chart_bundle(c); }
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const pareto_chart& c) { return detail::chart_bundle(c); }
[[nodiscard]] inline nlohmann::json mime_bundle_repr(const accuracy_chart& c) { return detail::chart_bundle(c); }
/// @}

}  // namespace abi_0
}  // namespace tpuplan

#endif

#include "cli/table.hpp"

#include <algorithm>
#include <tpuplan/show/csv.hpp>
#include <tpuplan/show/markdown.hpp>
#include <utility>

#include "cli/prices.hpp"
#include "cli/print.hpp"

namespace cli {

using namespace tpuplan;

namespace {

cell with_unit(view_cell of, std::string_view unit) {
  cell made(std::move(of.text));
  made.value = of.value, made.low = of.low, made.unit = unit;
  return made;
}

}  // namespace

cell::cell(seconds time) : cell(duration(time), time.value(), "_s") {}
cell::cell(usd amount) : cell(money(amount), amount.value(), "_usd") {}
cell::cell(bytes size) : cell(binary_bytes(size), size.value(), "_bytes") {}
cell::cell(std::string words, double number, std::string_view its_unit)
    : view_cell{std::move(words), number, {}}, unit{its_unit} {}
cell::cell(std::string words, double its_low, double high, std::string_view its_unit)
    : view_cell{std::move(words), high, its_low}, unit{its_unit} {}
cell range_cell(seconds low, seconds high) { return with_unit(readable::range_cell(low, high), "_s"); }
cell used_cell(bytes used, bytes usable) { return with_unit(readable::used_cell(used, usable), "_bytes"); }
cell share_cell(double share) { return with_unit(readable::share_cell(share), ""); }
cell count_cell(std::int64_t number) { return with_unit(readable::count_cell(number, true), ""); }

table::table(std::string_view titles) : part_{readable::table_of(titles)} {}

void table::add(std::vector<cell> cells) {
  std::vector<view_cell>& row = part_.rows.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].unit.empty()) part_.columns[i].unit = cells[i].unit.substr(1);
    row.push_back(std::move(cells[i]));
  }
}

void table::print() const {
  if (form().of == output_form::kind::markdown) write_table("\n");
  print_view({{}, {}, {}, {part_}, {}, {}});
}

void print_view(const view& shown) {
  switch (form().of) {
    case output_form::kind::text:
      return write_form(to_terminal(shown, {columns(), coloured(), form().wide, "with --wide also "}));
    case output_form::kind::markdown: return write_form(to_markdown(shown));
    case output_form::kind::csv:
      if (const std::string lines = to_csv(shown); !lines.empty() && !std::exchange(form().has_csv, true))
        write_form(lines);
  }
}

void print_part(const view_part& part) {
  print("\n");
  print_view({{}, {}, {}, {part}, {}, {}});
}

view_options view_options_of() {
  view_options options;
  options.today = today();
  options.own_prices = prices_are_own();
  options.names_options = options.searched = true;
  options.wide = form().wide || form().of != output_form::kind::text;
  return options;
}

void print_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (form().of != output_form::kind::text) {
    table t("figure | value");
    for (const auto& [label, value] : pairs) t.add({label, value});
    return t.print();
  }
  std::size_t width = 0;
  for (const auto& [label, value] : pairs) width = std::max(width, label.size());
  for (const auto& [label, value] : pairs) print("  {:<{}}  {}\n", label, width, value);
}

void add_picture_option(command& to) { to.add("--svg", form().picture, "a file for the picture of the answer"); }

void add_table_options(command& to) {
  to.flag("--wide", "all columns, also where they are wider than the terminal", [] {
      form().wide = true;
    }).excludes({"--csv", "--markdown"});
  to.flag("--csv", "only the first table, as csv: numbers in SI units", [] {
      form().of = output_form::kind::csv;
    }).excludes({"--markdown"});
  to.flag("--markdown", "tables as Markdown", [] { form().of = output_form::kind::markdown; });
}

}  // namespace cli

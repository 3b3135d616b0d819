#ifndef TPUPLAN_SHOW_VIEWS_MODEL_NETWORK_HPP
#define TPUPLAN_SHOW_VIEWS_MODEL_NETWORK_HPP

#include <string>
#include <tpuplan/ask/model_network.hpp>
#include <tpuplan/show/views/figures.hpp>

/// @file
/// What a reader sees of the answer to model_network.

namespace tpuplan {
inline namespace abi_0 {

/// What a reader sees of the counts of a network. Worked: the first table has a row for each product of a layer.
[[nodiscard]] inline view view_of(const model_network_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({a.name, ": ", count(static_cast<double>(a.parameters)), " parameters"});
  shown.summary = shown.title;
  view_part part =
      table_of("product of a layer | ~kind | >times | >rows an example | >inner | >outer | >share of FLOPs");
  const double all = a.forward_flops_per_example / 2;
  for (const layer_product& product : a.products)
    part.rows.push_back({cell(product.name.view()), cell(name(product.kind)), count_cell(product.count, true),
                         count_cell(product.rows, true), count_cell(product.inner, true),
                         count_cell(product.outer, true), share_cell(multiply_adds(product) / all)});
  view_part figures = table_of("figure | >value");
  const auto row = [&](const char* label, const std::string& words, double value) {
    figures.rows.push_back({cell(label), cell(words, value)});
  };
  const auto work_row = [&](const char* label, double value) { row(label, four_digits(value), value); };
  row("parameters that are trained", grouped(a.parameters), static_cast<double>(a.parameters));
  row("with moving statistics, as Keras counts", grouped(a.parameters_with_statistics),
      static_cast<double>(a.parameters_with_statistics));
  work_row("FLOPs per example, forward", a.forward_flops_per_example);
  work_row("FLOPs per example, training", a.training_flops_per_example);
  work_row("numbers kept for the backward pass", a.saved_numbers_per_example);
  shown.parts = {std::move(part), std::move(figures)};
  add_assumed(shown, a.assumed, options);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

#ifndef TPUPLAN_SHOW_VIEWS_MODEL_GENERATION_HPP
#define TPUPLAN_SHOW_VIEWS_MODEL_GENERATION_HPP

#include <cstdint>
#include <string>
#include <tpuplan/ask/model_generation.hpp>
#include <tpuplan/show/views/figures.hpp>

/// @file
/// What a reader sees of the answer to model_generation.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// The parts of a pipeline.
[[nodiscard]] inline view_part components_part(const model_generation_answer& a) {
  view_part part = table_of("part | model | >parameters | >share");
  const auto row = [&](const std::string& name, const std::string& model, std::int64_t of) {
    part.rows.push_back({cell(name), cell(model), count_cell(of, true),
                         share_cell(static_cast<double>(of) / static_cast<double>(a.parameters))});
  };
  for (const auto& [name, one] : a.components) row(name, one.model, one.parameters);
  row("total", "", a.parameters);
  return part;
}
/// The work of a pass and of decoding at the usual size.
[[nodiscard]] inline view_part passes_part(const model_generation_answer& a) {
  view_part part = table_of("figure | >value");
  const auto row = [&](const std::string& label, double flops) {
    part.rows.push_back({cell(label), cell(four_digits(flops), flops)});
  };
  const auto with = [](std::int64_t of, const char* unit) { return joined({", ", std::to_string(of), " ", unit}); };
  const usual_picture& size = *a.usual_size;
  part.rows.push_back(
      {cell("usual size"), cell(joined({std::to_string(size.width), " x ", std::to_string(size.height),
                                        size.frames > 1 ? with(size.frames, "frames") : std::string(),
                                        size.text_tokens > 0 ? with(size.text_tokens, "tokens") : std::string()}))});
  for (const auto& [name, flops] : a.forward_flops) row("FLOPs of a forward pass, " + name, flops);
  if (a.decoder_flops) row("FLOPs of decoding, vae", *a.decoder_flops);
  return part;
}

}  // namespace readable

/// What a reader sees of the counts of a pipeline. Worked: the last row of the first table is "total".
[[nodiscard]] inline view view_of(const model_generation_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({a.name, ": ", count(static_cast<double>(a.parameters)), " parameters"});
  shown.summary = shown.title;
  shown.parts = {a.breakdown ? parameters_part(*a.breakdown) : components_part(a)};
  if (a.usual_size) shown.parts.push_back(passes_part(a));
  add_assumed(shown, a.assumed, options);
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

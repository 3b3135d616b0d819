#ifndef TPUPLAN_SHOW_VIEWS_FIGURES_HPP
#define TPUPLAN_SHOW_VIEWS_FIGURES_HPP

#include <string>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/views/common.hpp>
#include <utility>
#include <vector>

/// @file
/// What a reader sees of the answers about chips, slices, batches, padding and models.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

/// A known figure in its unit, "-" where the chip has none, or "unknown". Worked: "-" of the fp8 rate of v3.
template <class T, class Words>
[[nodiscard]] view_cell known_cell(const known<T>& figure, const Words& words) {
  if (figure.is_absent()) return cell("-");
  return figure.has_value() ? words(figure.value()) : cell("unknown");
}
/// A rate in TFLOP/s.
[[nodiscard]] inline view_cell tera_cell(flops_per_second rate) {
  return cell(number(in_tflop_per_s(rate)), in_tflop_per_s(rate));
}
/// The counts of a model that have a unit of their own.
[[nodiscard]] inline view_part model_facts_part(const model_answer& a) {
  view_part part = table_of("figure | >value");
  const auto add = [&](const std::string& label, std::string_view words, double value) {
    part.rows.push_back({cell(label), cell(words, value)});
  };
  const std::string tokens = std::to_string(a.sequence_length), format = joined({" (", name(a.kv_dtype), ")"});
  if (a.kv_bytes_per_token)
    add("KV cache per token", binary_bytes(bytes{*a.kv_bytes_per_token}) + format, *a.kv_bytes_per_token);
  if (a.state_bytes_per_sequence.value_or(0) > 0)
    add("state per sequence", binary_bytes(bytes{*a.state_bytes_per_sequence}), *a.state_bytes_per_sequence);
  const auto flops_of = [&](const std::string& label, const std::optional<double>& work, std::string_view where = "") {
    if (work) add(label, joined({four_digits(*work), where}), *work);
  };
  flops_of("FLOPs per token, forward, " + tokens + " tokens", a.forward_flops_per_token);
  flops_of("FLOPs per token, training", a.training_flops_per_token);
  if (a.flops_per_pair) {
    flops_of("FLOPs of " + std::to_string(*a.source_length) + " source tokens, forward",
             a.flops_per_pair->encoder.value(), " in the encoder");
    flops_of("FLOPs of " + tokens + " target tokens, forward", a.flops_per_pair->decoder.value(), " in the decoder");
    const bytes each = a.cache_per_pair->self / static_cast<double>(a.sequence_length);
    add("cache per source or target token", binary_bytes(each) + format, each.value());
  }
  if (a.image_tokens) add("tokens per image", std::to_string(*a.image_tokens), static_cast<double>(*a.image_tokens));
  flops_of("FLOPs per image, forward", a.vision_flops_per_image);
  return part;
}
/// Parameters by part.
[[nodiscard]] inline view_part parameters_part(const parameter_count& n) {
  view_part part = table_of("part | >parameters | >share");
  const auto row = [&](std::string_view label, std::int64_t of) {
    if (of != 0)
      part.rows.push_back(
          {cell(label), count_cell(of, true), share_cell(static_cast<double>(of) / static_cast<double>(n.total))});
  };
  row("embedding", n.embedding);
  row("attention", n.attention);
  row("recurrent layers", n.recurrent);
  row("MLP", n.mlp);
  row("experts", n.experts);
  row("router", n.router);
  row("norms", n.norms);
  row("multi-token prediction", n.prediction);
  row("other", n.other);
  row("output head", n.lm_head);
  row("vision tower", n.vision);
  row("projector", n.projector);
  row("pooler or classifier", n.head);
  row("total", n.total);
  if (n.active != n.total) row("active per token", n.active);
  return part;
}
/// Whether each axis of a slice is a ring. Worked: "YYN?".
[[nodiscard]] inline std::string rings_words(const slice_facts& facts) {
  std::string text;
  for (const std::optional<bool>& one : facts.wraparound) text += !one ? '?' : *one ? 'Y' : 'N';
  return text;
}

}  // namespace readable

/// What a reader sees of the counts of a model. Worked: the last row of the first table is "total" of a dense model.
[[nodiscard]] inline view view_of(const model_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({a.name, ": ", count(static_cast<double>(a.parameters)), " parameters"});
  shown.summary = shown.title;
  shown.parts = {parameters_part(a.breakdown), model_facts_part(a)};
  add_assumed(shown, a.assumed, options);
  if (a.not_read.empty()) return shown;
  constexpr std::size_t most = 12;
  std::vector<std::string> names;
  for (const std::string& one : a.not_read)
    if (names.size() < most) names.push_back(one.size() > 48 ? one.substr(0, 45) + "..." : one);
  const std::size_t more = a.not_read.size() - names.size();
  shown.parts.push_back(
      {"without effect",
       {listed(names) + (more > 0 ? joined({" and ", std::to_string(more), " more"}) : std::string())},
       {},
       {},
       {},
       false});
  return shown;
}

/// The chip's roof, and the product under it where one was asked about.
[[nodiscard]] inline std::vector<picture> pictures_of(const batch_answer& answer) {
  const chip_spec chip = chip_for(answer.chip);
  roofline_chart chart;
  chart.title = "Roofline of " + answer.chip + ", " + std::string(name(answer.compute));
  if (answer.weights != answer.compute) chart.title += ", " + std::string(name(answer.weights)) + " weights";
  chart.peak = peak_rate(chip, answer.compute);
  chart.bandwidth = bandwidth(chip, memory_level::hbm);
  if (answer.shape) {
    const product_shape shape{answer.shape->batch, answer.shape->inner, answer.shape->outer};
    product_dtypes types = uniform(answer.compute);
    types.weights = answer.weights;
    const flops work = flops_of(shape);
    chart.points.push_back(
        {std::to_string(shape.batch) + " x " + std::to_string(shape.inner) + " x " + std::to_string(shape.outer),
         work / bytes_of(shape, types), work / max(answer.shape->math, answer.shape->memory)});
  }
  return {picture_of("roofline", chart)};
}
/// What a reader sees of the batch from which a chip is limited by arithmetic. Worked: of v5e the row of HBM has 241.
[[nodiscard]] inline view view_of(const batch_answer& a, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({a.chip, ": ", name(a.compute), " products, ", name(a.weights), " weights"});
  if (a.shape) {
    const product_bound& b = *a.shape;
    const std::optional<double>& exact = b.critical_batch_with_activations;
    shown.sentences = {joined({std::to_string(b.batch), " x ", std::to_string(b.inner), " x ", std::to_string(b.outer),
                               " on ", a.chip, ": limited by ", name(b.limited_by), " (", duration(b.math),
                               " of arithmetic, ", duration(b.memory), " of HBM traffic); compute-bound ",
                               exact ? "from batch " + fixed(*exact, 2) : std::string("at no batch")})};
  }
  const bool of_cores = chip_for(a.chip).jax_devices > 1;  // each with its part of the HBM
  view_part part = table_of("operands from | >bandwidth:bytes_per_s | >ridge FLOP/B | >critical batch | ~unit");
  for (const batch_level& level : a.levels) {
    if (!level.bandwidth) {
      part.rows.push_back({cell(name(level.from)), cell("unknown")});
      continue;
    }
    const double rate = level.bandwidth->value(), ridge = level.ridge_point->value();
    part.rows.push_back({cell(name(level.from)), cell(number(rate / 1e9) + " GB/s", rate), number_cell(ridge, 1),
                         count_cell(*level.critical_batch_tokens, true),
                         cell(level.from == memory_level::ici   ? "tokens per chip and axis"
                              : level.from == memory_level::dcn ? "tokens per slice"
                              : of_cores                        ? "tokens on a core"
                                                                : "tokens")});
  }
  part.notes = {joined({"recommended batch: ", grouped(a.recommended_batch), " tokens, twice the critical one"})};
  shown.summary = part.notes.front();
  shown.parts = {std::move(part)};
  if (options.drawn) shown.pictures = pictures_of(a);
  shown.next = {{"batch", {}, "one product's bound"}};
  return shown;
}

/// What a reader sees of padded dimensions. Worked: 50257 on v6e is a row with 50,432.
[[nodiscard]] inline view view_of(const pad_answer& a, const view_options& = {}) {
  using namespace readable;
  const tile unit = layout_tile(chip_for(a.chip), a.format);
  const std::string side = std::to_string(a.mxu_side);
  view shown;
  shown.title = joined({a.chip, ": MXU ", side, "x", side, ", ", name(a.format), " tile ",
                        std::to_string(unit.sublanes), "x", std::to_string(unit.lanes)});
  view_part part = table_of(">dimension | >to the MXU | >wasted | >as lanes | >as sublanes");
  for (const padded_dimension& one : a.dimensions)
    part.rows.push_back({count_cell(one.given, true), count_cell(one.padded, true), share_cell(one.wasted),
                         count_cell(round_up(one.given, unit.lanes), true),
                         count_cell(round_up(one.given, unit.sublanes), true)});
  if (a.matrix)
    part.notes = {joined({"as a matrix: ", percent(a.matrix->flop_utilization), " of the MXU's cells are useful; ",
                          binary_bytes(a.matrix->stored), " stored, of which ", binary_bytes(a.matrix->stored_waste),
                          " padding"})};
  shown.parts = {std::move(part)};
  shown.summary = shown.title;
  return shown;
}

/// What a reader sees of chips: a row for each. Worked: the row of v5e has 197 TFLOP/s in bf16.
[[nodiscard]] inline view view_of(const chips_answer& a, const view_options& = {}) {
  using namespace readable;
  view_part part = table_of(
      "chip | ~~>year | ~~~>cores | >bf16 TFLOP/s | ~~>int8 TOP/s | ~~>fp8 TFLOP/s | >HBM:bytes | "
      "~~>usable/device:bytes | >HBM GB/s | ~>ICI links x GB/s | ~~>largest slice | ~>critical batch");
  for (const chip_spec& c : a.chips) {
    const std::string link = number(in_gb_per_s(c.ici.nominal_one_way));
    part.rows.push_back(
        {cell(c.name.view()), count_cell(c.announced_year), count_cell(c.tensorcores),
         known_cell(c.peak.bf16, tera_cell), known_cell(c.peak.int8, tera_cell), known_cell(c.peak.fp8, tera_cell),
         cell(c.hbm.capacity), known_cell(c.hbm.usable_per_device, [](bytes size) { return cell(size); }),
         cell(number(in_gb_per_s(c.hbm.bandwidth)), in_gb_per_s(c.hbm.bandwidth)),
         cell(c.ici.links == 0 ? std::string("unknown") : joined({std::to_string(c.ici.links), " x ", link})),
         count_cell(c.pod.largest_slice), count_cell(critical_batch(c))});
  }
  part.notes = {"per chip; ICI one-way, nominal; - the chip has no such mode"};
  view shown;
  shown.summary = counted(static_cast<std::int64_t>(a.chips.size()), "chip");
  shown.parts = {std::move(part)};
  shown.next = {{"chips", {}, "every figure of one chip with its source"}};
  return shown;
}

/// What a reader sees of slices: a row for each. Worked: the row of v5p-128 has 64 chips.
[[nodiscard]] inline view view_of(const slices_answer& a, const view_options& = {}) {
  using namespace readable;
  view_part part = table_of("slice | ~topology | >chips | >devices | >VMs | ~~>hosts | machine type | ~~~rings");
  for (const slice_facts& s : a.slices)
    part.rows.push_back({cell(s.name), cell(s.topology), count_cell(s.chips), count_cell(s.jax_devices),
                         count_cell(s.vms), cell(number(s.hosts), s.hosts), cell(s.machine_type.value_or("-")),
                         cell(rings_words(s))});
  view shown;
  shown.summary = counted(static_cast<std::int64_t>(a.slices.size()), "slice");
  part.notes = {a.slices.empty() ? "none yet: it is announced, and no slice of it is documented"
                                 : "rings: per axis, Y wraps, N does not, ? not established"};
  shown.parts = {std::move(part)};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

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
[[nodiscard]] inline view_part model_facts_part(const model_answer& answer) {
  view_part part = table_of("figure | >value");
  const auto add = [&](const std::string& label, std::string_view words, double value) {
    part.rows.push_back({cell(label), cell(words, value)});
  };
  const std::string tokens = std::to_string(answer.sequence_length),
                    format = joined({" (", name(answer.kv_dtype), ")"});
  if (answer.kv_bytes_per_token)
    add("KV cache per token", binary_bytes(bytes{*answer.kv_bytes_per_token}) + format, *answer.kv_bytes_per_token);
  if (answer.state_bytes_per_sequence.value_or(0) > 0)
    add("state per sequence", binary_bytes(bytes{*answer.state_bytes_per_sequence}), *answer.state_bytes_per_sequence);
  const auto flops_of = [&](const std::string& label, const std::optional<double>& work, std::string_view where = "") {
    if (work) add(label, joined({four_digits(*work), where}), *work);
  };
  flops_of("FLOPs per token, forward, " + tokens + " tokens", answer.forward_flops_per_token);
  flops_of("FLOPs per token, training", answer.training_flops_per_token);
  if (answer.flops_per_pair) {
    flops_of("FLOPs of " + std::to_string(*answer.source_length) + " source tokens, forward",
             answer.flops_per_pair->encoder.value(), " in the encoder");
    flops_of("FLOPs of " + tokens + " target tokens, forward", answer.flops_per_pair->decoder.value(),
             " in the decoder");
    const bytes each = answer.cache_per_pair->self / static_cast<double>(answer.sequence_length);
    add("cache per source or target token", binary_bytes(each) + format, each.value());
  }
  if (answer.image_tokens)
    add("tokens per image", std::to_string(*answer.image_tokens), static_cast<double>(*answer.image_tokens));
  flops_of("FLOPs per image, forward", answer.vision_flops_per_image);
  return part;
}
/// Parameters by part.
[[nodiscard]] inline view_part parameters_part(const parameter_count& counts) {
  view_part part = table_of("part | >parameters | >share");
  const auto row = [&](std::string_view label, std::int64_t of) {
    if (of != 0)
      part.rows.push_back(
          {cell(label), count_cell(of, true), share_cell(static_cast<double>(of) / static_cast<double>(counts.total))});
  };
  row("embedding", counts.embedding);
  row("attention", counts.attention);
  row("recurrent layers", counts.recurrent);
  row("MLP", counts.mlp);
  row("experts", counts.experts);
  row("router", counts.router);
  row("norms", counts.norms);
  row("multi-token prediction", counts.prediction);
  row("other", counts.other);
  row("output head", counts.lm_head);
  row("vision tower", counts.vision);
  row("projector", counts.projector);
  row("pooler or classifier", counts.head);
  row("total", counts.total);
  if (counts.active != counts.total) row("active per token", counts.active);
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
[[nodiscard]] inline view view_of(const model_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({answer.name, ": ", count(static_cast<double>(answer.parameters)), " parameters"});
  shown.summary = shown.title;
  shown.parts = {parameters_part(answer.breakdown), model_facts_part(answer)};
  add_assumed(shown, answer.assumed, options);
  if (answer.not_read.empty()) return shown;
  constexpr std::size_t most = 12;
  std::vector<std::string> names;
  for (const std::string& one : answer.not_read)
    if (names.size() < most) names.push_back(one.size() > 48 ? one.substr(0, 45) + "..." : one);
  const std::size_t more = answer.not_read.size() - names.size();
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
[[nodiscard]] inline view view_of(const batch_answer& answer, const view_options& options = {}) {
  using namespace readable;
  view shown;
  shown.title = joined({answer.chip, ": ", name(answer.compute), " products, ", name(answer.weights), " weights"});
  if (answer.shape) {
    const product_bound& product = *answer.shape;
    const std::optional<double>& exact = product.critical_batch_with_activations;
    shown.sentences = {joined({std::to_string(product.batch), " x ", std::to_string(product.inner), " x ",
                               std::to_string(product.outer), " on ", answer.chip, ": limited by ",
                               name(product.limited_by), " (", duration(product.math), " of arithmetic, ",
                               duration(product.memory), " of HBM traffic); compute-bound ",
                               exact ? "from batch " + fixed(*exact, 2) : std::string("at no batch")})};
  }
  const bool of_cores = chip_for(answer.chip).jax_devices > 1;  // each with its part of the HBM
  view_part part = table_of("operands from | >bandwidth:bytes_per_s | >ridge FLOP/B | >critical batch | ~unit");
  for (const batch_level& level : answer.levels) {
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
  part.notes = {joined({"recommended batch: ", grouped(answer.recommended_batch), " tokens, twice the critical one"})};
  shown.summary = part.notes.front();
  shown.parts = {std::move(part)};
  if (options.drawn) shown.pictures = pictures_of(answer);
  shown.next = {{"batch", {}, "one product's bound"}};
  return shown;
}

/// What a reader sees of padded dimensions. Worked: 50257 on v6e is a row with 50,432.
[[nodiscard]] inline view view_of(const pad_answer& answer, const view_options& = {}) {
  using namespace readable;
  const tile unit = layout_tile(chip_for(answer.chip), answer.format);
  const std::string side = std::to_string(answer.mxu_side);
  view shown;
  shown.title = joined({answer.chip, ": MXU ", side, "x", side, ", ", name(answer.format), " tile ",
                        std::to_string(unit.sublanes), "x", std::to_string(unit.lanes)});
  view_part part = table_of(">dimension | >to the MXU | >wasted | >as lanes | >as sublanes");
  for (const padded_dimension& one : answer.dimensions)
    part.rows.push_back({count_cell(one.given, true), count_cell(one.padded, true), share_cell(one.wasted),
                         count_cell(round_up(one.given, unit.lanes), true),
                         count_cell(round_up(one.given, unit.sublanes), true)});
  if (answer.matrix)
    part.notes = {joined({"as a matrix: ", percent(answer.matrix->flop_utilization), " of the MXU's cells are useful; ",
                          binary_bytes(answer.matrix->stored), " stored, of which ",
                          binary_bytes(answer.matrix->stored_waste), " padding"})};
  shown.parts = {std::move(part)};
  shown.summary = shown.title;
  return shown;
}

/// What a reader sees of chips: a row for each. Worked: the row of v5e has 197 TFLOP/s in bf16.
[[nodiscard]] inline view view_of(const chips_answer& answer, const view_options& = {}) {
  using namespace readable;
  view_part part = table_of(
      "chip | ~~>year | ~~~>cores | >bf16 TFLOP/s | ~~>int8 TOP/s | ~~>fp8 TFLOP/s | >HBM:bytes | "
      "~~>usable/device:bytes | >HBM GB/s | ~>ICI links x GB/s | ~~>largest slice | ~>critical batch");
  for (const chip_spec& chip : answer.chips) {
    const std::string link = number(in_gb_per_s(chip.ici.nominal_one_way));
    part.rows.push_back(
        {cell(chip.name.view()), count_cell(chip.announced_year), count_cell(chip.tensorcores),
         known_cell(chip.peak.bf16, tera_cell), known_cell(chip.peak.int8, tera_cell),
         known_cell(chip.peak.fp8, tera_cell), cell(chip.hbm.capacity),
         known_cell(chip.hbm.usable_per_device, [](bytes size) { return cell(size); }),
         cell(number(in_gb_per_s(chip.hbm.bandwidth)), in_gb_per_s(chip.hbm.bandwidth)),
         cell(chip.ici.links == 0 ? std::string("unknown") : joined({std::to_string(chip.ici.links), " x ", link})),
         count_cell(chip.pod.largest_slice), count_cell(critical_batch(chip))});
  }
  part.notes = {"per chip; ICI one-way, nominal; - the chip has no such mode"};
  view shown;
  shown.summary = counted(static_cast<std::int64_t>(answer.chips.size()), "chip");
  shown.parts = {std::move(part)};
  shown.next = {{"chips", {}, "every figure of one chip with its source"}};
  return shown;
}

/// What a reader sees of slices: a row for each. Worked: the row of v5p-128 has 64 chips.
[[nodiscard]] inline view view_of(const slices_answer& answer, const view_options& = {}) {
  using namespace readable;
  view_part part = table_of("slice | ~topology | >chips | >devices | >VMs | ~~>hosts | machine type | ~~~rings");
  for (const slice_facts& facts : answer.slices)
    part.rows.push_back({cell(facts.name), cell(facts.topology), count_cell(facts.chips), count_cell(facts.jax_devices),
                         count_cell(facts.vms), cell(number(facts.hosts), facts.hosts),
                         cell(facts.machine_type.value_or("-")), cell(rings_words(facts))});
  view shown;
  shown.summary = counted(static_cast<std::int64_t>(answer.slices.size()), "slice");
  part.notes = {answer.slices.empty() ? "none yet: it is announced, and no slice of it is documented"
                                      : "rings: per axis, Y wraps, N does not, ? not established"};
  shown.parts = {std::move(part)};
  return shown;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

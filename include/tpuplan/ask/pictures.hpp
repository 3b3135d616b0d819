#ifndef TPUPLAN_ASK_PICTURES_HPP
#define TPUPLAN_ASK_PICTURES_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/plan.hpp>
#include <tpuplan/ask/serving.hpp>
#include <tpuplan/ask/training.hpp>
#include <tpuplan/show/svg.hpp>
#include <tpuplan/show/svg/picture.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <type_traits>
#include <utility>
#include <vector>

/// @file
/// The pictures of an answer, drawn by show/svg from the answer alone.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {

/// ", my-model" behind the title of a picture; nothing where the config.json has no name of its own.
[[nodiscard]] inline std::string of_model(const transformer& model) {
  const std::string name(model.name.view());
  return name.empty() || name == "config" ? std::string() : ", " + name;
}
[[nodiscard]] inline memory_chart memory_chart_of(const fit_answer& answer) {
  const std::string where = slices_line(slice_for(answer.slice), slices(answer.mesh));
  return {"HBM of one device of " + where, {{where + ", " + one_line(answer.mesh), answer.breakdown}}};
}

/// Memory by part.
[[nodiscard]] inline std::vector<picture> pictures_of(const fit_answer& answer) {
  return {picture_of("memory", memory_chart_of(answer))};
}
/// The step by part, and its memory.
[[nodiscard]] inline std::vector<picture> pictures_of(const train_answer& answer) {
  const memory_chart memory = memory_chart_of(answer.memory);
  const std::string where = slices_line(slice_for(answer.memory.slice), slices(answer.memory.mesh));
  const step_chart steps{"Time of one step on " + where, {{memory.bars.front().label, answer.breakdown}}};
  return {picture_of("steps", steps), picture_of("memory", memory)};
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
/// Throughput against the time of a token; none where nothing is served.
[[nodiscard]] inline std::vector<picture> pictures_of(const serve_answer& answer) {
  if (answer.frontier.count == 0) return {};
  const frontier_chart chart{"Throughput and time per token on " + answer.slice, {{answer.slice, answer.frontier}}};
  return {picture_of("front", chart)};
}
/// Latency against load, where other rates were asked for.
[[nodiscard]] inline std::vector<picture> pictures_of(const simulate_answer& answer) {
  if (answer.load.empty()) return {};
  const std::string where = slices_line(answer.fleet.where, answer.fleet.slices);
  return {picture_of("load", latency_chart{"Latency and load of " + where, answer.load, answer.targets})};
}
/// Throughput against the time of a token, of one slice of each of the first five plans that differ in it.
[[nodiscard]] inline std::vector<picture> pictures_of(const serving_plan_document& answer) {
  constexpr std::size_t most_lines = 5;
  const serving_request& asked = answer.request;
  frontier_chart chart;
  chart.title = "Throughput and time per token of one slice" + of_model(asked.model);
  for (const serving_plan_row& row : answer.plans) {
    const std::string label = row.slice + ", tensor " + std::to_string(row.plan.mesh.tensor);
    const auto is_drawn = [&](const frontier_line& line) { return line.label == label; };
    if (std::any_of(chart.lines.begin(), chart.lines.end(), is_drawn)) continue;
    if (chart.lines.size() == most_lines) break;
    chart.lines.push_back(
        {label, tpuplan::frontier(asked.model, asked.job, row.plan.mesh, row.plan.where, asked.constants)});
  }
  if (chart.lines.empty()) return {};
  return {picture_of("front", chart)};
}
/// Time against dollars of all plans, and step and memory of the first five; none where there is no plan.
[[nodiscard]] inline std::vector<picture> pictures_of(const plan_document& answer) {
  constexpr std::size_t most_bars = 5;
  const std::string of = of_model(answer.request.model);
  pareto_chart front;
  step_chart steps;
  memory_chart memory;
  front.title += of;
  steps.title += of;
  memory.title += of;
  for (const plan_row& row : answer.plans) {
    const std::string where = slices_line(row.plan);
    const std::string label = where + ", " + one_line(row.plan.mesh) + ", remat " + row.remat;
    if (row.total && row.wall) front.points.push_back({where, *row.wall, *row.total});
    if (steps.bars.size() == most_bars) continue;
    steps.bars.push_back({label, row.plan.step});
    memory.bars.push_back({label, row.plan.memory});
  }
  std::vector<picture> pictures;
  if (!front.points.empty()) pictures.push_back(picture_of("front", front));
  if (steps.bars.empty()) return pictures;
  pictures.push_back(picture_of("steps", steps));
  pictures.push_back(picture_of("memory", memory));
  return pictures;
}

template <class Answer, class = void>
struct has_pictures : std::false_type {};
template <class Answer>
struct has_pictures<Answer, std::void_t<decltype(pictures_of(std::declval<const Answer&>()))>> : std::true_type {};
}  // namespace detail

}  // namespace abi_0
}  // namespace tpuplan

#endif

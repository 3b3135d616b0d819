#ifndef TPUPLAN_IO_ASK_FIGURES_HPP
#define TPUPLAN_IO_ASK_FIGURES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/io/json.hpp>
#include <vector>

/// @file
/// The questions that need no model: chips, slices, batch, pad. Each has a request, an answer and `answer_to`.

namespace tpuplan {
inline namespace abi_0 {

/// What is in the chip table?
struct chips_request {
  std::string name{};  ///< one chip; empty: all
};
/// The chips asked about.
struct chips_answer {
  /// @{
  /// In the order of the table.
  std::vector<chip_spec> chips{};
  /// @}
};
/// The answer to the question.
[[nodiscard]] inline chips_answer answer_to(const chips_request& asked) {
  if (!asked.name.empty()) return {{chip_for(asked.name)}};
  return {{generations.begin(), generations.end()}};
}

/// Which slices exist, what is "v5p-128"?
struct slices_request {
  std::string name{};                      ///< one slice; empty: all
  std::vector<std::string> generations{};  ///< only these chips; none: all
};
/// What is in a slice.
struct slice_facts {
  /// @{
  /// What the functions of these names say of the slice.
  std::string name{}, generation{}, topology{};
  std::int64_t chips = 0, tensorcores = 0, jax_devices = 0, vms = 0;
  double hosts = 0;
  std::int64_t chips_per_vm = 0;
  std::optional<std::string> machine_type{};
  std::vector<std::optional<bool>> wraparound{};  ///< of each axis; nothing: not established
  bool schedulable = false;
  bytes usable_hbm{};
  /// @}
};
/// The slices asked about.
struct slices_answer {
  /// @{
  /// In the order of the table.
  std::vector<slice_facts> slices{};
  /// @}
};
/// What the functions of hardware/ say of a slice. Worked: facts_of(slice_for("v5p-128")).chips is 64.
[[nodiscard]] inline slice_facts facts_of(const slice& where) {
  slice_facts facts;
  facts.name = tpuplan::name(where).view();
  facts.generation = where.chip.name.view();
  facts.topology = tpuplan::name(where.shape).view();
  facts.chips = chips(where);
  facts.tensorcores = tensorcores(where);
  facts.jax_devices = devices(where);
  facts.vms = vms(where);
  facts.hosts = hosts(where);
  facts.chips_per_vm = where.chips_per_vm;
  if (const maybe<machine_type> machine = machine_type_of(where)) facts.machine_type = std::string(machine->name);
  const std::array<known<bool>, 3> axes = wraparound(where);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(where.shape.axes); ++axis)
    facts.wraparound.push_back(axes[axis].has_value() ? std::optional<bool>(axes[axis].value()) : std::nullopt);
  facts.schedulable = schedulable(where);
  facts.usable_hbm = usable_hbm(where);
  return facts;
}
/// The answer to the question.
[[nodiscard]] inline slices_answer answer_to(const slices_request& asked) {
  if (!asked.name.empty() && !asked.generations.empty())
    detail::fail(errc::invalid_argument, "generations", "given without effect", "none beside name");
  if (!asked.name.empty()) return {{facts_of(slice_for(asked.name))}};
  std::vector<text<24>> wanted;
  for (const std::string& one : asked.generations) wanted.push_back(chip_for(one).name);
  slices_answer answer;
  for (std::size_t i = 0; i < slice_count; ++i) {
    const slice one = slice_at(i);
    bool is_wanted = wanted.empty();
    for (const text<24>& chip : wanted) is_wanted = is_wanted || chip == one.chip.name;
    if (is_wanted) answer.slices.push_back(facts_of(one));
  }
  return answer;
}

/// From which batch on is a product limited by arithmetic?
struct batch_request {
  /// @{
  /// The chip, by name.
  std::string chip{};
  dtype compute = dtype::bf16;           ///< activations and arithmetic
  std::optional<dtype> weights{};        ///< where they are in another format
  std::optional<product_shape> shape{};  ///< one product, and what bounds it
  /// @}
};
/// Operands from one level of memory; nothing where its rate is unknown.
struct batch_level {
  /// @{
  /// The level, and its figures.
  memory_level from{};
  std::optional<bytes_per_second> bandwidth{};
  std::optional<flops_per_byte> ridge_point{};
  std::optional<std::int64_t> critical_batch_tokens{};
  /// @}
};
/// What bounds one product.
struct product_bound {
  /// @{
  /// As roofline says it.
  std::int64_t batch = 0, inner = 0, outer = 0;
  seconds math{}, memory{};
  bound limited_by{};
  std::optional<double> critical_batch_with_activations{};  ///< nothing: limited by HBM at any batch
  /// @}
};
/// The ridge points of a chip, and the bound of a product where one was asked about.
struct batch_answer {
  /// @{
  /// The question filled in, and its figures.
  std::string chip{};
  dtype compute{}, weights{};
  std::int64_t critical_batch = 0, recommended_batch = 0;
  std::vector<batch_level> levels{};
  std::optional<product_bound> shape{};
  /// @}
};
namespace detail {
[[nodiscard]] inline bool has_rate(const chip_spec& chip, memory_level level) {
  switch (level) {
    case memory_level::vmem: return chip.on_chip.vmem_bandwidth_over_hbm.has_value();
    case memory_level::pcie: return chip.host.pcie.has_value();
    case memory_level::dcn: return chip.host.dcn.has_value();
    case memory_level::ici: return chip.ici.nominal_one_way.value() > 0;
    case memory_level::hbm: break;
  }
  return true;
}
}  // namespace detail
/// The answer to the question.
[[nodiscard]] inline batch_answer answer_to(const batch_request& asked) {
  const chip_spec chip = chip_for(asked.chip);
  product_dtypes types = uniform(asked.compute);
  if (asked.weights) types.weights = *asked.weights;
  const std::int64_t critical = critical_batch(chip, types);
  batch_answer answer{std::string(chip.name.view()), types.compute, types.weights, critical, 2 * critical, {}, {}};
  for (const memory_level level :
       {memory_level::hbm, memory_level::vmem, memory_level::ici, memory_level::pcie, memory_level::dcn}) {
    batch_level& one = answer.levels.emplace_back();
    one.from = level;
    if (!detail::has_rate(chip, level)) continue;
    one.bandwidth = bandwidth(chip, level);
    one.ridge_point = tpuplan::ridge_point(chip, types.compute, level);
    one.critical_batch_tokens = critical_batch(chip, types, level);
  }
  if (!asked.shape) return answer;
  const product_shape& shape = *asked.shape;
  const product_time time = roofline(chip, shape, types);
  answer.shape = product_bound{shape.batch, shape.inner, shape.outer, time.math, time.memory, time.limited_by, {}};
  if (const maybe<double> exact = critical_batch_with_activations(chip, shape.inner, shape.outer, types))
    answer.shape->critical_batch_with_activations = *exact;
  return answer;
}

/// What does padding waste?
struct pad_request {
  /// @{
  /// The chip, by name.
  std::string chip{};
  std::vector<std::int64_t> dimensions{};  ///< two are a matrix
  dtype format = dtype::bf16;              ///< of the matrix in memory
  /// @}
};
/// A dimension and what it is padded to.
struct padded_dimension {
  /// @{
  /// In elements.
  std::int64_t given = 0, padded = 0;
  double wasted = 0;  ///< share of the padded one
  /// @}
};
/// Two dimensions as a matrix in memory.
struct padded_matrix {
  /// @{
  /// As padding says it.
  double flop_utilization = 0;
  bytes stored{}, stored_waste{};
  /// @}
};
/// Dimensions padded to the MXU.
struct pad_answer {
  /// @{
  /// The chip and each dimension.
  std::string chip{};
  std::int64_t mxu_side = 0;
  std::vector<padded_dimension> dimensions{};
  std::optional<padded_matrix> matrix{};
  /// @}
};
/// The answer to the question.
[[nodiscard]] inline pad_answer answer_to(const pad_request& asked) {
  const chip_spec chip = chip_for(asked.chip);
  if (asked.dimensions.empty()) detail::fail(errc::missing_field, "dimensions", "missing", "one or more dimensions");
  pad_answer answer{std::string(chip.name.view()), chip.mxu.side, {}, {}};
  for (const std::int64_t size : asked.dimensions) {
    const std::int64_t padded = round_up(detail::positive_count("dimensions", size), chip.mxu.side);
    answer.dimensions.push_back({size, padded, 1 - static_cast<double>(size) / static_cast<double>(padded)});
  }
  if (asked.dimensions.size() != 2) return answer;
  const padding_cost cost = padding(matrix_shape{asked.dimensions[0], asked.dimensions[1]}, chip, asked.format);
  answer.matrix = padded_matrix{cost.flop_utilization, cost.stored, cost.stored_waste};
  return answer;
}

}  // namespace abi_0
}  // namespace tpuplan

TPUPLAN_FIELDS(tpuplan::chips_request, name)
TPUPLAN_FIELDS(tpuplan::chips_answer, chips)
TPUPLAN_FIELDS(tpuplan::slices_request, name, generations)
TPUPLAN_FIELDS(tpuplan::slice_facts, name, generation, topology, chips, tensorcores, jax_devices, vms, hosts,
               chips_per_vm, machine_type, wraparound, schedulable, usable_hbm)
TPUPLAN_FIELDS(tpuplan::slices_answer, slices)
TPUPLAN_FIELDS(tpuplan::batch_request, chip, compute, weights, shape)
TPUPLAN_FIELDS(tpuplan::batch_level, from, bandwidth, ridge_point, critical_batch_tokens)
TPUPLAN_FIELDS(tpuplan::product_bound, batch, inner, outer, math, memory, limited_by, critical_batch_with_activations)
TPUPLAN_FIELDS(tpuplan::batch_answer, chip, compute, weights, critical_batch, recommended_batch, levels, shape)
TPUPLAN_FIELDS(tpuplan::pad_request, chip, dimensions, format)
TPUPLAN_FIELDS(tpuplan::padded_dimension, given, padded, wasted)
TPUPLAN_FIELDS(tpuplan::padded_matrix, flop_utilization, stored, stored_waste)
TPUPLAN_FIELDS(tpuplan::pad_answer, chip, mxu_side, dimensions, matrix)

#endif

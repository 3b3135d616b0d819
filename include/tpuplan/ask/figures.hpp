#ifndef TPUPLAN_ASK_FIGURES_HPP
#define TPUPLAN_ASK_FIGURES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tpuplan/ask/question.hpp>
#include <tpuplan/handbook/intensity.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/handbook/roofline.hpp>
#include <tpuplan/hardware/generations.hpp>
#include <tpuplan/hardware/slice.hpp>
#include <tpuplan/json.hpp>
#include <vector>

/// @file
/// The questions that need no model: chips, slices, batch, pad. Each has a request, an answer and `answer_to`.

namespace tpuplan {
inline namespace abi_0 {

/// What is in the chip table?
struct chips_request {
  std::string name{};  ///< name of one chip; empty: all chips
};
/// The rows of the question chips.
inline constexpr question_row chip_rows[] = {rows::words("name", "name", "Chip", "one chip; all, if not given")};
/// The chips asked about.
struct chips_answer {
  /// @{
  /// The chips that were asked about, oldest generation first.
  std::vector<chip_spec> chips{};
  /// @}
};
/// The chip of the name that was given, else every chip of the table. Throws for an unknown name. Worked: "v5e" is one
/// chip.
[[nodiscard]] inline chips_answer answer_to(const chips_request& asked) {
  if (!asked.name.empty()) return {{chip_for(asked.name)}};
  return {{generations.begin(), generations.end()}};
}

/// Which slices exist, what is "v5p-128"?
struct slices_request {
  std::string name{};  ///< name of one slice; empty: all slices
  /// Names of the chips whose slices are listed; none: those of all chips.
  std::vector<std::string> generations{};
};
/// The rows of the question slices.
inline constexpr question_row slice_rows[] = {
    rows::words("name", "name", "Slice", "one slice; all, if not given"),
    rows::words("generations", "--generation", "Only these chips", "only slices of these chips: v5e,v6e")
        .not_with("name")
        .list(),
};
/// What is in a slice.
struct slice_facts {
  /// @{
  /// Names, counts and memory of the slice, as the functions of the same names in hardware/ compute them.
  /// Name of the slice, of its chip, and its shape in chips ("4x4x4").
  std::string name{}, generation{}, topology{};
  std::int64_t chips = 0, tensorcores = 0, jax_devices = 0, vms = 0;  ///< counts over the whole slice
  double hosts = 0;  ///< physical machines; a fraction where the slice has a part of one
  std::int64_t chips_per_vm = 0;
  std::optional<std::string> machine_type{};      ///< Google Cloud's name of the VMs; nothing where none is documented
  std::vector<std::optional<bool>> wraparound{};  ///< whether each axis is a ring; nothing where no source says it
  bool schedulable = false;                       ///< whether the slice can be rented as a whole
  bytes usable_hbm{};                             ///< bytes that programs may use, over all chips
  /// @}
};
/// The slices asked about.
struct slices_answer {
  /// @{
  /// The slices that were asked about, in the order of the table.
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
/// The documented slices of the name, generation and size that were asked for. Throws for unknown names. Worked:
/// "v5p-128" is one slice of 64 chips.
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
  /// The name of the chip, such as "v5e".
  std::string chip{};
  dtype compute = dtype::bf16;           ///< format of the activations and of the arithmetic
  std::optional<dtype> weights{};        ///< format of the weights; nothing: that of the arithmetic
  std::optional<product_shape> shape{};  ///< one matrix product whose bound is asked for
  /// @}
};
/// The rows of the question batch.
inline constexpr question_row batch_rows[] = {
    rows::words("chip", "chip", "Chip", "v5e, v6e …").needed(),
    rows::choice("compute", "--dtype", "Arithmetic", format_choices, "activations and arithmetic").usually("bf16"),
    rows::choice("weights", "--weights", "Weights", format_choices, "weights, if they are in another format"),
    rows::words("shape", "--shape", "Shape", "BxDxF: the product [B,D] x [D,F]"),
};
/// One level of memory that the operands may be read from; its figures are nothing where its bandwidth is unknown.
struct batch_level {
  /// @{
  /// The level, its bandwidth in bytes/s, and the batch from which a product is limited by arithmetic.
  memory_level from{};
  std::optional<bytes_per_second> bandwidth{};
  std::optional<flops_per_byte> ridge_point{};  ///< peak FLOP/s over the bandwidth: FLOPs per byte
  /// Tokens from which on arithmetic takes longer than reading the weights.
  std::optional<std::int64_t> critical_batch_tokens{};
  /// @}
};
/// What bounds one product.
struct product_bound {
  /// @{
  /// The dimensions of the product, in elements.
  std::int64_t batch = 0, inner = 0, outer = 0;
  seconds math{}, memory{};  ///< time of the arithmetic at the peak rate, and of the traffic with HBM
  bound limited_by{};        ///< the larger of the two times
  /// Tokens, activations read too; nothing: limited by HBM at any batch.
  std::optional<double> critical_batch_with_activations{};
  /// @}
};
/// The ridge points of a chip, and the bound of a product where one was asked about.
struct batch_answer {
  /// @{
  /// The chip, the formats, and the batches in tokens.
  std::string chip{};
  dtype compute{}, weights{};                              ///< formats of the arithmetic and of the weights
  std::int64_t critical_batch = 0, recommended_batch = 0;  ///< the critical batch, and twice that
  std::vector<batch_level> levels{};                       ///< one row for each level of memory
  std::optional<product_bound> shape{};                    ///< the product, where one was asked about
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
/// The critical batch of a chip and, where a shape was given, what bounds that product. Throws for an unknown chip or
/// format. Worked: 241 tokens for v5e in bf16.
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
  /// The name of the chip, such as "v6e".
  std::string chip{};
  std::vector<std::int64_t> dimensions{};  ///< in elements; two dimensions are also answered as a matrix in memory
  dtype format = dtype::bf16;              ///< of the elements of that matrix
  /// @}
};
/// The rows of the question pad.
inline constexpr question_row pad_rows[] = {
    rows::words("chip", "chip", "Chip", "v5e, v6e …").needed(),
    rows::count("dimensions", "dims", "Dimensions", "elements", "one or more dimensions; two are a matrix")
        .within(1, 2e9)
        .needed()
        .list(),
    rows::choice("format", "--dtype", "Format", format_choices, "of the matrix in memory").usually("bf16"),
};
/// A dimension and what it is padded to.
struct padded_dimension {
  /// @{
  /// The dimension as given and as padded, in elements.
  std::int64_t given = 0, padded = 0;
  double wasted = 0;  ///< padding as a share of the padded dimension, 0 to 1
  /// @}
};
/// Two dimensions as a matrix in memory.
struct padded_matrix {
  /// @{
  /// What padding costs the matrix.
  double flop_utilization = 0;     ///< share of the MXU's cells that hold useful elements, 0 to 1
  bytes stored{}, stored_waste{};  ///< bytes in HBM, and those of them that are padding
  /// @}
};
/// Dimensions padded to the MXU.
struct pad_answer {
  /// @{
  /// The chip, and what each dimension is padded to.
  std::string chip{};
  std::int64_t mxu_side = 0;  ///< rows and columns of its matrix unit, in elements
  std::vector<padded_dimension> dimensions{};
  std::optional<padded_matrix> matrix{};  ///< two dimensions as a matrix in memory
  dtype format{};                         ///< of the elements of that matrix
  /// @}
};
/// What dimensions are padded to on a chip. Throws for an unknown chip and where there are no dimensions. Worked: 50257
/// is padded to 50432 on v6e.
[[nodiscard]] inline pad_answer answer_to(const pad_request& asked) {
  const chip_spec chip = chip_for(asked.chip);
  if (asked.dimensions.empty()) detail::fail(errc::missing_field, "dimensions", "missing", "one or more dimensions");
  pad_answer answer{std::string(chip.name.view()), chip.mxu.side, {}, {}, asked.format};
  for (const std::int64_t size : asked.dimensions) {
    if (size > 2000000000) detail::fail(errc::out_of_range, "dimensions", size, "1 to 2e9");
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
TPUPLAN_FIELDS(tpuplan::pad_answer, chip, mxu_side, dimensions, matrix, format)

#endif

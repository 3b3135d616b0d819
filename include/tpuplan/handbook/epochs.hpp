#ifndef TPUPLAN_HANDBOOK_EPOCHS_HPP
#define TPUPLAN_HANDBOOK_EPOCHS_HPP

#include <cstdint>
#include <string_view>
#include <tpuplan/handbook/batches.hpp>
#include <tpuplan/handbook/roofline.hpp>

/// @file
/// Jobs that are given in examples and epochs: how many steps they take, how many examples are dropped, and whether the
/// rows of a batch fill the MXU.

namespace tpuplan {
inline namespace abi_0 {

/// A data set, and how often it is passed.
struct data_set {
  std::int64_t examples = 0;         ///< of one epoch
  double epochs = 1;                 ///< passes; need not be whole
  remainder last = remainder::drop;  ///< what happens to the examples of an epoch that fill no batch
};

namespace detail {

/// Whether batches of that size leave out more than a fiftieth of the examples of each epoch.
constexpr bool drops_many(const data_set& data, std::int64_t batch) {
  return data.last == remainder::drop && data.examples % batch > data.examples / 50;
}

}  // namespace detail

/// The steps of a job that is given in epochs.
struct epoch_count {
  std::int64_t batch = 0;            ///< examples in a step, over all replicas
  std::int64_t steps_per_epoch = 0;  ///< whole steps
  std::int64_t dropped = 0;          ///< examples of each epoch that are in no step
  std::int64_t steps = 0;            ///< of all epochs, the last one's started step included
  std::int64_t examples = 0;         ///< examples trained on in all epochs
};

/// The steps of a job over a data set in batches of that size. Throws where the data set fills no batch and the rest is
/// dropped.
/// Worked: 60000 examples in batches of 1024 are 58 steps an epoch, 608 are dropped; five epochs are 290 steps. 2.5
/// epochs of 1000 examples in batches of 256 are 8 steps, which train on 2048.
[[nodiscard]] constexpr epoch_count epochs_of(const data_set& data, std::int64_t global_batch) {
  detail::in_range("data_set.epochs", detail::positive("data_set.epochs", data.epochs), 0, 1e9, "above 0, to 1e9");
  epoch_count count;
  count.batch = detail::positive_count("global batch", global_batch);
  count.steps_per_epoch = steps_per_epoch(data.examples, global_batch, data.last);
  if (count.steps_per_epoch == 0)
    detail::fail(errc::out_of_range, "global batch", global_batch, "at most the examples, where the rest is dropped");
  const std::int64_t full = data.examples / global_batch;
  if (data.last == remainder::drop) count.dropped = data.examples - checked_multiply(full, global_batch);
  const double steps = static_cast<double>(count.steps_per_epoch) * data.epochs;
  count.steps = ceil_to_count(steps * (1 - 1e-14));  // 1.1 times 100 are 110
  const std::int64_t whole = count.steps / count.steps_per_epoch, rest = count.steps % count.steps_per_epoch;
  count.examples = checked_add(checked_multiply(whole, data.examples - count.dropped), rest * global_batch);
  return count;
}

/// What one row of a product is.
enum class row_kind : std::uint8_t {
  example,   ///< of a layer without positions: a row of an MLP, an image in its classifier
  position,  ///< of an image in a convolution
  patch,     ///< of a vision transformer
  token,     ///< of text
};
/// "example" and so on.
[[nodiscard]] constexpr std::string_view name(row_kind kind) noexcept {
  constexpr const char* names[] = {"example", "position", "patch", "token"};
  return detail::name_of(names, static_cast<std::size_t>(kind));
}

/// How a batch fills the MXU. A core (JAX device) reads its copy of the weights once for all its rows, from its part of
/// the chip's HBM, so its rows, not its examples, are compared with the critical batch; they are padded to tiles.
struct batch_fill {
  std::int64_t rows_per_core = 0;   ///< examples of a core times rows of an example
  std::int64_t rows_per_chip = 0;   ///< the rows of all cores of a chip
  std::int64_t critical_rows = 0;   ///< rows per core from which products are limited by arithmetic
  std::int64_t padded_rows = 0;     ///< the rows of a core, rounded up to a sublane tile of 8
  double padding_waste = 0;         ///< share of the padded rows that is padding
  bool limited_by_compute = false;  ///< the rows of a core reach the critical batch
};

/// How that many examples on each core (JAX device) of a chip fill it, with `rows_of_an_example` rows each.
/// Worked: 128 images of 196 patches on a core of v5e are 25088 rows, above its critical 241; 128 rows of an MLP are
/// not, also where two cores of a v3 chip have 128 each and the chip 256, above the critical 137 of either.
[[nodiscard]] constexpr batch_fill batch_fill_of(const chip_spec& chip, std::int64_t examples_per_core,
                                                 std::int64_t rows_of_an_example, dtype type = dtype::bf16) {
  batch_fill fill;
  fill.rows_per_core = checked_multiply(detail::positive_count("examples of a core", examples_per_core),
                                        detail::positive_count("rows of an example", rows_of_an_example));
  fill.rows_per_chip =
      checked_multiply(fill.rows_per_core, detail::positive_count("chip.jax_devices", chip.jax_devices));
  fill.critical_rows = critical_batch(chip, type);
  fill.padded_rows = round_up(fill.rows_per_core, 8);
  fill.padding_waste = 1 - static_cast<double>(fill.rows_per_core) / static_cast<double>(fill.padded_rows);
  fill.limited_by_compute = fill.rows_per_core >= fill.critical_rows;
  return fill;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

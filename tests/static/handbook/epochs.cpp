// The worked numbers in the comments of handbook/epochs.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/handbook/batches.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/hardware/generations.hpp>

using namespace tpuplan;

namespace static_handbook_epochs_tests {

namespace {

constexpr data_set mnist(double epochs, remainder last = remainder::drop) { return {60000, epochs, last}; }
constexpr epoch_count five = epochs_of(mnist(5), 1024);
static_assert(five.steps_per_epoch == 58 && five.dropped == 608 && five.steps == 290 && five.examples == 5 * 59392);
constexpr epoch_count kept = epochs_of(mnist(5, remainder::keep), 1024);
static_assert(kept.steps_per_epoch == 59 && kept.dropped == 0 && kept.steps == 295 && kept.examples == 300000);
// A last epoch that is split: whole steps of it, each a batch.
constexpr epoch_count split = epochs_of({1000, 2.5, remainder::drop}, 256);
static_assert(split.steps == 8 && split.examples == 2048 && split.dropped == 232);
constexpr epoch_count split_kept = epochs_of({1000, 2.5, remainder::keep}, 256);
static_assert(split_kept.steps == 10 && split_kept.examples == 2 * 1000 + 2 * 256);
static_assert(epochs_of(mnist(0.5), 1024).steps == 29 && epochs_of(mnist(1), 60000).steps == 1);

constexpr batch_fill patches_of_images = batch_fill_of(v5e, 128, 196);
static_assert(patches_of_images.rows_per_core == 25088 && patches_of_images.critical_rows == 241);
static_assert(patches_of_images.limited_by_compute && patches_of_images.padding_waste == 0);
static_assert(!batch_fill_of(v5e, 128, 1).limited_by_compute && batch_fill_of(v5e, 241, 1).limited_by_compute);
static_assert(batch_fill_of(v3, 64, 1).rows_per_chip == 128);  // two cores
// A layer of 512 x 1024 on 128 rows of a core of v3: 1.44 MB at 450 GB/s are 3.20 us, 134 MFLOP at 61.5 TFLOP/s 2.18.
static_assert(batch_fill_of(v3, 128, 1).critical_rows == 137 && !batch_fill_of(v3, 128, 1).limited_by_compute);
static_assert(batch_fill_of(v3, 137, 1).limited_by_compute);
static_assert(!batch_fill_of(tpu7x, batch_fill_of(tpu7x, 1, 1).critical_rows - 1, 1).limited_by_compute);
static_assert(batch_fill_of(v5e, 10, 1).padded_rows == 16 && batch_fill_of(v5e, 10, 1).padding_waste == 0.375);
static_assert(batch_fill_of(v5e, 3, 1).padded_rows == 8 && batch_fill_of(v5e, 3, 1).padding_waste == 0.625);
static_assert(name(row_kind::patch) == "patch");

// What a number of epochs lacks to a whole step by rounding is no step.
static_assert(epochs_of({1000, 1.1}, 10).steps == 110 && epochs_of({1000, 1.1}, 10).examples == 1100);
static_assert(epochs_of({1000, 0.07}, 10).steps == 7 && epochs_of({1000, 0.071}, 10).steps == 8);

}  // namespace

}  // namespace static_handbook_epochs_tests

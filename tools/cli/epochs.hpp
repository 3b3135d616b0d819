#ifndef TPUPLAN_CLI_EPOCHS_HPP
#define TPUPLAN_CLI_EPOCHS_HPP

#include <cstdint>
#include <optional>
#include <tpuplan/handbook/epochs.hpp>

#include "cli/option.hpp"
#include "cli/print.hpp"

// A run that is given in examples and epochs, in steps of an epoch and epochs, or in steps.
namespace cli {

struct epoch_options {
  std::optional<std::int64_t> examples, steps_per_epoch, steps;
  double epochs = 1;
  bool keep = false;
};

/// --examples, --epochs, --keep-remainder, --steps-per-epoch and --steps; beside one of `excluded` they have no effect.
void add_epoch_options(command& to, epoch_options& into, std::initializer_list<const char*> excluded = {});

inline bool is_given(const epoch_options& given) { return given.examples || given.steps_per_epoch || given.steps; }

/// The data set of a run in batches of that many examples; steps are taken to be of whole batches.
tpuplan::data_set data_of(const epoch_options& given, std::int64_t batch);
/// The number of steps of the run, for batches of that many examples. A run that is given in steps has no epochs.
tpuplan::epoch_count epochs_asked(const epoch_options& given, std::int64_t batch);

ordered_json json_of(const epoch_options& given, const tpuplan::epoch_count& count);

}  // namespace cli

#endif

#include "cli/epochs.hpp"

namespace cli {

using namespace tpuplan;

void add_epoch_options(command& to, epoch_options& into, std::initializer_list<const char*> excluded) {
  to.add("--examples", into.examples, {1, 1e15}, "of the data set: images, rows, or sequences of --seq tokens")
      .decides("tokens")
      .excludes({"--steps", "--steps-per-epoch"})
      .excludes(excluded);
  to.add("--epochs", into.epochs, {1e-6, 1e6}, "passes over the examples")
      .usually("1")
      .needs({"--examples", "--steps-per-epoch"});
  to.add("--steps-per-epoch", into.steps_per_epoch, {1, 1e12},
         "instead of the examples; the run takes --epochs of them")
      .excludes({"--steps"})
      .excludes(excluded);
  to.flag("--keep-remainder", into.keep, "the examples of an epoch that fill no batch make one of their own")
      .needs({"--examples"});
  to.add("--steps", into.steps, {1, 1e12}, "of the whole run").decides("tokens").excludes(excluded);
}

data_set data_of(const epoch_options& given, std::int64_t batch) {
  if (given.steps) return {checked_multiply(batch, *given.steps), 1, remainder::drop};
  if (given.steps_per_epoch) return {checked_multiply(batch, *given.steps_per_epoch), given.epochs, remainder::drop};
  return {given.examples.value(), given.epochs, given.keep ? remainder::keep : remainder::drop};
}

epoch_count epochs_asked(const epoch_options& given, std::int64_t batch) {
  epoch_count count;
  if (is_given(given)) count = epochs_of(data_of(given, batch), batch);
  if (given.steps) count.steps_per_epoch = 0;  // of a run that has no epochs
  return count;
}

ordered_json json_of(const epoch_options& given, const epoch_count& count) {
  ordered_json document = {{"batch", count.batch}, {"steps", count.steps}, {"examples_trained_on", count.examples}};
  if (given.steps) return document;
  if (given.examples) document["examples"] = *given.examples;
  document["epochs"] = given.epochs;
  document["steps_per_epoch"] = count.steps_per_epoch;
  document["dropped_per_epoch"] = count.dropped;
  return document;
}

}  // namespace cli

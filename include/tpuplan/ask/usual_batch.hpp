#ifndef TPUPLAN_ASK_USUAL_BATCH_HPP
#define TPUPLAN_ASK_USUAL_BATCH_HPP

#include <cstdint>
#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/estimate/training/critical_batch.hpp>
#include <tpuplan/handbook/epochs.hpp>
#include <tpuplan/model/usual_job.hpp>

/// @file
/// The batch of a plan that says nothing of it.

namespace tpuplan {
inline namespace abi_0 {

/// Sets the batch of a run of so many tokens (with `data`, of one epoch) that says nothing of it, and says so: 4 Mi
/// tokens, by halves no more than published laws say at most (`critical_batch_of`). Throws for a model that is not
/// trained, and where no law speaks of the run (of adapters, frozen towers, encoders, pairs of stacks) and steps of 4
/// Mi tokens are fewer than `few_steps`. Worked: Llama 3 8B has 1024 sequences of 4096 tokens on 1e12 tokens, 64 on
/// 1e8.
inline void take_usual_batch(double tokens, double noise_scale, const transformer& model, training_job& job,
                             assumed_values& assumed, const data_set* data = nullptr) {
  detail::check_trained_model(model);
  const std::int64_t length = job.sequence_length;
  const double epochs = data != nullptr ? data->epochs : 1;
  const maybe<critical_batch_band> band = critical_batch_of(model, job, tokens * epochs, noise_scale);
  std::int64_t& batch = job.global_batch;
  batch = usual_batch(tokens, length);
  std::string why = batch < usual_batch(1e18, length)  ? "as the run has few"
                    : length > (std::int64_t{4} << 20) ? "one has more than 4 Mi tokens"
                                                       : "4 Mi tokens a step";
  const auto is_beyond = [&] { return static_cast<double>(batch * length) > band->high; };
  if (band && batch > 1 && is_beyond()) {
    why = "at most what " + std::string(band->is_own ? "the noise scale says" : "published laws say") +
          " of the critical batch";
    while (batch > 1 && is_beyond()) batch /= 2;
  }
  while (data != nullptr && detail::drops_many(*data, batch)) batch /= 2;
  const std::int64_t steps =
      data != nullptr ? epochs_of(*data, batch).steps : ceil_to_count(tokens / static_cast<double>(length * batch));
  const std::string in_all = std::to_string(steps) + " steps in all";
  if (!band && steps < few_steps)
    detail::fail(errc::missing_field, "job.global_batch", "missing",
                 "a batch in sequences: steps of " + std::to_string(batch) + " would be " + in_all +
                     ", and no published law says what such a run takes");
  if (steps < few_steps) why += ": " + in_all + ", give a batch where these are too few";
  assumed.emplace_back("global batch", std::to_string(batch) + " sequences, " + why);
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

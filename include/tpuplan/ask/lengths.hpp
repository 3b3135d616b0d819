#ifndef TPUPLAN_ASK_LENGTHS_HPP
#define TPUPLAN_ASK_LENGTHS_HPP

#include <cstdint>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/model/vision.hpp>
#include <tpuplan/simulate/arrivals.hpp>

/// @file
/// The lengths of requests of a question: the moments of its job, or distributions that simulations draw.

namespace tpuplan {
inline namespace abi_0 {

namespace detail {
/// Gives a job the moments of the distributions that the question has instead of its lengths.
template <class Asked>
void use_moments(const Asked& asked, serving_job& job) {
  if (asked.prompts) job.prompt = lengths_of(*asked.prompts);
  if (asked.outputs) job.output = lengths_of(*asked.outputs);
}
/// The lengths that simulations of the question draw.
template <class Asked>
[[nodiscard]] drawn_lengths drawn_of(const Asked& asked, const transformer& model) {
  const bool any = asked.prompts && asked.job.images > 0;
  return {asked.prompts, asked.outputs, any ? checked_multiply(asked.job.images, image_tokens(model.vision)) : 0};
}
}  // namespace detail

/// What simulations of a plan or a day take lengths for that vary and of which no distribution is given. Worked: of
/// prompts that are all as long nothing is said.
[[nodiscard]] inline assumed_values assumed_lengths(const serving_job& job, const drawn_lengths& drawn) {
  assumed_values assumed;
  const bool came = detail::multiple_of(drawn.observed, job) > 0;
  const auto say = [&](const char* field, const token_lengths& of, bool is_drawn) {
    if (!is_drawn && !came && of.mean_square > of.mean * of.mean * (1 + 1e-9))
      assumed.emplace_back(field, "log-normal, with the mean, the spread and the longest of those given");
  };
  say("lengths of prompts", job.prompt, detail::multiple_of(drawn.prompts, drawn.prompt_more, job.prompt) > 0);
  say("lengths of outputs", job.output, detail::multiple_of(drawn.outputs, 0, job.output) > 0);
  return assumed;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

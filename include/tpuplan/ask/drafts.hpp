#ifndef TPUPLAN_ASK_DRAFTS_HPP
#define TPUPLAN_ASK_DRAFTS_HPP

#include <string>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>
#include <tpuplan/show/text/readable.hpp>

/// @file
/// A model that drafts beside the one that is served: what a round of it costs where nobody says, and what is taken.

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Fills in the cost of drafts whose model is given: it runs once for each of them, and reads of HBM all that it has
/// and keeps, as a step of one sequence reads what multiplies its token and its keys and values.
inline void use_draft_cost(const transformer& model, serving_job& job) {
  speculation& by = job.speculation;
  if (by.draft_tokens <= 0 || by.draft_cost != 0 || by.parameters <= 0 || model.kind != architecture::decoder) return;
  const double context = running_context(job);
  const bytes step = static_cast<double>(parameters(model).matrices) * size_of(job.weights) +
                     context * kv_bytes_per_token(model, job.cache);
  const bytes draft = static_cast<double>(by.parameters) * bytes{2} + context * by.cache_per_token;
  by.draft_cost = static_cast<double>(by.draft_tokens) * (draft / step);
}

/// What is taken of drafts, of which `asked` says what was given and `used` what they cost.
inline assumed_values assumed_drafts(const speculation& asked, const speculation& used) {
  if (used.draft_tokens == 0) return {};
  assumed_values taken{{"speculation", "accepted as often as said, whatever runs; no constant is fitted to such runs"}};
  if (used.parameters == 0)
    taken.emplace_back("draft model", "none beside the checkpoint, or its parameters and cache are not counted");
  else
    taken.emplace_back("draft model",
                       "bf16, cut like the weights" + std::string(used.cache_per_token.value() > 0
                                                                      ? ", its cache like that of the model"
                                                                      : "; its cache is not given, and not counted"));
  if (asked.draft_cost == 0)
    taken.emplace_back("drafting", readable::three_digits(used.draft_cost) +
                                       " steps: the draft model reads all that it has once for each token, over what a "
                                       "step of one sequence reads; its latency is not in it");
  return taken;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

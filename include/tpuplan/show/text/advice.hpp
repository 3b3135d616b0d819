#ifndef TPUPLAN_SHOW_TEXT_ADVICE_HPP
#define TPUPLAN_SHOW_TEXT_ADVICE_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/show/text/readable.hpp>

/// @file
/// A finding in words: what is wasteful, what is better, whether it fits, and what it saves.

namespace tpuplan {
inline namespace abi_0 {
namespace readable {

namespace detail {

/// What is wasteful of a remat policy: it computes again what memory or the hosts have room for, or moves what memory
/// has room for.
[[nodiscard]] inline std::string remat_words(const finding& f, verdict fit) {
  const auto on_hosts = [&](const remat_policy& policy) {
    return saved_width(widths_of(f.then.model), policy, placement::host) > 0;
  };
  const maybe<remat_policy> now = parse_remat_policy(f.now.view());
  const bool from_hosts = now && on_hosts(*now), to_hosts = on_hosts(f.then.job.remat);
  if (from_hosts && to_hosts) return " is not the fastest that moves tensors to host memory: ";
  if (from_hosts) return " moves to host memory what HBM has room for: ";
  if (to_hosts) return " recomputes what can wait in host memory: ";
  return fit == verdict::yes ? " recomputes more than memory requires: " : " recomputes more than memory may require: ";
}

/// The degrees inside a slice behind its name, where they are not those of weights sharded over the whole of it, which
/// are what a layout is that nobody gives.
[[nodiscard]] inline std::string degrees_behind(const layout& mesh) {
  const bool is_usual =
      mesh.data == 1 && mesh.tensor == 1 && mesh.expert == 1 && mesh.context == 1 && mesh.pipeline == 1;
  return is_usual ? "" : " as " + std::string(tpuplan::detail::words_of(mesh).view());
}

/// What is wasteful and what is better, as far as the sentence that ends "with it fits (…)".
[[nodiscard]] inline std::string change_words(const finding& f, verdict fit = verdict::yes) {
  const std::string now(f.now.view()), better(f.better.view()), subject(f.subject.view());
  switch (f.kind) {
    case finding_kind::batch: {
      const auto all_chips = static_cast<double>(checked_multiply(chips(f.then.where), slices(f.then.mesh)));
      return "batch " + now + " is small: " + better + " sequences, " +
             count(static_cast<double>(tokens_per_step(f.then.job)) / all_chips) + " tokens on each chip,";
    }
    case finding_kind::dimension:
      if (subject == "model.attention.head_dim") return now + " do not fill the lanes: with " + better + " it";
      [[fallthrough]];
    case finding_kind::vocabulary: return subject + " " + now + " does not fill the MXU: with " + better + " it";
    case finding_kind::heads: return now + " cannot be sharded further: with " + better + " it";
    case finding_kind::layout: return now + " is the slower layout: " + better;
    case finding_kind::remat: return "remat " + now + remat_words(f, fit) + better;
    case finding_kind::wraparound:
      return now + " has axes that are no rings: " + better + degrees_behind(f.then.mesh) +
             " with as many sequences on each chip";
    case finding_kind::slices:
      return now + " wait for the network between them: " + better + degrees_behind(f.then.mesh);
    case finding_kind::microbatch:
      return now +
             (fit == verdict::yes ? " microbatches leave HBM unused: with " : " microbatches take longer: with ") +
             better + " it";
  }
  return subject;
}

}  // namespace detail

/// A finding as a sentence, with the memory that the job has after the change. Worked: a finding of kind remat begins
/// with "remat full recomputes more than memory requires:" where the present policy is full and the other surely fits.
[[nodiscard]] inline std::string sentence(const finding& f, const memory_breakdown& memory) {
  const bool same_step = f.work > 1 - 1e-9 && f.work < 1 + 1e-9 && f.kind != finding_kind::wraparound;
  return detail::change_words(f, fits(memory)) + (fits(memory) == verdict::yes ? " fits (" : " may fit (") +
         used_of(memory.total, memory.usable) + ") and takes " + duration(f.step_time_then) + " instead of " +
         duration(f.step_time_now) + ", " + percent(f.gain) +
         (same_step ? " less" : " less chip time for the same work");
}
/// The same with its memory as estimated. Worked: it ends with "less" or "less chip time for the same work".
[[nodiscard]] inline std::string sentence(const finding& f) {
  return sentence(f, memory_use(f.then.model, f.then.job, f.then.mesh, f.then.where));
}

}  // namespace readable
}  // namespace abi_0
}  // namespace tpuplan

#endif

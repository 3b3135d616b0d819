#include "cli/advice.hpp"

namespace cli {

using namespace tpuplan;

namespace {

std::string tokens_on_chip(const training_case& asked) {
  const std::int64_t all_chips = checked_multiply(chips(asked.where), slices(asked.mesh));
  return count(static_cast<double>(tokens_per_step(asked.job)) / static_cast<double>(all_chips));
}

std::string memory_of(const training_case& asked) {
  const memory_breakdown memory = memory_use(asked.model, asked.job, asked.mesh, asked.where);
  return fmt::format("{} ({})", fits(memory) == verdict::yes ? "fits" : "may fit",
                     used_of(memory.total, memory.usable));
}

/// One finding in words: what is wasteful, what is better, and whether it fits.
std::string words_of(const finding& f) {
  const std::string_view now = f.now, better = f.better, subject = f.subject;
  const std::string memory = memory_of(f.then);
  switch (f.kind) {
    case finding_kind::batch:
      return fmt::format("batch {} is small: {} sequences, {} tokens on each chip, {}", now, better,
                         tokens_on_chip(f.then), memory);
    case finding_kind::dimension:
      if (subject == "model.attention.head_dim")
        return fmt::format("{} do not fill the lanes: with {} it {}", now, better, memory);
      [[fallthrough]];
    case finding_kind::vocabulary:
      return fmt::format("{} {} does not fill the MXU: with {} it {}", subject, now, better, memory);
    case finding_kind::heads: return fmt::format("{} cannot be sharded further: with {} it {}", now, better, memory);
    case finding_kind::layout: return fmt::format("{} is the slower layout: {} {}", now, better, memory);
    case finding_kind::remat:
      return fmt::format("remat {} recomputes more than memory requires: {} {}", now, better, memory);
    case finding_kind::wraparound:
      return fmt::format("{} has axes that are no rings: {} with as many sequences on each chip {}", now, better,
                         memory);
    case finding_kind::slices: return fmt::format("{} wait for the network between them: {} {}", now, better, memory);
    case finding_kind::microbatch:
      return fmt::format("{} microbatches leave HBM unused: with {} it {}", now, better, memory);
  }
  return std::string(subject);
}

/// The gain in words: "14.3 % less", followed by what it refers to if the step or the chips change.
std::string gain_of(const finding& f) {
  const bool same_step = f.work > 1 - 1e-9 && f.work < 1 + 1e-9 && f.kind != finding_kind::wraparound;
  return fmt::format("{} less{}", percent(f.gain), same_step ? "" : " chip time for the same work");
}

}  // namespace

void print_advice(const findings& advice) {
  if (advice.count == 0) return;
  print("\n{}\n", dim("advice, one change at a time"));
  std::size_t left = 5;
  for (const finding& f : advice) {
    if (left-- == 0) break;
    print("  {} and takes {} instead of {}, {}\n", words_of(f), duration(f.step_time_then), duration(f.step_time_now),
          gain_of(f));
  }
}

}  // namespace cli

#ifndef TPUPLAN_PLAN_BATCHES_HPP
#define TPUPLAN_PLAN_BATCHES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <tpuplan/base/integer.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/plan/candidate.hpp>
#include <tpuplan/plan/plan.hpp>
#include <tpuplan/plan/search.hpp>
#include <utility>

/// @file
/// The fastest batch, number of microbatches and remat policy of one layout, out of every batch of a range; and the
/// smallest batch that is about as fast.
///
/// The batch is k sequences on each shard of the layout, in a microbatches of k / a sequences each. Two things make the
/// search exact in few steps:
///
///   - the time of a step grows with a, and its memory shrinks: of one policy, the largest microbatch that fits is best
///   - the time for each sequence falls as k grows, apart from the last step of the run, which is not full: from the
///     largest k down, the search ends where a bound on all smaller ones is no faster than what was found

namespace tpuplan {
inline namespace abi_0 {
namespace detail {

/// Batches to choose from, in sequences, and the run that they are for.
struct batch_range {
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  double sequences = 0;  ///< of the whole run
  double beside = 0;     ///< seconds beside each step: evaluations and checkpoints that come every so many steps
};

/// Steps that the searches of one question take at most, all together: a few seconds. A batch on a layout is one, and
/// so is a bound on one layout or on many; four candidates are one, and sixteen choices of degrees; a plan with its
/// costs is four.
inline constexpr std::int64_t most_search_steps = 5000000;

/// Runs whose times differ by no more than that share are equal where batches are chosen: of such batches the smallest
/// is taken. Source: a convention of this library, that of `smallest_gain`, below which nothing is advised.
inline constexpr double equal_runs_within = 0.005;

/// What a search did, and what it may still do.
struct search_meter {
  search_counts& counts;
  std::int64_t left = 16 * most_search_steps;

  void small_step(std::int64_t count = 1) { left -= count; }
  void step(std::int64_t count = 1) { small_step(16 * count); }
  /// Whether the search took more steps than that: it ends then, without an answer.
  [[nodiscard]] bool is_spent() const { return left < 0; }
};

/// The largest divisor of `whole` that is at most `most`, in at most as many steps as the smaller of `most` and twice
/// the square root of `whole`. Preconditions: both are 1 or more.
constexpr std::int64_t largest_divisor(std::int64_t whole, std::int64_t most) {
  if (most >= whole) return whole;
  for (std::int64_t other = ceil_div(whole, most); other <= most; ++other) {
    if (whole % other == 0) return whole / other;
    most = whole / (other + 1);
  }
  while (whole % most != 0) --most;
  return most;
}

/// The fastest candidate of a number of equal slices, or what came closest to one.
struct slice_search {
  rejected_slice closest{};
  double run = math::detail::infinity;  ///< seconds of the whole run, with what comes beside its steps
  layout mesh{};
  std::int64_t batch = 0;
  std::int64_t accumulation = 0;
  std::size_t policy = 0;

  [[nodiscard]] bool found() const { return accumulation > 0; }
};

/// The search of one layout: every batch of the range that its shards divide, under every policy.
class batch_search {
 public:
  batch_search(slice_search& found, const hoisted_tensor& tensor, const slice& where, const layout& mesh,
               const batch_range& range, bool accept_uncertain, search_meter& meter)
      : found_{found},
        tensor_{tensor},
        where_{where},
        mesh_{mesh},
        meter_{meter},
        accept_uncertain_{accept_uncertain},
        shards_{batch_shards(mesh)},
        smallest_{ceil_div(range.smallest, shards_)},
        largest_{range.largest / shards_},
        usable_{usable_hbm_per_device(where.chip).value()},
        host_share_{host_share_of(where.chip).value_or(bytes{math::detail::infinity}).value()},
        sequences_{range.sequences / static_cast<double>(shards_)},
        beside_{range.beside} {}

  /// Whether the shards divide any batch of the range.
  [[nodiscard]] bool any() const { return smallest_ <= largest_; }

  /// Whether a bound shows that none of them is faster than what was found, nor any batch of a layout that has the same
  /// shards but shares weights less: as many bytes of weights move in smaller groups of chips, over fewer links, and
  /// less of HBM is free.
  [[nodiscard]] bool none_is_faster() {
    if (least_run(terms_at_most()) * (1 - 1e-12) >= found_.run) return true;
    hoisted_layout top = at(largest_);
    const std::int64_t each = find_what_fits(top);
    if (each < smallest_) return true;
    if (each < largest_) top = at(each);
    return least_for_each_sequence(top, each) * sequences_ >= found_.run;
  }

  /// Searches all of them; false where a bound showed that none is faster than what was found before.
  bool search() {
    if (found_.found() && least_run(terms_at_most()) >= found_.run) return false;
    hoisted_layout top = at(largest_);
    std::int64_t each = find_what_fits(top);
    if (!found_.found()) try_smallest();
    if (each >= smallest_ && each < largest_) top = at(each);
    bool searched = false;
    for (; each >= smallest_ && !meter_.is_spent(); top = at(each)) {
      if (least_for_each_sequence(top, each) * sequences_ >= found_.run) break;
      searched = true;
      each = try_steps(each) - 1;
      if (each < smallest_) break;
    }
    return searched;
  }

  /// The fastest candidate of the smallest batch, of at most `least.batch`, whose run takes less than `within` seconds;
  /// kept in `least` where its batch is smaller, or as small and faster. The search is one of its own: what it found
  /// before is forgotten.
  void search_smallest(slice_search& least, double within) {
    if (!any()) return;
    if (least_run(terms_at_most()) >= within) return;
    hoisted_layout top = at(largest_);
    const std::int64_t most = find_what_fits(top);
    if (most < smallest_) return;
    const auto may_do = [&](std::int64_t each) {
      return least_for_each_sequence(at(each), each) * sequences_ < within;
    };
    if (!may_do(most)) return;
    std::int64_t first = smallest_;
    for (std::int64_t last = most; first < last && !meter_.is_spent();) {
      const std::int64_t middle = first + (last - first) / 2;
      if (may_do(middle)) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    for (std::int64_t each = first; each <= most && !meter_.is_spent(); ++each) {
      found_.accumulation = 0;
      found_.run = each * shards_ == least.batch ? least.run : within;
      const hoisted_layout of = at(each);
      const double steps = steps_with(each);
      if (steps * least_of_step(of, each) >= found_.run) continue;
      for (std::size_t policy = 0; policy < policies(); ++policy) try_policy(of, each, steps, policy);
      if (!found_.found()) continue;
      std::swap(found_.closest, least.closest);  // that of the whole search stays
      std::swap(found_, least);
      return;
    }
  }

 private:
  [[nodiscard]] std::size_t policies() const { return tensor_.from->count; }

  /// Terms of the layout with the largest batch.
  [[nodiscard]] layout_terms terms_at_most() const {
    const hoisted_job& question = *tensor_.from;
    training_job job = question.job;
    job.global_batch = checked_multiply(largest_, shards_);
    std::array<double, most_policies> each{};
    return terms_of_all(question, job, mesh_, where_, each);
  }

  /// A lower bound on the seconds of the run: in one microbatch, under the least terms of all policies.
  [[nodiscard]] double least_run(const layout_terms& top) const {
    return with_beside(tensor_.least.work, top, 1) / static_cast<double>(largest_) * sequences_;
  }

  /// Seconds of a step with what comes beside it.
  [[nodiscard]] double with_beside(const work_sums& work, const layout_terms& terms, double pieces) const {
    return tpuplan::time_of(work, terms, pieces).value() + beside_;
  }

  hoisted_layout at(std::int64_t each) {
    ++meter_.counts.batches;
    meter_.step();
    return hoist(tensor_, where_, mesh_, checked_multiply(each, shards_));
  }

  [[nodiscard]] double steps_with(std::int64_t each) const {
    return math::ceil(sequences_ / static_cast<double>(each));
  }

  /// The smallest number of sequences on a shard with which the run takes `steps` steps; `each` is one such number.
  [[nodiscard]] std::int64_t first_with(double steps, std::int64_t each) const {
    std::int64_t first = ceil_to_count(sequences_ / steps);
    if (first < smallest_) first = smallest_;
    while (first < each && steps_with(first) > steps) ++first;
    while (first > smallest_ && steps_with(first - 1) <= steps) --first;
    return first < each ? first : each;
  }

  /// Sequences on a shard that fit at once under a policy, rounded up a little; 0 where not even one does.
  [[nodiscard]] double sequences_that_fit(const hoisted_layout& of, std::size_t policy, std::size_t several) const {
    const std::size_t estimate = accept_uncertain_ ? 0 : 2;
    const double limit = (accept_uncertain_ ? 2 - safe_share : safe_share) * usable_;
    const hoisted_policy& chosen = of.from->policies[policy];
    const fixed_stages& fixed = of.memory[several];
    if (fixed.update.value() > limit) return 0;
    const double tokens = of.tokens_on_device / static_cast<double>(largest_);
    const double logits = (limit - fixed.logits[estimate].value()) / (chosen.logits[estimate].value() * tokens);
    const double for_layer = (chosen.layer[estimate] + fixed.routed[estimate]).value() * tokens;
    const double layer = (limit - fixed.layer[estimate].value()) / for_layer;
    const double to_host = chosen.host.value() * tokens;
    const double in_hbm = logits < layer ? logits : layer;
    const bool host_is_less = to_host > 0 && host_share_ / to_host < in_hbm;
    const double most = (host_is_less ? host_share_ / to_host : in_hbm) * (1 + 1e-9);
    return most < 1 ? 0 : most > 1e15 ? 1e15 : math::floor(most);
  }

  /// Finds how many sequences of a shard fit under each policy, and returns the most that any takes, in one microbatch
  /// or in several: below the smallest batch where none fits.
  std::int64_t find_what_fits(const hoisted_layout& top) {
    double most = 0;
    for (std::size_t policy = 0; policy < policies(); ++policy) {
      one_[policy] = sequences_that_fit(top, policy, 0);
      several_[policy] = sequences_that_fit(top, policy, 1);
      const double all = several_[policy] < 1 ? one_[policy] : static_cast<double>(largest_);
      if (all > most) most = all;
    }
    return most < static_cast<double>(largest_) ? floor_to_count(most) : largest_;
  }

  /// The fewest microbatches of that many sequences on a shard that may fit; infinite where none do.
  [[nodiscard]] double fewest(std::size_t policy, double each) const {
    if (each <= one_[policy]) return 1;
    return several_[policy] < 1 ? math::detail::infinity : math::ceil(each / several_[policy]);
  }

  /// A lower bound on the time of a step, which grows with the batch.
  [[nodiscard]] double least_of_step(const hoisted_layout& of, std::int64_t each) const {
    double least = math::detail::infinity;
    for (std::size_t policy = 0; policy < policies(); ++policy) {
      const double pieces = fewest(policy, static_cast<double>(each));
      if (!is_finite(pieces)) continue;
      const double time = with_beside(of.from->policies[policy].work, of.at, pieces);
      if (time < least) least = time;
    }
    return least;
  }

  /// A lower bound on the time for each sequence of a shard, with that many on it or fewer.
  [[nodiscard]] double least_for_each_sequence(const hoisted_layout& of, std::int64_t each) const {
    const auto sequences = static_cast<double>(each);
    double least = math::detail::infinity;
    for (std::size_t policy = 0; policy < policies(); ++policy) {
      const double most = one_[policy] > several_[policy] ? one_[policy] : several_[policy];
      if (most < 1) continue;
      const double pieces = sequences > most ? sequences / most : 1;
      const double time = with_beside(of.from->policies[policy].work, of.at, pieces) / sequences;
      if (time < least) least = time;
    }
    return least * (1 - 1e-12);
  }

  /// Tries the fewest microbatches that fit under a policy, where they can be faster than what was found.
  void try_policy(const hoisted_layout& of, std::int64_t each, double steps, std::size_t policy) {
    const double pieces = fewest(policy, static_cast<double>(each));
    if (!is_finite(pieces)) return;
    if (steps * with_beside(of.from->policies[policy].work, of.at, pieces) >= found_.run) return;
    if (pieces == 1 && try_one(of, each, steps, 1, policy)) return;
    const double most = several_[policy] < static_cast<double>(each) ? several_[policy] : static_cast<double>(each);
    for (std::int64_t together = floor_to_count(most); together >= 1; --together) {
      together = largest_divisor(each, together);
      if (together < each && try_one(of, each, steps, each / together, policy)) return;
    }
  }

  /// Where nothing was found yet, tries the smallest batch in one microbatch and in the most there can be: no other
  /// candidate needs less memory.
  void try_smallest() {
    const hoisted_layout least = at(smallest_);
    const double steps = steps_with(smallest_);
    for (std::size_t policy = 0; policy < policies(); ++policy) {
      (void)try_one(least, smallest_, steps, 1, policy);
      if (smallest_ > 1) (void)try_one(least, smallest_, steps, smallest_, policy);
    }
  }

  /// Tries the batches of at most `each` sequences on a shard that need as many steps as `each`, from the smallest up.
  /// Returns the smallest.
  std::int64_t try_steps(std::int64_t each) {
    const double steps = steps_with(each);
    const std::int64_t first = first_with(steps, each);
    for (std::int64_t more = first; more <= each && !meter_.is_spent(); ++more) {
      const hoisted_layout of = at(more);
      if (steps * least_of_step(of, more) >= found_.run) break;
      for (std::size_t policy = 0; policy < policies(); ++policy) try_policy(of, more, steps, policy);
    }
    return first;
  }

  /// Keeps a candidate that fits and is faster; of one that does not fit, records the missing bytes. Returns whether it
  /// fits.
  bool try_one(const hoisted_layout& of, std::int64_t each, double steps, std::int64_t accumulation,
               std::size_t policy) {
    const candidate c = evaluate(of, accumulation, policy);
    ++meter_.counts.candidates;
    meter_.small_step(4);
    const double low = c.on_device.low.value(), high = c.on_device.high.value();
    if (low > (2 - safe_share) * usable_)
      return come_closer(found_.closest, rejection::does_not_fit, low - usable_), false;
    if (const double on_host = c.on_device.on_host.value(); on_host > host_share_)
      return come_closer(found_.closest, rejection::does_not_fit, on_host - host_share_), false;
    if (!(high < safe_share * usable_) && !accept_uncertain_)
      return come_closer(found_.closest, rejection::fit_uncertain, high - safe_share * usable_), false;
    const double run = (c.time.value() + beside_) * steps;
    if (run >= found_.run) return true;
    found_.run = run;
    found_.mesh = mesh_;
    found_.batch = each * shards_;
    found_.accumulation = accumulation;
    found_.policy = policy;
    return true;
  }

  slice_search& found_;
  const hoisted_tensor& tensor_;
  const slice& where_;
  const layout& mesh_;
  search_meter& meter_;
  bool accept_uncertain_;
  std::int64_t shards_;
  std::int64_t smallest_;  // sequences on a shard
  std::int64_t largest_;
  double usable_;
  double host_share_;
  double sequences_;                             // of the run, on a shard
  double beside_;                                // seconds beside each step
  std::array<double, most_policies> one_{};      // sequences that fit in one microbatch, by policy
  std::array<double, most_policies> several_{};  // in each of several
};

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

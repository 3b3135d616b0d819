#ifndef TPUPLAN_ESTIMATE_OWN_RUNS_HPP
#define TPUPLAN_ESTIMATE_OWN_RUNS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tpuplan/base/error.hpp>
#include <tpuplan/base/math.hpp>
#include <tpuplan/model/transformer.hpp>

/// @file
/// How a caller's measured runs correct other estimates. The logarithm of measured over estimated time is modelled as
/// a sum: an offset common to all runs of one source, one that is shared more closely by runs that are more alike, one
/// of a recipe (a model with the settings of its program, on whatever slice), one of a job (the recipe on one slice
/// with one batch and layout), and noise from run to run. The runs move an estimate by its expected offset, and narrow
/// its band to the spread that is left. Derivation: docs/model.md, "Runs of your own".

namespace tpuplan {
inline namespace abi_0 {

/// The features by which two questions (or runs) are compared: the closer, the more alike.
struct run_features {
  double size = 0;            ///< log2 of the parameters
  double load = 0;            ///< log2 of the tokens per chip and step, running sequences, or prompt tokens
  double length = 0;          ///< log2 of the tokens of a sequence
  double chips = 0;           ///< log2 of the chips
  std::uint32_t chip = 0;     ///< stands for the name of the chip: see `chip_mark`
  std::uint32_t kind = 0;     ///< bits, one for each property that a job has or lacks
  std::uint32_t recipe = 0;   ///< stands for the model and the settings of its program, whatever the slice; 0: not said
  std::uint32_t layout = 0;   ///< stands for how it is sharded
  std::uint32_t version = 0;  ///< stands for the version of the software; 0: not said
  std::uint32_t level = 0;    ///< stands for how well the program is tuned; 0: not said
  std::uint32_t microbatches = 0;  ///< stands for those of a step, which its memory follows and not its time
};

/// A number that stands for a name, such as that of a chip (FNV-1a). Worked: 2166136261 for no name.
[[nodiscard]] constexpr std::uint32_t chip_mark(std::string_view name) noexcept {
  std::uint32_t mark = 2166136261U;
  for (const char c : name) mark = (mark ^ static_cast<std::uint32_t>(static_cast<unsigned char>(c))) * 16777619U;
  return mark;
}

namespace detail {

template <class Value>
constexpr double number(Value value) noexcept {
  return static_cast<double>(value);
}

/// A number that stands for a list of numbers, of which 1/1024 is told apart.
template <std::size_t Count>
constexpr std::uint32_t mark_of(const double (&values)[Count], std::uint32_t mark = 2166136261U) noexcept {
  for (const double value : values) {
    const double rounded = 1024 * value + (value < 0 ? -0.5 : 0.5);
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded < 9e18 ? rounded : 9e18));
    for (unsigned shift = 0; shift < 64; shift += 16)
      mark = (mark ^ static_cast<std::uint32_t>((bits >> shift) & 0xffffU)) * 16777619U;
  }
  return mark;
}

}  // namespace detail

/// How far estimates and runs differ, in natural logarithms, and over what distance questions become unlike.
struct own_spreads {
  double source = 0;    ///< standard deviation of the offset that the runs of one source share
  double question = 0;  ///< standard deviation of the offset that like questions share
  double noise = 0;     ///< standard deviation between runs of the same job
  /// @{
  /// Doublings of each feature over which likeness falls to 0.62.
  double size = 1, load = 1, length = 1, chips = 1;
  /// @}
  double other_chip = 0;  ///< likeness of the same question on another chip
  double other_kind = 0;  ///< likeness of questions that differ in one bit of `kind`
  double recipe = 0;      ///< standard deviation of the offset that runs of one recipe share
  double job = 0;         ///< standard deviation of the offset that runs of one job share
  double tail = 1;        ///< how much further than Student's t says what no run determines lies from an estimate
};

/// The most runs of the caller's own.
inline constexpr std::size_t most_own_runs = 20;

/// A run of the caller's own.
struct own_run {
  run_features about{};  ///< what ran
  double ratio = 0;      ///< logarithm of measured over estimated
  double spread = 0;     ///< standard deviation of the measurement in logarithms, beside the usual noise
  double weight = 0;     ///< what it adds, times its covariance with a question; set by `learned`
};

/// Runs of the caller's own, of one kind of question.
struct own_runs {
  std::array<own_run, most_own_runs> items{};  ///< the first `count` are set
  std::size_t count = 0;                       ///< runs
};

namespace detail {

/// Stands for the sizes of a model by which recipes are told apart. Parameters follow from them and are often rounded;
/// a dense MLP counts where some layer has one.
constexpr std::uint32_t model_mark(const transformer& m) noexcept {
  const attention_spec& a = m.attention;
  return mark_of({static_cast<double>(m.layers), static_cast<double>(m.d_model), static_cast<double>(m.vocab),
                  static_cast<double>(dense_layers(m) > 0 ? m.mlp.d_ff : 0), static_cast<double>(a.heads),
                  static_cast<double>(a.kv_heads), static_cast<double>(a.head_dim), static_cast<double>(a.window),
                  static_cast<double>(a.local_layers), static_cast<double>(m.moe.experts),
                  static_cast<double>(m.moe.expert_d_ff), static_cast<double>(m.moe.top_k)});
}

constexpr double squared(double x) noexcept { return x * x; }

/// How far two questions are apart, squared, in the distances over which they become unlike.
constexpr double apart(const run_features& a, const run_features& b, const own_spreads& s) noexcept {
  return squared((a.size - b.size) / s.size) + squared((a.load - b.load) / s.load) +
         squared((a.length - b.length) / s.length) + squared((a.chips - b.chips) / s.chips);
}

/// A rational quadratic kernel of exponent 4: (1 + d^2 / 8)^-4 at a distance of d.
constexpr double likeness_at(double distance_squared) noexcept {
  return squared(squared(1 / (1 + distance_squared / 8)));
}

constexpr bool same_recipe(const run_features& a, const run_features& b) noexcept {
  return a.recipe != 0 && a.recipe == b.recipe && a.version == b.version && a.chip == b.chip;
}

/// How much closer than like questions those have to be that are the same job.
inline constexpr double job_closeness = 36;

/// The covariance of the offsets of two questions of one source.
constexpr double shared(const run_features& a, const run_features& b, const own_spreads& s) noexcept {
  const double distance = apart(a, b, s);
  double likeness = likeness_at(distance);
  if (a.chip != b.chip) likeness *= s.other_chip;
  if (a.version != b.version) likeness *= s.other_kind;
  for (std::uint32_t differ = a.kind ^ b.kind; differ != 0; differ &= differ - 1) likeness *= s.other_kind;
  double sum = squared(s.source) + squared(s.question) * likeness;
  if (!same_recipe(a, b)) return sum;
  sum += squared(s.recipe);
  return a.layout == b.layout ? sum + squared(s.job) * likeness_at(job_closeness * distance) : sum;
}

/// The features of a run of a version of the software that is named.
constexpr run_features of_version(run_features about, std::string_view version) noexcept {
  about.version = version.empty() ? 0 : chip_mark(version);
  return about;
}

/// The question, of the version of the latest run. `open`: as what the runs leave open of it is asked for; those of a
/// program that is better or worse tuned say of this one what others of their source say.
constexpr run_features of_latest(const own_runs& runs, run_features about, bool open = false) noexcept {
  if (runs.count == 0) return about;
  const run_features& latest = runs.items[runs.count - 1].about;
  if (about.version == 0) about.version = latest.version;
  if (open && about.level != 0 && about.level != latest.level) about.recipe = 0;
  return about;
}

/// The noise from run to run, squared: that of published runs, or more where runs of one job of the caller's own
/// scatter more. What is published counts as four runs.
constexpr double noise_of(const own_runs& runs, const own_spreads& s) noexcept {
  const double usual = squared(s.noise);
  double scatter = 0, pairs = 0, repeated = 0;
  for (std::size_t i = 0; i < runs.count; ++i) {
    double others = 0;
    for (std::size_t j = 0; j < runs.count; ++j) {
      const run_features &a = runs.items[i].about, &b = runs.items[j].about;
      if (i == j || !same_recipe(a, b) || a.layout != b.layout || apart(a, b, s) * job_closeness > 0.5) continue;
      others += 1;
      if (j > i) scatter += squared(runs.items[i].ratio - runs.items[j].ratio) / 2, pairs += 1;
    }
    if (others > 0) repeated += others / (others + 1);
  }
  if (!(pairs > 0)) return usual;
  const double seen = (4 * usual + repeated * scatter / pairs) / (4 + repeated);
  return seen > usual ? seen : usual;
}

/// The Cholesky factor L of the covariance of the runs and, in its last row, of a question: L x L' = covariance.
struct own_triangle {
  double rows[most_own_runs + 1][most_own_runs + 1] = {};
};

constexpr own_triangle triangle_of(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  own_triangle l;
  const double noise = noise_of(runs, spreads);
  for (std::size_t i = 0; i <= runs.count; ++i) {
    const run_features& here = i < runs.count ? runs.items[i].about : about;
    double* const row = l.rows[i];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = shared(here, j < runs.count ? runs.items[j].about : about, spreads);
      if (i == j) sum += noise + (i < runs.count ? squared(runs.items[i].spread) : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * l.rows[j][k];
      row[j] = i == j ? math::sqrt(sum) : sum / l.rows[j][j];
    }
  }
  return l;
}

}  // namespace detail

/// Throws unless there are at most 20 runs. `learned` checks their numbers.
constexpr void validate(const own_runs& runs) {
  if (runs.count > most_own_runs)
    detail::fail(errc::out_of_range, "own_runs.count", static_cast<std::int64_t>(runs.count), "at most 20 runs");
}

/// The factor by which those runs change the estimate of a question: 1 without runs. Worked: a run of weight 5, with
/// spreads of 0.2 (source) and 0.1 (question), makes it exp(5 x 0.05) = 1.284 for the same question, and exp(5 x 0.04)
/// = 1.221 for one that is in nothing like it.
[[nodiscard]] constexpr double own_factor(const own_runs& runs, const own_spreads& spreads, const run_features& about) {
  if (runs.count == 0) return 1;
  double log_factor = 0;
  const run_features asked = detail::of_latest(runs, about);
  for (std::size_t i = 0; i < runs.count; ++i)
    log_factor += runs.items[i].weight * detail::shared(asked, runs.items[i].about, spreads);
  return math::exp(log_factor);
}

/// The share of an estimate's spread (in logarithms) that is left after those runs: 1 without runs. Worked: one run,
/// with spreads of 0.2, 0.1 and 0.1 of noise, leaves sqrt(1 - 0.05^2 / 0.06^2) = 0.553 for the same question.
[[nodiscard]] constexpr double own_spread_left(const own_runs& runs, const own_spreads& spreads,
                                               const run_features& about) {
  if (runs.count == 0) return 1;
  const run_features asked = detail::of_latest(runs, about, true);
  const double before = detail::shared(asked, asked, spreads) + detail::squared(spreads.noise);
  const double left = detail::triangle_of(runs, spreads, asked).rows[runs.count][runs.count] / math::sqrt(before);
  return left < 1 ? left : 1;
}

/// How far, in natural logarithms, nine of ten measured times of a question lie from its estimate after those runs:
/// 2.132 times the spread that is left, the quantile of Student's t with the four degrees of freedom under which the
/// spreads are fitted. What no run determines counts `spreads.tail` times, by which nine of ten questions of sources
/// that were left out are in reach, and `wider` times for questions whose estimates err more than those of most.
/// Worked: after one run of the same question, with spreads of 0.2, 0.1 and 0.1 of noise, sqrt(0.06 - 0.05^2 / 0.06) =
/// 0.1354 is left, which is a reach of 0.2887.
[[nodiscard]] constexpr double own_reach(const own_runs& runs, const own_spreads& spreads, const run_features& about,
                                         double wider = 1) {
  const run_features asked = detail::of_latest(runs, about, true);
  const double noise = detail::noise_of(runs, spreads);
  const double before = detail::shared(asked, asked, spreads);
  double open = detail::squared(detail::triangle_of(runs, spreads, asked).rows[runs.count][runs.count]) - noise;
  if (!(open > 0)) open = 0;
  const double factor = spreads.tail * (1 + (wider - 1) * math::sqrt(open / before));
  return 2.132 * math::sqrt(noise + detail::squared(factor) * open);
}

namespace detail {

/// Narrows the band of an estimate, in logarithms, to `reach` either way, or halfway to the share `left` of the spread
/// where that is less.
template <class Estimate>
constexpr void narrow_band(Estimate& estimate, double left, double reach) {
  if (left >= 1) return;
  left = (1 + left) / 2;
  const double low = left * math::log(estimate.low / estimate.total);
  const double high = left * math::log(estimate.high / estimate.total);
  estimate.low = estimate.total * math::exp(low > -reach ? low : -reach);
  estimate.high = estimate.total * math::exp(high < reach ? high : reach);
  const double most = math::exp(reach) - 1;
  estimate.band = left * estimate.band < most ? left * estimate.band : most;
}

}  // namespace detail
}  // namespace abi_0
}  // namespace tpuplan

#endif

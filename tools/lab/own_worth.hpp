#ifndef TPUPLAN_LAB_OWN_WORTH_HPP
#define TPUPLAN_LAB_OWN_WORTH_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lab/own_runs.hpp>
#include <map>
#include <random>
#include <utility>
#include <vector>

/// @file
/// What runs of a caller's own are worth, by how far they are from the question and how many models they are of.

namespace tpuplan {
inline namespace abi_0 {

/// The spreads that the sources other than each make.
using spreads_by_source = std::map<std::string, own_spreads>;

[[nodiscard]] inline spreads_by_source spreads_without_each(const runs_by_source& all,
                                                            const own_priors& expected = {}) {
  spreads_by_source result;
  for (const auto& [source, runs] : all) {
    runs_by_source others = all;
    others.erase(source);
    result[source] = fit_spreads(others, expected);
  }
  return result;
}

/// What runs of a caller's own are worth for questions that are one step away from them.
struct step_worth {
  std::size_t sources = 0, questions = 0;
  double of_questions = 0;  ///< share that lies in its band, each question counted once
  double of_sources = 0;    ///< the same, each source counted once
  double width = 0;         ///< of the band, the median of questions
  double before = 0;        ///< the same without own runs
  double error_median = 0, error_p90 = 0;
  double needed = 0;  ///< share of the width without own runs that holds nine of ten, each source counted once
  double half = 0;    ///< what half of that width holds, each source counted once
};

namespace detail {

/// Questions asked, source by source, and what came of each.
struct worth_sum {
  step_worth result{};
  std::vector<double> errors{}, widths{}, before{};
  std::vector<std::pair<double, double>> needed{};  // shares of widths, with their weights
  double inside = 0;

  void add(const std::vector<source_run>& asked, const std::vector<learned_run>& said) {
    if (said.empty()) return;
    const double weight = 1 / static_cast<double>(said.size());
    for (std::size_t i = 0; i < said.size(); ++i) {
      errors.push_back(said[i].error), widths.push_back(said[i].width);
      before.push_back(asked[i].high - asked[i].low);
      needed.emplace_back(said[i].needed, weight);
      inside += said[i].inside ? 1 : 0;
      result.of_sources += said[i].inside ? weight : 0;
      result.half += said[i].needed <= 0.5 ? weight : 0;
    }
    ++result.sources;
  }
  [[nodiscard]] step_worth whole() {
    if (result.sources == 0) return result;
    result.of_questions = inside / static_cast<double>(errors.size());
    for (double* share : {&result.of_sources, &result.half}) *share /= static_cast<double>(result.sources);
    result.width = quantile(widths, 0.5), result.before = quantile(before, 0.5);
    result.error_median = quantile(errors, 0.5), result.error_p90 = quantile(errors, 0.9);
    result.needed = weighted_quantile(needed, 0.9);
    return result;
  }
};

}  // namespace detail

/// Questions that have other runs of their source at that step, predicted from up to `known` of these, drawn at random.
/// Spreads are those of the other sources.
[[nodiscard]] inline step_worth worth_of(const runs_by_source& all, const spreads_by_source& without, own_step step,
                                         std::size_t known = 3, std::size_t draws = 6) {
  detail::worth_sum sum;
  for (const auto& [source, runs] : all) {
    const own_spreads& spreads = without.at(source);
    std::vector<source_run> asked;
    std::vector<detail::learned_run> said;
    std::mt19937 random(7);
    for (const source_run& one : runs) {
      const std::size_t before = said.size();
      for (std::size_t draw = 0; draw < draws; ++draw) {
        const own_runs own = detail::drawn_runs(runs, one, step, known, random);
        if (own.count == 0) break;
        asked.push_back(one), said.push_back(detail::predict_after(learned(own, spreads), spreads, one));
      }
      if (said.size() > before) ++sum.result.questions;
    }
    sum.add(asked, said);
  }
  return sum.whole();
}

/// Questions about a model, predicted from up to three runs of each of so many other models of its source, drawn at
/// random; of none, without own runs. Sources have that many others, or `of` where that is more. Spreads are those of
/// the other sources.
[[nodiscard]] inline step_worth worth_of_models(const runs_by_source& all, const spreads_by_source& without,
                                                std::size_t models, std::size_t of, std::size_t draws = 6) {
  detail::worth_sum sum;
  for (const auto& [source, runs] : all) {
    std::map<double, std::vector<const source_run*>> by_model;
    for (const source_run& one : runs) by_model[std::round(1e6 * one.about.size)].push_back(&one);
    if (by_model.size() <= std::max(models, of)) continue;
    const own_spreads& spreads = without.at(source);
    std::vector<source_run> asked;
    std::vector<detail::learned_run> said;
    std::mt19937 random(7);
    const auto shuffle = [&random](auto& list) {
      for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[random() % k]);
    };
    for (const source_run& one : runs) {
      for (std::size_t draw = 0; draw < draws; ++draw) {
        std::vector<std::vector<const source_run*>> near;
        for (const auto& [size, list] : by_model) {
          if (size != std::round(1e6 * one.about.size)) near.push_back(list);
        }
        shuffle(near);
        own_runs own;
        for (std::size_t k = 0; k < models; ++k) {
          shuffle(near[k]);
          for (std::size_t i = 0; i < std::min<std::size_t>(3, near[k].size()) && own.count < most_own_runs; ++i)
            own.items[own.count++] = {near[k][i]->about, near[k][i]->ratio, 0, 0};
        }
        asked.push_back(one), said.push_back(detail::predict_after(learned(own, spreads), spreads, one));
      }
      ++sum.result.questions;
    }
    sum.add(asked, said);
  }
  return sum.whole();
}

/// How far two runs of a source that are a step apart differ, over the root of two: the standard deviation of what they
/// do not share, each source counted once. 0 where no source has such runs.
[[nodiscard]] inline double spread_at(const runs_by_source& all, own_step step) {
  double sum = 0, sources = 0;
  for (const auto& [source, runs] : all) {
    double of_source = 0, pairs = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (step_between(runs[i].about, runs[j].about) == step)
          of_source += detail::squared(runs[i].ratio - runs[j].ratio) / 2, pairs += 1;
      }
    }
    if (pairs > 0) sum += of_source / pairs, sources += 1;
  }
  return sources > 0 ? std::sqrt(sum / sources) : 0;
}

/// How far runs lie from estimates that were made without their source: the root of their mean square, each source
/// counted once.
[[nodiscard]] inline double spread_of(const runs_by_source& all) {
  double sum = 0;
  for (const auto& [source, runs] : all) {
    for (const source_run& one : runs) sum += detail::squared(one.ratio) / static_cast<double>(runs.size());
  }
  return all.empty() ? 0 : std::sqrt(sum / static_cast<double>(all.size()));
}

/// The same for a job that ran `known` times and is asked about again, from seeded logs: few jobs were published twice.
/// The logarithm of each run's time lies as far from that of the published one as `draw` says.
template <class Draw>
[[nodiscard]] step_worth worth_of_logs(const runs_by_source& all, const own_spreads& spreads, std::size_t known,
                                       const Draw& draw) {
  step_worth result;
  std::vector<double> errors, widths, before;
  std::mt19937 random(7);
  for (const auto& [source, runs] : all) {
    double inside = 0;
    for (const source_run& published : runs) {
      own_runs own;
      while (own.count < known) own.items[own.count++] = {published.about, published.ratio + draw(random), 0, 0};
      source_run asked = published;
      asked.ratio += draw(random);
      const detail::learned_run one = detail::predict_after(learned(own, spreads), spreads, asked);
      errors.push_back(one.error), widths.push_back(one.width), before.push_back(asked.high - asked.low);
      inside += one.inside ? 1 : 0;
      ++result.questions;
    }
    ++result.sources;
    result.of_questions += inside;
    result.of_sources += inside / static_cast<double>(runs.size());
  }
  if (result.sources == 0) return result;
  result.of_questions /= static_cast<double>(result.questions);
  result.of_sources /= static_cast<double>(result.sources);
  result.width = quantile(widths, 0.5), result.before = quantile(before, 0.5);
  result.error_median = quantile(errors, 0.5), result.error_p90 = quantile(errors, 0.9);
  return result;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

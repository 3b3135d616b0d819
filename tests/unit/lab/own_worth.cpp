// What runs of other models are worth, on made-up sources of which the offsets are known.
#include <cmath>
#include <lab/own_worth.hpp>
#include <string>

#include "support/catch.hpp"

using namespace tpuplan;

namespace lab_own_worth_tests {

namespace {

/// A run of a model of that size, and of a recipe of its own, in a band of a factor of e^0.3 either way.
source_run run_of(const std::string& source, double size, double ratio) {
  source_run run;
  run.id = source + std::to_string(size);
  run.source = source;
  run.about.size = size, run.about.recipe = static_cast<std::uint32_t>(size);
  run.ratio = ratio, run.low = -0.3, run.high = 0.3;
  return run;
}

/// Two sources of four models, which miss their estimates by an offset of the source and by what a model adds.
runs_by_source sources_of(double offset, double of_model) {
  runs_by_source all;
  for (int model = 0; model < 4; ++model) {
    const double own = model % 2 == 0 ? of_model : -of_model;
    all["one"].push_back(run_of("one", 30.0 + 4 * model, offset + own));
    all["other"].push_back(run_of("other", 31.0 + 4 * model, own - offset));
  }
  return all;
}

spreads_by_source spreads_for(const own_spreads& spreads) { return {{"one", spreads}, {"other", spreads}}; }

}  // namespace

TEST_CASE("what the models of a source share is learned from other models, what they do not is not") {
  const own_spreads shared{0.2, 0.01, 0.02, 3, 2, 3, 3, 0.5, 0.5, 0.01, 0.01, 1};
  const runs_by_source alike = sources_of(0.2, 0);
  const step_worth none = worth_of_models(alike, spreads_for(shared), 0, 3);
  const step_worth three = worth_of_models(alike, spreads_for(shared), 3, 3);
  CHECK(none.questions == 8);
  CHECK(none.sources == 2);
  CHECK(std::abs(none.error_median - std::expm1(0.2)) < 0.05);
  CHECK(three.error_median < 0.01);
  CHECK(three.width < 0.5 * three.before);
  CHECK(std::abs(three.of_sources - 1) < 1e-9);
  CHECK(std::abs(three.half - 1) < 1e-9);
  CHECK(std::abs(none.needed - 0.2 / 0.3) < 1e-9);
  CHECK(none.half == 0);
  CHECK(std::abs(spread_of(alike) - 0.2) < 1e-12);
  CHECK(spread_at(alike, own_step::other_model) < 1e-12);

  // Where models differ as much as sources do, more of them leave what they differ by.
  const runs_by_source apart = sources_of(0, 0.2);
  CHECK(worth_of_models(apart, spreads_for(shared), 3, 3).needed > 0.6);
  // Of six pairs of four models four differ by 0.4, whose half square is 0.08: the root of four sixths of that.
  CHECK(std::abs(spread_at(apart, own_step::other_model) - std::sqrt(0.08 * 4 / 6)) < 1e-12);
  CHECK(spread_at(apart, own_step::same_job) == 0);
}

TEST_CASE("sources without enough other models are not asked") {
  const own_spreads spreads{0.05, 0.07, 0.02, 3, 2, 3, 3, 0.5, 0.5, 0.05, 0.03, 1};
  CHECK(worth_of_models(sources_of(0.1, 0.1), spreads_for(spreads), 1, 4).sources == 0);
  CHECK(worth_of(sources_of(0.1, 0.1), spreads_for(spreads), own_step::other_slice).questions == 0);
  CHECK(worth_of(sources_of(0.1, 0.1), spreads_for(spreads), own_step::other_model).questions == 8);
}

}  // namespace lab_own_worth_tests

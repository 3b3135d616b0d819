// Ranges of serving estimates: of an engine, and of the mixture of those that ran where none is named.
#include <cmath>
#include <random>
#include <set>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/mixture.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_mixture_tests {

namespace {

serving_job traffic(serving_engine engine) {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  job.engine = engine;
  return job;
}

/// The mixture of what estimates say of each engine by its name.
template <class Estimate>
detail::likely_times named(detail::serving_kind kind, const Estimate& of) {
  detail::likely_times times;
  for (const detail::engine_that_ran& one : detail::ran_by_kind[static_cast<std::size_t>(kind)].items) {
    if (one.share <= 0) continue;
    const auto said = of(one.engine);
    times.items[times.count++] = {one.share, said.total, said.low, said.high};
  }
  return times;
}

}  // namespace

TEST_CASE("half of what is likely is above the estimate, one in twenty beyond each end") {
  const detail::likely_time time{1, 10_s, 8_s, 14_s};
  CHECK(close(detail::share_within(time, 10_s), 0.5));
  CHECK(close(detail::share_within(time, 8_s), 0.05));
  CHECK(close(detail::share_within(time, 14_s), 0.95));
  CHECK(detail::share_within(time, 20_s) > 0.95);
  const detail::likely_time floored{1, 10_s, 10_s, 14_s};
  CHECK(detail::share_within(floored, 9_s) == 0);
}

TEST_CASE("ends of a mixture lie between those of its parts, and leave one in twenty") {
  detail::likely_times both;
  both.items[0] = {0.7, 10_s, 8_s, 14_s};
  both.items[1] = {0.3, 20_s, 12_s, 40_s};
  both.count = 2;
  const seconds low = detail::range_of_parts(both).low, high = detail::range_of_parts(both).high;
  CHECK((8_s < low && low < 12_s));
  CHECK((14_s < high && high < 40_s));
  for (const auto& [at, share] : {std::pair{low, 0.05}, std::pair{high, 0.95}})
    CHECK(close(0.7 * detail::share_within(both.items[0], at) + 0.3 * detail::share_within(both.items[1], at), share,
                1e-9));
  both.count = 1;
  CHECK(detail::range_of_parts(both).low == 8_s);
  CHECK(detail::range_of_parts(both).high == 14_s);
}

TEST_CASE("a thousand mixtures leave one in twenty beyond each end, whatever the widths of their parts") {
  std::minstd_rand random(20261126);
  const auto between = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() % 10000) / 10000;
  };
  for (int round = 0; round < 1000; ++round) {
    INFO("mixture " << round);
    detail::likely_times all;
    all.count = 2 + random() % 7;
    double shares = 0;
    const double over = between(0.05, 2), under = between(0.05, 0.9);
    for (std::size_t i = 0; i < all.count; ++i) {
      detail::likely_time& one = all.items[i];
      one.share = between(0.01, 1), shares += one.share;
      one.total = random() % 4 == 0 && i > 0 ? all.items[i - 1].total : seconds{std::exp(between(-2, 2))};
      one.low = one.total / (1 + (random() % 3 == 0 ? between(0.01, 8) : over));
      one.high = one.total / (1 - (random() % 5 == 0 ? between(0.01, 0.95) : under));
      if (random() % 20 == 0) one.low = one.total;  // never below it
    }
    for (detail::likely_time& one : all.items) one.share /= shares;
    const auto share_below = [&](seconds limit) {
      double sum = 0;
      for (std::size_t i = 0; i < all.count; ++i)
        sum += all.items[i].share * detail::share_within(all.items[i], limit);
      return sum;
    };
    const detail::likely_time range = detail::range_of_parts(all);
    // A little to either side, as a share may jump where nothing is below a part.
    for (const auto& [end, share] : {std::pair{range.low, 0.05}, std::pair{range.high, 0.95}}) {
      CHECK(share_below(end * (1 - 1e-9)) < share);
      CHECK(share_below(end * (1 + 1e-9)) > share);
    }
  }
}

TEST_CASE("engines that ran are named, once each, and are all there is") {
  for (const detail::engines_that_ran& ran : detail::ran_by_kind) {
    double sum = 0;
    std::set<serving_engine> seen;
    for (std::size_t i = 0; i < ran.count; ++i) {
      CHECK(ran.items[i].engine != serving_engine::unnamed);
      CHECK(seen.insert(ran.items[i].engine).second);
      CHECK(ran.items[i].share > 0);
      if (i > 0) CHECK(ran.items[i].share <= ran.items[i - 1].share);
      sum += ran.items[i].share;
    }
    CHECK(close(sum, 1));
  }
}

TEST_CASE("the band of an engine by its name is that of its kind") {
  const detail::serving_band band = detail::bands_by_kind[0].band;
  const decode_breakdown step =
      decode_step(llama_3_8b(), {16, 1024}, traffic(serving_engine::vllm), {}, slice_for("v6e-8"));
  CHECK(close(step.low.value(), step.total.value() / (1 + band.over)));
  CHECK(close(step.high.value(), step.total.value() / (1 - band.under)));
}

// The terms of an engine are made from those where none is named: they must give what its name gives.
TEST_CASE("without a name the range is the mixture of what names give") {
  for (const std::string_view name : {"v6e-1", "v6e-8", "v6e-64"}) {
    const slice where = slice_for(name);
    const transformer model = llama_3_8b();
    const double best = detail::best_reached(detail::serving_kind::decode);
    const serving_layout mesh{chips(where) == 64 ? 8 : 0};  // over two hosts, which some engines run in turn
    const auto of_step = [&](serving_engine engine) {
      return decode_step(model, {16, 1024}, traffic(engine), mesh, where);
    };
    const auto of_token = [&](serving_engine engine) {
      return time_per_token(model, 16, traffic(engine), mesh, where);
    };
    const auto of_prompt = [&](serving_engine engine) {
      return prefill_time(model, {1, 1024}, traffic(engine), mesh, where);
    };
    const auto check = [](const auto& common, const detail::likely_times& times, seconds most) {
      CHECK(close(common.high.value(), max(common.total, detail::range_of_parts(times).high).value(), 1e-9));
      const seconds low = min(common.total, detail::range_of_parts(times).low);
      CHECK(close(common.low.value(), (most.value() > 0 ? min(low, most) : low).value(), 1e-9));
    };
    INFO(name);
    using detail::serving_kind;
    const seconds floor =
        decode_step(model, {16, 1024 + 128}, traffic(serving_engine::unnamed), mesh, where, peak_only).total;
    check(of_step(serving_engine::unnamed), named(serving_kind::decode, of_step),
          best * decode_step(model, {16, 1024}, traffic(serving_engine::unnamed), mesh, where, peak_only).total);
    check(of_token(serving_engine::unnamed), named(serving_kind::decode, of_token), best * floor);
    check(of_prompt(serving_engine::unnamed), named(serving_kind::prefill, of_prompt), seconds{0});
  }
}

}  // namespace estimate_serving_mixture_tests

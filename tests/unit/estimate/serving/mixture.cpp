// Ranges of serving estimates: of an engine, and of the mixture of those that ran where none is named.
#include <cmath>
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

/// Mixtral 8x7B, but for its vocabulary.
transformer routed() {
  transformer m = llama_3_8b();
  m.moe.experts = 8;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 14336;
  return m;
}

/// The ends that the engines of a kind have by their names, as a mixture, before the floor of physics ends a band.
template <class Estimate>
detail::likely_time named(detail::serving_kind kind, const Estimate& of) {
  double below = 0, above = 0;
  detail::likely_time range{};
  for (const detail::engine_that_ran& one : detail::ran_by_kind[static_cast<std::size_t>(kind)].items) {
    if (one.share <= 0) continue;
    const auto said = of(one.engine);
    const seconds low = said.total / (1 + detail::bands_by_kind[static_cast<std::size_t>(kind)].band.over);
    if (range.total.value() == 0) range.total = said.total;
    below += one.share * std::pow(min(said.low, low).value(), -4), above += one.share * std::pow(said.high.value(), 4);
  }
  range.low = seconds{std::pow(below, -0.25)}, range.high = seconds{std::pow(above, 0.25)};
  return range;
}

}  // namespace

TEST_CASE("of what may run, one in twenty lies beyond each end of the range") {
  const detail::engines_that_ran two{{{{serving_engine::vllm, 0.7}, {serving_engine::sglang_jax, 0.3}}}, 2};
  const detail::serving_band band{0.25, 0.5};
  const detail::engine_times time{10, 15};
  const detail::likely_time range = detail::range_of_engines(two, band, 0_s, time);
  CHECK(range.total == 10_s);
  // Ends of 8 and 12 s, and of 20 and 30 s.
  const auto share = [](double of_first, double of_other) { return 0.05 * (0.7 * of_first + 0.3 * of_other); };
  CHECK(close(share(std::pow(range.low / 8_s, 4), std::pow(range.low / 12_s, 4)), 0.05));
  CHECK(close(share(std::pow(20_s / range.high, 4), std::pow(30_s / range.high, 4)), 0.05));
  CHECK((8_s < range.low && range.low < 12_s));
  CHECK((20_s < range.high && range.high < 30_s));
  const detail::engine_times alike{10, 10};
  CHECK(close(detail::range_of_engines(two, band, 0_s, alike).low.value(), 8));
  CHECK(close(detail::range_of_engines(two, band, 0_s, alike).high.value(), 20));
}

TEST_CASE("a loop that can be as good as the best measured begins there, if that is sooner") {
  const detail::engines_that_ran loop{{{{serving_engine::example, 1}}}, 1};
  const detail::engines_that_ran engine{{{{serving_engine::vllm, 1}}}, 1};
  const detail::engine_times time{10};
  const detail::serving_band band{0.25, 0.5};
  CHECK(close(detail::range_of_engines(loop, band, 5_s, time).low.value(), 5));
  CHECK(close(detail::range_of_engines(loop, band, 9_s, time).low.value(), 8));
  CHECK(close(detail::range_of_engines(engine, band, 5_s, time).low.value(), 8));
  CHECK(close(detail::range_of_engines(loop, band, 5_s, time).high.value(), 20));
}

TEST_CASE("the range of a named engine is that of one engine that ran") {
  const detail::serving_band band{0.25, 0.5};
  const detail::engine_times time{10};
  for (const serving_engine engine : {serving_engine::vllm, serving_engine::example}) {
    for (const seconds best : {0_s, 5_s, 9_s}) {
      const detail::likely_time of_one = detail::range_of_engine(engine, band, best, 10_s);
      const detail::likely_time of_all = detail::range_of_engines({{{{engine, 1}}}, 1}, band, best, time);
      CHECK(of_one.total == of_all.total);
      CHECK(close(of_one.low.value(), of_all.low.value()));
      CHECK(close(of_one.high.value(), of_all.high.value()));
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

TEST_CASE("experts in the kernels of a first port take their time in each layer of a decode step, whatever the batch") {
  const transformer model = routed();
  const slice where = slice_for("v6e-8");
  const serving_calibration constants;
  for (const double sequences : {1.0, 64.0}) {
    const auto step = [&](software_level software) {
      serving_job job = traffic(serving_engine::sglang_jax);
      job.software = software;
      return decode_step(model, {sequences, 1024}, job, {}, where);
    };
    const seconds more = step(software_level::first_port).total - step(software_level::general).total;
    CHECK(close(more.value(), 32 * constants.ported_layer.value(), 1e-9));
    CHECK(step(software_level::unnamed).total == step(software_level::general).total);
    CHECK(step(software_level::tuned).total == step(software_level::general).total);
  }
  serving_job job = traffic(serving_engine::sglang_jax);
  const seconds prompt = prefill_time(model, {1, 1024}, job, {}, where).total;
  job.software = software_level::first_port;
  CHECK(prefill_time(model, {1, 1024}, job, {}, where).total == prompt);
  CHECK(time_per_token(model, 8, job, {}, where).step.latency > 32 * constants.ported_layer);
}

TEST_CASE("the level of the software narrows the range of experts, and says whether the best may run") {
  const slice where = slice_for("v6e-8");
  const auto token = [&](const transformer& model, serving_engine engine, software_level software) {
    serving_job job = traffic(engine);
    job.software = software;
    return time_per_token(model, 8, job, {}, where);
  };
  using level = software_level;
  for (const serving_engine engine : {serving_engine::unnamed, serving_engine::vllm, serving_engine::example}) {
    const token_time any = token(routed(), engine, level::unnamed);
    const token_time tuned = token(routed(), engine, level::tuned);
    const token_time plain = token(routed(), engine, level::general);
    CHECK(any.high > 1.2 * tuned.high);
    CHECK(tuned.high == plain.high);
    CHECK(plain.low >= tuned.low);
    if (engine == serving_engine::vllm) CHECK(plain.low == tuned.low);
  }
  // Of dense models the best is all that it says.
  const token_time any = token(llama_3_8b(), serving_engine::example, level::unnamed);
  const token_time plain = token(llama_3_8b(), serving_engine::example, level::general);
  CHECK(any.high == plain.high);
  CHECK(any.low < plain.low);
  const detail::serving_band& of_all = detail::bands_of(detail::serving_kind::expert_decode, level::unnamed).band;
  const detail::serving_band& named_band = detail::bands_of(detail::serving_kind::expert_decode, level::general).band;
  CHECK(of_all.under > named_band.under);
  serving_job job = traffic(serving_engine::vllm);
  job.software = level::first_port;
  const refusal dense = refusal_of([&] { (void)decode_step(llama_3_8b(), {1, 1024}, job, {}, where); });
  CHECK(says(dense.message, "serving_job.software is first_port"));
  job.weights = dtype::int8;
  CHECK(says(refusal_of([&] { (void)serve(llama_3_8b(), job, {}, where); }).message, "serving_job.software"));
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
    const auto check = [&](const auto& common, const detail::likely_time& range, seconds most) {
      CHECK(close(common.high.value(), max(common.total, range.high).value(), 1e-9));
      const seconds low = min(common.total, range.low);
      CHECK(close(common.low.value(), (most.value() > 0 ? max(min(low, most), most / best) : low).value(), 1e-9));
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

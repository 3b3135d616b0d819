#include "cli/against_gpu.hpp"

#include <cmath>
#include <tpuplan/show/text/gpus.hpp>

namespace cli {

using namespace tpuplan;

void add_gpu_training_options(command& to, gpu_options& into) {
  to.add("--gpu", into.gpu, "compare with A100-40, A100-80, H100, H200 or V100, as published runs of these go")
      .needs({"--gpus"});
  to.add("--gpus", into.gpus, {1, 1e6}, "how many of them").needs({"--gpu"});
  to.add("--gpu-usd", into.price, {1e-3, 1e4}, "dollars per GPU and hour, instead of the list price").needs({"--gpu"});
  add_trait_options(to, into.traits);
}

void add_trait_options(command& to, job_traits& into) {
  to.flag("--small-batch", into.small_batch, "the batch cannot be made larger").needs({"--gpu"});
  to.flag("--dynamic-shapes", into.dynamic_shapes, "shapes change from step to step").needs({"--gpu"});
  to.flag("--custom-kernels", into.custom_kernels, "the job has CUDA kernels of its own").needs({"--gpu"});
}

priced_chips chips_of(const slice& where, std::int64_t slices, const price_row& price) {
  const auto paid = static_cast<double>(checked_multiply(chips(where), slices));
  return {price.per_chip * paid, peak_rate(where.chip, dtype::bf16) * paid, std::string(price.region.view())};
}

training_against_gpu compare_with_gpus(const gpu_options& given, const priced_chips& tpus, const rate_band& tpu,
                                       flops each, const std::string& unit) {
  training_against_gpu c;
  c.gpu = gpu_for(given.gpu);
  c.gpus = given.gpus.value_or(1);
  if (given.price) c.gpu.on_demand = usd_per_hour(*given.price);
  if (!given.price) c.price_words = readable::gpu_price_words(c.gpu, tpus.region);
  c.rate = gpu_rate(c.gpu, c.gpus, each);  // which refuses a GPU without published runs
  if (!c.gpu.on_demand.has_value())
    refuse_missing("--gpu-usd",
                   fmt::format("dollars per hour of one {} with its part of the machine: no list price is known here",
                               c.gpu.name.view()));
  c.reached = *find_achieved_fraction(c.gpu.name);
  c.unit = unit;
  c.each = each;
  const usd_per_second price = c.gpu.on_demand.value("price");
  c.costs = compare_training(tpus.price, tpu, price * static_cast<double>(c.gpus), c.rate, given.traits);
  c.tpu_peak = cost_of_work({tpus.price, throughput_at(tpus.peak, 1, flops{1})});
  c.gpu_peak = cost_of_work({price, throughput_at(c.gpu.bf16, 1, flops{1})});
  return c;
}

namespace {

/// The number of units whose dollars have digits that say something: a million, or more where they are cheap.
std::pair<double, std::string_view> dollars_are_for(usd one) {
  if ((1e6 * one).value() >= 0.05) return {1e6, "a million"};
  if ((1e9 * one).value() >= 0.05) return {1e9, "a billion"};
  return {1e12, "a trillion"};
}

}  // namespace

view_part not_compared_part(const gpu_options& given) {
  view_part part;
  part.sentences = {"not compared with " + given.gpu + ": the job does not fit on the slice"};
  return part;
}

view_part against_part(const training_against_gpu& c) {
  const auto [number, many_units] = dollars_are_for(min(c.costs.tpu_low, c.costs.gpu_low));
  const auto some = [&, size = number](usd one) { return money(size * one); };
  const auto many = [](usd one) { return money(1e18 * one); };
  const auto reached = [&](usd of_unit) { return many(of_unit / c.each.value()); };
  const double less = 1 - c.tpu_peak / c.gpu_peak;
  view_part part;
  const auto say = [&](std::string words) { part.sentences.push_back(std::move(words)); };
  say(fmt::format("against {} x {}: {}-{} {}s/s at {} to {} of peak, as published runs reach", c.gpus,
                  c.gpu.name.view(), count(c.rate.low.value()), count(c.rate.high.value()), c.unit,
                  percent(c.reached.low), percent(c.reached.high)));
  say(fmt::format("{} {}s: {}-{} here, {}-{} there: {}, {}", many_units, c.unit, some(c.costs.tpu_low),
                  some(c.costs.tpu_high), some(c.costs.gpu_low), some(c.costs.gpu_high), name(c.costs.decision),
                  c.costs.reason));
  say(fmt::format("10^18 FLOPs: {} here, {} there at peak, {} {}; {}-{} here, {}-{} there as reached", many(c.tpu_peak),
                  many(c.gpu_peak), percent(std::abs(less)), less < 0 ? "more" : "less", reached(c.costs.tpu_low),
                  reached(c.costs.tpu_high), reached(c.costs.gpu_low), reached(c.costs.gpu_high)));
  if (!c.price_words.empty()) say(c.price_words);
  return part;
}

ordered_json json_of(const training_against_gpu& c) {
  return {{"gpu", c.gpu.name.view()},
          {"gpus", c.gpus},
          {"unit", c.unit},
          {"fraction_low", c.reached.low},
          {"fraction_high", c.reached.high},
          {"source", c.reached.source},
          {"rate_low_per_s", c.rate.low.value()},
          {"rate_high_per_s", c.rate.high.value()},
          {"tpu_low_usd", c.costs.tpu_low.value()},
          {"tpu_high_usd", c.costs.tpu_high.value()},
          {"gpu_low_usd", c.costs.gpu_low.value()},
          {"gpu_high_usd", c.costs.gpu_high.value()},
          {"flops_per_unit", c.each.value()},
          {"tpu_peak_usd_per_flop", c.tpu_peak.value()},
          {"gpu_peak_usd_per_flop", c.gpu_peak.value()},
          {"cheaper", name(c.costs.cheaper)},
          {"decision", name(c.costs.decision)},
          {"reason", c.costs.reason}};
}

}  // namespace cli

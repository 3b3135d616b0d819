// Streaming and formatting: one text for both, with the specification that fmt knows for numbers or for strings.
#include <clocale>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/show/fmt.hpp>
#include <tpuplan/show/ostream.hpp>
#include <tpuplan/tpuplan.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace show_fmt_tests {

namespace {

template <class T>
std::string streamed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

/// The one text of a value, checked to be the same by both ways.
template <class T>
std::string text_of(const T& x) {
  CHECK(streamed(x) == fmt::format("{}", x));
  return streamed(x);
}

constexpr slice where = slice_for("v5p-128");

}  // namespace

TEST_CASE("quantities have three digits and a unit of a sensible size", "[format]") {
  CHECK(text_of(16_GiB) == "16.0 GiB");
  CHECK(text_of(1536_MiB) == "1.50 GiB");
  CHECK(text_of(bytes{0}) == "0 B");
  CHECK(text_of(bytes{1023}) == "1023 B");
  CHECK(text_of(bytes{1024}) == "1.00 KiB");
  CHECK(text_of(-3_GiB) == "-3.00 GiB");
  CHECK(text_of(bytes{std::ldexp(1.0, 80)}) == "1099511627776 TiB");
  CHECK(text_of(197_TFLOP_per_s) == "197 TFLOP/s");
  CHECK(text_of(flops{6.3e24}) == "6.30 YFLOP");
  CHECK(text_of(flops{0}) == "0 FLOP");
  CHECK(text_of(819_GB_per_s) == "819 GB/s");
  CHECK(text_of(v4.hbm.bandwidth) == "1.20 TB/s");
  CHECK(text_of(ridge_point(v5e)) == "241 FLOP/B");
  CHECK(text_of(1500_MHz) == "1.50 G/s");
  CHECK(text_of(flops_per_usd{5.91e17}) == "591 PFLOP/$");
}

TEST_CASE("times change their unit at two of the next", "[format]") {
  CHECK(text_of(seconds{0}) == "0 s");
  CHECK(text_of(3.1_days) == "3.10 days");
  CHECK(text_of(47_h) == "47.0 hours");
  CHECK(text_of(48_h) == "2.00 days");
  CHECK(text_of(119_s) == "119 s");
  CHECK(text_of(120_s) == "2.00 min");
  CHECK(text_of(3.5_ms) == "3.50 ms");
  CHECK(text_of(0.04_us) == "0.04 us");
  CHECK(text_of(-3_h) == "-3.00 hours");
  CHECK(readable::duration_range(1.74_s, 2.61_s) == "1.74-2.61 s");
}

TEST_CASE("dollars have cents until they have thousands", "[format]") {
  CHECK(text_of(usd{0}) == "$0.00");
  CHECK(text_of(usd{0.000049}) == "<$0.0001");
  CHECK(text_of(usd{0.000052}) == "$0.0001");
  CHECK(text_of(usd{9.6}) == "$9.60");
  CHECK(text_of(usd{999.49}) == "$999.49");
  CHECK(text_of(usd{999.5}) == "$1.00k");
  CHECK(text_of(usd{48200}) == "$48.2k");
  CHECK(text_of(usd{999499}) == "$999k");
  CHECK(text_of(usd{1.3e6}) == "$1.30M");
  CHECK(text_of(usd{2.5e12}) == "$2500B");
  CHECK(text_of(usd{-48200}) == "-$48.2k");
  CHECK(text_of(usd_per_hour(1.2)) == "$1.20/h");
  CHECK(text_of(usd_per_hour(1080)) == "$1.08k/h");
}

TEST_CASE("what is not a number is written as such", "[format]") {
  CHECK(text_of(bytes{std::numeric_limits<double>::infinity()}) == "inf TiB");
  CHECK(text_of(seconds{std::numeric_limits<double>::quiet_NaN()}) == "nan us");
  CHECK(text_of(bytes{1e308}).size() == 296 + 4);  // 1e308 / 2^40 is 9.1e295
}

TEST_CASE("the specification of a string is for number and unit together", "[format]") {
  CHECK(fmt::format("{:>10}", 16_GiB) == "  16.0 GiB");
  CHECK(fmt::format("{:10}|", 16_GiB) == "16.0 GiB  |");
  CHECK(fmt::format("{:*^12}", usd{48200}) == "***$48.2k***");
  CHECK(fmt::format("{:.>{}}", 16_GiB, 10) == "..16.0 GiB");
  CHECK(fmt::format("{:<6}|{:>6}", dtype::bf16, verdict::yes) == "bf16  |   yes");
  CHECK(fmt::format("{:-^11}", where) == "--v5p-128--");
  std::ostringstream out;
  out << std::setw(10) << 16_GiB << std::left << std::setw(6) << dtype::bf16 << "|";
  CHECK(out.str() == "  16.0 GiBbf16  |");
}

TEST_CASE("the specification of a double is for the number in its unit", "[format]") {
  CHECK(fmt::format("{:.3f}", 16_GiB) == "16.000 GiB");
  CHECK(fmt::format("{:8.2f}", 16_GiB) == "   16.00 GiB");
  CHECK(fmt::format("{:08.2f}", 16_GiB) == "00016.00 GiB");
  CHECK(fmt::format("{:+.1f}", 3.5_ms) == "+3.5 ms");
  CHECK(fmt::format("{:.{}f}", 197_TFLOP_per_s, 1) == "197.0 TFLOP/s");
  CHECK(fmt::format("{:.0f}", usd{48200}) == "$48k");
  CHECK(fmt::format("{:e}", 16_GiB) == "1.600000e+01 GiB");
  CHECK(fmt::format("{:.2f}", -16_GiB) == "-16.00 GiB");
  CHECK_THROWS_AS(fmt::format(fmt::runtime("{:.2d}"), 16_GiB), fmt::format_error);
  CHECK_THROWS_AS(fmt::format(fmt::runtime("{:.2f}"), dtype::bf16), fmt::format_error);
}

TEST_CASE("enumerators, slices and shapes are their names", "[format]") {
  CHECK(text_of(dtype::int8) == "int8");
  CHECK(text_of(errc::no_price) == "no_price");
  CHECK(text_of(verdict::uncertain) == "uncertain");
  CHECK(text_of(provisioning::on_demand) == "on_demand");
  CHECK(text_of(optimizer_kind::adamw) == "adamw");
  CHECK(text_of(memory_level::hbm) == "hbm");
  CHECK(text_of(bound::compute) == "compute");
  CHECK(text_of(step_bound::ici) == "ici");
  CHECK(text_of(memory_stage::layer) == "layer");
  CHECK(text_of(architecture::decoder) == "decoder");
  CHECK(text_of(software_level::tuned) == "tuned");
  CHECK(text_of(objective::fastest) == "fastest");
  CHECK(text_of(rejection::does_not_fit) == "does_not_fit");
  CHECK(text_of(date_qualifier::exact) == name(date_qualifier::exact));
  CHECK(text_of(attention_kernel::unfused) == name(attention_kernel::unfused));
  CHECK(text_of(cache_policy::paged) == "paged");
  CHECK(text_of(decode_limit::cache) == "cache");
  CHECK(text_of(finding_kind::batch) == "batch");
  CHECK(text_of(serving_finding_kind::batch) == "batch");
  CHECK(text_of(remat::save_qkv_proj) == "save_qkv_proj");
  CHECK(text_of(where) == "v5p-128");
  CHECK(text_of(where.shape) == "4x4x4");
  CHECK(text_of(where.chip.name) == "v5p");
}

TEST_CASE("figures that there are not are said so", "[format]") {
  CHECK(text_of(v3.peak.int8) == "absent");
  CHECK(text_of(v4.peak.fp8) == "absent");
  CHECK(text_of(tpu8i.peak.int4) == "unknown");
  CHECK(text_of(v5e.peak.bf16) == "197 TFLOP/s");
}

TEST_CASE("layouts, models and jobs in one line", "[format]") {
  CHECK(text_of(layout{}) == "one device");
  CHECK(text_of(fsdp_layout(where)) == "fsdp 64");
  CHECK(text_of(fsdp_layout(where, 2)) == "fsdp 64, 2 slices");
  layout mesh;
  mesh.data = 2;
  mesh.tensor = 8;
  mesh.context = 4;
  CHECK(text_of(mesh) == "data 2 x tensor 8 x context 4");
  CHECK(text_of(v5e) == "v5e: 197 TFLOP/s in bf16, 16.0 GiB HBM at 819 GB/s");
  CHECK(text_of(llama_3_8b()) == "llama-3-8b (decoder): 32 layers of 4096, vocabulary 128256");
  CHECK(text_of(job_of(1024, 4096)) == "1024 sequences of 4096 tokens, bf16, adamw, remat full");
}

TEST_CASE("breakdowns in one line: the whole, then the parts that are not 0", "[format]") {
  memory_breakdown m;
  m.parameters = 3_GiB;
  m.logits = 512_MiB;
  m.total = m.low = m.high = 3.5_GiB;
  m.usable = 16_GiB;
  CHECK(text_of(m) == "3.5 of 16.0 GiB (fits: yes): parameters 3.00 GiB, logits 512 MiB");
  step_breakdown t;
  t.compute = 2_s;
  t.dcn = {3_s, 0.5_s};
  t.total = 2.5_s;
  t.low = 2_s;
  t.high = 3_s;
  t.mfu = 0.412;
  CHECK(text_of(t) == "2.50 s (2.00-3.00 s), MFU 41.2 %: compute 2.00 s, DCN 500 ms");
  const run_cost cost =
      cost_of_run(slice_for("v5e-32"), 1, 2_h, price_for({}, slice_for("v5e-32"), "us", provisioning::on_demand));
  CHECK(text_of(cost) == "$76.80: 2.00 hours at $38.40/h");
  CHECK(text_of(cost.price) == "$1.20/h a chip: v5e on_demand in us, " + std::string(cost.price.date.view()));
}

TEST_CASE("serving and advice in one line", "[format]") {
  decode_breakdown t;
  t.total = 8.2_ms;
  t.low = 7.1_ms;
  t.high = 9.4_ms;
  t.limited_by = decode_limit::cache;
  CHECK(text_of(t) == "8.20 ms (7.10-9.40 ms), limited by cache");
  serving_estimate e;
  CHECK(text_of(e) == "fits: no");
  e.fit = verdict::yes;
  e.running = 64;
  e.replicas = 2;
  e.per_token.total = 8.2_ms;
  e.first_token = 150_ms;
  e.output_tokens = per_second{15600};
  CHECK(text_of(e) ==
        "fits: yes, 64.0 sequences on each of 2 replicas, 8.20 ms a token, first token after 150 ms, "
        "output tokens 15.6 k/s");
  e.refusal = serving_refusal::rate_above_capacity;
  e.capacity = per_second{8.93};
  CHECK(text_of(e) == "refused: the capacity is 8.93 /s");
  e.refusal = serving_refusal::tpot_below_floor;
  e.floor = 5.33_ms;
  CHECK(text_of(e) == "refused: TPOT is 5.33 ms or more, weights at peak rates");
  e.refusal = serving_refusal::ttft_below_floor;
  e.floor_limited_by = decode_limit::products;
  CHECK(text_of(e) == "refused: TTFT is 5.33 ms or more, products at peak rates");
  finding f;
  f.kind = finding_kind::batch;
  f.subject = "training_job.global_batch";
  f.now = "64";
  f.better = "128";
  f.gain = 0.063;
  CHECK(text_of(f) == "batch: training_job.global_batch 64, better 128, saves 6.3 %");
  serving_finding g;
  g.subject = "serving_layout.tensor";
  g.now = "8";
  g.better = "4";
  CHECK(text_of(g) == std::string(name(g.kind)) + ": serving_layout.tensor 8, better 4, saves 0.0 %");
}

TEST_CASE("spot runs in one line", "[format]") {
  expected_spot_run run;
  run.work = 10_h;
  run.lost_work = 30_min;
  run.billed = 10.5_h;
  run.wall = 10.5_h;
  run.preemptions = 2.2138;
  CHECK(text_of(run) == "10.5 hours billed, 10.5 hours in all, 2.21 preemptions: work 10.0 hours, lost work 30.0 min");
  const spot_prices prices{38.40_usd_per_h, 19.20_usd_per_h};
  CHECK(text_of(compare_spot(prices, 2_h, 2.4_h)) == "$46.08 on spot, $76.80 on demand: saves 40.0 %");
  CHECK(text_of(compare_spot(prices, 2_h, 6_h)) == "$115.20 on spot, $76.80 on demand: costs 50.0 % more");
}

TEST_CASE("the parts of serving in one line", "[format]") {
  serving_memory memory;
  memory.weights = 8_GiB;
  memory.cache = 2_GiB;
  memory.total = memory.low = memory.high = 10_GiB;
  memory.usable = 16_GiB;
  CHECK(text_of(memory) == "10.0 of 16.0 GiB (fits: yes): weights 8.00 GiB, cache 2.00 GiB");
  decode_breakdown step;
  step.weights = 8_ms;
  step.total = 10_ms;
  step.low = 8_ms;
  step.high = 12_ms;
  prefill_breakdown prompt;
  prompt.products = prompt.total = prompt.low = prompt.high = 50_ms;
  CHECK(text_of(prompt) == "50.0 ms (50.0-50.0 ms): products 50.0 ms");
  token_time token;
  token.step = step;
  token.prompts = 2_ms;
  token.total = token.low = token.high = 12_ms;
  CHECK(text_of(token) == "12.0 ms (12.0-12.0 ms): decode step 10.0 ms, prompts 2.00 ms");
  const serving_cost cost{21.60_usd_per_h, 0.24_usd, 2.10_usd, 3_usd};
  CHECK(text_of(cost) == "$0.24 a million prompt tokens, $2.10 a million output tokens, at $21.60/h");
  serving_cost of_texts;
  of_texts.rate = 2.70_usd_per_h, of_texts.input = 0.02_usd, of_texts.requests = 10_usd;
  CHECK(text_of(of_texts) == "$0.02 a million prompt tokens, $10.00 a million requests, at $2.70/h");
  serving_estimate texts;
  texts.fit = verdict::yes, texts.running = 32, texts.replicas = 1, texts.first_token = 10_ms;
  texts.requests = per_second{3000};
  CHECK(text_of(texts) ==
        "fits: yes, 32.0 requests in a step of each of 1 replicas, answered after 10.0 ms, requests 3.00 k/s");
}

TEST_CASE("plans in one line", "[format]") {
  plan p;
  p.where = where;
  p.mesh = fsdp_layout(where);
  p.run = 3_days;
  plan_cost cost;
  cost.total = usd{48200};
  p.costs = {cost};
  CHECK(text_of(p) == "v5p-128, fsdp 64, remat full: 3.00 days, $48.2k on_demand");
  plan_answer answer;
  CHECK(text_of(answer) == "0 plans, 0 slices rejected");
  answer.plans = {p};
  CHECK(text_of(answer) == "1 plans, 0 slices rejected; best: " + text_of(p));
}

TEST_CASE("the parts of a breakdown add up to its total", "[format]") {
  const memory_breakdown m = memory_use(llama_3_8b(), job_of(256, 4096), fsdp_layout(where), where);
  double sum = 0;
  for (const detail::part& p : detail::memory_parts(m)) sum += p.value;
  CHECK_THAT(sum, Catch::Matchers::WithinRel(m.total.value(), 1e-12));
  const step_breakdown t = step_time(llama_3_8b(), job_of(256, 4096), fsdp_layout(where), where);
  sum = 0;
  for (const detail::part& p : detail::step_parts(t)) sum += p.value;
  CHECK_THAT(sum, Catch::Matchers::WithinRel(t.total.value(), 1e-12));
  training_job offloaded = job_of(256, 4096);
  offloaded.state_on_host = host_state::optimizer;
  offloaded.software = software_level::general;
  const step_breakdown slow = step_time(llama_3_8b(), offloaded, fsdp_layout(where, 2), where);
  REQUIRE(slow.host.exposed > seconds{0});
  sum = 0;
  for (const detail::part& p : detail::step_parts(slow)) sum += p.value;
  CHECK_THAT(sum, Catch::Matchers::WithinRel(slow.total.value(), 1e-12));
}

TEST_CASE("numbers keep their point whatever the locale", "[format]") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C"}) {
    if (std::setlocale(LC_NUMERIC, locale) != nullptr) CHECK(readable::fixed(-1234.5, 1) == "-1234.5");
  }
  std::setlocale(LC_NUMERIC, before.c_str());
}

}  // namespace show_fmt_tests

// Runs of the caller's own in the estimates of training: how far they draw, whom, and what is left of the band.
#include <cmath>
#include <cstdint>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/estimate/training/quantiles.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_own_runs_tests {

TEST_CASE("a run of one's own draws the same question most, and others the less they are like it") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64"), larger = slice_for("v6e-256"), other = slice_for("v5p-64");
  const training_job job = job_of(256, 4096);
  const seconds before = step_time(m, job, fsdp_layout(ran), ran).total;
  const calibration mine = with_own_run({}, 1.3 * before, m, job, fsdp_layout(ran), ran);
  const auto drawn = [&](const training_job& asked, const slice& where) {
    const layout mesh = fsdp_layout(where);
    return step_time(m, asked, mesh, where, mine).total / step_time(m, asked, mesh, where).total;
  };
  const double same = drawn(job, ran), near = drawn(job_of(1024, 4096), larger), far = drawn(job, other);
  CHECK(same > 1.1);
  CHECK(same < 1.3);  // a run is not trusted wholly
  CHECK(near < same);
  CHECK(far < near);
  CHECK(far > 1);
  // The parts still add up, and the factor stands under software.
  const step_breakdown t = step_time(m, job, fsdp_layout(ran), ran, mine);
  CHECK(close(t.software.value(), (same - 1) / same * t.total.value(), 1e-9));
  // Three runs that agree draw further, and the band narrows each time.
  calibration known;
  double width = 1e9;
  for (int i = 0; i < 3; ++i) {
    known = with_own_run(known, 1.3 * before, m, job, fsdp_layout(ran), ran);
    const step_breakdown now = step_time(m, job, fsdp_layout(ran), ran, known);
    CHECK(now.high / now.low < width);
    CHECK(now.low < now.total);
    CHECK(now.total < now.high);
    width = now.high / now.low;
  }
  CHECK(step_time(m, job, fsdp_layout(ran), ran, known).total > t.total);
}

TEST_CASE("the worked numbers of own steps and peaks") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v5p-128");
  const layout mesh = fsdp_layout(where);
  const training_job job = job_of(64, 4096);
  const run_features about = features_of(m, job, mesh, where);
  CHECK(close(about.size, std::log2(8030261248.0)));
  CHECK(close(about.size, 32.9, 1e-3));
  CHECK(about.load == 12);
  CHECK(about.length == 12);
  CHECK(about.chips == 6);
  CHECK(about.kind == 0);
  // Another exchange of keys and values is another recipe where there is one.
  training_job ring = job;
  ring.ring_attention = !job.ring_attention;
  const layout in_two{1, 32, 1, 1, 2};
  CHECK(features_of(m, ring, mesh, where).recipe == about.recipe);
  CHECK(features_of(m, ring, in_two, where).recipe != features_of(m, job, in_two, where).recipe);
  const calibration mine = with_own_run({}, 1.3 * step_time(m, job, mesh, where).total, m, job, mesh, where);
  CHECK(mine.own.count == 1);
  CHECK(close(mine.own.items[0].ratio, std::log(1.3)));
  CHECK(close(std::log(1.3), 0.262, 2e-3));
  const bytes before = memory_use(m, job, mesh, where).total;
  const own_runs peaks = with_own_peak({}, 2 * before, m, job, mesh, where);
  CHECK(close(peaks.items[0].ratio, std::log(2.0)));
  const double factor = memory_use(m, job, mesh, where, peaks).total / before;
  const double shared = 0.0005 + 0.1 * 0.1 + 0.0355 * 0.0355;
  CHECK(close(shared, 0.01176, 1e-3));
  CHECK(close(factor, std::exp2(shared / (shared + 0.02 * 0.02))));
  CHECK(close(factor, 1.955, 5e-4));
}

TEST_CASE("own runs make sure of what they determine: the job, another slice, another policy, another model") {
  const transformer m = llama_3_8b();
  transformer larger = m;
  larger.layers = 80, larger.d_model = 8192, larger.mlp.d_ff = 28672, larger.attention.heads = 64;
  const slice ran = slice_for("v6e-64"), four_times = slice_for("v6e-256");
  const training_job job = job_of(256, 4096);
  const seconds before = step_time(m, job, fsdp_layout(ran), ran).total;
  calibration known;
  for (const double log : {1.145, 1.15, 1.155})
    known = with_own_run(known, log * before, m, job, fsdp_layout(ran), ran, 0.003);
  const auto width = [&](const transformer& of, const training_job& asked, const slice& where, const calibration& by) {
    const step_breakdown t = step_time(of, asked, fsdp_layout(where), where, by);
    return std::log(t.high / t.low);
  };
  training_job other = job;
  other.remat = remat::minimal;
  const double same = width(m, job, ran, known), slices = width(m, job_of(1024, 4096), four_times, known);
  const double policy = width(m, other, ran, known), model = width(larger, job, ran, known);
  CHECK(same < 2 * std::log(1.06));
  CHECK(slices < 2 * std::log(1.125));
  CHECK(same < slices);
  CHECK(slices < policy);
  CHECK(policy < model);
  CHECK(model < 0.75 * width(larger, job, ran, {}));
  CHECK(close(step_time(m, job, fsdp_layout(ran), ran, known).total / before, 1.15, 5e-3));
  // Of logs that differ by 15 % the next may lie anywhere among them.
  calibration scattered;
  for (const double log : {1.17, 1.14, 1.0})
    scattered = with_own_run(scattered, log * before, m, job, fsdp_layout(ran), ran);
  const step_breakdown t = step_time(m, job, fsdp_layout(ran), ran, scattered);
  CHECK(t.low < 1.0 * before);
  CHECK(t.high > 1.17 * before);
}

TEST_CASE("a question is of the software of the latest run") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const training_job job = job_of(256, 4096);
  const seconds before = step_time(m, job, mesh, ran).total;
  calibration known = with_own_run({}, 1.3 * before, m, job, mesh, ran, 0, "0.6");
  const seconds old = step_time(m, job, mesh, ran, known).total;
  known = with_own_run(known, 1.1 * before, m, job, mesh, ran, 0, "0.7");
  const double now = step_time(m, job, mesh, ran, known).total / before;
  CHECK(old / before > 1.25);
  CHECK(close(now, 1.11, 1e-2));  // where both are of one version it is their mean, 1.2
}

TEST_CASE("own runs leave the levels of software in their order, and a level of another name open") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  training_job job = job_of(256, 4096);
  const auto step_of = [&](software_level level, const calibration& known) {
    job.software = level;
    return step_time(m, job, mesh, ran, known);
  };
  const auto width = [](const step_breakdown& t) { return math::log(t.high / t.low); };
  for (const software_level level : {software_level::unnamed, software_level::tuned, software_level::general}) {
    CAPTURE(name(level));
    const seconds measured = 1.3 * step_of(level, {}).total;
    job.software = level;
    const calibration known = with_own_run({}, measured, m, job, mesh, ran);
    const seconds tuned = step_of(software_level::tuned, known).total;
    const step_breakdown general = step_of(software_level::general, known);
    CHECK(tuned < general.total);
    CHECK(general.total < step_of(software_level::first_port, known).total);
    CHECK(close(step_of(level, known).total / measured, 1, 0.03));
    if (level != software_level::general) CHECK(width(general) > 1.5 * width(step_of(level, known)));
  }
}

TEST_CASE("a peak of one's own is what the same job takes again") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const training_job job = job_of(256, 4096);
  const bytes before = memory_use(m, job, mesh, ran).total;
  const own_runs peaks = with_own_peak({}, 1.2 * before, m, job, mesh, ran);
  const memory_breakdown same = memory_use(m, job, mesh, ran, peaks);
  CHECK(close(same.total / before, 1.2, 1e-2));
  CHECK(same.high / same.low < 1.14);
  // The same recipe shares most of it, another policy hardly any.
  const auto factor = [&](const training_job& asked) {
    return memory_use(m, asked, mesh, ran, peaks).total / memory_use(m, asked, mesh, ran).total;
  };
  training_job other = job;
  other.remat = remat::minimal;
  CHECK(factor(job_of(512, 4096)) > 1.1);
  CHECK(factor(job_of(512, 4096)) < 1.19);
  CHECK(factor(other) < 1.02);
}

TEST_CASE("a job that ran fits, whatever is estimated of it") {
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-64");
  const layout mesh = fsdp_layout(where);
  const training_job job = job_of(4096, 4096);
  CHECK(fits(memory_use(m, job, mesh, where)) == verdict::no);
  const calibration steps = with_own_run({}, 1.2 * step_time(m, job, mesh, where).total, m, job, mesh, where);
  const memory_breakdown ran = memory_use(m, job, mesh, where, {}, steps.own);
  CHECK(ran.ran);
  CHECK(fits(ran) == verdict::yes);
  CHECK(chance_to_fit(ran) == 0.95);
  CHECK(ran.total == ran.usable);
  CHECK(ran.low < ran.total);
  CHECK(ran.high == ran.usable);
  const bytes parts = ran.parameters + ran.optimizer + ran.gradients + ran.activations + ran.logits +
                      ran.gathered_weights + ran.workspace;
  CHECK(close(parts.value(), ran.total.value()));
  // So does one whose peak was measured; of what fits anyway nothing changes.
  const training_job small = job_of(256, 4096);
  const memory_breakdown before = memory_use(m, small, mesh, where);
  const own_runs peak = with_own_peak({}, 0.99 * before.usable, m, small, mesh, where);
  CHECK(fits(memory_use(m, small, mesh, where, peak)) == verdict::uncertain);
  const memory_breakdown measured = memory_use(m, small, mesh, where, peak, {});
  CHECK(fits(measured) == verdict::yes);
  CHECK(measured.total == memory_use(m, small, mesh, where, peak).total);
  CHECK(measured.high == measured.usable);
  // One token more, another layout, policy or chip did not run.
  CHECK_FALSE(memory_use(m, job_of(4160, 4096), mesh, where, {}, steps.own).ran);
  CHECK_FALSE(memory_use(m, job, {1, 32, 2}, where, {}, steps.own).ran);
  training_job other = job;
  other.remat = remat::minimal;
  CHECK_FALSE(memory_use(m, other, mesh, where, {}, steps.own).ran);
  const slice v5p = slice_for("v5p-128");
  CHECK_FALSE(memory_use(m, job, fsdp_layout(v5p), v5p, {}, steps.own).ran);
  CHECK_FALSE(memory_use(m, job, mesh, where, {}, {}).ran);
}

TEST_CASE("the largest batch is that of the memory that own peaks correct") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const training_job job = job_of(256, 4096);
  CHECK(largest_batch(m, job, mesh, ran, own_runs{}) == largest_batch(m, job, mesh, ran));
  CHECK(largest_batch(m, job, mesh, ran).value() == 320);
  const own_runs peaks = with_own_peak({}, bytes{33e9}, m, job, mesh, ran);
  const maybe<std::int64_t> most = largest_batch(m, job, mesh, ran, peaks);
  REQUIRE(most.has_value());
  CHECK(*most == 256);  // which ran; by its memory 128
  CHECK(fits(memory_use(m, job_of(128, 4096), mesh, ran, peaks)) == verdict::yes);
  CHECK(fits(memory_use(m, job_of(192, 4096), mesh, ran, peaks)) != verdict::yes);
  CHECK(fits(memory_use(m, job_of(*most, 4096), mesh, ran, peaks, own_runs{})) == verdict::yes);
  CHECK(fits(memory_use(m, job_of(*most + 64, 4096), mesh, ran, peaks, own_runs{})) != verdict::yes);
}

TEST_CASE("a job of other microbatches did not run, and takes its own memory") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  training_job job = job_of(2048, 4096);
  const memory_breakdown whole = memory_use(m, job, mesh, ran);
  REQUIRE(fits(whole) == verdict::no);
  job.gradient_accumulation = 16;
  const own_runs steps = with_own_run({}, 20.1_s, m, job, mesh, ran).own;
  const own_runs peaks = with_own_peak({}, bytes{9.5e9}, m, job, mesh, ran);
  CHECK(memory_use(m, job, mesh, ran, {}, steps).ran);
  CHECK(memory_use(m, job, mesh, ran, peaks, {}).ran);
  job.gradient_accumulation = 1;
  CHECK(memory_use(m, job, mesh, ran, {}, steps).total == whole.total);
  const memory_breakdown moved = memory_use(m, job, mesh, ran, peaks, steps);
  CHECK((!moved.ran && fits(moved) == verdict::no && moved.high > 1.2 * moved.total));
  training_job piped = job_of(512, 4096);
  layout stages = mesh;
  stages.fsdp = 32, stages.pipeline = 2, piped.pipeline_microbatches = 8;
  const run_features eight = features_of(m, piped, stages, ran);
  piped.pipeline_microbatches = 4;
  CHECK(eight.microbatches != features_of(m, piped, stages, ran).microbatches);
  CHECK(eight.layout == features_of(m, piped, stages, ran).layout);
}

TEST_CASE("a batch that ran is the largest that surely fits, whichever is asked") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const own_runs steps = with_own_run({}, 5.5_s, m, job_of(448, 4096), mesh, ran).own;
  for (const std::int64_t batch : {64, 256, 448, 512})
    CHECK(largest_batch(m, job_of(batch, 4096), mesh, ran, {}, steps).value() == 448);
  CHECK(largest_batch(m, job_of(64, 8192), mesh, ran, {}, steps).value() <
        largest_batch(m, job_of(64, 4096), mesh, ran).value());
}

TEST_CASE("what is not the same job is told apart: adapters, experts of a token, windows, levels") {
  const slice ran = slice_for("v6e-64"), devices_are_chips = slice_for("v5p-128");
  transformer m = llama_3_8b();
  training_job job = job_of(256, 4096);
  const auto about = [&](const layout& mesh, const slice& where) { return features_of(m, job, mesh, where); };
  job.lora_rank = 16, job.lora.q = job.lora.v = true;
  const run_features narrow = about(fsdp_layout(ran), ran);
  job.lora.down = true;
  CHECK(about(fsdp_layout(ran), ran).recipe != narrow.recipe);
  job = job_of(256, 4096);
  const run_features plain = about(fsdp_layout(ran), ran);
  m.attention.window = 1024, m.attention.local_layers = 16;
  CHECK(about(fsdp_layout(ran), ran).recipe != plain.recipe);
  layout counted = fsdp_layout(devices_are_chips);
  const run_features by_device = about(counted, devices_are_chips);
  counted.unit = mesh_unit::chips;
  CHECK(about(counted, devices_are_chips).layout == by_device.layout);
  // Of a level that is named, and not that of the latest run, the recipe is not known.
  m = llama_3_8b();
  calibration known;
  for (int i = 0; i < 3; ++i) known = with_own_run(known, 3_s, m, job, fsdp_layout(ran), ran);
  job.software = software_level::first_port;
  const step_breakdown other = step_time(m, job, fsdp_layout(ran), ran, known);
  CHECK(other.high > 1.12 * other.total);
}

TEST_CASE("a peak that no device can have is refused with what is possible") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const training_job job = job_of(256, 4096);
  const auto refused = [&](double measured) {
    return refusal_of([&] { (void)with_own_peak({}, bytes{measured}, m, job, mesh, ran); }).message;
  };
  const memory_breakdown memory = memory_use(m, job, mesh, ran);
  const double held = (memory.parameters + memory.optimizer).value();
  CHECK(close(held, 8030261248.0 * 12 / 64, 1e-3));
  CHECK(says(refused(1e9), "measured HBM is 1000000000; valid: 1505673984 bytes, its parameters and optimizer state"));
  CHECK(says(refused(60e9), "to 34359738368, the HBM of a device"));
  CHECK(refused(held).empty());
  CHECK(refused(32.0 * 1024 * 1024 * 1024).empty());
  // Of two devices on a chip each has half of its HBM.
  const slice v3 = slice_for("v3-64");
  CHECK(says(refusal_of([&] { (void)with_own_peak({}, bytes{17.5e9}, m, job, fsdp_layout(v3), v3); }).message,
             "to 17179869184, the HBM of a device"));
}

TEST_CASE("own peaks narrow the range of memory by half of what they narrow the spread") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const training_job job = job_of(256, 4096);
  const memory_breakdown before = memory_use(m, job, mesh, ran);
  const own_runs peaks = with_own_peak({}, 1.1 * before.total, m, job, mesh, ran);
  training_job far = job;
  far.remat = remat::minimal, far.sequence_length = 16384, far.global_batch = 64;
  const memory_breakdown bare = memory_use(m, far, mesh, ran), known = memory_use(m, far, mesh, ran, peaks);
  const double left = (1 + own_spread_left(peaks, memory_spreads, features_of(m, far, mesh, ran))) / 2;
  REQUIRE(left >= 0.7);  // else what was measured itself bounds it
  CHECK(close(known.low / known.total, std::pow(bare.low / bare.total, left), 1e-9));
  CHECK(close(known.high / known.total, std::pow(bare.high / bare.total, left), 1e-9));
}

TEST_CASE("what no run can be is refused") {
  const transformer m = llama_3_8b();
  const slice ran = slice_for("v6e-64");
  const layout mesh = fsdp_layout(ran);
  const training_job job = job_of(256, 4096);
  const auto says_of = [&](seconds measured, double spread = 0) {
    return refusal_of([&] { (void)with_own_run({}, measured, m, job, mesh, ran, spread); }).message;
  };
  CHECK(says(says_of(0_s), "measured step time is 0"));
  CHECK(says(says_of(seconds{-1}), "measured step time is -1"));
  CHECK(says(says_of(seconds{std::nan("")}), "a finite number"));
  CHECK(says(says_of(seconds{1e6}), "a factor of 148 at most"));
  CHECK(says(says_of(2_s, -1), "spread"));
  CHECK(says(says_of(2_s, std::nan("")), "spread"));
  calibration full;
  for (std::size_t i = 0; i < most_own_runs; ++i) full = with_own_run(full, 2.2_s, m, job, mesh, ran);
  CHECK(says(refusal_of([&] { (void)with_own_run(full, 2.2_s, m, job, mesh, ran); }).message, "at most 20 runs"));
  full.own.count = 21;
  CHECK(says(refusal_of([&] { (void)step_time(m, job, mesh, ran, full); }).message, "own_runs.count is 21"));
}

}  // namespace estimate_training_own_runs_tests

// Each kind of finding: where it must appear, where it must not, and its gain against two estimates made here. Then
// every finding of a few dozen jobs, with the change read from its words and applied by hand.
#include <cstdio>
#include <string>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/read/hf.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_advice_tests {

namespace {

training_case fsdp_case(const char* where, std::int64_t batch, std::int64_t sequence, std::int64_t slices = 1) {
  const slice s = slice_for(where);
  return {llama_3_8b(), job_of(batch, sequence), fsdp_layout(s, slices), s};
}

findings advice_on(const training_case& c) { return training_advice(c.model, c.job, c.mesh, c.where); }

bool has(const training_case& c, finding_kind kind) { return find_finding(advice_on(c), kind).has_value(); }

finding found(const training_case& c, finding_kind kind) {
  const maybe<finding> one = find_finding(advice_on(c), kind);
  INFO(name(kind));
  REQUIRE(one.has_value());
  return *one;
}

double time_of(const training_case& c) { return step_time(c.model, c.job, c.mesh, c.where).total.value(); }
verdict fit_of(const training_case& c) { return fits(memory_use(c.model, c.job, c.mesh, c.where)); }
double model_flops(const training_case& c) {
  const forward_flops f = forward_flops_per_token(c.model, c.job.sequence_length);
  return (f.total - f.logits + c.job.logits_fraction * f.logits).value();
}

/// The slice with chips that have just enough HBM for the job to fit surely.
slice with_just_enough(const training_case& c) {
  slice s = c.where;
  s.chip.hbm.usable_per_device = unknown;
  const bytes enough = memory_use(c.model, c.job, c.mesh, c.where).high * (1.001 / safe_share);
  s.chip.hbm.capacity = enough * static_cast<double>(s.chip.jax_devices);
  return s;
}

/// The finding's figures are those of two direct estimates; `work` is what the second does on each chip over the first.
void check_gain(const finding& f, const training_case& now, const training_case& then, double work = 1) {
  INFO(name(f.kind) << ": " << f.now.view() << " -> " << f.better.view());
  CHECK(f.step_time_now.value() == time_of(now));
  CHECK(f.step_time_then.value() == time_of(then));
  CHECK(close(f.work, work));
  CHECK(close(f.gain, 1 - time_of(then) / time_of(now) / work, 1e-9));
  CHECK(f.gain >= smallest_gain);
}

}  // namespace

TEST_CASE("a batch below what a chip needs is doubled until it is not") {
  const training_case now = fsdp_case("v5p-128", 64, 512);  // 512 tokens a chip; 850 are critical
  const finding f = found(now, finding_kind::batch);
  CHECK(f.subject == "training_job.global_batch");
  CHECK(f.now == "64");
  CHECK(f.better == "128");
  check_gain(f, now, fsdp_case("v5p-128", 128, 512), 2);
  CHECK_FALSE(has(fsdp_case("v5p-128", 128, 512), finding_kind::batch));
}

TEST_CASE("a batch is not advised that does not fit") {
  training_case now = fsdp_case("v6e-64", 64, 4096);  // open rings: 5100 tokens a chip are critical
  CHECK(found(now, finding_kind::batch).better == "128");
  now.where = with_just_enough(now);
  training_case twice = now;
  twice.job.global_batch = 128;
  REQUIRE(fit_of(twice) != verdict::yes);
  CHECK_FALSE(has(now, finding_kind::batch));
}

TEST_CASE("experts and tensor shards move the critical batch") {
  const slice s = slice_for("v5p-128");
  transformer m = llama_3_8b();
  layout mesh;
  mesh.fsdp = 16;
  mesh.tensor = 4;
  CHECK(close(critical_tokens_per_chip(m, mesh, s), 850.0 / 4));
  m.moe.experts = 16;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 4096;
  CHECK(close(critical_tokens_per_chip(m, fsdp_layout(s), s), 8 * 850));
  mesh.tensor = 1;
  mesh.expert = 4;
  CHECK(close(critical_tokens_per_chip(m, mesh, s), 2 * 850));
  // One chip has no traffic: 561 tokens, the critical batch of v6e from HBM; two devices on a chip need as many each.
  const slice one = slice_for("v6e-1");
  CHECK(critical_tokens_per_chip(llama_3_8b(), fsdp_layout(one), one) == 561);
  const slice chip_of_two = slice_for("tpu7x-2");
  layout two;
  two.tensor = 2;
  CHECK(critical_tokens_per_chip(llama_3_8b(), two, chip_of_two) ==
        static_cast<double>(critical_batch(chip_of_two.chip)));
  const refusal r = refusal_of([&] { (void)critical_tokens_per_chip(llama_3_8b(), layout{}, s); });
  CHECK(r.code == errc::invalid_argument);
  CHECK(says(r.message, "64 devices of v5p-128"));
}

TEST_CASE("a width that does not fill the MXU") {
  training_case now = fsdp_case("v6e-256", 1024, 4096);  // side 256
  now.model.mlp.gated = false;
  now.model.mlp.d_ff = 56 * 256 + 16;
  const finding f = found(now, finding_kind::dimension);
  CHECK(f.subject == "model.mlp.d_ff");
  CHECK(f.now == "14352");
  const std::int64_t better = std::stoll(std::string(f.better.view()));
  CHECK((better == 56 * 256 || better == 57 * 256));
  training_case then = now;
  then.model.mlp.d_ff = better;
  check_gain(f, now, then, model_flops(then) / model_flops(now));
  now.model.mlp.d_ff = 56 * 256;
  CHECK_FALSE(has(now, finding_kind::dimension));
  now.model.mlp.d_ff = 64;  // to 256 or to nothing is another model
  CHECK_FALSE(has(now, finding_kind::dimension));
}

TEST_CASE("the other widths, and widths that tensor shards cut") {
  training_case now = fsdp_case("v6e-256", 1024, 4096);
  now.model.d_model = 4096 + 8;
  CHECK(found(now, finding_kind::dimension).subject == "model.d_model");
  now = fsdp_case("v6e-256", 1024, 4096);
  now.model.mlp.d_ff = 9 * 1024 + 256;  // 37 sides of 256, but 9.25 on each of four shards
  CHECK_FALSE(has(now, finding_kind::dimension));
  now.mesh.fsdp = 64;
  now.mesh.tensor = 4;
  const finding f = found(now, finding_kind::dimension);
  CHECK(f.now == "9472");
  CHECK((f.better == "9216" || f.better == "10240"));
}

TEST_CASE("heads smaller than the lanes become fewer of 128") {
  training_case now = fsdp_case("v5p-128", 256, 8192);
  now.model.attention.heads = 64;
  now.model.attention.kv_heads = 16;
  now.model.attention.head_dim = 64;
  const finding f = found(now, finding_kind::dimension);
  CHECK(f.subject == "model.attention.head_dim");
  CHECK(f.now == "64 heads of 64");
  CHECK(f.better == "32 heads of 128");
  training_case then = now;
  then.model.attention = llama_3_8b().attention;
  CHECK(parameters(now.model).total == parameters(then.model).total);
  check_gain(f, now, then);
  CHECK_FALSE(has(then, finding_kind::dimension));
  now.model.attention.kv_heads = 1;  // 64 wide: no head of 128 in it
  CHECK_FALSE(has(now, finding_kind::dimension));
}

TEST_CASE("heads that do not divide further") {
  // 128 tokens a chip: gathering weights takes longest, and tensor shards divide that.
  training_case now = fsdp_case("v6e-64", 64, 128);
  now.model.attention.heads = 28;
  now.model.attention.kv_heads = 4;
  now.mesh.fsdp = 16;
  now.mesh.tensor = 4;
  const finding f = found(now, finding_kind::heads);
  CHECK(f.now == "28 heads, tensor 4");
  CHECK(f.then.mesh.tensor > 4);
  CHECK(28 % f.then.mesh.tensor != 0);
  training_case then = now;
  then.model.attention.heads = 32;
  then.mesh.tensor = f.then.mesh.tensor;
  then.mesh.fsdp = 64 / then.mesh.tensor;
  then.model.attention.kv_heads = f.then.model.attention.kv_heads;
  CHECK(f.better == (text<64>{"32 heads, tensor "}.append(then.mesh.tensor)));
  check_gain(f, now, then);  // heads of zeros are no work
  now.model = llama_3_8b();  // all degrees up to 32 divide its heads
  CHECK_FALSE(has(now, finding_kind::heads));
}

TEST_CASE("KV heads beside more heads are cut or repeated evenly") {
  attention_spec a;
  a.heads = 28;
  a.kv_heads = 4;
  CHECK(detail::kv_heads_for(a, 32, 8) == 4);  // each on two shards
  CHECK(detail::kv_heads_for(a, 32, 2) == 4);  // two on each shard
  a.kv_heads = 7;
  CHECK(detail::kv_heads_for(a, 32, 16) == 16);  // 7 do not repeat evenly over 16
  CHECK(detail::kv_heads_for(a, 32, 4) == 8);    // rounded up
  a.kv_heads = 28;
  CHECK(detail::kv_heads_for(a, 32, 8) == 32);  // one for each head
}

TEST_CASE("a vocabulary that does not fill the MXU") {
  training_case now = fsdp_case("v6e-8", 16, 2048);
  now.mesh.fsdp = 1;
  now.mesh.tensor = 8;
  now.model.layers = 1;
  now.model.d_model = 2048;
  now.model.mlp.d_ff = 8192;
  now.model.vocab = 7 * 2048 + 1;  // 1792.1 columns on each shard; 2048 are computed
  const finding f = found(now, finding_kind::vocabulary);
  CHECK(f.subject == "model.vocab");
  CHECK(f.better == "16384");
  training_case then = now;
  then.model.vocab = 16384;
  check_gain(f, now, then, model_flops(then) / model_flops(now));
  CHECK_FALSE(has(then, finding_kind::vocabulary));
  now.job.logits_fraction = 0.5;  // half of the logits are half of the gain
  then.job.logits_fraction = 0.5;
  const finding half = found(now, finding_kind::vocabulary);
  check_gain(half, now, then, model_flops(then) / model_flops(now));
  CHECK(half.gain < f.gain);
}

TEST_CASE("another layout of the same devices") {
  training_case now = fsdp_case("v5p-128", 256, 4096);
  now.mesh.fsdp = 4;
  now.mesh.tensor = 16;
  const finding f = found(now, finding_kind::layout);
  CHECK(f.now == "fsdp 4 x tensor 16");
  training_case then = now;
  then.mesh = f.then.mesh;
  CHECK(mesh_size(then.mesh) == 64);
  CHECK(fit_of(then) == verdict::yes);
  check_gain(f, now, then);
  CHECK_FALSE(has(then, finding_kind::layout));  // it is the best
  // No plain layout of these devices that the batch can be dealt over is faster.
  for (std::int64_t tensor = 1; tensor <= 16; tensor *= 2) {
    then.mesh.tensor = tensor;
    then.mesh.data = 1;
    then.mesh.fsdp = 64 / tensor;
    if (fit_of(then) == verdict::yes) CHECK(time_of(then) >= f.step_time_then.value());
  }
}

TEST_CASE("a policy heavier than memory needs") {
  training_case now = fsdp_case("v5p-128", 64, 4096);
  const finding f = found(now, finding_kind::remat);
  CHECK(f.now == "full");
  training_case then = now;
  then.job.remat = *parse_remat_policy(f.better.view());
  CHECK(saved_width(widths_of(then.model), then.job.remat, placement::host) == 0);
  CHECK(fit_of(then) == verdict::yes);
  check_gain(f, now, then);
  now.job.remat = remat::none;
  REQUIRE(fit_of(now) == verdict::yes);
  CHECK_FALSE(has(now, finding_kind::remat));
  // Where nothing but the heaviest fits, there is nothing to say, unless the host has room: what goes there is timed.
  now = fsdp_case("v5p-128", 64, 4096);
  now.where = with_just_enough(now);
  REQUIRE(fit_of(now) == verdict::yes);
  const finding to_host = found(now, finding_kind::remat);
  then = now;
  then.job.remat = *parse_remat_policy(to_host.better.view());
  CHECK(saved_width(widths_of(then.model), then.job.remat, placement::host) > 0);
  check_gain(to_host, now, then);
  now.where.chip.host.pcie = unknown;
  CHECK_FALSE(has(now, finding_kind::remat));
}

TEST_CASE("open rings, and the slice that closes them") {
  const training_case now = fsdp_case("v6e-64", 64, 4096);
  const finding f = found(now, finding_kind::wraparound);
  CHECK(f.now == "v6e-64");
  CHECK(f.better == "v6e-256");
  check_gain(f, now, fsdp_case("v6e-256", 256, 4096));
  CHECK_FALSE(has(fsdp_case("v6e-256", 256, 4096), finding_kind::wraparound));
  CHECK_FALSE(has(fsdp_case("v5p-128", 64, 4096), finding_kind::wraparound));
  CHECK_FALSE(has(fsdp_case("v3-64", 64, 2048), finding_kind::wraparound));  // not established
  CHECK(chips(*detail::nearest_wrapped(slice_for("v5p-64"))) == 64);         // 2x4x4 to 4x4x4
  CHECK_FALSE(detail::nearest_wrapped(slice_for("v5e-1")).has_value());
}

TEST_CASE("slices that wait for each other") {
  const training_case now = fsdp_case("v5litepod-16", 64, 4096, 4);
  const finding f = found(now, finding_kind::slices);
  CHECK(f.now == "4 x v5litepod-16");
  CHECK(f.better == "1 x v5litepod-64");
  training_case then = fsdp_case("v5litepod-64", 64, 4096);
  then.mesh = f.then.mesh;
  CHECK(slices(then.mesh) == 1);
  check_gain(f, now, then);
  CHECK_FALSE(has(then, finding_kind::slices));
  // There is no larger slice than 256 chips, and a million tokens in each hide the network.
  const training_case ample = fsdp_case("v6e-256", 1024, 4096, 2);
  CHECK(dcn_tokens_per_slice(ample.where.chip) < 2e6);
  CHECK_FALSE(has(ample, finding_kind::slices));
}

TEST_CASE("few tokens in each slice: fewer slices") {
  const training_case now = fsdp_case("v6e-256", 1024, 128, 4);
  REQUIRE(1024.0 * 128 / 4 < dcn_tokens_per_slice(now.where.chip));
  const finding f = found(now, finding_kind::slices);
  const training_case then = fsdp_case("v6e-256", 1024, 128, slices(f.then.mesh));
  CHECK(slices(then.mesh) < 4);
  CHECK(f.better == text<64>{}.append(slices(then.mesh)).append(" x v6e-256"));
  check_gain(f, now, then, 4.0 / static_cast<double>(slices(then.mesh)));
}

TEST_CASE("microbatches that memory does not need") {
  training_case now = fsdp_case("v6e-64", 1024, 4096);
  now.job.gradient_accumulation = 16;
  const finding f = found(now, finding_kind::microbatch);
  CHECK(f.subject == "training_job.gradient_accumulation");
  CHECK(f.now == "16");
  training_case then = now;
  then.job.gradient_accumulation = std::stoll(std::string(f.better.view()));
  CHECK(then.job.gradient_accumulation < 16);
  CHECK(fit_of(then) == verdict::yes);
  check_gain(f, now, then);
  CHECK_FALSE(has(then, finding_kind::microbatch));
  now.job.gradient_accumulation = 1;
  CHECK_FALSE(has(now, finding_kind::microbatch));
}

TEST_CASE("advice is sorted, and bounded") {
  findings all;
  for (int i = 1; i <= 40; ++i) {
    finding one;
    one.gain = (i * 7 % 40 + 1) / 100.0;
    detail::add(all, one);
  }
  REQUIRE(all.count == all.items.size());
  for (std::size_t i = 0; i < all.count; ++i) CHECK(close(all.items[i].gain, (40 - static_cast<double>(i)) / 100));
  findings none;
  finding small;
  small.gain = 0;
  detail::add(none, small);
  CHECK(none.count == 0);
  CHECK_FALSE(detail::gains_more(small, smallest_gain * 0.99, smallest_gain));
  CHECK(detail::gains_more(small, smallest_gain, smallest_gain));
  small.gain = 0.2;
  CHECK_FALSE(detail::gains_more(small, 0.2, smallest_gain));
  CHECK(detail::fits_as_surely(verdict::yes, verdict::no));
  CHECK(detail::fits_as_surely(verdict::uncertain, verdict::uncertain));
  CHECK_FALSE(detail::fits_as_surely(verdict::uncertain, verdict::yes));
  CHECK_FALSE(detail::fits_as_surely(verdict::no, verdict::no));
  CHECK(name(finding_kind::batch) == "batch");
  CHECK(name(finding_kind::slices) == "slices");
  CHECK(name(static_cast<finding_kind>(200)) == "?");
}

TEST_CASE("advice compares with the factor that own runs give the job as it is") {
  const training_case c = fsdp_case("v5p-128", 64, 4096);
  const double slow = 1.8;
  const calibration own = with_own_run({}, slow * seconds{time_of(c)}, c.model, c.job, c.mesh, c.where);
  const findings usual = training_advice(c.model, c.job, c.mesh, c.where);
  const findings after = training_advice(c.model, c.job, c.mesh, c.where, own);
  calibration scaled;
  scaled.own_factor = step_time(c.model, c.job, c.mesh, c.where, own).total / seconds{time_of(c)};
  const findings same = training_advice(c.model, c.job, c.mesh, c.where, scaled);
  REQUIRE(usual.count > 0);
  REQUIRE(after.count == same.count);
  for (std::size_t i = 0; i < after.count; ++i) {
    INFO(name(after.items[i].kind));
    CHECK(after.items[i].better == same.items[i].better);
    CHECK(close(after.items[i].gain, same.items[i].gain, 1e-6));
  }
  const auto gain = [](const findings& all) { return find_finding(all, finding_kind::remat)->gain; };
  CHECK(close(gain(after), gain(usual), 0.05));  // and not what the runs say less of another policy
}

TEST_CASE("advice is held against memory as own peaks correct the job as it is") {
  // A policy was advised by the estimate alone, where full rematerialization had nearly filled the device.
  const transformer m = llama_3_8b();
  const slice where = slice_for("v6e-64");
  const layout mesh = fsdp_layout(where);
  training_job job = job_of(256, 4096);
  job.remat = remat::full;
  const own_runs peaks = with_own_peak({}, bytes{33e9}, m, job, mesh, where);
  const auto policy = [&](const own_runs& known) {
    const auto found = find_finding(training_advice(m, job, mesh, where, {}, known), finding_kind::remat);
    return found ? std::string(found->better.view()) : std::string();
  };
  CHECK(policy({}) == "save_context");
  CHECK(policy(peaks) == "inputs_and_proj_offloaded");
  const double factor = memory_use(m, job, mesh, where, peaks).total / memory_use(m, job, mesh, where).total;
  training_case then{m, job, mesh, where};
  then.job.remat = remat::save_context;
  const memory_breakdown beside = detail::memory_beside({m, job, mesh, where}, peaks, then);
  CHECK(close(beside.total / memory_use(m, then.job, mesh, where).total, factor, 1e-9));
  CHECK(fits(beside) == verdict::no);
}

TEST_CASE("a step of nearly 2^60 tokens is not grown beyond them") {
  // The larger slice with rings, tried with as many sequences on each chip, was refused as if it had been asked for.
  const slice where = slice_for("v6e-8");
  const training_job job = job_of(40000000, 1000000000);
  CHECK(refusal_of([&] { (void)training_advice(llama_3_8b(), job, fsdp_layout(where), where); }).message.empty());
}

TEST_CASE("advice starts from the caller's own constants, and refuses what cannot be timed") {
  const training_case c = fsdp_case("v5p-128", 64, 4096);
  calibration twice;
  twice.own_factor = 2;
  const maybe<finding> f = find_finding(training_advice(c.model, c.job, c.mesh, c.where, twice), finding_kind::remat);
  REQUIRE(f.has_value());
  CHECK(close(f->step_time_now.value(), 2 * time_of(c), 1e-9));
  training_case bad = c;
  bad.job.global_batch = 63;
  CHECK(refusal_of([&] { (void)advice_on(bad); }).code == errc::not_divisible);
  bad = c;
  bad.mesh.fsdp = 32;
  CHECK(says(refusal_of([&] { (void)advice_on(bad); }).message, "64 devices of v5p-128"));
}

namespace {

/// The change that a finding's words ask for. What they leave open is taken from its case.
training_case applied(const finding& f, training_case c) {
  const std::string better{f.better.view()};
  const std::string_view subject = f.subject;
  long long a = 0, b = 0;
  switch (f.kind) {
    case finding_kind::batch: c.job.global_batch = std::stoll(better); break;
    case finding_kind::microbatch: c.job.gradient_accumulation = std::stoll(better); break;
    case finding_kind::vocabulary: c.model.vocab = std::stoll(better); break;
    case finding_kind::remat: c.job.remat = *parse_remat_policy(better); break;
    case finding_kind::dimension:
      if (subject == "model.d_model") c.model.d_model = std::stoll(better);
      if (subject == "model.mlp.d_ff") c.model.mlp.d_ff = std::stoll(better);
      if (subject == "model.moe.expert_d_ff") c.model.moe.expert_d_ff = std::stoll(better);
      if (subject == "model.moe.shared_d_ff") c.model.moe.shared_d_ff = std::stoll(better);
      if (subject == "model.attention.head_dim") {
        REQUIRE(std::sscanf(better.c_str(), "%lld heads of %lld", &a, &b) == 2);
        c.model.attention.kv_heads = c.model.attention.kv_heads * c.model.attention.head_dim / b;
        c.model.attention.heads = a;
        c.model.attention.head_dim = b;
      }
      break;
    case finding_kind::heads:
      REQUIRE(std::sscanf(better.c_str(), "%lld heads, tensor %lld", &a, &b) == 2);
      c.model.attention.heads = a;
      c.model.attention.kv_heads = f.then.model.attention.kv_heads;
      c.mesh.data = f.then.mesh.data;
      c.mesh.fsdp = f.then.mesh.fsdp;
      c.mesh.tensor = b;
      break;
    case finding_kind::layout:
      c.mesh.data = c.mesh.fsdp = c.mesh.tensor = 1;
      for (std::size_t at = 0; better != "one device" && at < better.size();) {
        const std::size_t space = better.find(' ', at);
        const std::string degree = better.substr(at, space - at);
        (degree == "data"   ? c.mesh.data
         : degree == "fsdp" ? c.mesh.fsdp
                            : c.mesh.tensor) = std::stoll(better.substr(space + 1));
        const std::size_t next = better.find(" x ", space);
        at = next == std::string::npos ? better.size() : next + 3;
      }
      break;
    case finding_kind::wraparound: {
      const std::int64_t times = chips(slice_for(better)) / chips(c.where);
      c.where = slice_for(better);
      c.job.global_batch *= times;
      (c.mesh.fsdp == 1 && c.mesh.data > 1 ? c.mesh.data : c.mesh.fsdp) *= times;
      break;
    }
    case finding_kind::slices: {
      const std::size_t x = better.find(" x ");
      const slice where = slice_for(better.substr(x + 3));
      const std::int64_t times = chips(where) / chips(c.where);
      (f.then.mesh.data > c.mesh.data ? c.mesh.data : c.mesh.fsdp) *= times;
      c.where = where;
      c.mesh.dcn_data = std::stoll(better);
      break;
    }
  }
  return c;
}

/// Jobs of one model: one slice and several, FSDP alone and with tensor shards, whole and in microbatches.
std::vector<training_case> jobs_of(const transformer& m, std::int64_t sequence) {
  std::vector<training_case> list;
  for (const char* where : {"v5litepod-64", "v6e-64", "v6e-256", "v5p-128", "tpu7x-32"}) {
    for (const std::int64_t count : {1, 2}) {
      for (const std::int64_t tensor : {1, 4}) {
        const slice s = slice_for(where);
        training_case c{m, job_of(0, sequence), fsdp_layout(s, count), s};
        c.mesh.tensor = tensor;
        c.mesh.fsdp /= tensor;
        if (m.attention.heads % tensor != 0) continue;
        c.job.gradient_accumulation = count == 1 ? 2 : 1;
        if (m.kind == architecture::encoder) c.job.logits_fraction = 0.15;
        c.job.global_batch = 2 * batch_shards(c.mesh);
        list.push_back(c);
      }
    }
  }
  return list;
}

void check_finding(const finding& f, const training_case& now) {
  INFO(now.model.name.view() << " on " << name(now.where).view() << ", " << name(f.kind) << ": " << f.now.view()
                             << " -> " << f.better.view());
  const training_case then = applied(f, now);
  validate(then.mesh, then.where);
  validate(then.mesh, then.model, then.job);
  CHECK(f.step_time_now.value() == time_of(now));
  CHECK(f.step_time_then.value() == time_of(then));
  const double per_chip =
      static_cast<double>(tokens_per_step(then.job)) / static_cast<double>(chips(then.where) * slices(then.mesh)) /
      (static_cast<double>(tokens_per_step(now.job)) / static_cast<double>(chips(now.where) * slices(now.mesh)));
  const double model = f.kind == finding_kind::heads ? 1 : model_flops(then) / model_flops(now);
  CHECK(close(f.work, per_chip * model, 1e-9));
  CHECK(close(f.gain, 1 - time_of(then) / time_of(now) / f.work, 1e-9));
  CHECK(f.gain >= smallest_gain);
  if (fit_of(now) == verdict::uncertain) {
    CHECK(fit_of(then) != verdict::no);
  } else {
    CHECK(fit_of(then) == verdict::yes);
  }
}

}  // namespace

TEST_CASE("every finding is what its change does") {
  std::array<int, 9> seen{};
  std::size_t jobs = 0;
  for (const char* file : {"llama-3.1-8b", "llama-2-70b", "gpt2", "bert-base-uncased", "gemma-2-9b", "mixtral-8x7b",
                           "deepseek-v2-lite", "gpt-oss-20b", "qwen2.5-7b"}) {
    const transformer m = load_hf_config(std::string(TPUPLAN_DATA_DIR "/models/") + file + ".json").model;
    for (const training_case& now :
         jobs_of(m, m.max_positions > 0 && m.max_positions < 2048 ? m.max_positions : 2048)) {
      const findings advice = advice_on(now);
      ++jobs;
      for (std::size_t i = 0; i < advice.count; ++i) {
        const finding& f = advice.items[i];
        check_finding(f, now);
        ++seen[static_cast<std::size_t>(f.kind)];
        if (i > 0) CHECK(f.gain <= advice.items[i - 1].gain);
      }
    }
  }
  CHECK(jobs > 100);
  for (const finding_kind kind :
       {finding_kind::batch, finding_kind::dimension, finding_kind::layout, finding_kind::remat,
        finding_kind::wraparound, finding_kind::slices, finding_kind::microbatch}) {
    INFO(name(kind));
    CHECK(seen[static_cast<std::size_t>(kind)] > 0);
  }
}

TEST_CASE("advice on counts without measure takes divisors, not every number", "[door]") {
  // Millions of microbatches, and as many slices as there may be: a second at most, where every number took half a
  // minute.
  training_job job = job_of(64, 4096);
  const slice where = slice_for("v5p-128");
  job.global_batch = job.gradient_accumulation = std::int64_t{1} << 32;
  job.global_batch *= 64;
  job.sequence_length = 512;
  const findings many = training_advice(llama_3_8b(), job, fsdp_layout(where), where);
  const auto fewer = find_finding(many, finding_kind::microbatch);
  REQUIRE(fewer);
  CHECK((std::int64_t{1} << 32) % fewer->then.job.gradient_accumulation == 0);
  const refusal slices_refused =
      refusal_of([&] { (void)training_advice(llama_3_8b(), job, fsdp_layout(where, most_slices + 1), where); });
  CHECK(says(slices_refused.message, "slices is 1025; valid: 1 to 1024 slices"));
  layout wide = fsdp_layout(where);
  wide.dcn_data = wide.dcn_pipeline = 64;
  CHECK(says(refusal_of([&] { validate(wide, where); }).message, "product of the layout's dcn degrees is 4096"));
  // The largest batch is a multiple of the shards in each of the microbatches.
  const maybe<std::int64_t> largest = largest_batch(llama_3_8b(), job, fsdp_layout(where), where);
  REQUIRE(largest.has_value());
  CHECK(*largest % (std::int64_t{1} << 38) == 0);
}

}  // namespace estimate_training_advice_tests

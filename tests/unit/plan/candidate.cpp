// Candidates in bulk against step_time and memory_use, over random models, chips, slices, layouts, batches, policies
// and options of the job.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <tpuplan/estimate/learned.hpp>
#include <tpuplan/plan/candidate.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_candidate_tests {

namespace {

transformer dense(std::int64_t layers, std::int64_t d, std::int64_t heads, std::int64_t kv_heads, std::int64_t d_ff,
                  std::int64_t vocab) {
  transformer m;
  m.layers = layers;
  m.d_model = d;
  m.vocab = vocab;
  m.attention.heads = heads;
  m.attention.kv_heads = kv_heads;
  m.attention.head_dim = d / heads;
  m.mlp.d_ff = d_ff;
  return m;
}

transformer experts(transformer m, std::int64_t count, std::int64_t top_k, std::int64_t d_ff,
                    std::int64_t dense_layers) {
  m.moe.experts = count;
  m.moe.top_k = top_k;
  m.moe.expert_d_ff = d_ff;
  m.moe.dense_layers = dense_layers;
  return m;
}

transformer with_windows(transformer m, std::int64_t window, std::int64_t local_layers) {
  m.attention.window = window;
  m.attention.local_layers = local_layers;
  return m;
}

transformer with_latent_attention(transformer m) {
  m.attention.kv_heads = m.attention.heads;
  m.attention.latent = {1536, 512, 128, 64, 128};
  return m;
}

std::vector<transformer> models() {
  std::vector<transformer> all = {
      llama_3_8b(),
      dense(126, 16384, 128, 8, 53248, 128256),
      dense(12, 768, 12, 12, 3072, 30522),
      dense(24, 2048, 16, 1, 16384, 256000),
      dense(30, 1000, 10, 5, 2731, 50257),  // nothing fills the MXU
      with_windows(dense(48, 3840, 16, 8, 15360, 262208), 1024, 40),
      with_windows(dense(60, 5376, 32, 16, 21504, 262144), 1024, 50),
      experts(dense(32, 4096, 32, 8, 14336, 32000), 8, 2, 14336, 0),
      experts(dense(48, 5120, 40, 8, 16384, 202048), 128, 1, 8192, 24),
      with_latent_attention(experts(dense(61, 7168, 128, 128, 18432, 129280), 256, 8, 2048, 3)),
      with_windows(experts(dense(36, 2880, 64, 8, 2880, 201088), 128, 4, 2880, 0), 128, 18),
      with_latent_attention(dense(40, 4096, 32, 32, 11008, 100000)),
      dense(27, 4096, 32, 32, 11008, 32064),
      experts(dense(10, 1024, 16, 16, 4096, 32000), 4, 2, 1024, 10),  // in no layer
  };
  all[2].kind = architecture::encoder;
  all[2].mlp.gated = false;
  all[2].learned_positions = 512;
  all[3].tied_embeddings = true;
  all[6].attention.global_head_dim = 512;
  all[6].attention.global_kv_heads = 4;
  all[6].attention.global_kv_shared = true;
  all[8].moe.shared_d_ff = 8192;
  all[9].moe.shared_d_ff = 2048;
  all[10].attention.head_dim = 64;
  vision_spec& tower = all[12].vision;
  tower.image_size = 336;
  tower.patch_size = 14;
  tower.layers = 24;
  tower.d_model = 1024;
  tower.heads = 16;
  tower.d_ff = 4096;
  return all;
}

/// Draws from a fixed sequence, the same with every library.
class dice {
 public:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool once_in(std::size_t count) { return below(count) == 0; }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  template <class Values>
  auto of(const Values& values) {
    return values[below(values.size())];
  }

 private:
  std::mt19937_64 engine_{20261121};
};

remat_policy any_policy(dice& d) {
  if (!d.once_in(3)) return remat_policies[d.below(std::size(remat_policies))].policy;
  const auto where = [&d] { return static_cast<placement>(d.below(3)); };
  remat_policy p;
  p.layer_input = where();
  p.qkv = where();
  p.context = where();
  p.out_proj = where();
  p.mlp_up = where();
  p.mlp_down = where();
  p.elementwise = where();
  p.attention_again = d.once_in(2);
  return p;
}

training_job any_job(dice& d, const transformer& m) {
  using counts = std::vector<std::int64_t>;
  training_job job;
  job.sequence_length = d.of(counts{128, 512, 2048, 4096, 8192, 32768, 131072});
  job.compute = d.of(std::vector<dtype>{dtype::bf16, dtype::bf16, dtype::fp32, dtype::int8, dtype::fp8});
  job.weights = d.of(std::vector<dtype>{dtype::fp32, dtype::bf16});
  job.moments = d.of(std::vector<dtype>{dtype::fp32, dtype::bf16, dtype::int8});
  job.optimizer = static_cast<optimizer_kind>(d.below(4));
  job.pipeline_microbatches = d.of(counts{0, 0, 4, 32});
  job.pipeline_rounds = d.of(counts{1, 1, 2});
  job.capacity_factor = d.of(std::vector<double>{1, 1.25, 0.5});
  job.vocabulary_tiles = d.of(counts{1, 1, 4, 16});
  job.logits_fraction = d.of(std::vector<double>{1, 1, 0.15, 0});
  job.synchronous_collectives = d.once_in(4);
  job.work_multiplier = d.of(std::vector<double>{1, 1, 4.0 / 3});
  if (has_vision(m)) job.images_per_sequence = d.of(counts{0, 1, 4});
  job.software = d.once_in(3) ? software_level::general : software_level::tuned;
  job.attention = d.once_in(4) ? attention_kernel::unfused : attention_kernel::flash;
  job.state_on_host = static_cast<host_state>(d.below(3));
  if (d.once_in(5) && !has_experts(m) && !has_latent_attention(m)) {
    job.lora_rank = d.of(counts{4, 64});
    job.lora.q = true;
    job.lora.up = d.once_in(2);
    job.frozen_weights = d.of(std::vector<dtype>{dtype::bf16, dtype::int8, dtype::int4});
  }
  return job;
}

calibration any_constants(dice& d) {
  calibration c;
  if (d.once_in(3)) return c;
  for (double* constant :
       {&c.attention_slowdown, &c.attention_block, &c.hbm_passes, &c.operand_reads, &c.weight_reads, &c.dispatch_passes,
        &c.exposed_fsdp, &c.exposed_tensor, &c.exposed_expert, &c.exposed_context, &c.exposed_dcn, &c.exposed_host,
        &c.slowdown_per_doubling, &c.low_precision_share, &c.general_software, &c.own_factor}) {
    *constant *= d.between(0.3, 1.3);
  }
  for (bool* constant : {&c.products_padded, &c.latent_values_padded, &c.global_heads_apart, &c.dispatch_on_every_shard,
                         &c.hidden_by_work_only}) {
    *constant = !d.once_in(3);
  }
  if (d.once_in(3)) c.fixed_update = 20;
  if (d.once_in(3)) {
    const run_features ran{33, d.between(10, 16), 12, d.between(4, 10), chip_mark("v5e"), 1};
    c.own = with_run(with_run({}, training_spreads, ran, d.between(-0.3, 0.5)), training_spreads, {}, 0.1);
  }
  return c;
}

/// Deals the devices of the slice over the axes of the mesh, prime by prime.
layout any_layout(dice& d, const slice& s, const transformer& m) {
  layout l;
  l.unit = d.once_in(4) ? mesh_unit::chips : mesh_unit::devices;
  std::int64_t left = l.unit == mesh_unit::chips ? chips(s) : devices(s);
  std::vector<std::int64_t*> axes = {&l.fsdp, &l.fsdp, &l.fsdp, &l.tensor, &l.data, &l.context, &l.pipeline};
  if (has_experts(m)) axes.push_back(&l.expert), axes.push_back(&l.expert);
  if (d.once_in(2)) axes = {&l.fsdp, &l.tensor};
  for (std::int64_t prime = 2; left > 1; ++prime) {
    for (; left % prime == 0; left /= prime) *d.of(axes) *= prime;
  }
  for (std::int64_t* degree : {&l.dcn_data, &l.dcn_fsdp, &l.dcn_pipeline}) {
    if (d.once_in(4)) *degree = d.of(std::vector<std::int64_t>{2, 3, 8});
  }
  return l;
}

}  // namespace

// Sums are the same but in another order: about twenty roundings of 1e-16 each, none of which cancels. Hence 1e-12.
TEST_CASE("a candidate is what step_time and memory_use say") {
  dice d;
  const std::vector<transformer> all_models = models();
  std::size_t compared = 0, refused = 0, wrong = 0;
  std::array<std::size_t, 9> seen{};
  while (compared < 24000) {
    const transformer& m = all_models[d.below(all_models.size())];
    slice s = slice_at(d.below(slice_count));
    if (d.once_in(20)) s.chip.name = "another";
    training_job job = any_job(d, m);
    const layout l = any_layout(d, s, m);
    const calibration c = any_constants(d);
    const std::int64_t each = std::int64_t{1} << d.below(4);
    const std::int64_t most = d.once_in(3) ? 1 : 12;
    job.global_batch = batch_shards(l) * most * each;
    std::vector<remat_policy> policies(1 + d.below(5));
    for (remat_policy& policy : policies) policy = any_policy(d);
    if (refusal_of([&] { detail::check_trained(m, job, l, s); }).refused) continue;
    // A rate that is not known is refused alike.
    job.remat = policies[0];
    const refusal expected = refusal_of([&] { (void)step_time(m, job, l, s, c); });
    if (expected.refused) {
      const detail::hoisted_job j = detail::hoist(m, job, policies.data(), policies.size(), c);
      const refusal got = refusal_of([&] {
        const detail::hoisted_tensor t = detail::hoist(j, s.chip, l.tensor);
        (void)detail::hoist(t, s, l, job.global_batch);
      });
      REQUIRE(got.message == expected.message);
      ++refused;
      continue;
    }
    const detail::hoisted_job j = detail::hoist(m, job, policies.data(), policies.size(), c);
    const detail::hoisted_tensor t = detail::hoist(j, s.chip, l.tensor);
    const detail::hoisted_layout h = detail::hoist(t, s, l, job.global_batch);
    for (std::size_t p = 0; p < policies.size(); ++p) {
      for (const std::int64_t accumulation : {std::int64_t{1}, most, most * each}) {
        job.remat = policies[p];
        job.gradient_accumulation = accumulation;
        const detail::candidate got = detail::evaluate(h, accumulation, p);
        const double total = step_time(m, job, l, s, c).total.value();
        const memory_breakdown memory = memory_use(m, job, l, s);
        const bool same = close(got.time.value(), total) && close(got.on_device.low.value(), memory.low.value()) &&
                          close(got.on_device.total.value(), memory.total.value()) &&
                          close(got.on_device.high.value(), memory.high.value()) &&
                          close(got.on_device.on_host.value(), memory.on_host.value());
        if (!same && ++wrong < 4) {
          UNSCOPED_INFO("model " << &m - all_models.data() << " on " << name(s).view() << ": " << got.time.value()
                                 << " for " << total << " s, " << got.on_device.low.value() << " "
                                 << got.on_device.total.value() << " " << got.on_device.high.value() << " for "
                                 << memory.low.value() << " " << memory.total.value() << " " << memory.high.value());
        }
        ++compared;
      }
    }
    const std::array<bool, 9> has = {l.data > 1,     l.tensor > 1,       l.expert > 1,
                                     l.context > 1,  l.pipeline > 1,     l.dcn_data > 1,
                                     l.dcn_fsdp > 1, l.dcn_pipeline > 1, job.lora_rank > 0};
    for (std::size_t i = 0; i < has.size(); ++i) seen[i] += has[i] ? 1U : 0U;
  }
  INFO("compared " << compared << ", refused " << refused);
  CHECK(wrong == 0);
  CHECK(refused > 20);
  for (const std::size_t times : seen) CHECK(times > 50);
}

TEST_CASE("more microbatches take longer, and from two on less memory") {
  const slice s = slice_for("v5p-128");
  const layout l = fsdp_layout(s);
  const std::array<remat_policy, 3> policies = {remat::full, remat::none, remat::minimal};
  const detail::hoisted_job j = detail::hoist(llama_3_8b(), job_of(1024, 4096), policies.data(), policies.size());
  const detail::hoisted_tensor t = detail::hoist(j, s.chip, 1);
  const detail::hoisted_layout h = detail::hoist(t, s, l, 1024);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    for (std::int64_t more = 2; more <= 16; more *= 2) {
      CHECK(detail::time_of(h, more, p) > detail::time_of(h, more / 2, p));
      if (more > 2) CHECK(detail::bytes_of(h, more, p).high <= detail::bytes_of(h, more / 2, p).high);
    }
  }
}

TEST_CASE("jobs that cannot be hoisted are refused by field") {
  const std::array<remat_policy, 17> policies{};
  const transformer m = llama_3_8b();
  const training_job job = job_of(64, 4096);
  for (const std::size_t count : {std::size_t{0}, std::size_t{17}}) {
    const refusal got = refusal_of([&] { (void)detail::hoist(m, job, policies.data(), count); });
    CHECK(got.code == errc::out_of_range);
    CHECK(says(got.message, "number of policies"));
  }
  CHECK_FALSE(refusal_of([&] { (void)detail::hoist(m, job, policies.data(), 16); }).refused);
  CHECK(says(refusal_of([&] { (void)detail::hoist({}, job, policies.data(), 1); }).message, "model.layers"));
  CHECK(says(refusal_of([&] { (void)detail::hoist(m, {}, policies.data(), 1); }).message,
             "training_job.sequence_length"));
  calibration none;
  none.own_factor = 0;
  const refusal constants = refusal_of([&] { (void)detail::hoist(m, job, policies.data(), 1, none); });
  CHECK(says(constants.message, "calibration.own_factor"));
}

// All levels can be asked by the compiler.
constexpr double seconds_at_compile_time() {
  const slice s = slice_for("v5e-16");
  const detail::hoisted_job j = detail::hoist(llama_3_8b(), job_of(64, 4096), &remat::full, 1);
  const detail::hoisted_tensor t = detail::hoist(j, s.chip, 1);
  return detail::evaluate(detail::hoist(t, s, fsdp_layout(s), 64), 2, 0).time.value();
}

TEST_CASE("a constant candidate") {
  constexpr double found = seconds_at_compile_time();
  const slice s = slice_for("v5e-16");
  training_job job = job_of(64, 4096);
  job.gradient_accumulation = 2;
  CHECK(close(found, step_time(llama_3_8b(), job, fsdp_layout(s), s).total.value()));
}

}  // namespace plan_candidate_tests

// Terms of the step that few or no published runs cover, against derivations by hand: context parallelism, software,
// FSDP between slices, pipelines.
#include <cmath>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_step_time_terms_tests {

TEST_CASE("context parallelism gathers keys and values, shards weights, and leaves most to the last part") {
  // v5p-128: 64 chips, all axes wrapped, 180 GB/s an axis both ways. FSDP 16 x context 4; 32 sequences of 16384 tokens.
  const slice s = slice_for("v5p-128");
  layout mesh;
  mesh.fsdp = 16;
  mesh.context = 4;
  training_job job = job_of(32, 16384);
  job.context_balanced = false;
  const step_breakdown t = step_time(llama_3_8b(), job, mesh, s);
  // 8192 tokens a chip; 8 KV heads of 128, keys and values, 2 bytes; three other members; three passes; 32 layers.
  const double bytes_moved = 3.0 * 32 * 8192 * 3 * (2 * 8 * 128) * 2;
  // log2(4) of the log2(64) of the mesh: one of three axes.
  CHECK(close(t.context.whole.value(), bytes_moved / 180e9));
  CHECK(t.context.exposed == t.context.whole);  // nothing is known to hide it
  // 8030261248 parameters are sharded over all 64 chips: nothing is replicated.
  CHECK(t.data.whole == 0_s);
  CHECK(close(t.fsdp.whole.value(), 8 * 8030261248.0 / (3 * 180e9)));
  CHECK(close(t.weight_update.value(), 28 * 8030261248.0 / 64 / 2765e9));
  CHECK_FALSE(t.extrapolated);
  CHECK(t.kind == step_kind::context_parallel);
  CHECK(close((t.fsdp.exposed + t.data.exposed + t.context.exposed).value(), t.ici.value()));
  // The last of four parts of a sequence sees 7 / 8 of the keys, the mean is half.
  training_job balanced = job;
  balanced.context_balanced = true;  // as it is unless said otherwise
  CHECK(training_job{}.context_balanced);
  const step_breakdown even = step_time(llama_3_8b(), balanced, mesh, s);
  CHECK(close(t.attention.value(), 1.75 * even.attention.value()));
  CHECK(close((t.total - even.total).value(), (t.attention - even.attention).value()));
  CHECK(close(2 * even.attention.value(),
              step_time(llama_3_8b(), job_of(64, 16384), fsdp_layout(s), s).attention.value()));
  // A ring computes four parts in each of four passes of 32 layers.
  training_job ring = job;
  ring.ring_attention = true;
  CHECK(close((step_time(llama_3_8b(), ring, mesh, s).overhead - t.overhead).value(), 4 * 4 * 32 * 4e-5));
  // A sequence that does not divide is refused.
  mesh.fsdp = 1;
  mesh.context = 64;
  CHECK_THROWS_AS(step_time(llama_3_8b(), job_of(32, 1000), mesh, s), error);
}

TEST_CASE("software that nobody tuned waits for tensor parallelism, takes default tiles, and has a wider band") {
  const slice s = slice_for("v6e-8");
  layout mesh;
  mesh.fsdp = 4;
  mesh.tensor = 2;
  training_job job = job_of(24, 8192);
  const step_breakdown unnamed = step_time(llama_3_8b(), job, mesh, s);
  job.software = software_level::tuned;
  const step_breakdown tuned = step_time(llama_3_8b(), job, mesh, s);
  CHECK((unnamed.software_taken == software_level::unnamed && unnamed.total == tuned.total));
  CHECK((unnamed.high > 1.2 * tuned.high && unnamed.high / unnamed.low > tuned.high / tuned.low));
  job.software = software_level::general;
  const step_breakdown general = step_time(llama_3_8b(), job, mesh, s);
  CHECK(close(tuned.tensor.exposed.value(), 0.2 * tuned.tensor.whole.value()));
  CHECK(close(general.tensor.exposed.value(), 0.6 * tuned.tensor.whole.value()));
  CHECK(general.software_taken == software_level::general);
  CHECK(close(general.high / general.total, tuned.high / tuned.total));
  job.software = software_level::first_port;
  const step_breakdown first = step_time(llama_3_8b(), job, mesh, s);
  CHECK(close((first.total - first.software).value() * 1.3, first.total.value()));
  CHECK(first.high >= 2.25 * first.total);
  // Grouped products with default tiles; nothing else changes.
  transformer experts = llama_3_8b();
  experts.mlp.d_ff = 0;
  experts.moe.experts = 8, experts.moe.top_k = 2, experts.moe.expert_d_ff = 14336;
  const slice v5p_128 = slice_for("v5p-128");
  const step_breakdown tiled = step_time(experts, job_of(64, 4096), fsdp_layout(v5p_128), v5p_128);
  training_job untiled = job_of(64, 4096);
  untiled.default_tiles = true;
  const step_breakdown slow = step_time(experts, untiled, fsdp_layout(v5p_128), v5p_128);
  CHECK(close(slow.expert_products.value(), 1.85 * tiled.expert_products.value()));
  CHECK(close((slow.total - tiled.total).value(), (slow.expert_products - tiled.expert_products).value()));
  // Nor do its buffers of routed tokens follow the routing: over four shards, whose two experts may be both of a
  // token's, it sorts four times as many copies.
  mesh.fsdp = 16, mesh.tensor = 1, mesh.expert = 4;
  training_job spread = job_of(64, 4096);
  const step_breakdown sorted = step_time(experts, spread, mesh, v5p_128);
  spread.software = software_level::first_port;
  CHECK(close(step_time(experts, spread, mesh, v5p_128).dispatch.value(), 4 * sorted.dispatch.value()));
  const training_sizes sizes = sizes_of(experts, spread, calibration{});
  const work_terms work = work_terms_of(sizes, experts, spread, v5p_128.chip, 1);
  const layout_terms at = layout_terms_of(sizes, experts, spread, mesh, v5p_128);
  CHECK(close(time_of(sum_of(work), at, 1).value(), step_time(experts, spread, mesh, v5p_128).total.value()));
  spread.capacity_factor = 1.25;
  CHECK(close(step_time(experts, spread, mesh, v5p_128).dispatch.value(), 1.25 * sorted.dispatch.value()));
  // Where nobody says what sorts them, the band reaches to what a first port may take.
  experts.moe.experts = 128, experts.moe.top_k = 8, experts.moe.expert_d_ff = 1536;
  mesh.fsdp = 8, mesh.expert = 8;
  spread.capacity_factor = 1;
  const seconds ported = step_time(experts, spread, mesh, v5p_128).total;
  spread.software = software_level::unnamed;
  const step_breakdown untold = step_time(experts, spread, mesh, v5p_128);
  CHECK(ported > 2 * untold.total);
  CHECK(close(untold.high.value(), 1.5 * ported.value()));
}

TEST_CASE("weights that are cast before they are gathered move in 8 bits") {
  const slice s = slice_for("v6e-8");
  training_job job = job_of(24, 8192);
  job.gathers_quantised = true;
  const step_breakdown bf16 = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  job.compute = dtype::int8;
  const step_breakdown int8 = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  job.gathers_quantised = false;
  const step_breakdown after = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  CHECK(close(int8.fsdp.whole.value() * 8, after.fsdp.whole.value() * 6));  // 1 + 1 and 2 + 2 B, 4 of the gradient
  CHECK(close(int8.weight_reads.value() * 2, after.weight_reads.value()));
  CHECK(bf16.fsdp.whole == after.fsdp.whole);  // nothing is in 8 bits
}

TEST_CASE("the first moment in bf16 takes two bytes less") {
  training_job job = job_of(24, 8192);
  job.first_moment_bf16 = true;
  CHECK(optimizer_bytes_per_parameter(job) == 6_B);
  CHECK(update_bytes_per_parameter(job) == 24_B);
  CHECK(close(training_state_of(llama_3_8b(), job).total.value(), 10 * 8030261248.0));
  job.optimizer = optimizer_kind::adafactor;
  CHECK(optimizer_bytes_per_parameter(job) == bytes{0.5});
}

TEST_CASE("FSDP between slices gathers over the network in every microbatch") {
  const slice s = slice_for("v5p-128");
  layout mesh = fsdp_layout(s);
  mesh.dcn_fsdp = 2;
  training_job job = job_of(256, 8192);
  job.gradient_accumulation = 2;
  const step_breakdown t = step_time(llama_3_8b(), job, mesh, s);
  // Bf16 forward and backward and fp32 gradients: 8 bytes of the chip's 64th, half of it from the other slice, twice.
  CHECK(close(t.dcn.whole.value(), 8 * 2 * 0.5 * 8030261248.0 / 64 / 6.25e9));
  CHECK(close(t.dcn.exposed.value(), 0.30 * t.dcn.whole.value()));
  CHECK(t.extrapolated);
  // Data parallelism on top reduces the halves of the weights.
  layout both = mesh;
  both.dcn_data = 2;
  const step_breakdown four = step_time(llama_3_8b(), job_of(256, 8192), both, s);
  CHECK(close(four.dcn.whole.value(), (4 * 8030261248.0 / 64 / 2 + 8 * 0.5 * 8030261248.0 / 64) / 6.25e9));
  // Half of the state of one slice.
  CHECK(close(memory_use(llama_3_8b(), job, mesh, s).optimizer.value(), 8 * 8030261248.0 / 128));
}

TEST_CASE("the bubble of a pipeline is (p-1) / (m v) of the work") {
  const slice s = slice_for("v5p-128");
  layout mesh;
  mesh.fsdp = 16;
  mesh.pipeline = 4;
  training_job job = job_of(256, 8192);
  const auto share = [&] {
    const step_breakdown t = step_time(llama_3_8b(), job, mesh, s);
    return t.bubble / (t.compute + t.hbm + t.ici + t.overhead);
  };
  CHECK(close(share(), 3.0 / 16));  // four microbatches a stage where nothing is said
  job.pipeline_microbatches = 8;
  CHECK(close(share(), 3.0 / 8));
  job.pipeline_rounds = 2;
  CHECK(close(share(), 3.0 / 16));
  job.pipeline_microbatches = 32;
  job.pipeline_rounds = 1;
  CHECK(close(share(), 3.0 / 16));  // a shard has 16 sequences
  job.gradient_accumulation = 4;
  CHECK(close(share(), 3.0 / 4));
  job.pipeline_microbatches = 2;
  CHECK(close(share(), 3.0 / 2));
  job.pipeline_rounds = 0;
  CHECK_THROWS_AS(share(), error);
}

TEST_CASE("stages that hold a layer fewer wait for the others") {
  const slice s = slice_for("v5p-128");
  layout mesh;
  mesh.fsdp = 16;
  mesh.pipeline = 4;
  transformer model = llama_3_8b();
  model.layers = 30;  // 8, 8, 7 and 7
  const step_breakdown t = step_time(model, job_of(256, 8192), mesh, s);
  CHECK(close(t.bubble / (t.compute + t.hbm + t.ici + t.overhead), (1 + 3.0 / 16) * 32 / 30 - 1));
}

TEST_CASE("the update moves what the optimizer keeps, in its formats") {
  struct row {
    optimizer_kind optimizer;
    dtype weights, moments;
    double bytes_each;
  };
  const slice s = slice_for("v5p-128");
  for (const row& r : {row{optimizer_kind::adamw, dtype::fp32, dtype::fp32, 2 * (4 + 8) + 4},
                       {optimizer_kind::adamw, dtype::fp32, dtype::bf16, 2 * (4 + 4) + 4},
                       {optimizer_kind::adamw, dtype::bf16, dtype::bf16, 2 * (2 + 4) + 4},
                       {optimizer_kind::adafactor, dtype::fp32, dtype::fp32, 2 * (4 + 0.5) + 4},
                       {optimizer_kind::lion, dtype::fp32, dtype::fp32, 2 * (4 + 4) + 4},
                       {optimizer_kind::sgd_momentum, dtype::fp32, dtype::bf16, 2 * (4 + 2) + 4}}) {
    INFO(name(r.optimizer) << " " << name(r.weights) << " " << name(r.moments));
    training_job job = job_of(64, 4096);
    job.optimizer = r.optimizer;
    job.weights = r.weights;
    job.moments = r.moments;
    CHECK(update_bytes_per_parameter(job).value() == r.bytes_each);
    const seconds update = step_time(llama_3_8b(), job, fsdp_layout(s), s).weight_update;
    CHECK(close(update.value(), r.bytes_each * 8030261248.0 / 64 / 2765e9));
    calibration fixed;
    fixed.fixed_update = 28;
    CHECK(close(step_time(llama_3_8b(), job, fsdp_layout(s), s, fixed).weight_update.value(),
                28 * 8030261248.0 / 64 / 2765e9));
  }
}

TEST_CASE("layers that attend to everything have the widths of their own heads in the step time") {
  transformer m = llama_3_8b();
  m.attention.window = 1024;
  m.attention.local_layers = 16;
  m.attention.global_head_dim = 256;
  const slice s = slice_for("v5p-128");
  const training_job job = job_of(64, 4096);
  calibration alike;
  alike.global_heads_apart = false;
  const step_breakdown apart = step_time(m, job, fsdp_layout(s), s);
  const step_breakdown same = step_time(m, job, fsdp_layout(s), s, alike);
  // Half of the layers have twice the 6144: 3072 numbers of 2 bytes more on average, twice, in four passes, 32 layers.
  const double more = 4.0 * 2 * 32 * 2 * 3072 * 4096;
  CHECK(close((apart.elementwise - same.elementwise).value(), alike.hbm_passes * more / 2765e9, 1e-9));
}

TEST_CASE("the heads of a fused kernel fill the MXU, and its softmax takes as long whatever their width") {
  // 64 sequences of 4096 tokens on 64 chips: 4096 tokens a chip, 2048 keys and half a block, 3.5 passes at the peak.
  const slice s = slice_for("v5p-128");
  const calibration c;
  training_job job = job_of(64, 4096);
  job.remat = remat::save_context;
  const auto attention = [&](const transformer& m, const slice& on) {
    return step_time(m, job, fsdp_layout(on), on).attention.value();
  };
  const double slower = attention(llama_3_8b(), s);
  job.attention = attention_kernel::tuned;
  const double scores = 4096.0 * 32 * 32 * (4096 + 512) / 2 * 4 * 3.5;
  CHECK(close(attention(llama_3_8b(), s), scores * (128 + 70) / 459e12));
  CHECK(close(slower, c.attention_slowdown * attention(llama_3_8b(), s)));
  transformer wide = llama_3_8b();  // as many products, half as many scores
  wide.attention.heads = 16;
  wide.attention.kv_heads = 4;
  wide.attention.head_dim = 256;
  CHECK(close(attention(wide, s), scores / 2 * (256 + 70) / 459e12));
  const slice wider = slice_for("v6e-64");  // heads of 128 on an MXU of 256
  CHECK(close(attention(llama_3_8b(), wider), scores * (256 + 70) / 918e12));
  CHECK(step_time(llama_3_8b(), job, fsdp_layout(s), s).scores == 0_s);
}

TEST_CASE("attention without a fused kernel moves its scores, hides nothing and needs no second look at them") {
  // 64 sequences of 4096 tokens on 64 chips: 4096 tokens a chip, 32 layers of 32 heads of 128, scores in bf16.
  const slice s = slice_for("v5p-128");
  training_job job = job_of(64, 4096);
  const step_breakdown fused = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  CHECK(fused.scores == 0_s);
  CHECK_FALSE(fused.extrapolated);
  job.attention = attention_kernel::unfused;
  const calibration c;
  const double forward = 4096.0 * 4 * 32 * 32 * 128 * 4096 / (459e12 * mxu_fraction(c, v5p));
  const double array = 4096.0 * 32 * 32 * 4096 * 2 * c.hbm_passes / 2765e9;  // written or read once
  struct row {
    remat_policy policy;
    double products, moves;
  };
  // Forward and backward, 1 + 2 of the products and 4 + 7 times through HBM; scores again: half of the products, and 3;
  // the other half, and 1, where the kernel's result is not kept either.
  for (const row& r : {row{remat::none, 3, 11}, {remat::minimal, 3.5, 14}, {remat::full, 4, 15}}) {
    INFO(name(r.policy));
    job.remat = r.policy;
    const step_breakdown t = step_time(llama_3_8b(), job, fsdp_layout(s), s);
    CHECK(close(t.attention.value(), r.products * forward));
    CHECK(close(t.scores.value(), r.moves * array));
    CHECK(t.extrapolated);
    CHECK(t.dense_products == step_time(llama_3_8b(), job, fsdp_layout(s), s).dense_products);
  }
  CHECK(step_time(llama_3_8b(), job, fsdp_layout(s), s).total > fused.total);
  // Windows are hidden keys: they save nothing.
  transformer local = llama_3_8b();
  local.attention.window = 1024;
  local.attention.local_layers = 32;
  CHECK(close(step_time(local, job, fsdp_layout(s), s).attention.value(), 4 * forward));
  job.compute = dtype::fp32;
  CHECK(close(step_time(llama_3_8b(), job, fsdp_layout(s), s).scores.value(), 2 * 15 * array));
  CHECK(parse_attention_kernel("Unfused") == attention_kernel::unfused);
  CHECK(parse_attention_kernel("flash") == attention_kernel::flash);
  CHECK_FALSE(parse_attention_kernel("splash").has_value());
}

TEST_CASE("a frozen base asks for no gradients of its weights, and adapters for all of theirs") {
  // Rank 16 on queries and values: 16 x 32 x ((4096 + 4096) + (4096 + 1024)) parameters.
  const slice s = slice_for("v5p-128");
  training_job job = job_of(64, 4096);
  const step_breakdown all = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  job.lora_rank = 16;
  job.lora.q = job.lora.v = true;
  const step_breakdown t = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  constexpr double adapters = 16.0 * 32 * (8192 + 5120);
  constexpr double base = 8030261248.0;
  const calibration c;
  const double rate = 459e12 * mxu_fraction(c, v5p);
  const forward_flops f = forward_flops_per_token(llama_3_8b(), 4096);
  const double redone = (f.qkv + f.attention_output + f.mlp_up).value();
  const double products = (f.qkv + f.attention_output + f.mlp_up + f.mlp_down).value();
  // All dimensions are multiples of 128 but the rank, which fills an eighth of the MXU's side.
  CHECK(close(all.dense_products.value(), 4096 * (3 * products + redone) / rate));
  CHECK(close(t.dense_products.value(), 4096 * (2 * products + redone + 4 * 2 * adapters * 8) / rate));
  CHECK(close(t.logits.value(), all.logits.value() * 2 / 3));
  CHECK(t.attention == all.attention);  // gradients of queries, keys and values are asked for as before
  CHECK(close(t.weight_update.value(), 28 * adapters / 64 / 2765e9));
  CHECK(close(t.weight_reads.value(), c.hbm_passes * 2 * (base + adapters) * 3 / 2765e9));
  // Bf16 forward and backward; fp32 gradients of adapters alone.
  CHECK(close(t.fsdp.whole.value(), (4 * base + 8 * adapters) / (3 * 180e9)));
  CHECK(close(all.fsdp.whole.value(), 8 * base / (3 * 180e9)));
  CHECK(t.total < all.total);
  CHECK(t.total > all.total / 2);
  CHECK(t.extrapolated);
  CHECK(t.band > 0.5);
  // Model FLOPs of what is asked for: two passes of the base, three of attention and of adapters.
  const double asked_for = 2 * (f.total - f.attention).value() + 3 * (f.attention.value() + 2 * adapters);
  CHECK(close(t.mfu, 4096 * asked_for / 459e12 / t.total.value()));
  // Replicas reduce the gradients of adapters, inside of slices and between them.
  layout data;
  data.data = 64;
  CHECK(close(step_time(llama_3_8b(), job, data, s).data.whole.value(), 8 * adapters / (3 * 180e9)));
  layout twice = fsdp_layout(s, 2);
  job.global_batch = 128;
  CHECK(close(step_time(llama_3_8b(), job, twice, s).dcn.whole.value(), 4 * adapters / 64 / 6.25e9));
  // Where every product is kept adapters are not done again either.
  job.remat = remat::none;
  CHECK(close(step_time(llama_3_8b(), job, twice, s).dense_products.value(),
              4096 * (2 * products + 3 * 2 * adapters * 8) / rate));
  job.lora_rank = -1;
  CHECK(says(refusal_of([&] { (void)step_time(llama_3_8b(), job, twice, s); }).message, "training_job.lora_rank"));
}

TEST_CASE("state on hosts crosses PCIe both ways, and nothing hides it") {
  const slice s = slice_for("v5p-128");
  training_job job = job_of(128, 4096);
  job.gradient_accumulation = 2;
  const step_breakdown kept = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  job.state_on_host = host_state::optimizer;
  const step_breakdown t = step_time(llama_3_8b(), job, fsdp_layout(s), s);
  // Two fp32 moments of the chip's 64th in and out at 16 GB/s.
  const double moments = 2 * 8 * 8030261248.0 / 64 / 16e9;
  CHECK(close(t.host.whole.value(), moments));
  CHECK(t.host.exposed == t.host.whole);
  CHECK(close((t.total - kept.total).value(), moments, 1e-9));
  CHECK(t.extrapolated);
  CHECK_FALSE(kept.extrapolated);
  CHECK(kept.host.whole == 0_s);
  // Fp32 parameters in for two forward and two backward passes and for the update, out once.
  job.state_on_host = host_state::parameters_and_optimizer;
  CHECK(close(step_time(llama_3_8b(), job, fsdp_layout(s), s).host.whole.value(),
              moments + (2 * 2 + 2) * 4 * 8030261248.0 / 64 / 16e9));
  // Of a frozen base bf16 weights come in, and nothing goes out.
  job.lora_rank = 16;
  job.lora.q = true;
  const double adapters = 16.0 * 32 * 8192;
  CHECK(close(step_time(llama_3_8b(), job, fsdp_layout(s), s).host.whole.value(),
              ((16 + 6 * 4) * adapters + 4 * 2 * 8030261248.0) / 64 / 16e9));
  // What a caller knows to be hidden is an argument; a slow bus can be what limits a step; an unknown one is named.
  job.lora_rank = 0;
  calibration hidden;
  hidden.exposed_host = 0;
  CHECK(close(step_time(llama_3_8b(), job, fsdp_layout(s), s, hidden).total.value(), kept.total.value()));
  slice slow = s;
  slow.chip.host.pcie = 1_GB_per_s;
  CHECK(step_time(llama_3_8b(), job, fsdp_layout(s), slow).limited_by == step_bound::host);
  CHECK(name(step_bound::host) == "host");
  slow.chip.host.pcie = unknown;
  CHECK(says(refusal_of([&] { (void)step_time(llama_3_8b(), job, fsdp_layout(s), slow); }).message,
             "PCIe rate of the chip is unknown"));
}

TEST_CASE(
    "context parallelism gathers the keys and values of global layers as they are, and of latent attention unfolded") {
  const slice s = slice_for("v5p-128");
  layout mesh;
  mesh.fsdp = 16;
  mesh.context = 4;
  const training_job job = job_of(32, 16384);
  transformer m = llama_3_8b();
  m.attention.window = 1024;
  m.attention.local_layers = 16;
  m.attention.global_head_dim = 256;
  m.attention.global_kv_heads = 2;
  // Keys and values: 2 x 8 heads of 128 in half of the layers, 2 x 2 of 256 in the others.
  const double moved = 3.0 * 8192 * 3 * 2 * (16 * (2 * 8 * 128) + 16 * (2 * 2 * 256));
  CHECK(close(step_time(m, job, mesh, s).context.whole.value(), moved / 180e9));
  transformer latent = llama_3_8b();
  latent.attention.latent = {0, 512, 128, 64, 128};
  latent.attention.kv_heads = 32;
  // Keys of 192 and values of 128 for each of 32 heads.
  const double unfolded = 3.0 * 32 * 8192 * 3 * 2 * (32 * (192 + 128));
  CHECK(close(step_time(latent, job, mesh, s).context.whole.value(), unfolded / 180e9));
}

}  // namespace estimate_training_step_time_terms_tests

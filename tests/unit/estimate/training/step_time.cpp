// Memory and time of a training step: layouts, breakdowns that add up, verdicts, bands and physical sense.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/estimate/training/largest_batch.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/sharding.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_step_time_tests {

namespace {

constexpr transformer mixtral_8x7b() {
  transformer m = llama_3_8b();
  m.name = "mixtral-8x7b";
  m.vocab = 32000;
  m.mlp.d_ff = 0;
  m.moe.experts = 8;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 14336;
  return m;
}

constexpr transformer latent_16b() {
  transformer m;
  m.name = "latent experts";
  m.layers = 27;
  m.d_model = 2048;
  m.vocab = 102400;
  m.attention.heads = 16;
  m.attention.kv_heads = 16;
  m.attention.latent = {0, 512, 128, 64, 128};
  m.mlp.d_ff = 10944;
  m.moe.experts = 64;
  m.moe.top_k = 6;
  m.moe.expert_d_ff = 1408;
  m.moe.shared_d_ff = 2816;
  m.moe.dense_layers = 1;
  return m;
}

constexpr transformer encoder_3b() {
  transformer m = llama_3_8b();
  m.name = "encoder";
  m.kind = architecture::encoder;
  m.layers = 40;
  m.d_model = 2560;
  m.vocab = 30522;
  m.attention.heads = 40;
  m.attention.kv_heads = 40;
  m.attention.head_dim = 64;
  m.mlp.gated = false;
  m.mlp.d_ff = 10240;
  return m;
}

constexpr transformer with_vision() {
  transformer m = llama_3_8b();
  m.vision.image_size = 336;
  m.vision.patch_size = 14;
  m.vision.layers = 24;
  m.vision.d_model = 1024;
  m.vision.heads = 16;
  m.vision.d_ff = 4096;
  m.vision.projector.input = 1024;
  m.vision.projector.hidden = 4096;
  m.vision.projector.output = 4096;
  return m;
}

struct estimated_case {
  const char* what;
  transformer model;
  training_job job;
  layout mesh;
  slice where;
};

// Dense and expert models, encoders and images; one slice and several; every kind of parallelism that is modelled.
std::vector<estimated_case> cases() {
  std::vector<estimated_case> list;
  list.push_back(
      {"dense, FSDP", llama_3_8b(), job_of(128, 4096), fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128")});
  estimated_case tensor = list.back();
  tensor.what = "dense, FSDP and tensor, accumulation";
  tensor.mesh.fsdp = 16;
  tensor.mesh.tensor = 4;
  tensor.job.gradient_accumulation = 4;
  tensor.job.remat = remat::minimal;
  list.push_back(tensor);
  estimated_case data = list.front();
  data.what = "dense, data and FSDP";
  data.mesh.data = 4;
  data.mesh.fsdp = 16;
  list.push_back(data);
  estimated_case dcn = list.front();
  dcn.what = "dense, four slices";
  dcn.mesh.dcn_data = 4;
  dcn.job.global_batch = 512;
  list.push_back(dcn);
  estimated_case pipeline = list.front();
  pipeline.what = "dense, pipeline";
  pipeline.mesh.fsdp = 16;
  pipeline.mesh.pipeline = 4;
  list.push_back(pipeline);
  estimated_case experts = list.front();
  experts.what = "experts";
  experts.model = mixtral_8x7b();
  experts.mesh.fsdp = 8;
  experts.mesh.expert = 8;
  list.push_back(experts);
  list.push_back(
      {"latent experts", latent_16b(), job_of(256, 4096), fsdp_layout(slice_for("v6e-256")), slice_for("v6e-256")});
  list.push_back({"encoder", encoder_3b(), job_of(1024, 512), fsdp_layout(slice_for("v4-128")), slice_for("v4-128")});
  list.back().job.logits_fraction = 0.15;
  list.push_back(
      {"with images", with_vision(), job_of(512, 4096), fsdp_layout(slice_for("v5e-256")), slice_for("v5e-256")});
  list.back().job.images_per_sequence = 1;
  list.push_back({"two devices a chip", llama_3_8b(), job_of(64, 4096), {}, slice_for("v3-128")});
  list.back().mesh.fsdp = 64;
  list.back().mesh.unit = mesh_unit::chips;
  list.push_back({"one device", llama_3_8b(), job_of(1, 1024), {}, slice_for("v5e-1")});
  return list;
}

step_breakdown time_of(const estimated_case& c, const calibration& constants = {}) {
  return step_time(c.model, c.job, c.mesh, c.where, constants);
}
memory_breakdown memory_of(const estimated_case& c) { return memory_use(c.model, c.job, c.mesh, c.where); }

}  // namespace

// ---- layouts
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("sizes of a layout") {
  constexpr auto mesh = [] {
    layout l;
    l.data = 2;
    l.fsdp = 3;
    l.tensor = 5;
    l.expert = 7;
    l.context = 11;
    l.pipeline = 13;
    l.dcn_data = 17;
    l.dcn_fsdp = 19;
    l.dcn_pipeline = 23;
    return l;
  };
  STATIC_REQUIRE(mesh_size(mesh()) == 2 * 3 * 5 * 7 * 11 * 13);
  STATIC_REQUIRE(slices(mesh()) == 17 * 19 * 23);
  STATIC_REQUIRE(batch_shards(mesh()) == 2 * 3 * 7 * 17 * 19);
  STATIC_REQUIRE(fsdp_layout(slice_for("v3-32"), 3).fsdp == 32);
  STATIC_REQUIRE(fsdp_layout(slice_for("v3-32"), 3).dcn_data == 3);
}

TEST_CASE("layouts that do not fit the slice, the model or the batch are refused by field") {
  struct bad_layout {
    const char* what;
    plain_call<void(estimated_case&)> change;
    errc code;
    const char* says;
  };
  using c = estimated_case&;
  std::vector<bad_layout> list = {
      {"half of the devices", [](c e) { e.mesh.fsdp = 32; }, errc::invalid_argument, "the 64 devices of v5p-128"},
      {"twice the devices", [](c e) { e.mesh.data = 2; }, errc::invalid_argument,
       "product of the layout's degrees is 128"},
      {"batch below the shards", [](c e) { e.job.global_batch = 32; }, errc::not_divisible,
       "training_job.global_batch"},
      {"batch of 100 over 64", [](c e) { e.job.global_batch = 100; }, errc::not_divisible, "a multiple of 64"},
      {"accumulation in the way", [](c e) { e.job.gradient_accumulation = 4; }, errc::not_divisible,
       "a multiple of 256"},
      {"slices in the way", [](c e) { e.mesh.dcn_data = 3; }, errc::not_divisible, "a multiple of 192"},
      {"experts of a dense model", [](c e) { e.mesh.expert = 2, e.mesh.fsdp = 32; }, errc::invalid_argument,
       "layout.expert is 2"},
      {"tensor 64 of 32 heads", [](c e) { e.mesh.tensor = 64, e.mesh.fsdp = 1; }, errc::not_divisible, "layout.tensor"},
      {"16-way experts of 8", [](c e) { e.model = mixtral_8x7b(), e.mesh.expert = 16, e.mesh.fsdp = 4; },
       errc::not_divisible, "layout.expert"},
      {"64 stages of 32 layers", [](c e) { e.mesh.pipeline = 64, e.mesh.fsdp = 1; }, errc::out_of_range,
       "layout.pipeline"},
      {"images without a tower", [](c e) { e.job.images_per_sequence = 1; }, errc::invalid_argument,
       "training_job.images_per_sequence"},
      {"experts of an encoder-decoder",
       [](c e) { e.model = mixtral_8x7b(), e.model.kind = architecture::encoder_decoder, e.model.encoder_layers = 32; },
       errc::unsupported, "encoder_decoder of other layers"},
      {"source of a decoder", [](c e) { e.job.source_length = 512; }, errc::unsupported,
       "training_job.source_length is 512; valid: a model with an encoder and a decoder"},
      {"only vision", [](c e) { e.model = with_vision(), e.model.kind = architecture::vision; }, errc::unsupported,
       "vision"},
      {"no layers", [](c e) { e.model.layers = 0; }, errc::missing_field, "model.layers"},
      {"no batch", [](c e) { e.job.global_batch = 0; }, errc::missing_field, "training_job.global_batch"},
      {"overflowing mesh", [](c e) { e.mesh.data = e.mesh.tensor = std::int64_t{1} << 40; }, errc::out_of_range,
       "layout.data"},
  };
  struct degree {
    std::int64_t layout::*field;
    const char* name;
  };
  for (const degree& d : {degree{&layout::data, "layout.data"},
                          {&layout::fsdp, "layout.fsdp"},
                          {&layout::tensor, "layout.tensor"},
                          {&layout::expert, "layout.expert"},
                          {&layout::context, "layout.context"},
                          {&layout::pipeline, "layout.pipeline"},
                          {&layout::dcn_data, "layout.dcn_data"},
                          {&layout::dcn_fsdp, "layout.dcn_fsdp"},
                          {&layout::dcn_pipeline, "layout.dcn_pipeline"}}) {
    list.push_back({"0", [d](c e) { e.mesh.*d.field = 0; }, errc::missing_field, d.name});
    list.push_back({"-2", [d](c e) { e.mesh.*d.field = -2; }, errc::invalid_argument, d.name});
  }
  REQUIRE_FALSE(refusal_of([] { (void)time_of(cases().front()); }).refused);
  for (const bad_layout& bad : list) {
    INFO(bad.says << ": " << bad.what);
    estimated_case one = cases().front();
    bad.change(one);
    for (const refusal& got : {refusal_of([&] { (void)memory_of(one); }), refusal_of([&] { (void)time_of(one); })}) {
      INFO(got.message);
      CHECK(got.refused);
      CHECK(got.code == bad.code);
      CHECK(says(got.message, bad.says));
    }
  }
}

TEST_CASE("constants of the caller that cannot be are refused by name") {
  struct constant {
    double calibration::*field;
    const char* name;
    bool may_be_0;
  };
  const constant list[] = {{&calibration::other_mxu_fraction, "other_mxu_fraction", false},
                           {&calibration::attention_slowdown, "attention_slowdown", false},
                           {&calibration::softmax_width, "softmax_width", true},
                           {&calibration::attention_block, "attention_block", true},
                           {&calibration::fixed_update, "fixed_update", true},
                           {&calibration::hbm_passes, "hbm_passes", true},
                           {&calibration::operand_reads, "operand_reads", true},
                           {&calibration::weight_reads, "weight_reads", true},
                           {&calibration::dispatch_passes, "dispatch_passes", true},
                           {&calibration::exposed_fsdp, "exposed_fsdp", true},
                           {&calibration::exposed_tensor, "exposed_tensor", true},
                           {&calibration::general_exposed_tensor, "general_exposed_tensor", true},
                           {&calibration::first_port, "first_port", false},
                           {&calibration::default_tiles, "default_tiles", false},
                           {&calibration::exposed_expert, "exposed_expert", true},
                           {&calibration::exposed_context, "exposed_context", true},
                           {&calibration::exposed_dcn, "exposed_dcn", true},
                           {&calibration::exposed_host, "exposed_host", true},
                           {&calibration::slowdown_per_doubling, "slowdown_per_doubling", true},
                           {&calibration::low_precision_share, "low_precision_share", true},
                           {&calibration::general_software, "general_software", false},
                           {&calibration::own_factor, "own_factor", false}};
  const estimated_case one = cases().front();
  const auto asked = [&](const calibration& c) {
    return refusal_of([&] { (void)step_time(one.model, one.job, one.mesh, one.where, c); });
  };
  for (const constant& k : list) {
    const auto with = [&](double value) {
      calibration c;
      c.*k.field = value;
      return asked(c);
    };
    INFO(k.name);
    CHECK(says(with(-0.1).message, std::string("calibration.") + k.name));
    CHECK(with(std::numeric_limits<double>::quiet_NaN()).code == errc::not_finite);
    CHECK(with(std::numeric_limits<double>::infinity()).code == errc::not_finite);
    CHECK(with(0).refused != k.may_be_0);
  }
  calibration c;
  c.low_precision_share = 1.1;
  CHECK(asked(c).code == errc::out_of_range);
  c = {};
  c.chips.items[3].mxu_fraction = 0;
  CHECK(says(asked(c).message, "mxu_fraction of v5e"));
  c = {};
  c.per_layer_pass = seconds{-1};
  CHECK(says(asked(c).message, "calibration.per_layer_pass"));
  c = {};
  c.ring_step = seconds{-1};
  CHECK(says(asked(c).message, "calibration.ring_step"));
}

TEST_CASE("figures of the caller's chip that are missing are refused by name") {
  struct missing {
    const char* says;
    plain_call<void(chip_spec&)> change;
  };
  const missing list[] = {
      {"chip.peak.bf16", [](chip_spec& c) { c.peak.bf16 = flops_per_second{0}; }},
      {"bf16 peak of the chip", [](chip_spec& c) { c.peak.bf16 = unknown; }},
      {"chip.hbm.bandwidth", [](chip_spec& c) { c.hbm.bandwidth = {}; }},
      {"chip.ici.nominal_one_way", [](chip_spec& c) { c.ici.nominal_one_way = {}; }},
      {"chip.ici.achievable_fraction", [](chip_spec& c) { c.ici.achievable_fraction = -1; }},
      {"DCN rate of the chip", [](chip_spec& c) { c.host.dcn = bytes_per_second{0}; }},
      {"PCIe rate of the chip", [](chip_spec& c) { c.host.pcie = bytes_per_second{-1}; }},
  };
  estimated_case good{"two slices", llama_3_8b(), job_of(64, 2048), {}, slice_for("v5p-16")};
  good.mesh.fsdp = 8;
  good.mesh.dcn_data = 2;
  good.job.state_on_host = host_state::optimizer;
  REQUIRE_FALSE(refusal_of([&] { (void)time_of(good); }).refused);
  for (const missing& m : list) {
    estimated_case one = good;
    m.change(one.where.chip);
    const refusal got = refusal_of([&] { (void)time_of(one); });
    INFO(m.says << ": " << got.message);
    CHECK(got.refused);
    CHECK(says(got.message, m.says));
  }
  estimated_case one = good;
  one.where.chip.hbm.usable_per_device = unknown;
  one.where.chip.hbm.capacity = {};
  CHECK(says(refusal_of([&] { (void)memory_of(one); }).message, "HBM of a device"));
}

TEST_CASE("a mesh counts devices or chips as it says") {
  estimated_case one = cases()[9];
  REQUIRE(std::string{one.what} == "two devices a chip");
  const memory_breakdown by_chips = memory_of(one);
  estimated_case other = one;
  other.mesh.unit = mesh_unit::devices;
  CHECK(says(refusal_of([&] { (void)memory_of(other); }).message, "the 128 devices of v3-128"));
  other.mesh.fsdp = 128;
  other.job.global_batch = one.job.global_batch = 128;
  CHECK(close(memory_of(other).parameters.value(), by_chips.parameters.value()));
  one.mesh.fsdp = 128;
  CHECK(says(refusal_of([&] { (void)memory_of(one); }).message, "the 64 chips of v3-128"));
}

TEST_CASE("shards of an array") {
  const sharded_array cut = shard(1024, dtype::bf16, 4, 8);
  CHECK(cut.elements_per_device == 256);
  CHECK(cut.per_device == 512_B);
  CHECK(cut.over_mesh == 4096_B);
  CHECK(shard(3, dtype::int4, 3, 3).per_device == 0.5_B);
  CHECK(refusal_of([] { (void)shard(10, dtype::bf16, 4, 4); }).code == errc::not_divisible);
  CHECK(refusal_of([] { (void)shard(8, dtype::bf16, 4, 6); }).code == errc::not_divisible);
  CHECK(refusal_of([] { (void)shard(0, dtype::bf16, 1, 1); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)shard(8, dtype::bf16, -1, 1); }).code == errc::invalid_argument);
  CHECK(refusal_of([] { (void)shard(8, dtype::bf16, 1, 0); }).code == errc::missing_field);
}

// ---- memory
// -------------------------------------------------------------------------------------------------------------

TEST_CASE("the parts of memory add up to the total") {
  for (const estimated_case& one : cases()) {
    INFO(one.what);
    const memory_breakdown m = memory_of(one);
    const bytes sum =
        m.parameters + m.optimizer + m.gradients + m.activations + m.logits + m.gathered_weights + m.workspace;
    CHECK(close(sum.value(), m.total.value()));
    CHECK(m.low < m.total);
    CHECK(m.total < m.high);
    CHECK(m.usable == one.where.chip.hbm.usable_per_device.value());
    CHECK(headroom(m).value() == m.usable.value() - m.total.value());
    for (const bytes part : {m.parameters, m.optimizer, m.activations, m.workspace}) CHECK(part > 0_B);
    CHECK((m.logits > 0_B) == (m.stage == memory_stage::logits));
    CHECK((m.gradients > 0_B) == (one.job.gradient_accumulation > 1 || m.stage == memory_stage::layer));
    CHECK((m.gathered_weights > 0_B) == (one.mesh.fsdp > 1));
  }
}

TEST_CASE("state of the weights by hand") {
  // 8030261248 parameters over 64 devices, fp32 and two fp32 moments.
  const memory_breakdown m = memory_of(cases().front());
  CHECK(close(m.parameters.value(), 4 * 8030261248.0 / 64));
  CHECK(close(m.optimizer.value(), 8 * 8030261248.0 / 64));
  // Full rematerialisation keeps the input of each layer: 2 sequences of 4096 tokens, 32 layers, bf16.
  CHECK(close(m.activations.value(), 2.0 * 2 * 4096 * 32 * 4096));
  estimated_case lighter = cases().front();
  lighter.job.weights = dtype::bf16;
  lighter.job.optimizer = optimizer_kind::lion;
  lighter.job.moments = dtype::bf16;
  CHECK(close(memory_of(lighter).parameters.value(), 2 * 8030261248.0 / 64));
  CHECK(close(memory_of(lighter).optimizer.value(), 2 * 8030261248.0 / 64));
  lighter.job.gradient_accumulation = 2;
  CHECK(close(memory_of(lighter).gradients.value(), 4 * 8030261248.0 / 64));
  CHECK(close(memory_of(lighter).activations.value(), 2.0 * 1 * 4096 * 32 * 4096));
}

TEST_CASE("less is kept by policies that recompute more, and nothing on the device of what goes to the host") {
  const auto kept = [](const remat_policy& policy) {
    estimated_case one = cases().front();
    one.job.remat = policy;
    return memory_of(one).activations;
  };
  CHECK(kept(remat::full) < kept(remat::save_qkv_proj));
  CHECK(kept(remat::save_qkv_proj) < kept(remat::save_dot_except_mlp));
  CHECK(kept(remat::save_dot_except_mlp) < kept(remat::save_dot_except_mlpwi));
  CHECK(kept(remat::save_dot_except_mlpwi) < kept(remat::minimal));
  CHECK(kept(remat::minimal) < kept(remat::none));
  CHECK(kept(remat::minimal_offloaded) == kept(remat::full));
  CHECK(kept(remat::qkv_proj_offloaded) == kept(remat::full));
}

TEST_CASE("the verdict: yes below 97 % of what is usable, no above 103 %, else uncertain") {
  struct row {
    double low, high;
    verdict expected;
  };
  for (const row& r : {row{10, 96.9, verdict::yes},
                       {96.5, 96.9, verdict::yes},
                       {50, 97, verdict::uncertain},
                       {96, 104, verdict::uncertain},
                       {103, 300, verdict::uncertain},
                       {103.1, 103.2, verdict::no},
                       {103.1, 900, verdict::no},
                       {1, 900, verdict::uncertain}}) {
    INFO(r.low << " to " << r.high);
    memory_breakdown m;
    m.low = bytes{r.low};
    m.high = bytes{r.high};
    m.usable = bytes{100};
    CHECK(fits(m) == r.expected);
  }
  CHECK(name(verdict::yes) == "yes");
  CHECK(name(verdict::uncertain) == "uncertain");
  CHECK(name(verdict::no) == "no");
}

TEST_CASE("the largest batch is the largest") {
  std::size_t found = 0;
  for (estimated_case one : cases()) {
    INFO(one.what);
    const std::int64_t unit = batch_shards(one.mesh) * one.job.gradient_accumulation;
    const auto batch = largest_batch(one.model, one.job, one.mesh, one.where);
    if (!batch) {
      one.job.global_batch = unit;
      CHECK(fits(memory_of(one)) != verdict::yes);
      continue;
    }
    ++found;
    CHECK(*batch % unit == 0);
    one.job.global_batch = *batch;
    CHECK(fits(memory_of(one)) == verdict::yes);
    one.job.global_batch = *batch + unit;
    CHECK(fits(memory_of(one)) != verdict::yes);
  }
  CHECK(found >= 4);
  // Nothing where not even one sequence a device fits; the batch that was given does not matter.
  CHECK_FALSE(largest_batch(llama_3_8b(), job_of(1, 4096), {}, slice_for("v5e-1")).has_value());
  CHECK(largest_batch(llama_3_8b(), job_of(7, 4096), fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128")) ==
        largest_batch(llama_3_8b(), job_of(64, 4096), fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128")).value());
  training_job broken = job_of(64, 4096);
  broken.gradient_accumulation = 0;
  CHECK(says(refusal_of([&] {
               (void)largest_batch(llama_3_8b(), broken, fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128"));
             }).message,
             "training_job.gradient_accumulation"));
}

TEST_CASE("memory grows with the batch and with the sequence, and shrinks with the shards") {
  for (const estimated_case& one : cases()) {
    INFO(one.what);
    estimated_case more = one;
    more.job.global_batch *= 2;
    CHECK(memory_of(more).total > memory_of(one).total);
    CHECK(memory_of(more).low >= memory_of(one).low);
    CHECK(memory_of(more).high > memory_of(one).high);
    estimated_case longer = one;
    longer.job.sequence_length *= 2;
    CHECK(memory_of(longer).total > memory_of(one).total);
  }
  const memory_breakdown on_64 =
      memory_use(llama_3_8b(), job_of(128, 4096), fsdp_layout(slice_for("v5p-128")), slice_for("v5p-128"));
  const memory_breakdown on_128 =
      memory_use(llama_3_8b(), job_of(256, 4096), fsdp_layout(slice_for("v5p-256")), slice_for("v5p-256"));
  CHECK(on_128.total < on_64.total);
}

// ---- time
// ---------------------------------------------------------------------------------------------------------------

TEST_CASE("the parts of a step add up to the total") {
  for (const estimated_case& one : cases()) {
    INFO(one.what);
    if (one.where.chip.name == "v5e" && chips(one.where) == 1) {
      CHECK_FALSE(refusal_of([&] { (void)time_of(one); }).refused);
    }
    const step_breakdown t = time_of(one);
    CHECK(close(t.compute.value(), (t.dense_products + t.expert_products + t.logits + t.attention + t.vision).value()));
    CHECK(close(t.hbm.value(),
                (t.elementwise + t.scores + t.operands + t.weight_reads + t.weight_update + t.dispatch).value()));
    CHECK(
        std::abs(t.ici.value() -
                 (t.fsdp.exposed + t.data.exposed + t.tensor.exposed + t.expert.exposed + t.context.exposed).value()) <=
        1e-12 * t.ici.value());
    const seconds sum = t.compute + t.hbm + t.ici + t.overhead + t.bubble + t.stragglers + t.dcn.exposed + t.software;
    CHECK(close(sum.value(), t.total.value()));
    for (const collective_time& part : {t.fsdp, t.data, t.tensor, t.expert, t.dcn}) {
      CHECK(part.exposed <= part.whole);
      CHECK(part.exposed >= 0_s);
    }
    CHECK((t.fsdp.whole > 0_s) == (one.mesh.fsdp > 1));
    CHECK((t.data.whole > 0_s) == (one.mesh.data > 1));
    CHECK((t.tensor.whole > 0_s) == (one.mesh.tensor > 1));
    CHECK((t.expert.whole > 0_s) == (one.mesh.expert > 1));
    CHECK((t.dcn.whole > 0_s) == (one.mesh.dcn_data > 1));
    CHECK((t.bubble > 0_s) == (one.mesh.pipeline > 1));
    CHECK((t.stragglers > 0_s) == (slices(one.mesh) > 1));
    CHECK((t.software > 0_s) == (one.job.software == software_level::general));
    CHECK((t.vision > 0_s) == (one.job.images_per_sequence > 0));
    CHECK((t.expert_products > 0_s) == has_experts(one.model));
    CHECK((t.dispatch > 0_s) == has_experts(one.model));
    CHECK(t.low < t.total);
    CHECK(t.total < t.high);
    CHECK(t.mfu > 0.01);
    CHECK(t.mfu < 0.8);
    const auto tokens = static_cast<double>(tokens_per_step(one.job));
    CHECK(close(t.tokens_per_second.value() * t.total.value(), tokens));
    // MFU is model FLOPs over what the chips could do in that time.
    const double chip_count = static_cast<double>(chips(one.where) * slices(one.mesh));
    const forward_flops each = forward_flops_per_token(one.model, one.job.sequence_length);
    const double tower = one.job.images_per_sequence > 0 ? vision_flops_per_image(one.model.vision).value() / 4096 : 0;
    const double work = 3 * tokens * (each.total.value() - (1 - one.job.logits_fraction) * each.logits.value() + tower);
    CHECK(close(t.mfu, work / (chip_count * peak_rate(one.where.chip, dtype::bf16).value() * t.total.value()), 1e-9));
  }
}

TEST_CASE("what limits a step is its largest part") {
  CHECK(time_of(cases().front()).limited_by == step_bound::compute);
  estimated_case slow_hbm = cases().front();
  slow_hbm.where.chip.hbm.bandwidth = 10_GB_per_s;
  CHECK(time_of(slow_hbm).limited_by == step_bound::hbm);
  estimated_case slow_ici = cases().front();
  slow_ici.where.chip.ici.nominal_one_way = 1_GB_per_s;
  CHECK(time_of(slow_ici).limited_by == step_bound::ici);
  estimated_case slow_dcn = cases()[3];
  slow_dcn.where.chip.host.dcn = bytes_per_second{1e6};
  CHECK(time_of(slow_dcn).limited_by == step_bound::dcn);
  calibration slow_layers;
  slow_layers.per_layer_pass = 10_s;
  CHECK(time_of(cases().front(), slow_layers).limited_by == step_bound::overhead);
}

TEST_CASE("outside of what published runs cover the band is wide and says so") {
  struct row {
    const char* what;
    plain_call<void(estimated_case&)> change;
    bool extrapolated;
  };
  using c = estimated_case&;
  const std::vector<row> rows = {
      {"dense on v5p", [](c) {}, false},
      {"experts on v5p", [](c e) { e = cases()[5]; }, false},
      {"four slices", [](c e) { e = cases()[3]; }, false},
      {"int8 on v5p", [](c e) { e.job.compute = dtype::int8; }, false},
      {"below 1.5e9 parameters", [](c e) { e.model.layers = 4, e.model.tied_embeddings = true; }, true},
      {"pipeline", [](c e) { e = cases()[4]; }, true},
      {"images", [](c e) { e = cases()[8]; }, true},
      {"a chip of the caller's own", [](c e) { e.where.chip.name = "mine"; }, true},
      {"experts on v4", [](c e) { e = cases()[5], e.where = slice_for("v4-128"); }, true},
      {"int8 on v4", [](c e) { e.where = slice_for("v4-128"), e.job.compute = dtype::int8; }, true},
      {"256 tokens a sequence", [](c e) { e.job = job_of(2048, 256); }, true},
      {"65536 tokens a sequence", [](c e) { e.job = job_of(64, 65536); }, true},
      {"512 tokens a chip", [](c e) { e.job = job_of(64, 512); }, true},
      {"1024 tokens a chip", [](c e) { e.job = job_of(64, 1024); }, false},
      {"64 slices", [](c e) { e.mesh.dcn_data = 64, e.job.global_batch = 64 * 128; }, true},
  };
  for (const row& r : rows) {
    INFO(r.what);
    estimated_case one = cases().front();
    r.change(one);
    const step_breakdown t = time_of(one);
    CHECK(t.extrapolated == r.extrapolated);
    if (r.extrapolated) CHECK((t.low <= t.total / 1.5 && t.high >= 1.5 * t.total));
    CHECK(t.band > 0.1);
    CHECK((t.runs > 0 && t.sources > 0));
    CHECK(t.low < t.total);
    CHECK(t.total < t.high);
  }
  estimated_case small = cases().front();
  small.model.layers = 4;
  small.model.tied_embeddings = true;
  REQUIRE(parameters(small.model).total < 1500000000);
  CHECK(time_of(small).kind == step_kind::small_model);
  CHECK(time_of(small).low == max(time_of(small).floor, time_of(small).total * 0.5));
  CHECK(time_of(small).high >= time_of(small).total * 2);
}

TEST_CASE("where tensors are sharded the band of unnamed software reaches that of general software") {
  estimated_case one = cases().front();
  for (const std::int64_t tensor : {1, 2, 4, 8}) {
    CAPTURE(tensor);
    one.mesh.tensor = tensor, one.mesh.fsdp = mesh_size(cases().front().mesh) / tensor;
    one.job.software = software_level::unnamed;
    const step_breakdown unnamed = time_of(one);
    one.job.software = software_level::general;
    CHECK(unnamed.high >= (1 - 1e-12) * time_of(one).high);
  }
}

TEST_CASE("an announced chip is estimated without calibration, in a wide band, or refused by what is not known") {
  training_job job;
  job.global_batch = 256;
  job.sequence_length = 2048;
  const auto step_on = [&](const slice& where) { return step_time(llama_3_8b(), job, fsdp_layout(where), where); };
  // No slice of the chip is documented; these are the caller's own.
  const step_breakdown on_8t = step_on(slice{tpu8t, {4, 4, 4}, 4});
  const step_breakdown on_v5p = step_on(slice_for("v5p-128"));
  CHECK((on_8t.extrapolated && !on_v5p.extrapolated));
  CHECK((on_8t.band > on_v5p.band && on_8t.total > 0_s));
  // In bf16 it has less than half of the peak of TPU7x.
  CHECK(on_8t.total > step_on(slice_for("tpu7x-128")).total);
  CHECK(says(refusal_of([&] { (void)step_on(slice{tpu8i, {4, 2}, 4}); }).message, "chip.ici.nominal_one_way"));
}

TEST_CASE("a needed figure that is not known is an error that names it") {
  estimated_case v3_twice{"v3, two slices", llama_3_8b(), job_of(256, 1024), fsdp_layout(slice_for("v3-128"), 2),
                          slice_for("v3-128")};
  const refusal dcn = refusal_of([&] { (void)time_of(v3_twice); });
  CHECK(dcn.code == errc::unknown_figure);
  CHECK(says(dcn.message, "DCN rate of the chip is unknown"));
  v3_twice.where.chip.host.dcn = 2_GB_per_s;  // given by the caller
  CHECK_FALSE(refusal_of([&] { (void)time_of(v3_twice); }).refused);

  estimated_case fp8 = cases().front();
  fp8.where = slice_for("v4-128");
  fp8.job.compute = dtype::fp8;
  const refusal rate = refusal_of([&] { (void)time_of(fp8); });
  CHECK(rate.code == errc::unknown_figure);
  CHECK(says(rate.message, "fp8 peak of the chip is absent"));
  fp8.where = slice_for("v5e-64");  // derived: the rate of bf16, as on v5p and v6e
  CHECK_FALSE(refusal_of([&] { (void)time_of(fp8); }).refused);
  fp8.job.compute = dtype::int8;
  CHECK_FALSE(refusal_of([&] { (void)time_of(fp8); }).refused);
  fp8.where = slice_for("v3-64");
  fp8.mesh.fsdp = 64;
  CHECK(says(refusal_of([&] { (void)time_of(fp8); }).message, "int8 peak of the chip is absent"));
}

TEST_CASE("quantised products gain where the chip is faster at them, and nothing on v4") {
  const auto compute_time = [](const char* slice_name, dtype compute) {
    estimated_case one = cases().front();
    one.where = slice_for(slice_name);
    one.job.compute = compute;
    return time_of(one).dense_products.value();
  };
  CHECK(compute_time("v4-128", dtype::int8) == compute_time("v4-128", dtype::bf16));
  CHECK(compute_time("v5p-128", dtype::fp8) == compute_time("v5p-128", dtype::bf16));  // fp8 at the rate of bf16
  CHECK(compute_time("v5p-128", dtype::int8) < compute_time("v5p-128", dtype::bf16));
  CHECK(compute_time("v6e-64", dtype::int8) < compute_time("v6e-64", dtype::bf16));
  CHECK(compute_time("v5e-64", dtype::int8) > compute_time("v5e-64", dtype::bf16) / 2);
}

TEST_CASE("every calibrated constant has an effect where it should, and only there") {
  struct row {
    const char* what;
    std::size_t of_case;
    plain_call<void(calibration&)> change;  // to slower
    bool slower;
  };
  using k = calibration&;
  const std::vector<row> rows = {
      {"MXU fraction of the chip", 0, [](k c) { c.chips.items[4].mxu_fraction *= 0.5; }, true},
      {"MXU fraction of another chip", 0, [](k c) { c.chips.items[3].mxu_fraction *= 0.5; }, false},
      {"MXU fraction of unlisted chips", 0, [](k c) { c.other_mxu_fraction *= 0.5; }, false},
      {"attention", 0, [](k c) { c.attention_slowdown *= 2; }, true},
      {"softmax", 0, [](k c) { c.softmax_width *= 2; }, true},
      {"attention block", 0, [](k c) { c.attention_block *= 2; }, true},
      {"HBM traffic", 0, [](k c) { c.hbm_passes *= 2; }, true},
      {"operands", 0, [](k c) { c.operand_reads *= 2; }, true},
      {"gathered weights", 0, [](k c) { c.weight_reads *= 2; }, true},
      {"dispatch on every shard without tensor parallelism", 5, [](k c) { c.dispatch_on_every_shard = false; }, false},
      {"general software of a tuned recipe", 0, [](k c) { c.general_software = 2; }, false},
      {"dispatch of experts", 5, [](k c) { c.dispatch_passes *= 2; }, true},
      {"dispatch of a dense model", 0, [](k c) { c.dispatch_passes *= 2; }, false},
      {"FSDP", 0, [](k c) { c.exposed_fsdp *= 2; }, true},
      {"tensor", 1, [](k c) { c.exposed_tensor *= 2; }, true},
      {"tensor without it", 0, [](k c) { c.exposed_tensor *= 2; }, false},
      {"experts", 5, [](k c) { c.exposed_expert *= 2; }, true},
      {"DCN", 3, [](k c) { c.exposed_dcn *= 2; }, true},
      {"DCN of one slice", 0, [](k c) { c.exposed_dcn *= 2; }, false},
      {"stragglers", 3, [](k c) { c.slowdown_per_doubling *= 2; }, true},
      {"stragglers of one slice", 0, [](k c) { c.slowdown_per_doubling *= 2; }, false},
      {"low precision in bf16", 0, [](k c) { c.low_precision_share = 0.1; }, false},
      {"time per layer", 0, [](k c) { c.per_layer_pass = 1_ms; }, true},
  };
  for (const row& r : rows) {
    INFO(r.what);
    const estimated_case one = cases()[r.of_case];
    calibration changed;
    r.change(changed);
    const seconds before = time_of(one).total;
    const seconds after = time_of(one, changed).total;
    if (r.slower) {
      CHECK(after > before);
    } else {
      CHECK(after == before);
    }
  }
  estimated_case int8 = cases().front();
  int8.job.compute = dtype::int8;
  calibration less;
  less.low_precision_share = 0.1;
  CHECK(time_of(int8, less).total > time_of(int8).total);
  CHECK(time_of(int8, less).total < time_of(cases().front()).total);
  // The collectives that a framework does not hide are waited for in full.
  estimated_case waiting = cases().front();
  waiting.job.synchronous_collectives = true;
  CHECK(time_of(waiting).fsdp.exposed == time_of(waiting).fsdp.whole);
  CHECK(time_of(waiting).total > time_of(cases().front()).total);
}

TEST_CASE("a general framework takes longer than a tuned recipe, by one factor") {
  estimated_case general = cases().front();
  general.job.software = software_level::general;
  const step_breakdown tuned = time_of(cases().front());
  CHECK(close(time_of(general).total.value(), tuned.total.value() * calibration{}.general_software));
  CHECK(close(time_of(general).software.value(), tuned.total.value() * (calibration{}.general_software - 1)));
}

TEST_CASE("traffic cannot hide behind more work than there is") {
  // One sequence of 512 tokens on each chip of a slow network: gathering the weights takes longer than everything else.
  estimated_case starved = cases().front();
  starved.job = job_of(64, 512);
  starved.where.chip.ici.nominal_one_way = 1_GB_per_s;
  const step_breakdown t = time_of(starved);
  CHECK(close((t.fsdp.exposed + t.compute + t.hbm).value(), t.fsdp.whole.value()));
  CHECK(t.limited_by == step_bound::ici);
  // Between slices at most the backward half of the work hides.
  estimated_case far = cases()[3];
  far.where.chip.host.dcn = bytes_per_second{1e6};
  const step_breakdown slow = time_of(far);
  const seconds work = slow.compute + slow.hbm + slow.ici + slow.overhead + slow.bubble;
  CHECK(close(slow.dcn.exposed.value(), (slow.dcn.whole - work / 2).value()));
}

TEST_CASE("more work takes longer, and a better chip does not") {
  struct row {
    const char* what;
    plain_call<void(estimated_case&)> change;
  };
  using c = estimated_case&;
  const std::vector<row> longer = {
      {"twice the batch", [](c e) { e.job.global_batch *= 2; }},
      {"twice the sequence", [](c e) { e.job.sequence_length *= 2; }},
      {"a layer more", [](c e) { e.model.layers += 1; }},
      {"a wider MLP", [](c e) { e.model.mlp.d_ff += 1024; }},
      {"more words", [](c e) { e.model.vocab += 1024; }},
      {"twice the work on each token", [](c e) { e.job.work_multiplier = 2; }},
  };
  const std::vector<row> better = {
      {"twice the peak", [](c e) { e.where.chip.peak.bf16 = 2.0 * e.where.chip.peak.bf16.value(); }},
      {"twice the HBM bandwidth", [](c e) { e.where.chip.hbm.bandwidth *= 2; }},
      {"twice the link rate", [](c e) { e.where.chip.ici.nominal_one_way *= 2; }},
      {"twice the DCN rate", [](c e) { e.where.chip.host.dcn = e.where.chip.host.dcn.value_or(1_GB_per_s) * 2.0; }},
      {"more HBM", [](c e) { e.where.chip = with_hbm(e.where.chip, 2 * e.where.chip.hbm.capacity); }},
  };
  for (const estimated_case& one : cases()) {
    const seconds before = time_of(one).total;
    for (const row& r : longer) {
      INFO(one.what << ": " << r.what);
      if (r.what == longer[3].what && moe_layers(one.model) == one.model.layers) continue;  // no dense MLP
      estimated_case changed = one;
      r.change(changed);
      CHECK(time_of(changed).total > before);
    }
    for (const row& r : better) {
      INFO(one.what << ": " << r.what);
      estimated_case changed = one;
      r.change(changed);
      CHECK(time_of(changed).total <= before);
    }
  }
  estimated_case recomputing = cases().front();
  estimated_case keeping = cases().front();
  keeping.job.remat = remat::none;
  CHECK(time_of(keeping).total < time_of(recomputing).total);
}

TEST_CASE("twice the slices at the same batch a slice: little slower, almost twice the tokens") {
  estimated_case one = cases()[3];
  estimated_case two = one;
  two.mesh.dcn_data *= 2;
  two.job.global_batch *= 2;
  const step_breakdown before = time_of(one);
  const step_breakdown after = time_of(two);
  CHECK(after.total > before.total);
  CHECK(after.total < 1.1 * before.total);
  CHECK(after.tokens_per_second.value() > 1.8 * before.tokens_per_second.value());
}

// ---- names of what a step is made of --------------------------------------------------------------------------------

TEST_CASE("rematerialisation policies and optimizers by name, both ways") {
  for (const named_remat_policy& one : remat_policies) {
    INFO(one.name.view());
    REQUIRE(parse_remat_policy(one.name).has_value());
    CHECK(*parse_remat_policy(one.name) == one.policy);
    CHECK(name(one.policy) == one.name);
  }
  STATIC_REQUIRE(parse_remat_policy("FULL") == remat::full);
  remat_policy own = remat::full;
  own.mlp_down = placement::host;
  CHECK(name(own) == "custom");
  for (const char* wrong : {"", "custom", "ful", "full ", "save-context"}) {
    INFO(wrong);
    CHECK_FALSE(parse_remat_policy(wrong).has_value());
  }
  struct row {
    optimizer_kind kind;
    const char* name;
    double bytes_with_bf16;
  };
  for (const row& r : {row{optimizer_kind::adamw, "adamw", 4},
                       {optimizer_kind::adafactor, "adafactor", 0.5},
                       {optimizer_kind::lion, "lion", 2},
                       {optimizer_kind::sgd_momentum, "sgd_momentum", 2},
                       {optimizer_kind::lars, "lars", 2},
                       {optimizer_kind::lamb, "lamb", 4},
                       {optimizer_kind::sgd, "sgd", 0},
                       {optimizer_kind::adam, "adam", 4}}) {
    INFO(r.name);
    CHECK(name(r.kind) == r.name);
    CHECK(parse_optimizer(r.name) == r.kind);
    CHECK(optimizer_bytes_per_parameter(r.kind, dtype::bf16).value() == r.bytes_with_bf16);
  }
  STATIC_REQUIRE(parse_optimizer("AdamW") == optimizer_kind::adamw);
  CHECK_FALSE(parse_optimizer("adamax").has_value());
  CHECK_FALSE(parse_optimizer("").has_value());
}

TEST_CASE("images take tokens of the sequence: no more of them than it has room for", "[door]") {
  const slice where = slice_for("v5e-256");
  estimated_case one{"", with_vision(), job_of(512, 4096), fsdp_layout(where), where};
  REQUIRE(image_tokens(one.model.vision) == 576);
  one.job.images_per_sequence = 7;  // 4032 tokens
  CHECK(time_of(one).vision > 0_s);
  one.job.images_per_sequence = 8;
  const refusal time = refusal_of([&] { (void)time_of(one); });
  CHECK(time.code == errc::out_of_range);
  CHECK(says(time.message, "training_job.images_per_sequence is 8; valid: at most 7: an image is 576 tokens"));
  CHECK(says(refusal_of([&] { (void)memory_of(one); }).message, "training_job.images_per_sequence is 8"));
  CHECK(says(refusal_of([&] { (void)sizes_of(one.model, one.job); }).message, "training_job.images_per_sequence is 8"));
  one.model.attention.cross_layers = 8;  // these layers attend to the image: it is not in the sequence
  CHECK(time_of(one).vision > 0_s);
}

TEST_CASE("the tower of a job with images is in its MFU and its memory, and where there are none that is said",
          "[door]") {
  const slice where = slice_for("v5e-256");
  estimated_case one{"", with_vision(), job_of(512, 4096), fsdp_layout(where), where};
  CHECK(time_of(one).remarks.text_alone);
  const double without = time_of(one).mfu * time_of(one).total.value();
  const bytes bare = memory_of(one).total;
  one.job.images_per_sequence = 4;
  const step_breakdown t = time_of(one);
  CHECK_FALSE(t.remarks.text_alone);
  const double chip_count = 256 * 197e12;
  const double tower = 3 * 512 * 4 * vision_flops_per_image(one.model.vision).value();
  CHECK(close(t.mfu * t.total.value() - without, tower / chip_count, 1e-9));
  // Two sequences a chip, the inputs of 24 layers of 1024 for 576 patches of each of eight images, in bf16.
  CHECK(close((memory_of(one).activations - 2 * 4096 * (bytes{2} * 32 * 4096)).value(), 8.0 * 24 * 576 * 1024 * 2));
  CHECK(memory_of(one).total > bare);
  one.job.lora_rank = 8;
  one.job.lora.q = true;
  CHECK(sizes_of(one.model, one.job).tower_inputs == 0);  // frozen: nothing is kept for a backward pass
  CHECK_FALSE(time_of({"", llama_3_8b(), job_of(512, 4096), fsdp_layout(where), where}).remarks.text_alone);
}

TEST_CASE("the MFU of an encoder counts the logits that are made", "[door]") {
  const slice where = slice_for("v4-128");
  estimated_case one{"", encoder_3b(), job_of(1024, 512), fsdp_layout(where), where};
  const auto done = [&] { return time_of(one).mfu * time_of(one).total.value(); };
  const double all = done();
  one.job.logits_fraction = 0.15;
  const double logits = 3 * forward_flops_per_token(one.model, 512).logits.value() * 1024 * 512 / (64 * 275e12);
  CHECK(close(all - done(), 0.85 * logits, 1e-9));
}

TEST_CASE("sequences beyond those that a model is made for are remarked on", "[door]") {
  const slice where = slice_for("v5p-128");
  estimated_case one{"", llama_3_8b(), job_of(128, 8192), fsdp_layout(where), where};
  one.model.max_positions = 8192;
  CHECK_FALSE(time_of(one).remarks.beyond_positions);
  one.job.sequence_length = 8193;
  CHECK(time_of(one).remarks.beyond_positions);
  one.model.max_positions = 0;  // not stated
  CHECK_FALSE(time_of(one).remarks.beyond_positions);
}

TEST_CASE("in fp32 twice the bytes are moved; products run in bf16, which is said", "[door]") {
  const slice where = slice_for("v5e-256");
  for (const transformer& model : {llama_3_8b(), mixtral_8x7b()}) {
    estimated_case one{"", model, job_of(512, 4096), fsdp_layout(where), where};
    one.mesh.fsdp = 16;
    one.mesh.tensor = 2;
    one.mesh.context = 4;
    one.mesh.expert = has_experts(model) ? 2 : 1;
    one.mesh.data = has_experts(model) ? 1 : 2;
    const step_breakdown half = time_of(one);
    CHECK_FALSE(half.remarks.products_in_bf16);
    one.job.compute = dtype::fp32;
    const step_breakdown t = time_of(one);
    CHECK(t.remarks.products_in_bf16);
    CHECK(t.compute == half.compute);
    CHECK(close(t.operands / half.operands, 2));
    CHECK(close(t.weight_reads / half.weight_reads, 2));
    CHECK(close(t.tensor.whole / half.tensor.whole, 2));
    CHECK(close(t.context.whole / half.context.whole, 2));
    CHECK(close(t.fsdp.whole / half.fsdp.whole, 12.0 / 8));
    if (has_experts(model)) CHECK(close(t.expert.whole / half.expert.whole, 2));
    if (has_experts(model)) CHECK(close(t.dispatch / half.dispatch, 2));
    CHECK(t.elementwise > 1.5 * half.elementwise);
    CHECK(t.data.whole == half.data.whole);  // gradients are reduced in fp32 as before
    CHECK(t.total > half.total);
  }
}

TEST_CASE("remarks: sequences longer than those a model is made for, where it says so") {
  transformer model = llama_3_8b();
  model.max_positions = 1;
  CHECK(remarks_on(model, job_of(8, 2)).beyond_positions);
  CHECK_FALSE(remarks_on(model, job_of(8, 1)).beyond_positions);
  model.max_positions = 0;
  CHECK_FALSE(remarks_on(model, job_of(8, 1 << 20)).beyond_positions);
}

}  // namespace estimate_training_step_time_tests

// The terms of a step: what they are on one chip, and that the bytes of its stages are the parts of memory_use.
#include <cmath>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/training/terms.hpp>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_terms_tests {

namespace {

training_job accumulating(std::int64_t microbatches) {
  training_job job = job_of(1024, 4096);
  job.gradient_accumulation = microbatches;
  job.remat = remat::save_qkv_proj;
  return job;
}

}  // namespace

TEST_CASE("terms of one chip, by hand: llama-3-8b on v5p under full remat") {
  const transformer model = llama_3_8b();
  const training_job job = job_of(64, 4096);
  const training_sizes sizes = sizes_of(model, job);
  CHECK(sizes.exchanged.value() == 8 * 8030261248.0);
  CHECK(sizes.passes == 3);
  const work_terms work = work_terms_of(sizes, model, job, v5p, 1);
  // Every width is a multiple of 128. Forward and backward are three passes; all but the down product once more.
  const double d = 4096, layers = 32;
  const double once = 2 * layers * (d * 6144 + d * d + 2 * d * 14336), down = 2 * layers * 14336 * d;
  CHECK(close(work.dense_products.value(), (4 * once + 3 * down) / (459e12 * mxu_fraction(calibration{}, v5p)), 1e-9));
  CHECK(close(in_us(work.dense_products), 148, 0.005));
  CHECK(close(work.logits.value(), 3 * 2 * d * 128256 / (459e12 * mxu_fraction(calibration{}, v5p)), 1e-9));
  CHECK(work.tensor_passes == 3);
  CHECK(work.expert_passes == 4);
  CHECK(work.expert_products == 0_s);
  CHECK(work.vision == 0_s);
  CHECK(close(work.weight_update.value(), 28 * 8030261248.0 / 2765e9));  // AdamW in fp32, one chip, nothing sharded
  CHECK(refusal_of([&] { (void)work_terms_of(sizes, model, job, v5p, 0); }).code == errc::missing_field);
}

TEST_CASE("a step of 700 tokens on each device is as long as published ones, and one of fewer is not") {
  const slice where = slice_for("v5p-8");
  training_job job = job_of(4, 700);
  CHECK_FALSE(step_time(llama_3_8b(), job, fsdp_layout(where), where).extrapolated);
  job.sequence_length = 699;
  CHECK(step_time(llama_3_8b(), job, fsdp_layout(where), where).extrapolated);
}

TEST_CASE("each kind of sharding is a bit of what a job is compared by") {
  const slice where = slice_for("v5p-8");
  const transformer model = llama_3_8b();
  const training_job job = job_of(64, 4096);
  const auto kind_of = [&](const layout& mesh) {
    return detail::training_features(sizes_of(model, job), model, job, mesh, where).kind;
  };
  const std::uint32_t plain = kind_of({1, 4, 1});
  CHECK(plain == 0);
  CHECK(kind_of({1, 2, 2}) == 4);
  CHECK(kind_of({1, 2, 1, 1, 2}) == 16);
  CHECK(kind_of({1, 2, 1, 1, 1, 2}) == 32);
}

TEST_CASE("the bytes of a stage are what is fixed and what its tokens add") {
  const transformer model = llama_3_8b();
  const slice where = slice_for("v5p-128");
  layout mesh;
  mesh.fsdp = 32;
  mesh.tensor = 2;
  for (const std::int64_t microbatches : {1, 4}) {
    const training_job job = accumulating(microbatches);
    const memory_layout at = memory_layout_of(model, job, mesh, where);
    CHECK(at.weight_shards == 64);
    CHECK(at.tokens == 1024.0 * 4096 / 64);
    const memory_terms stages = memory_terms_of(sizes_of(model, job), model, job, 2, memory_point);
    const double tokens = at.tokens / static_cast<double>(microbatches);
    bytes most{};
    for (const stage_terms& stage : stages)
      most = max(most, fixed_bytes(stage, at, microbatches > 1) + tokens * bytes_per_token(stage));
    CHECK(close(most.value(), memory_use(model, job, mesh, where).total.value()));
  }
}

TEST_CASE("a pipeline over slices hands its activations over the network, and halves what data parallelism reduces") {
  const slice where = slice_for("v5p-128");
  layout mesh = fsdp_layout(where);
  mesh.dcn_pipeline = 2;
  const training_job job = job_of(256, 4096);
  const step_breakdown step = step_time(llama_3_8b(), job, mesh, where);
  // 8192 tokens for each of the 128 chips; a chip holds those of both stages: bf16 activations there, gradients back.
  CHECK(close(step.dcn.whole.value(), 4.0 * 4096 * 8192 * 2 / 6.25e9));
  layout replicas = mesh;
  replicas.dcn_data = 2;
  const step_breakdown both = step_time(llama_3_8b(), job_of(512, 4096), replicas, where);
  CHECK(close((both.dcn.whole - step.dcn.whole).value(), 4 * 8030261248.0 / 64 / 2 / 6.25e9));
  layout unconnected = fsdp_layout(slice_for("v3-128"));
  unconnected.dcn_pipeline = 2;  // the network of v3 is not documented
  CHECK(refusal_of([&] { (void)step_time(llama_3_8b(), job, unconnected, slice_for("v3-128")); }).code ==
        errc::unknown_figure);
}

TEST_CASE("a chip without published runs says so: other constants, a wide band") {
  chip_spec mine = v6e;
  mine.name = "mine";
  CHECK(mxu_fraction(calibration{}, mine) == calibration{}.other_mxu_fraction);
  CHECK_FALSE(find_chip_constants(calibration{}, mine).has_value());
  CHECK(runs_behind(mine).dense == 0);
  CHECK(runs_behind(v5p).experts >= 5);
  const slice named = slice_for("v6e-16");
  const slice renamed{mine, named.shape, named.chips_per_vm};
  const training_job job = job_of(64, 4096);
  CHECK_FALSE(step_time(llama_3_8b(), job, fsdp_layout(named), named).extrapolated);
  const step_breakdown step = step_time(llama_3_8b(), job, fsdp_layout(renamed), renamed);
  CHECK(step.extrapolated);
  CHECK(step.band > 0.5);
  training_job tuned = job;
  tuned.software = software_level::tuned;
  CHECK(step_time(llama_3_8b(), tuned, fsdp_layout(renamed), renamed).band == 0.5);
  training_job int8 = job;
  int8.compute = dtype::fp8;
  const slice ironwood = slice_for("tpu7x-64");
  CHECK(step_time(llama_3_8b(), int8, fsdp_layout(ironwood), ironwood).extrapolated);  // no dense run in 8 bits there
}

TEST_CASE("every function of a layout refuses a degree below 1, by name", "[door]") {
  const transformer model = llama_3_8b();
  const slice where = slice_for("v5p-128");
  training_job job;
  job.global_batch = 128;
  job.sequence_length = 4096;
  const training_sizes sizes = sizes_of(model, job);
  struct degree {
    std::int64_t layout::*member;
    const char* field;
  };
  const degree degrees[] = {{&layout::data, "layout.data"},
                            {&layout::fsdp, "layout.fsdp"},
                            {&layout::tensor, "layout.tensor"},
                            {&layout::expert, "layout.expert"},
                            {&layout::context, "layout.context"},
                            {&layout::pipeline, "layout.pipeline"},
                            {&layout::dcn_data, "layout.dcn_data"},
                            {&layout::dcn_fsdp, "layout.dcn_fsdp"},
                            {&layout::dcn_pipeline, "layout.dcn_pipeline"}};
  for (const degree& one : degrees) {
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}}) {
      layout mesh = fsdp_layout(where);
      mesh.*one.member = value;
      const plain_call<void()> calls[] = {[&] { validate(mesh, model, job); },
                                          [&] { validate(mesh, where); },
                                          [&] { (void)mesh_size(mesh); },
                                          [&] { (void)slices(mesh); },
                                          [&] { (void)batch_shards(mesh); },
                                          [&] { (void)batch_divides(mesh, 128); },
                                          [&] { (void)layout_terms_of(sizes, model, job, mesh, where); },
                                          [&] { (void)memory_layout_of(model, job, mesh, where); },
                                          [&] { (void)step_time(model, job, mesh, where); },
                                          [&] { (void)memory_use(model, job, mesh, where); },
                                          [&] { (void)largest_batch(model, job, mesh, where); }};
      for (const auto& call : calls) CHECK(says(refusal_of(call).message, one.field));
    }
  }
}

TEST_CASE("terms, sizes and widths refuse what the estimates refuse", "[door]") {
  const transformer model = llama_3_8b();
  const slice where = slice_for("v5p-128");
  training_job job;
  job.global_batch = 128;
  job.sequence_length = 4096;
  const training_sizes sizes = sizes_of(model, job);
  const layout mesh = fsdp_layout(where);
  training_job bad = job;
  bad.capacity_factor = std::nan("");
  const plain_call<void()> calls[] = {[&] { (void)sizes_of(model, bad); },
                                      [&] { (void)work_terms_of(sizes, model, bad, v5p, 1); },
                                      [&] { (void)layout_terms_of(sizes, model, bad, mesh, where); },
                                      [&] { (void)memory_terms_of(sizes, model, bad, 1, memory_point); }};
  for (const auto& call : calls) CHECK(says(refusal_of(call).message, "training_job.capacity_factor is nan"));
  const auto refuses = [](const plain_call<void()>& call, const char* field) {
    const refusal got = refusal_of(call);
    INFO(got.message);
    CHECK(says(got.message, field));
  };
  refuses([] { (void)widths_of(transformer{}); }, "model.layers is 0");
  refuses([&] { (void)memory_terms_of(sizes, model, job, 0, memory_point); }, "layout.tensor is 0");
  refuses([&] { (void)group_bandwidth(where, 0, 64); }, "units of a group is 0");
  refuses([&] { (void)group_bandwidth(where, 8, 0); }, "units of the slice is 0");
  slice flat = where;
  flat.shape.dims = {0, 4, 4};
  refuses([&] { (void)fsdp_layout(flat); }, "slice.shape");
}

TEST_CASE("the terms of FSDP over one slice, by hand") {
  const transformer model = llama_3_8b();
  const training_job job = job_of(64, 4096);
  const slice where = slice_for("v5p-128");
  const layout_terms at = layout_terms_of(sizes_of(model, job), model, job, fsdp_layout(where), where);
  CHECK(at.tokens == 4096);
  CHECK(at.weight_shards == 64);
  CHECK(at.bubble == 0);
  CHECK(at.gathered_share == 1);
}

TEST_CASE("devices that share a sequence gather keys and values, and pass states on") {
  transformer m = llama_3_8b();
  CHECK(widths_of(m).keys == 2 * 8 * 128);
  m.attention.output_gate = true;  // the gate is of the device's own tokens
  CHECK(widths_of(m).keys == 2 * 8 * 128);
  m.recurrent.layers = 24, m.recurrent.kind = recurrence::gated_delta, m.recurrent.width = 4096;
  m.recurrent.heads = 32, m.recurrent.key_heads = 16, m.recurrent.key_dim = 128, m.recurrent.kernel = 4;
  CHECK(widths_of(m).keys == 2 * 8 * 128 * 0.25);
  const slice where = slice_for("v5p-128");
  layout mesh = fsdp_layout(where);
  mesh.fsdp = 32, mesh.context = 2;
  const training_job job = job_of(64, 8192);
  const double gathered = layout_terms_of(sizes_of(m, job), m, job, mesh, where).context.whole.value();
  const double tokens = 64.0 * 8192 / 64, states = 24 * 4096.0 * 128 / 8192;
  const double others = tokens * 2 * (3 * 32 * 2 * 8 * 128 * 0.25 + 2 * states);
  const transformer plain = llama_3_8b();
  const double of_plain = layout_terms_of(sizes_of(plain, job), plain, job, mesh, where).context.whole.value();
  CHECK(close(gathered / of_plain, others / (tokens * 2 * 3 * 32 * 2 * 8 * 128), 1e-9));
}

TEST_CASE("values of a width of their own count in attention, its result and what is gathered") {
  transformer m = llama_3_8b();
  m.attention.head_dim = 192, m.attention.value_dim = 128;
  const layer_widths w = widths_of(m);
  CHECK(w.context == 32 * 128);
  CHECK(w.keys == 8 * (192 + 128));
  CHECK(w.qkv == 32 * 192 + 8 * (192 + 128));
  const training_job job = job_of(64, 4096);
  const auto attention = [&](const transformer& of) {
    return work_terms_of(sizes_of(of, job), of, job, v5p, 1).attention.value();
  };
  transformer wide = m;
  wide.attention.value_dim = 0;
  CHECK(close(attention(m) / attention(wide), (256 + 128 + 2 * 70) / (2 * 256 + 2 * 70.0), 1e-9));
}

TEST_CASE("layers that see images alone do not run on text") {
  const transformer text = llama_3_8b();
  transformer pictured = text;
  pictured.layers = 40, pictured.attention.cross_layers = 8;
  pictured.vision.layers = 1, pictured.vision.d_model = 64, pictured.vision.heads = 1, pictured.vision.d_ff = 64;
  pictured.vision.patch_size = 14, pictured.vision.image_size = 28, pictured.vision.tokens_per_image = 1601;
  training_job job = job_of(64, 4096);
  const auto work = [&](const transformer& of) { return work_terms_of(sizes_of(of, job), of, job, v5p, 1); };
  CHECK(work(pictured).attention == work(text).attention);
  CHECK(close(work(pictured).dense_products.value(), work(text).dense_products.value(), 1e-12));
  const seconds alone = work(text).attention;
  job.images_per_sequence = 1;
  const double shown = work(pictured).attention / alone;
  CHECK(close(shown, (32 * (4096 + 512) / 2.0 + 8 * 1601) / (32 * (4096 + 512) / 2.0), 1e-9));
}

TEST_CASE("buffers of experts have room for the worst routing only without a capacity") {
  transformer m = llama_3_8b();
  m.moe.experts = 8, m.moe.top_k = 2, m.moe.expert_d_ff = 14336;
  const slice where = slice_for("v5p-128");
  layout mesh = fsdp_layout(where);
  mesh.fsdp = 8, mesh.expert = 8;
  training_job job = job_of(256, 4096);
  const auto taken = [&](double capacity) {
    job.capacity_factor = capacity;
    return memory_use(m, job, mesh, where).total.value();
  };
  CHECK(taken(1) > 1.5 * taken(1.01));
  double before = 0;
  for (const double capacity : {0.5, 0.9, 0.99, 1.01, 1.25, 2.0}) {
    CHECK(taken(capacity) > before);
    before = taken(capacity);
  }
}

}  // namespace estimate_training_terms_tests

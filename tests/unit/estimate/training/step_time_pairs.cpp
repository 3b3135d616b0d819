// Training of encoders with decoders: FLOPs of both sequences, terms by hand, and what one more layer of a stack adds.
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/model/sums.hpp>
#include <tpuplan/plan/candidate.hpp>
#include <tpuplan/plan/planner.hpp>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/pairs.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_step_time_pairs_tests {

namespace {

training_job pairs_of(std::int64_t batch, std::int64_t target, std::int64_t source = 0) {
  training_job job = job_of(batch, target);
  job.source_length = source;
  return job;
}

/// A question of every kind: a source as long, longer and shorter, and that of a stem.
struct asked_pair {
  transformer model{};
  training_job job{};
};
std::vector<asked_pair> pairs() {
  return {{t5_small(), pairs_of(64, 512)},
          {t5_small(), pairs_of(128, 114, 512)},
          {mt0_large(), pairs_of(64, 1024, 256)},
          {whisper_large_v3(), pairs_of(256, 448)}};
}
const slice& where() {
  static const slice v5e_64 = slice_for("v5e-64");
  return v5e_64;
}
layout tensor_layout(std::int64_t tensor) {
  layout mesh;
  mesh.tensor = tensor;
  mesh.fsdp = 64 / tensor;
  return mesh;
}
work_terms work_of(const transformer& model, const training_job& job, std::int64_t tensor = 1) {
  return work_terms_of(sizes_of(model, job), model, job, v5e, tensor);
}
double difference(seconds more, seconds less, double times = 1) { return times * (more - less).value(); }

}  // namespace

TEST_CASE("a step of pairs has three times the forward FLOPs of its pairs") {
  for (const auto& [model, job] : pairs()) {
    const std::int64_t source = source_length(model, job);
    const flops pair = forward_flops_per_pair(model, source, job.sequence_length).total;
    const auto batch = static_cast<double>(job.global_batch), target = static_cast<double>(job.sequence_length);
    INFO(model.name.view() << " " << source);
    CHECK(close(target * model_flops_per_token(sizes_of(model, job), job).value(), 3 * pair.value()));
    CHECK(close(forward_flops_per_pair(model_of(model), source, job.sequence_length).total.value(), pair.value()));
    for (const std::int64_t tensor : {1, 2}) {
      const step_breakdown step = step_time(model, job, tensor_layout(tensor), where());
      CHECK(close(step.mfu * 64 * 197e12 * step.total.value(), 3 * batch * pair.value()));
      CHECK(close(step.tokens_per_second.value() * step.total.value(), batch * target));
      CHECK(step.extrapolated);
      CHECK(step.floor <= step.low);
      CHECK(step.compute + step.hbm + step.ici + step.overhead <= step.total * (1 + 1e-12));
      // The products of both stacks are those of its FLOPs.
      const training_sizes sizes = sizes_of(model, job);
      const detail::products_on_device products =
          detail::products_of(sizes, model, job, v5e, static_cast<double>(tensor), {});
      CHECK(close(products.qkv.work, sizes.work.qkv.value()));
      CHECK(close(products.output.work, sizes.work.attention_output.value()));
      CHECK(close(products.mlp_up.work, sizes.work.mlp_up.value()));
      CHECK(close(products.mlp_down.work, sizes.work.mlp_down.value()));
    }
  }
}

TEST_CASE("terms of pairs by hand: t5-small on v5e, a source of 512 tokens for a target of 128") {
  const transformer model = t5_small();
  const training_job job = pairs_of(64, 128, 512);
  const training_sizes sizes = sizes_of(model, job);
  CHECK(sizes.source == 4);
  CHECK(sizes.layers == 12);
  // For each token of the target four of the source. Every width is a multiple of the MXU's 128.
  const double d = 512, square = d * d, mlp = d * 2048, s = 4;
  const double qkv = 6 * (3 * square + square) + s * 6 * (3 * square + 2 * square);
  const double output = 6 * 2 * square + s * 6 * square, up = (6 + s * 6) * mlp;
  const work_terms work = work_of(model, job);
  const double rate = 197e12 * mxu_fraction(calibration{}, v5e);
  CHECK(close(work.dense_products.value(), 2 * (4 * (qkv + output + up) + 3 * up) / rate));
  CHECK(close(work.logits.value(), 2 * 3 * d * 32128 / rate));
  // Widths: of the target with the keys and values of the source, and of the source.
  const stack_widths stacks = widths_of(model, job);
  CHECK(stacks.decoder.qkv == 3 * d + d + s * 2 * d);
  CHECK(stacks.encoder.qkv == s * 3 * d);
  CHECK(stacks.decoder.context == 2 * d);
  CHECK(stacks.decoder.cross == d);
  CHECK(stacks.encoder.cross == 0);
  CHECK(stacks.mean.d_model == (d + s * d) / 2);
  const double numbers = 6 * (8 * d + 4 * d + 2 * stacks.decoder.qkv + 2048 * 2) + 6 * s * (8 * d + 6 * d + 2048 * 2);
  const double per_byte = calibration{}.hbm_passes / v5e.hbm.bandwidth.value();
  CHECK(close(work.elementwise.value(), per_byte * (4 * 2 * numbers + 16 * 32128.0)));
  // Two all-reduces of a layer of the encoder, three of one of the decoder.
  const layout_terms at = layout_terms_of(sizes, model, job, tensor_layout(4), where());
  CHECK(at.tokens == 128);
  const double moved = 128 * 3 * 2 * (6 * 6 * d + 6 * s * 4 * d);
  CHECK(close(at.tensor.whole.value(), moved / group_bandwidth(where(), 4, 64).value()));
}

TEST_CASE("as many tokens on either side: worked widths of t5-small") {
  const stack_widths stacks = widths_of(t5_small(), pairs_of(1, 512));
  CHECK(stacks.encoder.qkv == 1536);
  CHECK(stacks.decoder.qkv == 3072);
  CHECK(refusal_of([] { (void)widths_of(llama_3_8b(), pairs_of(1, 512)); }).code == errc::unsupported);
}

TEST_CASE("a layer more of the encoder adds what a layer of an encoder by itself takes") {
  transformer alone = t5_small();
  alone.kind = architecture::encoder;
  alone.encoder_layers = 0;
  transformer deeper = alone;
  ++deeper.layers;
  transformer pair = t5_small();
  ++pair.encoder_layers;
  for (const attention_kernel kernel : {attention_kernel::flash, attention_kernel::unfused}) {
    for (const std::int64_t source : {256, 512, 2048}) {
      for (const remat_policy& policy : {remat::full, remat::minimal, remat::none}) {
        training_job job = pairs_of(64, 512, source), encoded = pairs_of(64, source);
        job.remat = encoded.remat = policy;
        job.attention = encoded.attention = kernel;
        const double rows = static_cast<double>(source) / 512;
        const work_terms more = work_of(pair, job), less = work_of(t5_small(), job);
        const work_terms one = work_of(deeper, encoded), none = work_of(alone, encoded);
        const auto same = [&](seconds work_terms::*term, double times) {
          CHECK(close(difference(more.*term, less.*term), difference(one.*term, none.*term, times), 1e-9));
        };
        same(&work_terms::dense_products, rows);
        same(&work_terms::attention, rows);
        same(&work_terms::elementwise, rows);
        same(&work_terms::operands, rows);
        if (kernel == attention_kernel::unfused) same(&work_terms::scores, rows);
        same(&work_terms::kept, rows);
        same(&work_terms::operand_weights, 1);
        same(&work_terms::weight_reads, 1);
        same(&work_terms::weight_update, 1);
        const auto saved = [](const transformer& model, const training_job& asked) {
          return memory_terms_of(sizes_of(model, asked), model, asked, 1, memory_point)[0].activations.value();
        };
        CHECK(close(saved(pair, job) - saved(t5_small(), job), rows * (saved(deeper, encoded) - saved(alone, encoded)),
                    1e-9));
      }
    }
  }
}

TEST_CASE("a layer more of the decoder adds that of a decoder and its attention to the encoder") {
  transformer alone = t5_small();
  alone.kind = architecture::decoder;
  alone.encoder_layers = 0;
  transformer deeper = alone, pair = t5_small();
  ++deeper.layers, ++pair.layers;
  const training_job job = pairs_of(64, 512, 1024), decoded = pairs_of(64, 512);
  const work_terms more = work_of(pair, job), less = work_of(t5_small(), job);
  const work_terms one = work_of(deeper, decoded), none = work_of(alone, decoded);
  const double rate = 197e12 * mxu_fraction(calibration{}, v5e), square = 512.0 * 512;
  // Queries and the output of the target's tokens, keys and values of twice as many; all of them computed again.
  CHECK(
      close(difference(more.dense_products, less.dense_products) - difference(one.dense_products, none.dense_products),
            4 * 2 * (2 * square + 2 * 2 * square) / rate, 1e-9));
  const double kernel = detail::attention_passes(job, mxu_fraction(calibration{}, v5e), {});
  const double head = 128 + calibration{}.softmax_width;
  CHECK(close(difference(more.attention, less.attention) - difference(one.attention, none.attention),
              kernel * 4 * 8 * head * 1024 / rate, 1e-9));
}

TEST_CASE("memory of pairs by hand: what t5-small keeps for a token of the target") {
  training_job job = pairs_of(64, 512, 1024);
  const auto terms = [&] { return memory_terms_of(sizes_of(t5_small(), job), t5_small(), job, 1, memory_point); };
  // The input of every layer, and the encoder's output.
  CHECK(terms()[0].activations == bytes{2.0 * 512 * (6 + 2 * 6 + 2)});
  // Input, queries, keys and values, context, output projections, and the MLP's up and down; two tokens of the source.
  job.remat = remat::minimal;
  const double decoder = (1 + (3 + 1 + 2 * 2) + 2 + 2 + 1) * 512 + 2048,
               encoder = 2 * ((1 + 3 + 1 + 1 + 1) * 512 + 2048);
  CHECK(close(terms()[0].activations.value(), 2 * (6 * decoder + 6 * encoder + 2 * 512)));
  CHECK(terms()[0].logits == bytes{4.0 * 32128});                                             // of the target alone
  CHECK(terms()[1].gathered == bytes{2 * 2.0 * (8 * 512 * 512 + 2 * 512 * 2048 + 3 * 512)});  // of a decoder's layer
  CHECK(terms()[2].optimizer == bytes{8 * 60506624.0});
}

TEST_CASE("the backward pass of the encoder has the decoder's activations no more") {
  const transformer model = t5_small();
  training_job job = pairs_of(64, 4096, 64);
  const auto stage = [&](std::size_t which) {
    return memory_terms_of(sizes_of(model, job), model, job, 1, memory_point)[which];
  };
  CHECK(stage(1).activations == stage(0).activations);  // a layer of the decoder needs most
  job = pairs_of(64, 64, 4096);
  CHECK(stage(1).activations == bytes{2.0 * 512 * 6 * 64});
  CHECK(stage(1).activations < stage(0).activations);
}

TEST_CASE("parts of memory add up, and what the search finds is what the estimates say") {
  for (const auto& [model, asked] : pairs()) {
    training_job job = asked;
    job.global_batch = 256;
    const remat_policy policies[] = {remat::full, remat::minimal, remat::none};
    const detail::hoisted_job hoisted = detail::hoist(model, job, policies, 3);
    for (const std::int64_t tensor : {1, 2}) {
      const layout mesh = tensor_layout(tensor);
      const detail::hoisted_tensor chip = detail::hoist(hoisted, v5e, tensor);
      const detail::hoisted_layout at = detail::hoist(chip, where(), mesh, job.global_batch);
      for (std::size_t i = 0; i < 3; ++i) {
        for (const std::int64_t microbatches : {1, 4}) {
          job.remat = policies[i];
          job.gradient_accumulation = microbatches;
          INFO(model.name.view() << " " << tensor << " " << i << " " << microbatches);
          const memory_breakdown memory = memory_use(model, job, mesh, where());
          CHECK(close((memory.parameters + memory.optimizer + memory.gradients + memory.activations + memory.logits +
                       memory.gathered_weights + memory.workspace)
                          .value(),
                      memory.total.value()));
          CHECK(memory.low <= memory.total);
          CHECK(memory.total <= memory.high);
          const detail::candidate found = detail::evaluate(at, microbatches, i);
          CHECK(close(found.time.value(), step_time(model, job, mesh, where()).total.value()));
          CHECK(close(found.on_device.total.value(), memory.total.value()));
          CHECK(close(found.on_device.low.value(), memory.low.value()));
          CHECK(close(found.on_device.high.value(), memory.high.value()));
        }
      }
    }
  }
}

TEST_CASE("longer sources and targets, more layers and larger batches take no less time and memory") {
  const auto grows = [](const asked_pair& asked, const plain_call<void(asked_pair&)>& change) {
    asked_pair more = asked;
    change(more);
    for (const remat_policy& policy : {remat::full, remat::minimal, remat::none}) {
      training_job one = asked.job, other = more.job;
      one.remat = other.remat = policy;
      CHECK(step_time(asked.model, one, tensor_layout(2), where()).total <
            step_time(more.model, other, tensor_layout(2), where()).total);
      CHECK(memory_use(asked.model, one, tensor_layout(2), where()).total <=
            memory_use(more.model, other, tensor_layout(2), where()).total);
    }
  };
  for (std::int64_t source = 64; source <= 8192; source *= 2) {
    const asked_pair asked{t5_small(), pairs_of(128, 512, source)};
    grows(asked, [](asked_pair& a) { a.job.source_length *= 2; });
    grows(asked, [](asked_pair& a) { a.job.sequence_length *= 2; });
    grows(asked, [](asked_pair& a) { a.job.global_batch *= 2; });
    grows(asked, [](asked_pair& a) { ++a.model.encoder_layers; });
    grows(asked, [](asked_pair& a) { ++a.model.layers; });
  }
}

TEST_CASE("adapters of a pair see the tokens of their stacks") {
  training_job job = pairs_of(64, 512, 1024);
  job.lora_rank = 8;
  job.lora = {};
  job.lora.q = job.lora.v = true;
  const training_sizes sizes = sizes_of(mt0_large(), job);
  CHECK(sizes.held.trained == 2359296);
  // 2048 numbers of an adapter's rank: queries of both decoder's attentions and of the encoder, values likewise, of
  // which the source has two tokens for each of the target.
  CHECK(sizes.adapters == flops{2 * 8 * 2048.0 * 24 * ((2 + 2) + (1 + 2 + 2))});
  CHECK_FALSE(refusal_of([&] { (void)step_time(mt0_large(), job, tensor_layout(1), where()); }).refused);
}

TEST_CASE("what is not modelled of two stacks is refused by name") {
  struct refused_pair {
    const char* what;
    plain_call<void(transformer&, training_job&, layout&)> change;
    errc code;
    const char* says;
  };
  using m = transformer&;
  using j = training_job&;
  using l = layout&;
  const refused_pair list[] = {
      {"context", [](m, j, l mesh) { mesh.fsdp = 32, mesh.context = 2; }, errc::unsupported,
       "layout.context is 2; valid: 1 for a model with an encoder and a decoder"},
      {"stages", [](m, j, l mesh) { mesh.fsdp = 32, mesh.pipeline = 2; }, errc::out_of_range, "layout.pipeline is 2"},
      {"stages over slices", [](m, j, l mesh) { mesh.dcn_pipeline = 2; }, errc::out_of_range, "layout.pipeline is 2"},
      {"another recording", [](m, j job, l) { job.source_length = 3000; }, errc::unsupported,
       "training_job.source_length is 3000; valid: 1500, or none"},
      {"no source", [](m, j job, l) { job.source_length = -1; }, errc::out_of_range, "training_job.source_length"},
      {"windows", [](m model, j, l) { model.attention.local_layers = 4, model.attention.window = 128; },
       errc::unsupported, "training of an architecture is encoder_decoder of other layers"},
  };
  for (const refused_pair& each : list) {
    INFO(each.what);
    transformer model = whisper_large_v3();
    training_job job = pairs_of(64, 448);
    layout mesh = tensor_layout(1);
    each.change(model, job, mesh);
    for (const refusal& got : {refusal_of([&] { (void)step_time(model, job, mesh, where()); }),
                               refusal_of([&] { (void)memory_use(model, job, mesh, where()); })}) {
      INFO(got.message);
      CHECK(got.code == each.code);
      CHECK(says(got.message, each.says));
    }
  }
  CHECK(refusal_of([] { (void)sizes_of(llama_3_8b(), pairs_of(8, 512, 512)); }).code == errc::unsupported);
}

TEST_CASE("a plan of pairs has neither stages nor shards of sequences, and is what the estimates say") {
  plan_request request;
  request.model = whisper_large_v3();
  request.job = pairs_of(1024, 448);
  request.tokens = 1e10;
  request.degrees.context = request.degrees.pipeline = request.degrees.dcn_pipeline = 0;
  request.generations = {"v6e"};
  request.largest_chips = 64;
  const plan_answer answer = make_plan(request);
  REQUIRE_FALSE(answer.plans.empty());
  for (const plan& one : answer.plans) {
    CHECK(one.mesh.context * one.mesh.pipeline * one.mesh.dcn_pipeline == 1);
    CHECK(one.step.total == step_time(request.model, one.job, one.mesh, one.where).total);
  }
  const plan& best = answer.plans.front();
  for (const finding& each : training_advice(request.model, best.job, best.mesh, best.where))
    CHECK(close(each.step_time_then.value(),
                step_time(each.then.model, each.then.job, each.then.mesh, each.then.where).total.value()));
}

}  // namespace estimate_training_step_time_pairs_tests

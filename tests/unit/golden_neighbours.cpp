// What becomes of an answer when one field of its question changes: a number or a refusal for each, against
// tests/golden/neighbours_*.txt. Whether answers are true is what the oracles ask; here none changes unnoticed, the
// ends of every range among them.

#include <string>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"
#include "support/neighbours.hpp"

using namespace tpuplan;

namespace {

/// Figures by name; those that are as for the question itself are left out.
class figures {
 public:
  std::string lines;

  template <class Ask>
  void add(const std::string& words, const std::string& what, std::string& usual, bool is_base, const Ask& ask) {
    lines_of_fields one;
    try {
      one.add("", static_cast<double>(ask()));
    } catch (const error& refusal) {
      one.lines = std::string(": ") + refusal.what() + "\n";
    }
    if (is_base) usual = one.lines;
    const bool again = words == words_ && one.lines == refusal_;  // the same refusal of another figure
    words_ = words;
    refusal_ = one.lines.front() == ':' ? one.lines : "";
    if (!again && (is_base || one.lines != usual)) lines += words + ", " + what + one.lines;
  }

 private:
  std::string words_, refusal_;
};

/// Asks with every neighbour of one part of the question.
template <class Question, class Part, class Ask>
void each_changed(const Question& base, Part Question::*part, const std::string& words, const Ask& ask) {
  neighbours::each(base.*part, [&](const std::string& field, const Part& changed) {
    Question q = base;
    q.*part = changed;
    ask(words + field, q);
  });
}

transformer experts_with_windows() {
  transformer m = llama_3_8b();
  m.name = "experts";
  m.layers = 12;
  m.d_model = 1024;
  m.attention.heads = 16;
  m.attention.kv_heads = 4;
  m.attention.head_dim = 64;
  m.attention.window = 512;
  m.attention.local_layers = 6;
  m.moe = {16, 4, 512, 1024, 0, 2, true, false, true};
  m.mlp.d_ff = 4096;
  return m;
}

transformer latent_experts() {
  transformer m = experts_with_windows();
  m.name = "latent";
  m.attention.window = m.attention.local_layers = 0;
  m.attention.kv_heads = 16;
  m.attention.latent = {256, 128, 64, 32, 64};
  return m;
}

transformer encoder_and_decoder() {
  transformer m = llama_3_8b();
  m.name = "both";
  m.kind = architecture::encoder_decoder;
  m.layers = m.encoder_layers = 6;
  m.norms_per_layer = 3;
  m.mlp = {2048, false, true, false};
  m.d_model = 512;
  m.attention.heads = m.attention.kv_heads = 8;
  m.attention.head_dim = 64;
  m.attention.relative_buckets = 32;
  return m;
}

transformer with_tower() {
  transformer m = llama_3_8b();
  m.name = "tower";
  m.layers = 4;
  m.vision.image_size = 336;
  m.vision.patch_size = 14;
  m.vision.layers = 6;
  m.vision.d_model = 256;
  m.vision.heads = 4;
  m.vision.d_ff = 1024;
  m.vision.projector.input = 256;
  m.vision.projector.hidden = 512;
  m.vision.projector.output = 4096;
  return m;
}

}  // namespace

TEST_CASE("each field of a model, changed") {
  figures all;
  for (const transformer& base :
       {llama_3_8b(), experts_with_windows(), latent_experts(), encoder_and_decoder(), with_tower()}) {
    std::string usual[6];
    const auto ask = [&](const std::string& words, const transformer& m) {
      const bool is_base = &m == &base;
      all.add(words, "parameters", usual[0], is_base, [&] { return parameters(m).total; });
      all.add(words, "active", usual[1], is_base, [&] { return parameters(m).active; });
      all.add(words, "FLOPs", usual[2], is_base, [&] { return forward_flops_per_token(m, 2000).total.value(); });
      all.add(words, "all FLOPs", usual[3], is_base, [&] {
        return forward_flops_per_token(m, 700, {attention_flops::full, window_flops::clipped, false, true, true})
            .total.value();
      });
      all.add(words, "cache", usual[4], is_base, [&] { return kv_bytes_per_token(m, dtype::bf16).value(); });
      all.add(words, "cache with windows", usual[5], is_base,
              [&] { return kv_bytes_per_sequence(m, 3000, dtype::bf16, window_eviction::evict).value(); });
    };
    const std::string name(base.name.view());
    ask(name, base);
    neighbours::each(base, [&](const std::string& words, const transformer& m) { ask(name + " " + words, m); });
  }
  CHECK(golden_problem("neighbours_models.txt", all.lines) == "");
}

TEST_CASE("each field of a training question, changed") {
  struct question {
    transformer model;
    training_job job;
    layout mesh;
    slice where;
    calibration constants;
  };
  question dense{llama_3_8b(), job_of(256, 2048), {}, slice_for("v5p-128"), {}};
  dense.mesh.fsdp = 8, dense.mesh.tensor = 4, dense.mesh.context = 2;
  dense.mesh.dcn_data = 2;
  question experts{experts_with_windows(), job_of(512, 1024), {}, slice_for("v3-32"), {}};
  experts.mesh.fsdp = 4, experts.mesh.expert = 4, experts.mesh.pipeline = 2;
  experts.job.compute = dtype::bf16, experts.job.gradient_accumulation = 2;
  experts.job.remat = remat::save_qkv_proj;
  question hosted{llama_3_8b(), job_of(64, 512), {}, slice_for("v5litepod-16"), {}};
  hosted.mesh.fsdp = 16;
  hosted.job.compute = dtype::int8, hosted.job.state_on_host = host_state::parameters_and_optimizer;
  hosted.where.chip.host.pcie = 16_GB_per_s;
  figures all;
  for (const question& base : {dense, experts, hosted}) {
    std::string usual[5];
    const auto ask = [&](const std::string& words, const question& q) {
      const bool is_base = &q == &base;
      const auto step = [&] { return step_time(q.model, q.job, q.mesh, q.where, q.constants); };
      const auto memory = [&] { return memory_use(q.model, q.job, q.mesh, q.where); };
      all.add(words, "memory", usual[0], is_base, [&] { return memory().total.value(); });
      all.add(words, "most memory", usual[1], is_base, [&] { return memory().high.value() + memory().low.value(); });
      all.add(words, "step", usual[2], is_base, [&] { return step().total.value(); });
      all.add(words, "band", usual[3], is_base, [&] { return step().band + (step().extrapolated ? 10 : 0); });
      all.add(words, "MFU", usual[4], is_base, [&] { return step().mfu; });
    };
    const std::string name = std::string(base.model.name.view()) + " " + std::string(tpuplan::name(base.where).view());
    ask(name, base);
    const auto change = [&](const char* what, auto question::*part) {
      each_changed(base, part, name + " " + what + ".", ask);
    };
    change("job", &question::job);
    change("mesh", &question::mesh);
    change("where", &question::where);
    change("constants", &question::constants);
  }
  CHECK(golden_problem("neighbours_training.txt", all.lines) == "");
}

TEST_CASE("each field of a serving question, changed") {
  struct question {
    transformer model;
    serving_job job;
    serving_layout mesh;
    slice where;
    serving_calibration constants;
  };
  question full{llama_3_8b(), {}, {}, slice_for("v6e-8"), {}};
  full.job.prompt = fixed_length(1000), full.job.output = fixed_length(200);
  question rate{
      latent_experts(), full.job, {4, weight_sharding::one_dimension, cache_sharding::batch}, slice_for("v5p-16"), {}};
  rate.job.request_rate = per_second{0.5};
  rate.job.prefill_chunk = 256, rate.job.prefix_hit_rate = 0.25;
  question clients{experts_with_windows(),
                   full.job,
                   {0, weight_sharding::two_dimensions, cache_sharding::batch},
                   slice_for("v5e-64"),
                   {}};
  clients.job.concurrency = 9;
  clients.job.tpot_target = 1_s, clients.job.ttft_target = 30_s;
  figures all;
  for (const question& base : {full, rate, clients}) {
    std::string usual[6];
    const auto ask = [&](const std::string& words, const question& q) {
      const bool is_base = &q == &base;
      const auto served = [&] { return serve(q.model, q.job, q.mesh, q.where, q.constants); };
      all.add(words, "running", usual[0], is_base, [&] { return served().running; });
      all.add(words, "largest", usual[1], is_base, [&] { return served().largest_running; });
      all.add(words, "token", usual[2], is_base, [&] { return served().per_token.total.value(); });
      all.add(words, "first token", usual[3], is_base, [&] { return served().first_token.value(); });
      all.add(words, "memory", usual[4], is_base, [&] { return served().memory.total.value(); });
      all.add(words, "output", usual[5], is_base, [&] { return served().output_tokens.value(); });
    };
    const std::string name = std::string(base.model.name.view()) + " " + std::string(tpuplan::name(base.where).view());
    ask(name, base);
    const auto change = [&](const char* what, auto question::*part) {
      each_changed(base, part, name + " " + what + ".", ask);
    };
    change("job", &question::job);
    change("mesh", &question::mesh);
    change("where", &question::where);
    change("constants", &question::constants);
  }
  CHECK(golden_problem("neighbours_serving.txt", all.lines) == "");
}

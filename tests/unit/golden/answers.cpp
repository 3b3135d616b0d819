// What the library answers to a dozen questions of each kind, to six digits: real models on real slices, against the
// files of tests/golden. Whether an answer is true is what the oracles ask; here none changes unnoticed. Where a change
// is meant, the file that the test writes to its working directory becomes the golden one.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tpuplan/cost/payment.hpp>
#include <tpuplan/cost/preemption.hpp>
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/training/advice.hpp>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/plan/serving_plan.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/show/text/one_line.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"
#include "support/models.hpp"

using namespace tpuplan;

namespace golden_answers_tests {

namespace {

transformer model_of(const std::string& file) {
  return load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file + ".json").model;
}

template <class Quantity>
void add_figure(std::string& lines, const std::string& what, Quantity figure) {
  lines_of_fields one;
  one.add(what, figure);
  lines += one.lines;
}

/// A training job on a slice: `change` takes the job and the layout, which starts as FSDP over all devices.
struct training_question {
  const char* model;
  const char* where;
  std::int64_t batch, sequence;
  void (*change)(training_job&, layout&);
};
constexpr training_question trainings[] = {
    {"llama-3.1-8b", "v5p-128", 256, 8192, [](training_job&, layout&) {}},
    {"llama-3.1-8b", "v6e-256", 512, 4096, [](training_job& j, layout&) { j.remat = remat::minimal; }},
    {"llama-2-7b", "v5litepod-256", 256, 2048, [](training_job& j, layout&) { j.compute = dtype::int8; }},
    {"llama-2-70b", "v4-1024", 1024, 4096, [](training_job&, layout& l) { l.fsdp = 128, l.tensor = 4; }},
    {"llama-2-70b", "v5p-1024", 1024, 4096,
     [](training_job& j, layout& l) { l.fsdp = 128, l.pipeline = 4, j.pipeline_microbatches = 8; }},
    {"gemma-2-9b", "v6e-64", 128, 8192, [](training_job& j, layout& l) { l.dcn_data = 2, j.global_batch *= 2; }},
    {"mixtral-8x7b", "v5p-256", 512, 4096, [](training_job&, layout& l) { l.fsdp = 16, l.expert = 8; }},
    {"deepseek-v3", "v5p-2048", 4096, 4096,
     [](training_job& j, layout& l) { l.fsdp = 64, l.expert = 16, j.capacity_factor = 1.25; }},
    {"qwen3-235b-a22b", "tpu7x-512", 1024, 4096,
     [](training_job& j, layout& l) { l.fsdp = 64, l.expert = 8, j.compute = dtype::fp8; }},
    {"qwen3-32b", "tpu7x-128", 128, 32768,
     [](training_job& j, layout& l) { l.fsdp = 32, l.context = 4, j.remat = remat::minimal_offloaded; }},
    {"llama-3.1-8b", "v5litepod-16", 16, 2048,
     [](training_job& j, layout&) { j.lora_rank = 16, j.lora = {true, true, true, true, true, true, true}; }},
    {"gpt2", "v3-32", 512, 1024,
     [](training_job& j, layout& l) { l.data = 32, l.fsdp = 1, j.software = software_level::general; }},
};

struct serving_question {
  const char* model;
  const char* where;
  std::int64_t tensor;
  void (*change)(serving_job&);
};
constexpr serving_question servings[] = {
    {"llama-3.1-8b", "v6e-8", 8, [](serving_job&) {}},
    {"llama-3.1-8b", "v6e-1", 1, [](serving_job& j) { j.weights = j.activations = dtype::int8; }},
    {"llama-3.1-8b", "v5litepod-4", 4, [](serving_job& j) { j.request_rate = per_second{2}; }},
    {"llama-2-70b", "v5litepod-16", 16, [](serving_job& j) { j.weights = dtype::int8, j.concurrency = 32; }},
    {"llama-2-70b", "v5p-16", 8, [](serving_job& j) { j.tpot_target = 40_ms, j.ttft_target = 5_s; }},
    {"mixtral-8x7b", "v6e-8", 8, [](serving_job& j) { j.prefix_hit_rate = 0.5, j.request_rate = per_second{3}; }},
    {"deepseek-v3", "tpu7x-32", 0, [](serving_job& j) { j.weights = dtype::fp8; }},
    {"gemma-3-27b", "v5p-8", 4, [](serving_job& j) { j.prefill_chunk = 512, j.max_running = 24; }},
    {"gpt-oss-20b", "v6e-4", 4, [](serving_job& j) { j.weights = dtype::int4, j.cache = dtype::fp8; }},
    {"qwen3-32b", "v4-16", 8, [](serving_job& j) { j.policy = cache_policy::reserved, j.concurrency = 8; }},
};

template <class Ask>
void each_training(const Ask& ask) {
  for (const training_question& q : trainings) {
    const slice where = slice_for(q.where);
    training_job job = job_of(q.batch, q.sequence);
    layout mesh;
    mesh.fsdp = devices(where);
    q.change(job, mesh);
    ask(std::string(q.model) + " on " + q.where, model_of(q.model), job, mesh, where);
  }
}

template <class Ask>
void each_serving(const Ask& ask) {
  for (const serving_question& q : servings) {
    serving_job job;
    job.prompt = fixed_length(1024);
    job.output = fixed_length(256);
    q.change(job);
    serving_layout mesh;
    mesh.tensor = q.tensor;
    ask(std::string(q.model) + " on " + q.where, model_of(q.model), job, mesh, slice_for(q.where));
  }
}

/// Llama 3 8B over 1e11 tokens.
using plan_question = void (*)(plan_request&);
constexpr plan_question plans[] = {
    [](plan_request&) {},
    [](plan_request& r) {
      r.deadline = 20_days, r.kinds = {provisioning::on_demand, provisioning::spot};
    },
    [](plan_request& r) { r.deadline = 1_h; },
    [](plan_request& r) {
      r.largest_slices = 4, r.best = objective::fastest, r.generations = {"v6e", "v5p"};
    },
    [](plan_request& r) {
      r.kinds = {provisioning::flex_start, provisioning::commitment_1y, provisioning::calendar};
    },
    [](plan_request& r) {
      r.degrees.tensor = 4, r.degrees.pipeline = 2, r.generations = {"v4", "v5p"};
    },
    [](plan_request& r) { r.terms.spot.mean_time_between_preemptions = 1_h, r.kinds = {provisioning::spot}; },
};

/// Llama 3 8B, 1024 tokens in, 256 out.
using serving_plan_question = void (*)(serving_request&);
constexpr serving_plan_question serving_plans[] = {
    [](serving_request&) {},
    [](serving_request& r) { r.job.request_rate = per_second{40}, r.job.tpot_target = 40_ms; },
    [](serving_request& r) {
      r.job.concurrency = 64, r.generations = {"v6e", "v5e"}, r.largest_chips = 16;
    },
    [](serving_request& r) { r.best = objective::fewest_chips, r.job.weights = dtype::int8; },
};

}  // namespace

TEST_CASE("a dozen models, to six digits", "[golden]") {
  std::string lines;
  for (const char* file :
       {"deepseek-v3", "gemma-2-9b", "gemma-3-27b", "gpt-oss-20b", "gpt2", "llama-3.1-8b", "llama-3.2-11b-vision",
        "mixtral-8x7b", "qwen2-vl-7b", "qwen3-235b-a22b", "t5-base", "vit-base-patch16-224"}) {
    const transformer model = model_of(file);
    const std::string what = file;
    add_answer(lines, what + ": parameters", [&] { return parameters(model); });
    add_answer(lines, what + ": padding on v6e", [&] { return padding(model, v6e); });
    if (model.kind != architecture::decoder) continue;
    add_figure(lines, what + ": training FLOPs of a token", training_flops_per_token(model, 4096));
    add_figure(lines, what + ": cache of 8192 tokens", kv_bytes_per_sequence(model, 8192, dtype::bf16));
  }
  CHECK(golden_problem("models.txt", lines) == "");
}

TEST_CASE("memory and step of a dozen training jobs, to six digits", "[golden]") {
  std::string lines;
  each_training([&](const std::string& what, const transformer& model, const training_job& job, const layout& mesh,
                    const slice& where) {
    lines += what + ": " + one_line(mesh) + ", " + one_line(job) + "\n";
    add_answer(lines, what + ": memory", [&] { return memory_use(model, job, mesh, where); });
    add_answer(lines, what + ": step", [&] { return step_time(model, job, mesh, where); });
  });
  CHECK(golden_problem("training.txt", lines) == "");
}

TEST_CASE("ten serving jobs, to six digits", "[golden]") {
  std::string lines;
  each_serving(
      [&](const std::string& what, const transformer& model, const serving_job& job, const serving_layout& mesh,
          const slice& where) { add_answer(lines, what + ": serve", [&] { return serve(model, job, mesh, where); }); });
  CHECK(golden_problem("serving.txt", lines) == "");
}

TEST_CASE("advice on these jobs, to six digits", "[golden]") {
  std::string lines;
  const auto add = [&lines](const std::string& what, const auto& found) {
    lines += what + ": " + std::string(name(found.kind)) + ": " + std::string(found.subject.view()) + " from " +
             std::string(found.now.view()) + " to " + std::string(found.better.view()) + " gains " +
             golden_number(found.gain) + "\n";
  };
  each_training([&](const std::string& what, const transformer& model, const training_job& job, const layout& mesh,
                    const slice& where) {
    for (const finding& found : training_advice(model, job, mesh, where)) add(what, found);
  });
  each_serving([&](const std::string& what, const transformer& model, const serving_job& job,
                   const serving_layout& mesh, const slice& where) {
    for (const serving_finding& found : serving_advice(model, job, mesh, where)) add(what + ", serving", found);
  });
  CHECK(golden_problem("advice.txt", lines) == "");
}

TEST_CASE("runs on spot, and each way to pay for a run, to six digits", "[golden]") {
  std::string lines;
  for (const seconds mean : {1_h, 9_h, 7_days}) {
    spot_run run;
    run.work = 10_days;
    run.checkpoint_time = 30_s;
    run.mean_time_between_preemptions = mean;
    run.restart_time = 10_min;
    run.queue_time = 15_min;
    run.checkpoint_interval = optimal_interval(run.checkpoint_time, mean);
    add_answer(lines, "10 days, preempted every " + golden_number(mean.value()) + " s: run",
               [&] { return expected_run(run); });
  }
  const payment_terms terms;
  for (const char* where : {"v6e-64", "v5litepod-16", "v3-32"}) {
    const payment_options ways = ways_to_pay(price_book{}, slice_for(where), 1, "us", 20_days, terms);
    for (const paid_run& way : ways) {
      const std::string what = std::string(where) + ", 20 days, " + std::string(name(way.kind));
      add_figure(lines, what + ": wall", way.wall);
      add_figure(lines, what + ": billed", way.billed);
      add_figure(lines, what + ": total", way.total);
    }
  }
  CHECK(golden_problem("costs.txt", lines) == "");
}

TEST_CASE("plans for eleven questions, to six digits", "[golden]") {
  std::string lines;
  for (std::size_t i = 0; i < std::size(plans); ++i) {
    plan_request asked;
    asked.model = llama_3_8b();
    asked.job = job_of(256, 4096);
    asked.tokens = 1e11;
    asked.most_plans = 4;
    asked.generations = {"v5e", "v6e"};
    plans[i](asked);
    const plan_answer answer = make_plan(asked);
    const std::string question = "training " + std::to_string(i);
    if (answer.plans.empty()) lines += question + ": no plan; the first of those rejected: ";
    if (answer.plans.empty())
      lines += one_line(answer.rejected.front().where) + ", " + std::string(name(answer.rejected.front().why)) + "\n";
    for (const plan& p : answer.plans) {
      const plan_cost& cost = chosen_cost(p);
      const std::string what = question + ": " + one_line(p.where);
      lines += what + ": " + one_line(p.mesh) + ", " + one_line(p.job) + ", " + std::string(name(cost.kind)) + "\n";
      add_figure(lines, what + ": step", p.step.total);
      add_figure(lines, what + ": memory", p.memory.total);
      add_figure(lines, what + ": wall", cost.wall);
      add_figure(lines, what + ": total", cost.total);
    }
  }
  for (std::size_t i = 0; i < std::size(serving_plans); ++i) {
    serving_request asked;
    asked.model = llama_3_8b();
    asked.job.prompt = fixed_length(1024);
    asked.job.output = fixed_length(256);
    asked.most_plans = 4;
    serving_plans[i](asked);
    for (const serving_plan& p : plan_serving(asked).plans) {
      const std::string what = "serving " + std::to_string(i) + ": " + one_line(p.where);
      lines += what + ": " + std::to_string(p.slices) + " slices, " + one_line(p.mesh) + ", " +
               std::string(name(p.kind)) + "\n";
      add_figure(lines, what + ": running", p.estimate.running);
      add_figure(lines, what + ": dollars a second", p.rate);
    }
  }
  CHECK(golden_problem("plans.txt", lines) == "");
}

}  // namespace golden_answers_tests

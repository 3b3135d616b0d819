// What is wrong with a question, without an exception.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tpuplan/plan/check.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace plan_check_tests {

/// A value as a count; what is no number is a count too.
constexpr std::int64_t count_of(double value) {
  return value >= 9e18    ? std::numeric_limits<std::int64_t>::max()
         : value != value ? -7
                          : static_cast<std::int64_t>(value);
}

TEST_CASE("what would be refused is a value, and the same as is thrown", "[door]") {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(1024, 4096);
  request.tokens = 1e12;
  CHECK(check(request) == nothing);
  request.tokens = -1;
  const maybe<refused_question> why = check(request);
  REQUIRE(why.has_value());
  CHECK(why->code == errc::out_of_range);
  CHECK(why->field == "plan.tokens");
  CHECK(why->value == "-1");
  CHECK(why->valid == "1 to 1e18 tokens");
  CHECK(refusal_of([&] { (void)make_plan(request); }).message == std::string(why->message.view()));
  request.tokens = 1e5;
  CHECK(check(request)->field == "plan.job.global_batch");
}

TEST_CASE("two quotas for the same chips are refused, with both", "[door]") {
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(1024, 4096);
  request.tokens = 1e12;
  request.quotas = {{"v6e", "us", provisioning::on_demand, 128}, {"v6e", "us", provisioning::spot, 64}};
  CHECK(check(request) == nothing);
  request.quotas.push_back({"v5e", "us", provisioning::on_demand, 0});  // none are granted
  CHECK(check(request) == nothing);
  request.quotas.back().chips = -1;
  CHECK(check(request)->field == "plan.quotas.chips");
  request.quotas.pop_back();
  request.policies.assign(16, remat::full);
  CHECK(check(request) == nothing);
  request.policies.assign(17, remat::full);
  CHECK(check(request)->field == "plan.policies");
  request.policies.clear();
  request.quotas.push_back({"Trillium", "US", provisioning::on_demand, 256});
  REQUIRE(check(request).has_value());
  CHECK(check(request)->value == "chips of v6e in US on on_demand: 128 in row 1, 256 in row 3");
}

TEST_CASE("models, jobs and layouts, alone and together", "[door]") {
  const slice where = slice_for("v5p-128");
  const transformer model = llama_3_8b();
  const training_job job = job_of(64, 4096);
  layout mesh = fsdp_layout(where);
  CHECK(check(model) == nothing);
  CHECK(check(job) == nothing);
  CHECK(check(mesh, where) == nothing);
  CHECK(check(model, job, mesh, where) == nothing);
  CHECK(check(transformer{})->field == "model.layers");
  CHECK(check(training_job{})->field == "training_job.sequence_length");
  mesh.fsdp = 3;
  CHECK(check(mesh, where).has_value());
  CHECK(check(model, job, mesh, where).has_value());
  serving_job served;
  served.prompt = fixed_length(1024);
  served.output = fixed_length(256);
  serving_layout replicas;
  CHECK(check(model, served, replicas, slice_for("v5p-16")) == nothing);
  replicas.tensor = 3;
  CHECK(check(model, served, replicas, slice_for("v5p-16"))->field == "serving_layout.tensor");
  serving_request request;
  request.model = model;
  request.job = served;
  CHECK(check(request) == nothing);
  request.largest_chips = 0;
  CHECK(check(request)->field == "plan.largest_chips");
}

namespace {

template <class Request>
struct change {
  const char* what;
  void (*make)(Request&, double);
};
constexpr change<plan_request> training_changes[] = {
    {"tokens", [](plan_request& r, double x) { r.tokens = x; }},
    {"smallest batch", [](plan_request& r, double x) { r.smallest_batch_tokens = x; }},
    {"range of batches", [](plan_request& r, double x) { r.smallest_batch_tokens = 1e4, r.largest_batch_tokens = x; }},
    {"deadline", [](plan_request& r, double x) { r.deadline = seconds{x}; }},
    {"budget", [](plan_request& r, double x) { r.budget = usd{x}; }},
    {"fewest chips", [](plan_request& r, double x) { r.smallest_chips = count_of(x); }},
    {"most chips", [](plan_request& r, double x) { r.largest_chips = count_of(x); }},
    {"slices", [](plan_request& r, double x) { r.largest_slices = count_of(x); }},
    {"tensor", [](plan_request& r, double x) { r.degrees.tensor = count_of(x); }},
    {"expert", [](plan_request& r, double x) { r.degrees.expert = count_of(x); }},
    {"dcn_data", [](plan_request& r, double x) { r.degrees.dcn_data = count_of(x); }},
    {"batch", [](plan_request& r, double x) { r.job.global_batch = count_of(x); }},
    {"sequence", [](plan_request& r, double x) { r.job.sequence_length = count_of(x); }},
    {"lora", [](plan_request& r, double x) { r.job.lora_rank = count_of(x); }},
    {"accumulation", [](plan_request& r, double x) { r.job.gradient_accumulation = count_of(x); }},
    {"layers", [](plan_request& r, double x) { r.model.layers = count_of(x); }},
    {"between", [](plan_request& r, double x) { r.terms.spot.mean_time_between_preemptions = seconds{x}; }},
    {"checkpoint", [](plan_request& r, double x) { r.terms.spot.checkpoint_time = seconds{x}; }},
    {"rest of term", [](plan_request& r, double x) { r.terms.rest_of_term_used = x; }},
    {"quota",
     [](plan_request& r, double x) {
       r.quotas = {{"v6e", "us", provisioning::on_demand, count_of(x)}};
     }},
    {"region", [](plan_request& r, double x) { r.regions = {x > 0 ? "us-east5" : "nowhere"}; }},
    {"regions", [](plan_request& r, double) { r.regions.clear(); }},
    {"generation", [](plan_request& r, double x) { r.generations = {x > 0 ? "v6e" : "v9"}; }},
    {"kinds", [](plan_request& r, double x) { x > 0 ? r.kinds = {provisioning::spot} : r.kinds = {}; }},
    {"kind", [](plan_request& r, double x) { r.kinds = {static_cast<provisioning>(x > 0 ? 1 : 77)}; }},
    {"objective", [](plan_request& r, double x) { r.best = static_cast<objective>(x > 0 ? 1 : 9); }},
    {"constants", [](plan_request& r, double x) { r.constants.exposed_dcn = x; }},
    {"parameters", [](plan_request& r, double x) { r.model.published_parameters = count_of(x); }},
    {"failures", [](plan_request& r, double x) { r.chip_time_between_failures = seconds{x}; }},
    {"tiny failures", [](plan_request& r, double x) { r.chip_time_between_failures = seconds{1e-6 * x}; }},
    {"queue", [](plan_request& r, double x) { r.around.queue = seconds{x}; }},
    {"start", [](plan_request& r, double x) { r.around.start = seconds{x}; }},
    {"compilation", [](plan_request& r, double x) { r.around.compilation = seconds{x}; }},
    {"restore", [](plan_request& r, double x) { r.around.restore = seconds{x}; }},
    {"evaluation", [](plan_request& r, double x) { r.around.evaluation = seconds{x}, r.around.evaluate_every = 10; }},
    {"evaluations", [](plan_request& r, double x) { r.around.evaluate_every = count_of(x); }},
    {"time of a checkpoint", [](plan_request& r, double x) { r.around.checkpoint = seconds{x}; }},
    {"checkpoints", [](plan_request& r, double x) { r.around.checkpoint_every = count_of(x); }},
    {"export", [](plan_request& r, double x) { r.around.export_time = seconds{x}; }},
    {"spot terms", [](plan_request& r, double x) { r.terms.spot.restart_time = seconds{x}; }},
    {"flex start", [](plan_request& r, double x) { r.terms.flex_start.checkpoint_time = seconds{x}; }},
    {"noise", [](plan_request& r, double x) { r.noise_scale = x; }},
    {"remat", [](plan_request& r, double x) { r.policies = {x > 0 ? remat::full : remat_policy{}}; }},
};
constexpr change<serving_request> serving_changes[] = {
    {"rate", [](serving_request& r, double x) { r.job.request_rate = per_second{x}; }},
    {"concurrency", [](serving_request& r, double x) { r.job.concurrency = count_of(x); }},
    {"prompt", [](serving_request& r, double x) { r.job.prompt.mean = x; }},
    {"output",
     [](serving_request& r, double x) {
       r.job.output = {x, x * x, count_of(x)};
     }},
    {"first token", [](serving_request& r, double x) { r.job.ttft_target = seconds{x}; }},
    {"token", [](serving_request& r, double x) { r.job.tpot_target = seconds{x}; }},
    {"share",
     [](serving_request& r, double x) {
       r.job.percentiles.first_token = {x, 2_s};
     }},
    {"limit",
     [](serving_request& r, double x) {
       r.job.percentiles.per_token = {0.9, seconds{x}};
     }},
    {"prefix", [](serving_request& r, double x) { r.job.prefix_hit_rate = x; }},
    {"chunk", [](serving_request& r, double x) { r.job.prefill_chunk = count_of(x); }},
    {"blocks", [](serving_request& r, double x) { r.job.block_tokens = count_of(x); }},
    {"running", [](serving_request& r, double x) { r.job.max_running = count_of(x); }},
    {"memory", [](serving_request& r, double x) { r.job.memory_fraction = x; }},
    {"engine", [](serving_request& r, double x) { r.job.engine = static_cast<serving_engine>(x > 0 ? 1 : 99); }},
    {"engine with chunks", [](serving_request& r, double) { r.job.engine = serving_engine::vllm; }},
    {"format", [](serving_request& r, double x) { r.job.weights = x > 0 ? dtype::int8 : dtype::fp32; }},
    {"budget", [](serving_request& r, double x) { r.budget = usd_per_second{x}; }},
    {"fewest chips", [](serving_request& r, double x) { r.smallest_chips = count_of(x); }},
    {"most chips", [](serving_request& r, double x) { r.largest_chips = x > 64 ? 64 : count_of(x); }},
    {"region", [](serving_request& r, double x) { r.regions = {x > 0 ? "us-east5" : "nowhere"}; }},
    {"regions", [](serving_request& r, double) { r.regions.clear(); }},
    {"generation", [](serving_request& r, double x) { r.generations = {x > 0 ? "v6e" : "v9"}; }},
    {"kind", [](serving_request& r, double x) { r.kinds = {static_cast<provisioning>(x > 0 ? 1 : 77)}; }},
    {"kinds", [](serving_request& r, double) { r.kinds.clear(); }},
    {"layers", [](serving_request& r, double x) { r.model.layers = count_of(x); }},
    {"parameters", [](serving_request& r, double x) { r.model.published_parameters = count_of(x); }},
    {"beside", [](serving_request& r, double x) { r.job.beside = bytes{x}; }},
    {"shared", [](serving_request& r, double x) { r.job.shared_prefix = count_of(x), r.job.prefix_hit_rate = 0.5; }},
    {"adapters", [](serving_request& r, double x) { r.adapters = r.adapter_rank = count_of(x); }},
    {"spare", [](serving_request& r, double x) { r.spare = count_of(x), r.job.request_rate = per_second{1}; }},
    {"zones", [](serving_request& r, double x) { r.zones = count_of(x), r.job.request_rate = per_second{1}; }},
    {"constants", [](serving_request& r, double x) { r.constants.weight_stream = x; }},
    {"capacity taken", [](serving_request& r, double x) { r.capacity_taken = x; }},
};

/// Each change of a request, with each value: check refuses what the search refuses, in its words.
template <class Request, std::size_t Count, class Search>
void same_refusals(const Request& asked, const change<Request> (&changes)[Count], const Search& search) {
  int refused = 0;
  for (const change<Request>& one : changes) {
    for (const double value : {-1.0, 0.0, 0.5, 1.0, 3.0, 64.0, 1e5, 1e7, 1e13, 1e20, std::nan("")}) {
      Request request = asked;
      one.make(request, value);
      const maybe<refused_question> why = check(request);
      const refusal thrown = refusal_of([&] { search(request); });
      INFO(one.what << " " << value << ": " << thrown.message);
      CHECK(why.has_value() == thrown.refused);
      if (why.has_value() && thrown.refused) CHECK(std::string(why->message.view()) == thrown.message);
      refused += thrown.refused ? 1 : 0;
    }
  }
  CHECK(refused > 50);
}

}  // namespace

TEST_CASE("check refuses what a search refuses, in its words", "[door]") {
  plan_request training;
  training.model = llama_3_8b();
  training.job = job_of(64, 4096);
  training.tokens = 1e10;
  training.generations = {"v6e"};
  training.largest_chips = 64;
  same_refusals(training, training_changes, [](const plan_request& request) { (void)make_plan(request); });
  serving_request serving;
  serving.model = llama_3_8b();
  serving.job.prompt = fixed_length(1024);
  serving.job.output = fixed_length(256);
  serving.generations = {"v6e"};
  serving.largest_chips = 8;
  same_refusals(serving, serving_changes, [](const serving_request& request) { (void)plan_serving(request); });
}

TEST_CASE("a number format that is none is refused by the name of its field", "[door]") {
  const auto none = static_cast<dtype>(6);
  const slice where = slice_for("v5p-128");
  const layout mesh = fsdp_layout(where);
  struct field {
    const char* name;
    dtype training_job::*format;
  };
  for (const field& one : {field{"training_job.compute", &training_job::compute},
                           {"training_job.weights", &training_job::weights},
                           {"training_job.moments", &training_job::moments},
                           {"training_job.frozen_weights", &training_job::frozen_weights}}) {
    training_job job = job_of(64, 4096);
    job.lora_rank = one.format == &training_job::frozen_weights ? 8 : 0, job.lora.q = true;
    job.*one.format = none;
    REQUIRE(check(job).has_value());
    CHECK(check(job)->field == one.name);
    CHECK(check(job)->value == "6");
    CHECK(check(llama_3_8b(), job, mesh, where)->field == one.name);
    CHECK(says(refusal_of([&] { (void)memory_use(llama_3_8b(), job, mesh, where); }).message, "dtype is 6"));
    CHECK(says(refusal_of([&] { (void)step_time(llama_3_8b(), job, mesh, where); }).message, "dtype is 6"));
    plan_request request;
    request.model = llama_3_8b(), request.job = job, request.tokens = 1e10;
    CHECK(check(request)->field == one.name);
  }
  serving_request request;
  request.model = llama_3_8b();
  request.job.prompt = fixed_length(1024), request.job.output = fixed_length(256);
  request.job.cache = none;
  CHECK(check(request)->field == "serving_job.cache");
  CHECK(check(request.model, request.job, {}, slice_for("v6e-8"))->field == "serving_job.cache");
}

TEST_CASE("what a search refuses deep down is refused by check, under the name of its field", "[door]") {
  transformer model = llama_3_8b();
  model.published_parameters = 1;
  REQUIRE(check(model).has_value());
  CHECK(check(model)->field == "model.published_parameters");
  plan_request request;
  request.model = llama_3_8b();
  request.job = job_of(64, 4096);
  request.tokens = 1e10;
  request.around.checkpoint = seconds{2e7};
  REQUIRE(check(request).has_value());
  CHECK(check(request)->field == "plan.around.checkpoint");
  request.around.checkpoint = {};
  request.chip_time_between_failures = seconds{1e-6};
  CHECK(check(request)->field == "plan.chip_time_between_failures");
}

TEST_CASE("check finds what an estimate refuses behind its first checks", "[door]") {
  const auto why = [](const maybe<refused_question>& found) {
    return found ? std::string(found->message.view()) : std::string();
  };
  const slice where = slice_for("v6e-8"), old = slice_for("v3-8");
  training_job job = job_of(64, 4096);
  layout mesh;
  mesh.fsdp = devices(where);
  CHECK_FALSE(check(llama_3_8b(), job, mesh, where));
  training_job adapted = job;
  adapted.lora_rank = 8;
  adapted.lora.up = true;
  transformer experts = llama_3_8b();
  experts.moe.experts = 8, experts.moe.top_k = 2, experts.moe.expert_d_ff = 1024;
  CHECK(says(why(check(experts, adapted, mesh, where)), "LoRA on experts"));
  training_job eight = job;
  eight.compute = dtype::int8;
  const slice none = slice_for("tpu7x-8");
  layout both;
  both.fsdp = devices(none);
  CHECK(says(why(check(llama_3_8b(), eight, both, none)), "int8 peak of the chip is absent"));
  training_job away = job;
  away.state_on_host = host_state::optimizer;
  layout all;
  all.fsdp = devices(old);
  CHECK(says(why(check(llama_3_8b(), away, all, old)), "PCIe rate of the chip is unknown"));
}

}  // namespace plan_check_tests

// Several slices that serve: the worked examples of their functions.
#include <algorithm>
#include <tpuplan/ask/figures.hpp>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/simulate.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"
#include "support/stacks.hpp"

using namespace tpuplan;

namespace ask_fleets_tests {

TEST_CASE("a plan of serving is a row of all its slices") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.job.request_rate = per_second{40};
  asked.generations = {"v5e"};
  const serving_request request = request_of(config, asked, price_book{});
  CHECK(request.smallest_chips == 1);
  CHECK(request.largest_chips == 1024);
  CHECK(request.most_plans == 8);
  serving_plan_answer answer;
  serving_plan planned;
  planned.where = slice_for("v5e-8");
  planned.slices = 3;
  planned.estimate.output_tokens = per_second{1000};
  answer.plans = {planned};
  const serving_plan_document document = document_of(request, answer, {});
  REQUIRE(document.plans.size() == 1);
  CHECK(document.plans.front().chips == 24);
  CHECK(document.plans.front().output_tokens == per_second{3000});
  asked.generations = {"v9"};
  CHECK(says(refusal_of([&] { (void)answer_to_plan_serving(config, asked, price_book{}); }).message,
             "plan.generations is v9"));
  asked.generations = {"v5e"}, asked.regions = {"mars"};
  CHECK(refusal_of([&] { (void)request_of(config, asked, price_book{}); }).code == errc::unknown_name);
}

TEST_CASE("a plan has adapters beside the weights of each layout") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.job.request_rate = per_second{5};
  asked.generations = {"v6e"};
  asked.largest_chips = 8;
  const serving_plan_document base = answer_to_plan_serving(config, asked, price_book{});
  asked.adapters = 64, asked.adapter_rank = 32;
  const serving_plan_document with = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(with.plans.empty());
  CHECK_FALSE(base.plans.front().adapters.has_value());
  for (const serving_plan_row& row : with.plans) {
    REQUIRE(row.adapters.has_value());
    const double devices = static_cast<double>(row.plan.mesh.tensor);
    CHECK(close(row.adapters->each_device.value(), 64 * 83886080.0 * (1 + 1 / devices)));  // 81920 x 32 x 32 layers
    serve_request one;
    one.slice = row.slice, one.mesh = row.plan.mesh, one.job.request_rate = row.plan.share.request_rate;
    one.adapters = 64, one.adapter_rank = 32;
    const serve_answer served = answer_to_serve(config, one, price_book{});
    CHECK(served.estimate.memory.weights == row.plan.estimate.memory.weights);
    CHECK(served.adapters->each_device == row.adapters->each_device);
    CHECK(close(row.adapters->capacity_low.value(), 0.761 * row.capacity_requests.value()));
  }
  asked.job.request_rate = 0.9 * with.plans.front().capacity_requests;
  asked.largest_chips = 256;
  const serving_plan_document busy = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(busy.plans.empty());
  for (const serving_plan_row& row : busy.plans) CHECK(row.adapters->capacity_low >= asked.job.request_rate);
  CHECK(busy.request.capacity_taken == 0.239);
}

TEST_CASE("a plan with adapters keeps its targets with steps that take as much longer as was published") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.job.request_rate = per_second{40};
  asked.generations = {"v6e"};
  const auto plan = [&](bool percentiles, std::int64_t adapters) {
    asked.job.tpot_target = percentiles ? 0_s : 25_ms;
    asked.job.percentiles.per_token = percentiles ? latency_target{0.95, 30_ms} : latency_target{};
    asked.adapters = adapters, asked.adapter_rank = adapters > 0 ? 32 : 0;
    return answer_to_plan_serving(config, asked, price_book{});
  };
  for (const bool percentiles : {false, true}) {
    const serving_plan_document base = plan(percentiles, 0), with = plan(percentiles, 16);
    REQUIRE_FALSE(with.plans.empty());
    CHECK(with.plans.front().rate >= base.plans.front().rate);
    for (const serving_plan_row& row : with.plans) {
      // By a clock that is 1 / (1 - 0.239) times slower the same requests keep the target.
      const double slower = 1 / (1 - 0.239);
      serving_job job = row.plan.share;
      job.request_rate = row.plan.share.request_rate * slower;
      job.tpot_target = {};
      if (percentiles) {
        simulated_traffic traffic = traffic_of(job, planning_requests_of(job));
        traffic.rate = job.request_rate / static_cast<double>(row.plan.estimate.replicas);
        const simulation_report slow =
            report_of(simulate_fleet(config.model, job, {row.plan.mesh, row.plan.where}, 1, requests_of(traffic)));
        CHECK(slower * slow.per_token.value.p95 <= 30_ms * 1.001);
      } else {
        const seconds token = serve(config.model, job, row.plan.mesh, row.plan.where).per_token.total;
        CHECK(slower * token <= 25_ms * (1 + 1e-9));
      }
      CHECK(row.per_token < 25_ms);  // that of the base
    }
    if (percentiles) CHECK(*with.plans.front().chance_at_targets > 0.45);
  }
}

TEST_CASE("a plan, serve and simulate draw the lengths that are given") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.prompts = lengths_by_quantiles({{0, 16}, {0.5, 400}, {0.9, 6000}, {1, 8192}});
  asked.outputs = log_normal_lengths(200, 0.8, 2000);
  asked.job.request_rate = per_second{20};
  asked.job.percentiles.first_token = {0.99, 2_s};
  asked.generations = {"v6e"};
  const serving_plan_document planned = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(planned.plans.empty());
  const serving_plan_row& row = planned.plans.front();
  serve_request one;
  one.slice = row.slice, one.mesh = row.plan.mesh, one.job = asked.job;
  one.job.request_rate = row.plan.share.request_rate;
  one.prompts = asked.prompts, one.outputs = asked.outputs;
  const serve_answer served = answer_to_serve(config, one, price_book{});
  CHECK(served.job.prompt.mean == lengths_of(*asked.prompts).mean);
  simulate_request traffic;
  traffic.slice = row.slice, traffic.slices = row.slices, traffic.mesh = row.plan.mesh, traffic.job = asked.job;
  traffic.prompts = asked.prompts, traffic.outputs = asked.outputs;
  const simulate_answer simulated = answer_to_simulate(config, traffic, price_book{});
  const seconds p99 = simulated.report.first_token.value.p99;
  CHECK(*row.simulated_first_token == p99);
  CHECK(served.simulated->first_token.value.p99 == p99);
  CHECK(row.chance_at_targets == simulated.chance);
  for (const assumption& said : planned.assumed) CHECK(said.field.find("lengths") == std::string::npos);
  // By the moments alone the same requests are others.
  serve_request by_moments = one;
  by_moments.prompts.reset(), by_moments.outputs.reset();
  by_moments.job.prompt = lengths_of(*asked.prompts), by_moments.job.output = lengths_of(*asked.outputs);
  CHECK(answer_to_serve(config, by_moments, price_book{}).simulated->first_token.value.p99 != p99);
}

TEST_CASE("a plan has the chances and the range of costs that serve has of its slice") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.job.concurrency = 64;
  asked.job.ttft_target = 100_ms, asked.job.tpot_target = 30_ms;
  asked.generations = {"v6e"};
  const serving_plan_document planned = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(planned.plans.empty());
  for (const serving_plan_row& row : planned.plans) {
    serve_request one;
    one.slice = row.slice, one.mesh = row.plan.mesh, one.job = row.plan.share;
    const serve_answer served = answer_to_serve(config, one, price_book{});
    CHECK(row.chance_to_keep_ttft == served.chance_to_keep_ttft);
    CHECK(row.chance_to_keep_tpot == served.chance_to_keep_tpot);
    const token_price& paid = served.costs.front();
    CHECK(paid.provisioning == provisioning::on_demand);
    CHECK(close(row.million_all_on_output_low.value(), paid.all_on_output_usd_per_million_low, 1e-9));
    CHECK(close(row.million_all_on_output_high.value(), paid.all_on_output_usd_per_million_high, 1e-9));
    // As many fewer tokens as one takes longer.
    CHECK(close(row.million_all_on_output_high / row.million_all_on_output, row.per_token_high / row.per_token, 1e-9));
    CHECK(row.million_all_on_output_low < row.million_all_on_output);
  }
  asked.job.concurrency = 0, asked.job.request_rate = per_second{40};
  asked.job.ttft_target = asked.job.tpot_target = {};
  const serving_plan_row by_rate = answer_to_plan_serving(config, asked, price_book{}).plans.front();
  CHECK(by_rate.million_all_on_output_low == by_rate.million_all_on_output);
  CHECK(by_rate.million_all_on_output_high == by_rate.million_all_on_output);
  CHECK_FALSE(by_rate.chance_to_keep_tpot.has_value());
}

TEST_CASE("a loss that is survived is spare slices by name") {
  model_config config;
  config.model = llama_3_8b();
  asked_serving_plan asked;
  asked.job.request_rate = per_second{40};
  asked.survive = fleet_loss::zone;
  CHECK(request_of(config, asked, price_book{}).zones == 3);
  CHECK(request_of(config, asked, price_book{}).spare == 0);
  asked.survive = fleet_loss::slice;
  CHECK(request_of(config, asked, price_book{}).spare == 1);
  CHECK(request_of(config, asked, price_book{}).zones == 0);
  asked.zones = 2;
  CHECK(says(refusal_of([&] { (void)request_of(config, asked, price_book{}); }).message,
             "survive is slice; valid: none"));
  CHECK(*parse_fleet_loss("zone") == fleet_loss::zone);
  CHECK_FALSE(parse_fleet_loss("region").has_value());
}

TEST_CASE("plans for encoders and for pairs of stacks") {
  model_config config;
  config.model = bert_base();
  asked_serving_plan asked;
  use_own_lengths(config.model, false, false, asked.job);
  asked.job.request_rate = per_second{5000};
  asked.job.engine = serving_engine::vllm;
  const serving_plan_document texts = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(texts.plans.empty());
  const serving_plan_row& best = texts.plans.front();
  CHECK(best.million_output.value() == 0);
  CHECK(close(best.million_requests.value(), 512 * best.million_input.value()));
  CHECK(best.plan.mesh.cache == cache_sharding::heads);
  CHECK(best.capacity_requests > per_second{5000});
  asked.job.percentiles.first_token = {0.99, 20_ms};
  const serving_plan_document held = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(held.plans.empty());
  CHECK(*held.plans.front().simulated_first_token <= 20_ms);
  CHECK(held.plans.front().chance_at_targets.has_value());
  asked.job.percentiles.first_token.limit = 100_us;
  const serving_plan_document none = answer_to_plan_serving(config, asked, price_book{});
  CHECK(none.plans.empty());
  CHECK_FALSE(none.relax->empty());
  asked.job = usual_traffic();
  asked.job.prompt = fixed_length(512);
  asked.job.request_rate = per_second{20};
  config.model = t5_base();
  const serving_plan_document pairs = answer_to_plan_serving(config, asked, price_book{});
  REQUIRE_FALSE(pairs.plans.empty());
  CHECK(pairs.plans.front().million_output.value() > 0);
  asked.job.engine = serving_engine::sglang_jax;
  CHECK(says(refusal_of([&] { (void)answer_to_plan_serving(config, asked, price_book{}); }).message,
             "for an encoder_decoder"));
}

TEST_CASE("chips that cannot multiply the activations are said") {
  serving_request request;
  request.model = llama_3_8b();
  request.job.activations = dtype::int8;
  request.generations = {"v3", "v5e"};
  const assumed_values assumed = assumed_by(request, request.job);
  REQUIRE(assumed.size() == 2);
  CHECK(assumed.back().second == "bf16, not int8, on v3, which cannot multiply it");
  request.generations = {"v5e"};
  CHECK(assumed_by(request, request.job).size() == 1);
}

TEST_CASE("a slice has a fact about each of its axes", "[door]") {
  slices_request asked;
  asked.name = "v5p-128";
  const slices_answer answer = answer_to(asked);
  REQUIRE(answer.slices.size() == 1);
  CHECK(answer.slices.front().wraparound.size() == 3);
  asked.name = "v5e-16";
  CHECK(answer_to(asked).slices.front().wraparound.size() == 2);
}

}  // namespace ask_fleets_tests

// A model that drafts: what it takes of memory in every question, and what it costs where nobody says.
#include <cmath>
#include <string>
#include <tpuplan/ask/fleets.hpp>
#include <tpuplan/ask/simulate.hpp>
#include <tpuplan/hardware/slice_table.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_ask_drafts_tests {

namespace {

serving_job drafted(std::int64_t parameters, double cache, double cost) {
  serving_job job = usual_traffic();
  job.speculation = {4, 0.8, 0, cost, parameters, bytes{cache}};
  return job;
}

}  // namespace

TEST_CASE("a draft's weights lie on all devices of a replica, and each token has its cache too") {
  const slice where = slice_for("v6e-4");
  const serving_memory without = serving_memory_use(llama_3_8b(), 100, drafted(0, 0, 0.1), {4}, where);
  const serving_memory with = serving_memory_use(llama_3_8b(), 100, drafted(1000000000, 13107.2, 0.1), {4}, where);
  CHECK(std::abs((with.weights - without.weights).value() / (1.02 * 2e9 / 4) - 1) < 1e-9);
  CHECK(std::abs(with.cache.value() / (without.cache.value() * 1.1) - 1) < 1e-9);  // 131072 B a token of the model
  CHECK(largest_running(llama_3_8b(), drafted(1000000000, 13107.2, 0.1), {4}, where) <
        largest_running(llama_3_8b(), drafted(0, 0, 0.1), {4}, where));
  const simulated_engine engine = engine_of(llama_3_8b(), drafted(1000000000, 13107.2, 0.1), {4}, where);
  CHECK(engine.blocks < engine_of(llama_3_8b(), drafted(0, 0, 0.1), {4}, where).blocks);
}

TEST_CASE("drafts cost what they read of HBM, once for each, where nobody says") {
  serving_job job = drafted(1000000000, 13107.2, 0);
  detail::use_draft_cost(llama_3_8b(), job);
  const double context = 1024 + 128.0;
  const double step = 2 * static_cast<double>(parameters(llama_3_8b()).matrices) + context * 131072;
  CHECK(std::abs(job.speculation.draft_cost / (4 * (2e9 + context * 13107.2) / step) - 1) < 1e-12);
  serving_job said = drafted(1000000000, 0, 0.3);
  detail::use_draft_cost(llama_3_8b(), said);
  CHECK(said.speculation.draft_cost == 0.3);
}

TEST_CASE("every question counts a draft, and says what is taken of it") {
  const auto words = [](const std::vector<assumption>& assumed, const std::string& field) {
    for (const assumption& one : assumed)
      if (one.field == field) return one.value;
    return std::string();
  };
  serve_request serve;
  serve.slice = "v6e-4", serve.job = drafted(400000000, 0, 0);
  const serve_answer served = answer_to_serve({llama_3_8b(), {}, {}}, serve, price_book{});
  CHECK(served.job.speculation.draft_cost > 0.1);
  CHECK(says(words(served.assumed, "draft model"), "its cache is not given, and not counted"));
  CHECK(says(words(served.assumed, "drafting"), "0.2"));
  serve.job = drafted(0, 0, 0.1);
  const serve_answer without = answer_to_serve({llama_3_8b(), {}, {}}, serve, price_book{});
  CHECK(says(words(without.assumed, "draft model"), "are not counted"));
  CHECK(words(without.assumed, "drafting").empty());
  CHECK(served.estimate.memory.weights > without.estimate.memory.weights);
  simulate_request simulate;
  simulate.slice = "v6e-4", simulate.job = drafted(400000000, 4096, 0), simulate.job.request_rate = per_second{4};
  const simulate_answer simulated = answer_to_simulate({llama_3_8b(), {}, {}}, simulate, price_book{});
  CHECK(simulated.job.speculation.draft_cost > 0.1);
  CHECK(says(words(simulated.assumed, "draft model"), "its cache like that of the model"));
  asked_serving_plan plan;
  plan.job = drafted(400000000, 4096, 0), plan.job.request_rate = per_second{4};
  const serving_request request = request_of({llama_3_8b(), {}, {}}, plan, price_book{});
  CHECK(request.job.speculation.draft_cost == simulated.job.speculation.draft_cost);
}

}  // namespace unit_ask_drafts_tests

// The closed form of serving beside its simulation: for every published decoder with nearly nothing to do, at every
// length up to 128k; and for random questions at four fifths of the capacity, within the factors of docs/model.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/simulate/simulation.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace oracle_serving_agreement_tests {

namespace {

struct named_model {
  std::string name;
  transformer model;
};

/// All decoders of data/models and data/checkpoints.json.
const std::vector<named_model>& decoders() {
  static const std::vector<named_model> all = [] {
    const std::string data = TPUPLAN_DATA_DIR;
    std::vector<named_model> found;
    const nlohmann::json sources = load_json(data + "/models/sources.json");
    for (const auto& [name, source] : sources.items())
      found.push_back({name, load_hf_config(data + "/models/" + name + ".json").model});
    const nlohmann::json published = load_json(data + "/checkpoints.json");
    for (const nlohmann::json& one : published.at("checkpoints"))
      found.push_back({one.at("name").get<std::string>(), read_hf_config(one.at("config")).model});
    const auto other = [](const named_model& one) { return one.model.kind != architecture::decoder; };
    found.erase(std::remove_if(found.begin(), found.end(), other), found.end());
    return found;
  }();
  return all;
}

struct question {
  serving_job job{};
  serving_layout mesh{};
  slice where{};
};

/// Whether the closed form answers.
bool is_answered(const transformer& model, const question& asked) {
  if (problem_of(model, asked.mesh, asked.where) != layout_problem::none) return false;
  return serve(model, asked.job, asked.mesh, asked.where).refusal == serving_refusal::none;
}

/// The first slice of a list on which the model serves one request at a time, with its cache by heads or by sequences.
bool find_place(const transformer& model, question& asked) {
  for (const char* name : {"v6e-8", "v5p-8", "tpu7x-8", "v6e-32", "v5p-32", "v5p-64", "tpu7x-64", "v5p-256"}) {
    for (const cache_sharding cache : {cache_sharding::heads, cache_sharding::batch}) {
      asked.where = slice_for(name);
      asked.mesh.cache = cache;
      if (is_answered(model, asked)) return true;
    }
  }
  return false;
}

simulation_report simulated(const transformer& model, const question& asked, std::int64_t requests,
                            std::int64_t seed = 1) {
  simulated_engine engine = engine_of(model, asked.job, asked.mesh, asked.where);
  simulated_traffic traffic = traffic_of(asked.job, requests, seed);
  traffic.rate = traffic.rate / static_cast<double>(engine.replicas);
  engine.replicas = 1;
  engine.max_running = std::min(engine.max_running, requests);
  const replica_step_times times{model, asked.job, asked.mesh, asked.where, engine.max_running};
  return report_of(simulate(engine, requests_of(traffic), times));
}

bool within(double factor, double ratio) { return ratio <= factor && ratio >= 1 / factor; }

}  // namespace

TEST_CASE("every decoder takes in a simulation what it takes in the closed form, at every length", "[agreement]") {
  int asked_for = 0, recurrent = 0, indexed = 0;
  for (const auto& [name, model] : decoders()) {
    for (const std::int64_t context : {64, 2000, 30000, 130000}) {
      question asked;
      asked.job.prompt = fixed_length(context);
      asked.job.output = fixed_length(16);
      asked.job.block_tokens = detail::keeps_states_alone(model) ? 0 : 16;
      asked.job.prefix_hit_rate = asked_for % 3 == 0 ? 0.5 : 0;
      asked.job.beyond_max_positions = true;
      asked.job.concurrency = 1;
      INFO(name << ", " << context);
      REQUIRE(find_place(model, asked));
      const serving_estimate one = serve(model, asked.job, asked.mesh, asked.where);
      asked.job.concurrency = 0;
      asked.job.request_rate = 1e-6 / (one.first_token + 16 * one.per_token.total);
      const serving_estimate rare = serve(model, asked.job, asked.mesh, asked.where);
      const simulation_report report = simulated(model, asked, 112);
      for (const serving_estimate& closed : {one, rare}) {
        CHECK(within(1.02, report.first_token.value.mean / closed.first_token));
        CHECK(within(1.02, report.per_token.value.mean / closed.per_token.total));
      }
      ++asked_for;
      recurrent += has_recurrence(model);
      indexed += model.attention.indexer.heads > 0;
    }
  }
  CHECK(asked_for >= 4 * 500);
  CHECK(recurrent > 0);
  CHECK(indexed > 0);
}

namespace {

/// A random question at a share of the capacity; false where the draw cannot be served.
bool draw_question(std::mt19937_64& random, const transformer& model, double load, question& asked) {
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto length = [&](double least, double most) {
    return static_cast<std::int64_t>(least * std::pow(most / least, uniform()));
  };
  const auto one_of = [&](auto... values) {
    const std::int64_t all[] = {static_cast<std::int64_t>(values)...};
    return all[random() % sizeof...(values)];
  };
  const char* const slices[] = {"v6e-1", "v6e-4", "v6e-8", "v5p-8", "tpu7x-8", "v5e-8", "v6e-32", "v5p-64"};
  const std::int64_t prompt = length(16, 32000), output = length(8, 1000);
  serving_job& job = asked.job;
  const bool differ = random() % 2 == 0;
  job.prompt =
      differ ? lengths_of(log_normal_lengths(static_cast<double>(prompt), 0.6, prompt * 8)) : fixed_length(prompt);
  job.output =
      differ ? lengths_of(log_normal_lengths(static_cast<double>(output), 0.6, output * 8)) : fixed_length(output);
  job.beyond_max_positions = true;
  job.block_tokens = detail::keeps_states_alone(model) ? 0 : 16;
  if (random() % 3 == 0) job.prefill_chunk = one_of(512, 1024, 2048, 8192);
  if (random() % 4 == 0) job.max_running = one_of(1, 4, 16, 64, 256);
  if (random() % 4 == 0) job.prefix_hit_rate = 0.95 * uniform();
  if (random() % 3 == 0) job.engine = random() % 2 == 0 ? serving_engine::vllm : serving_engine::sglang_jax;
  asked.where = slice_for(slices[random() % 8]);
  asked.mesh.cache = random() % 3 == 0 ? cache_sharding::batch : cache_sharding::heads;
  if (!is_answered(model, asked)) return false;
  job.request_rate = serve(model, job, asked.mesh, asked.where).capacity * load;
  const serving_estimate closed = serve(model, job, asked.mesh, asked.where);
  return closed.refusal == serving_refusal::none && closed.running < 40;  // so that 1000 requests are a steady state
}

/// Logarithms above that of a factor.
std::int64_t count_beyond(const std::vector<double>& logarithms, double factor) {
  return std::count_if(logarithms.begin(), logarithms.end(), [&](double one) { return one > std::log(factor); });
}

}  // namespace

TEST_CASE("at a share of the capacity the closed form and the simulation differ by less than the stated factors",
          "[agreement]") {
  struct limits {
    double load, nine_of_ten_first, nine_of_ten_token, most_first, most_token;  // most: 98 of 100
  };
  for (const limits& at : {limits{0.4, 1.2, 1.1, 1.4, 1.3}, limits{0.8, 1.6, 1.4, 2.3, 1.9}}) {
    std::mt19937_64 random(25);
    std::vector<double> first, each;
    while (first.size() < 200) {
      const named_model& drawn = decoders()[random() % decoders().size()];
      question asked;
      if (!draw_question(random, drawn.model, at.load, asked)) continue;
      INFO(drawn.name << " on " << name(asked.where).view() << ", " << asked.job.prompt.mean << " + "
                      << asked.job.output.mean << ", chunk " << asked.job.prefill_chunk << ", at most "
                      << asked.job.max_running << ", load " << at.load);
      const serving_estimate closed = serve(drawn.model, asked.job, asked.mesh, asked.where);
      const simulation_report report = simulated(drawn.model, asked, 1000, static_cast<std::int64_t>(first.size()) + 1);
      first.push_back(std::abs(std::log(report.first_token.value.mean / closed.first_token)));
      each.push_back(std::abs(std::log(report.per_token.value.mean / closed.per_token.total)));
      CHECK(close(closed.requests.value(), asked.job.request_rate.value(), 1e-9));
    }
    // Of 200 questions 20 are expected beyond, and 4, each with two standard deviations.
    CHECK(count_beyond(first, at.nine_of_ten_first) <= 28);
    CHECK(count_beyond(each, at.nine_of_ten_token) <= 28);
    CHECK(count_beyond(first, at.most_first) <= 8);
    CHECK(count_beyond(each, at.most_token) <= 8);
  }
}

TEST_CASE("groups of data-parallel attention serve in a simulation what the closed form says", "[agreement]") {
  struct grouped {
    const char* model;
    const char* where;
    std::int64_t tensor, attention;
  };
  for (const grouped& one : {grouped{"minimax-m2", "v5p-8", 4, 1}, grouped{"gpt-oss-120b", "v6e-4", 4, 1},
                             grouped{"gpt-oss-120b", "v6e-8", 8, 2}, grouped{"qwen3-30b-a3b", "v6e-8", 8, 1},
                             grouped{"qwen3-next-80b-a3b", "tpu7x-2", 2, 1}}) {
    const transformer model = load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + one.model + ".json").model;
    for (const std::pair<std::int64_t, std::int64_t> lengths : {std::pair{8000, 200}, {30000, 1000}}) {
      for (const std::int64_t chunk : {0, 2048}) {
        question asked;
        asked.job.prompt = lengths_of(log_normal_lengths(static_cast<double>(lengths.first), 0.5, 4 * lengths.first));
        asked.job.output = lengths_of(log_normal_lengths(static_cast<double>(lengths.second), 0.5, 4 * lengths.second));
        asked.job.block_tokens = 16, asked.job.prefill_chunk = chunk, asked.job.weights = dtype::int4;
        asked.mesh.tensor = one.tensor, asked.mesh.attention = one.attention;
        asked.where = slice_for(one.where);
        INFO(one.model << " on " << one.where << ", " << lengths.first << " + " << lengths.second << ", chunk "
                       << chunk);
        asked.job.concurrency = 1;
        REQUIRE(is_answered(model, asked));
        const per_second capacity = serve(model, asked.job, asked.mesh, asked.where).capacity;
        asked.job.concurrency = 0, asked.job.request_rate = 4 * capacity;
        const auto replicas = static_cast<double>(engine_of(model, asked.job, asked.mesh, asked.where).replicas);
        const double served = simulated(model, asked, 1500).goodput.value() * replicas / capacity.value();
        CHECK(served > 0.95);
        CHECK(served < 1.3);
      }
    }
  }
}

}  // namespace oracle_serving_agreement_tests

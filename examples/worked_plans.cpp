// Plans for five published models, each trained on what its authors say it was trained on, on one kind of chip.
#include <cstdio>
#include <string>
#include <tpuplan/plan/planner.hpp>
#include <tpuplan/read/hf.hpp>

using namespace tpuplan;

namespace {

struct question {
  const char* config;
  double tokens;
  std::int64_t batch;  // sequences of 4096 tokens
  const char* generation;
  std::int64_t slices;
};

void answer(const std::string& data, const question& q) {
  plan_request request;
  request.model = load_hf_config(data + "/models/" + q.config).model;
  request.job.global_batch = q.batch;
  request.job.sequence_length = 4096;
  request.tokens = q.tokens;
  request.generations = {q.generation};
  request.largest_slices = q.slices;
  request.best = objective::fastest;
  const plan_answer found = make_plan(request);
  if (found.plans.empty()) {
    std::printf("%-22s no plan on %s\n", q.config, q.generation);
    return;
  }
  const plan& p = found.plans.front();
  const plan_cost& cost = chosen_cost(p);
  std::printf(
      "%-22s %lld x %-11s fsdp %4lld tensor %2lld expert %2lld  %-20s %6.2f s a step, MFU %2.0f %%, %5.1f days, "
      "$%.1fM\n",
      q.config, static_cast<long long>(slices(p.mesh)), std::string(name(p.where).view()).c_str(),
      static_cast<long long>(p.mesh.fsdp), static_cast<long long>(p.mesh.tensor), static_cast<long long>(p.mesh.expert),
      std::string(name(p.job.remat)).c_str(), p.step.total.value(), 100 * p.step.mfu, in_days(cost.wall),
      cost.total.value() / 1e6);
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string data = argument_count > 1 ? arguments[1] : "data";
  // Tokens: model cards of Llama 2, 3.1 and Gemma 2, Qwen3 and DeepSeek-V3 technical reports.
  answer(data, {"llama-2-7b.json", 2e12, 1024, "v5e", 4});
  answer(data, {"gemma-2-9b.json", 8e12, 2048, "v6e", 4});
  answer(data, {"llama-3.1-70b.json", 15e12, 4096, "v5p", 1});
  answer(data, {"qwen3-235b-a22b.json", 36e12, 8192, "tpu7x", 1});
  answer(data, {"deepseek-v3.json", 14.8e12, 15360, "v5p", 2});
}

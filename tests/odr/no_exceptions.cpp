// Compiled without exceptions: a plan is made, a right name is found, a wrong one ends the program with the message.
#include <cstdio>
#include <tpuplan/tpuplan.hpp>

namespace {

/// Plans for 8 billion tokens of a small model under every way of paying; spot slices here never finish.
std::size_t plan_count() {
  tpuplan::plan_request request;
  request.model.layers = 16;
  request.model.d_model = 2048;
  request.model.vocab = 32000;
  request.model.attention.heads = request.model.attention.kv_heads = 16;
  request.model.attention.head_dim = 128;
  request.model.mlp.d_ff = 8192;
  request.job.global_batch = 256;
  request.job.sequence_length = 2048;
  request.tokens = 8e9;
  request.kinds.assign(tpuplan::all_provisioning.begin(), tpuplan::all_provisioning.end());
  request.terms.spot.mean_time_between_preemptions = tpuplan::seconds{1};
  request.generations = {"v5e", "v6e"};
  request.most_plans = 0;
  return tpuplan::make_plan(request).plans.size();
}

}  // namespace

int main(int argc, char**) {
  const char* right = argc > 0 ? "v5e-16" : "";
  const char* wrong = argc > 0 ? "v5e-24" : "";
  std::printf("%s\n", plan_count() > 8 ? "planned" : "no plans");
  std::printf("found %d chips\n", static_cast<int>(chips(tpuplan::slice_for(right))));
  std::fflush(stdout);
  std::printf("found %d chips\n", static_cast<int>(chips(tpuplan::slice_for(wrong))));
}

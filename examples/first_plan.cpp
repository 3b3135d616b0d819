// Which slice trains this model? Headers only; see README.md.
#include <cstdio>
#include <tpuplan/tpuplan.hpp>

int main() {
  using namespace tpuplan;
  plan_request request;
  request.model.layers = 32;  // Llama 3 8B
  request.model.d_model = 4096;
  request.model.vocab = 128256;
  request.model.attention.heads = 32;
  request.model.attention.kv_heads = 8;
  request.model.attention.head_dim = 128;
  request.model.mlp.d_ff = 14336;
  request.job.global_batch = 1024;
  request.job.sequence_length = 4096;
  request.tokens = 1e12;
  request.deadline = 30_days;
  for (const plan& p : make_plan(request).plans) {
    const double dollars = find_cost(p, provisioning::on_demand)->total.value();
    std::printf("%-14s %5.1f days  $%.0f\n", std::string(name(p.where)).c_str(), in_days(p.run), dollars);
  }
}

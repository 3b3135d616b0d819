// Replicas of a served model: which there can be on a slice, and what is refused of the others.
#include <tpuplan/estimate/serving/advice.hpp>
#include <tpuplan/estimate/serving/replica.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_serving_replica_tests {

namespace {

/// Llama 3 8B with 12 heads, which divide over 3 and 6 devices.
transformer twelve_heads() {
  transformer m = llama_3_8b();
  m.attention.heads = m.attention.kv_heads = 12;
  return m;
}

/// Eight experts of two chosen, 8 KV heads: Mixtral's.
transformer mixtral() {
  transformer m = llama_3_8b();
  m.moe.experts = 8;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = m.mlp.d_ff;
  return m;
}

layout_problem problem_at(const transformer& model, std::int64_t tensor, const char* slice_name,
                          std::int64_t attention = 0) {
  return problem_of(model, {tensor, {}, {}, attention}, slice_for(slice_name));
}

}  // namespace

TEST_CASE("replicas are whole chips or an even part of one") {
  const transformer model = twelve_heads();
  CHECK(problem_at(model, 1, "tpu7x-384") == layout_problem::none);
  CHECK(problem_at(model, 2, "tpu7x-384") == layout_problem::none);
  CHECK(problem_at(model, 3, "tpu7x-384") == layout_problem::part_of_chip);
  CHECK(problem_at(model, 6, "tpu7x-384") == layout_problem::none);
  CHECK(problem_at(model, 5, "tpu7x-384") == layout_problem::devices);
  CHECK(problem_at(model, 3, "v5p-384") == layout_problem::none);
  CHECK(problem_at(model, 8, "v6e-8") == layout_problem::heads);
  serving_job job;
  job.prompt = job.output = fixed_length(256);
  const refusal refused = refusal_of([&] { (void)serve(model, job, {3, {}, {}}, slice_for("tpu7x-384")); });
  CHECK(says(refused.message, "serving_layout.tensor is 3; valid: a multiple or a divisor of the 2 devices of a chip"));
}

TEST_CASE("groups of data-parallel attention") {
  const transformer model = mixtral();
  CHECK(problem_at(model, 8, "v6e-8", 2) == layout_problem::none);
  CHECK(problem_at(model, 2, "v6e-8", 4) == layout_problem::groups);
  CHECK(problem_at(model, 8, "v6e-8", -1) == layout_problem::groups);
  CHECK(problem_at(llama_3_8b(), 8, "v6e-8", 2) == layout_problem::needs_experts);
  CHECK(problem_at(model, 16, "v6e-16", 2) == layout_problem::experts);
  CHECK(problem_of(model, {8, {}, cache_sharding::batch, 2}, slice_for("v6e-8")) == layout_problem::other_sharding);
  CHECK(name(layout_problem::other_sharding) == "other_sharding");
  // 32 heads over groups of 3 devices: it is the group that is refused, not the replica of 6.
  CHECK(problem_at(model, 6, "v5p-384", 3) == layout_problem::heads);
  serving_job job;
  job.prompt = job.output = fixed_length(256);
  const refusal refused = refusal_of([&] { (void)serve(model, job, {6, {}, {}, 3}, slice_for("v5p-384")); });
  CHECK(says(refused.message, "serving_layout.attention is 3"));
}

TEST_CASE("advice tries no layout that there is not") {
  serving_job job;
  job.prompt = fixed_length(1024);
  job.output = fixed_length(256);
  for (const std::int64_t group : {1, 2, 4, 8}) {
    const serving_layout mesh{8, {}, {}, group};
    for (const serving_finding& one : serving_advice(mixtral(), job, mesh, slice_for("v6e-8")))
      CHECK(problem_of(mixtral(), one.mesh_then, slice_for("v6e-8")) == layout_problem::none);
  }
}

}  // namespace estimate_serving_replica_tests

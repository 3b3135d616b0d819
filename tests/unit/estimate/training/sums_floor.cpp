// No program is faster than peak rates, HBM and links allow: the least that a step can take, and the low end of its
// band. And what a policy keeps on the host, beside the work.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <tpuplan/estimate/training/own_runs.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/estimate/training/sums.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace estimate_training_floor_tests {

namespace {

class dice {
 public:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::mt19937_64 engine_{20261123};
};

transformer any_model(dice& d) {
  transformer m;
  m.layers = d.between(1, 40);
  m.d_model = 64 * d.between(1, 64);
  m.vocab = d.between(100, 100000);
  m.attention.heads = m.attention.kv_heads = std::int64_t{1} << d.between(0, 5);
  m.attention.head_dim = 32 * d.between(1, 4);
  if (d.between(0, 1) == 1) {
    m.moe.experts = std::int64_t{1} << d.between(1, 13);
    m.moe.top_k = d.between(1, std::min<std::int64_t>(8, m.moe.experts));
    m.moe.expert_d_ff = 32 * d.between(1, 64);
  } else {
    m.mlp.d_ff = 64 * d.between(1, 200);
  }
  return m;
}

training_job any_job(dice& d, std::int64_t shards, bool has_experts) {
  training_job job = job_of(shards * d.between(1, 16), std::int64_t{1} << d.between(7, 15));
  job.remat = remat_policies[static_cast<std::size_t>(d.between(0, std::size(remat_policies) - 1))].policy;
  if (has_experts && d.between(0, 3) == 0) job.capacity_factor = 0.1 * static_cast<double>(d.between(2, 20));
  return job;
}

}  // namespace

TEST_CASE("the low end of a step's band is no faster than the chips") {
  training_job job = job_of(1024, 1024);
  job.remat = remat::minimal;
  job.software = software_level::tuned;
  const slice where = slice_for("v2-128");
  layout mesh = fsdp_layout(where);
  mesh.fsdp /= 4;
  mesh.tensor = 4;
  const step_breakdown step = step_time(llama_3_8b(), job, mesh, where);
  CHECK(step.low == step.floor);
  CHECK(step.low > 0.7 * step.total);  // at which MFU would be 100.6 %
  CHECK(step.mfu * (step.total / step.low) <= 1 + 1e-12);
  CHECK(close(step.band, std::max(1 - step.low / step.total, step.high / step.total - 1)));
}

TEST_CASE("MFU is at most 1 at either end, whatever the model") {
  dice d;
  std::size_t at_floor = 0, slow_routers = 0;
  for (int i = 0; i < 6000; ++i) {
    const transformer model = any_model(d);
    constexpr const char* names[] = {"v2-8", "v2-128", "v3-32", "v4-64", "v5e-16", "v5p-128", "v6e-64", "tpu7x-64"};
    const slice where = slice_for(names[d.between(0, 7)]);
    const training_job job = any_job(d, devices(where), has_experts(model));
    const step_breakdown step = step_time(model, job, fsdp_layout(where), where);
    INFO(name(where).view() << ", " << model.layers << " layers of " << model.d_model << ", " << model.moe.experts
                            << " experts, " << name(job.remat));
    CHECK(step.mfu <= 1 + 1e-12);
    CHECK(step.mfu * (step.total / step.low) <= 1 + 1e-12);
    CHECK(step.floor <= step.low);
    CHECK(step.low <= step.total);
    CHECK(step.total <= step.high);
    at_floor += step.low == step.floor ? 1U : 0U;
    slow_routers += model.moe.experts > 4096 ? 1U : 0U;
  }
  CHECK(at_floor > 100);
  CHECK(slow_routers > 100);
}

TEST_CASE("tensor parallelism that no work hides is waited for, as a part of its collectives") {
  training_job job = job_of(256, 512);
  job.remat = remat::none;
  const slice where = slice_for("tpu7x-16");
  layout mesh;
  mesh.tensor = 16;
  const step_breakdown step = step_time(llama_3_8b(), job, mesh, where);
  CHECK(step.total >= step.floor);
  CHECK(step.low == step.floor);
  CHECK(step.tensor.exposed > 0.2 * step.tensor.whole);  // which is hidden elsewhere
  CHECK(step.tensor.exposed <= step.tensor.whole);
  CHECK(step.software.value() == 0);
  CHECK(close((step.compute + step.hbm + step.ici + step.overhead).value(), step.total.value()));
  const training_sizes sizes = sizes_of(llama_3_8b(), job, calibration{});
  const work_terms work = work_terms_of(sizes, llama_3_8b(), job, where.chip, 16);
  const layout_terms at = layout_terms_of(sizes, llama_3_8b(), job, mesh, where);
  CHECK(close(time_of(sum_of(work), at, 1).value(), step.total.value()));  // as the search has it
  mesh.tensor = 1, mesh.fsdp = 16;
  const step_breakdown sharded = step_time(llama_3_8b(), job, mesh, where);
  CHECK(sharded.total > sharded.floor);
}

TEST_CASE("own runs that are faster than the estimate do not bring it below the floor") {
  const slice where = slice_for("v6e-64");
  training_job job = job_of(256, 4096);
  const layout mesh = fsdp_layout(where);
  const step_breakdown before = step_time(llama_3_8b(), job, mesh, where);
  calibration mine;
  CHECK_THROWS_AS(with_own_run({}, before.floor * 0.99, llama_3_8b(), job, mesh, where), error);
  const run_features about = features_of(llama_3_8b(), job, mesh, where);
  for (int i = 0; i < 20; ++i)
    mine.own = with_run(mine.own, training_spreads, about, std::log(0.5 * (before.floor / before.total)));
  const step_breakdown after = step_time(llama_3_8b(), job, mesh, where, mine);
  CHECK(after.total == after.floor);
  CHECK(after.low == after.floor);
  CHECK(after.software < 0_s);
  const seconds parts = after.compute + after.hbm + after.ici + after.overhead + after.bubble + after.stragglers +
                        after.dcn.exposed + after.host.exposed + after.software;
  CHECK(close(parts / after.total, 1));
}

TEST_CASE("what a policy keeps on the host goes out in the forward pass and comes back in the backward pass") {
  CHECK(exposed_to_host(4_s, 1_s, 1.0 / 3) == 0_s);
  CHECK(close(exposed_to_host(4_s, 2_s, 1.0 / 3).value(), 2 - 4.0 / 3));
  const slice where = slice_for("v6e-256");
  const layout mesh = fsdp_layout(where);
  training_job job = job_of(1024, 4096);
  job.remat = remat::minimal_offloaded;
  const step_breakdown all = step_time(llama_3_8b(), job, mesh, where);
  job.remat = remat::minimal;
  const step_breakdown kept = step_time(llama_3_8b(), job, mesh, where);
  // 16384 tokens, 32 layers, 47104 numbers in bf16 at 32 GB/s, one way.
  const double way = 16384.0 * 32 * 47104 * 2 / 32e9;
  CHECK(close(all.host.whole.value(), 2 * way));
  CHECK(close((all.total - kept.total).value(), way - kept.total.value() / 3 + way - kept.total.value() * 2 / 3));
  CHECK(all.extrapolated);  // in every published run the work hides it
  CHECK_FALSE(kept.extrapolated);
  job.remat = remat::inputs_and_proj_offloaded;
  const step_breakdown some = step_time(llama_3_8b(), job, mesh, where);
  CHECK(some.host.whole > 0_s);
  CHECK(some.host.exposed == 0_s);
  CHECK_FALSE(some.extrapolated);
  CHECK(host_rate(slice_for("tpu7x-256").chip).value() == 15.6_GB_per_s);  // as runs show
  CHECK(step_time(llama_3_8b(), job, fsdp_layout(slice_for("tpu7x-256")), slice_for("tpu7x-256")).host.whole > 0_s);
  const slice unknown_rate = slice_for("v3-256");
  const step_breakdown untimed = step_time(llama_3_8b(), job, fsdp_layout(unknown_rate), unknown_rate);
  CHECK(untimed.remarks.host_untimed);
  CHECK(untimed.host.whole == 0_s);
  CHECK_FALSE(some.remarks.host_untimed);
}

TEST_CASE("the worked numbers of a floor") {
  work_terms terms;
  terms.least = 4_us;
  layout_terms at;
  at.tokens = 1000, at.wires_each = 3_ms;
  CHECK(close(in_ms(floor_of(sum_of(terms), at, 2)), 6));
  CHECK(close(in_ms(floor_of(sum_of(terms), at, 1)), 4));
}

}  // namespace estimate_training_floor_tests

// What adapters take: memory of each device, and of the rate what was published.
#include <tpuplan/ask/adapters.hpp>
#include <tpuplan/hardware/slice_table.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_adapters_tests {

TEST_CASE("half of each adapter is on every device, half is cut like the weights") {
  serving_job job;
  CHECK_FALSE(detail::hold_adapters(llama_3_8b(), 0, 0, job));
  CHECK(job.beside == 0_B);
  CHECK(detail::hold_adapters(llama_3_8b(), 64, 32, job));
  const adapter_answer held = detail::adapters_of(job, {4}, slice_for("v6e-8"));
  CHECK(close(held.each_device.value(), 64 * 83886080.0 * (1 + 1.0 / 4)));  // 81920 x 32 x 32 layers
}

TEST_CASE("the capacity with adapters lies between the ends of what was published") {
  adapter_answer held;
  detail::slow_capacity(held, per_second{1000});
  CHECK(close(held.capacity_low.value(), 761, 1e-9));
  CHECK(close(held.capacity_high.value(), 916, 1e-9));
}

TEST_CASE("a target is kept with adapters where steps may take as long as they make them") {
  serving_job job;
  CHECK(detail::are_kept_with_adapters(job, 1.0));
  CHECK(detail::hold_adapters(llama_3_8b(), 16, 32, job));
  CHECK(detail::are_kept_with_adapters(job, std::nullopt));
  CHECK(detail::are_kept_with_adapters(job, 1 / (1 - 0.239)));
  CHECK_FALSE(detail::are_kept_with_adapters(job, 1.31));
  // A rate between the ends of what adapters leave may be served, one beyond is refused with the better end.
  job.prompt = fixed_length(1024), job.output = fixed_length(256);
  const slice where = slice_for("v6e-4");
  const per_second most = serve(llama_3_8b(), job, {}, where).capacity;
  job.request_rate = 0.9 * most;
  const serving_estimate base = serve(llama_3_8b(), job, {}, where);
  CHECK(detail::held_with_adapters(base, job) == base);
  job.request_rate = 0.95 * most;
  const serving_estimate refused = detail::held_with_adapters(serve(llama_3_8b(), job, {}, where), job);
  CHECK(refused.refusal == serving_refusal::rate_above_capacity);
  CHECK(close(refused.capacity.value(), 0.916 * most.value(), 1e-12));
  CHECK(refused.largest_running == base.largest_running);
}

TEST_CASE("adapters have a rank, and a decoder") {
  serving_job job;
  const auto refused = [&](std::int64_t adapters, std::int64_t rank) {
    return refusal_of([&] { (void)detail::hold_adapters(llama_3_8b(), adapters, rank, job); }).message;
  };
  CHECK(says(refused(4, 0), "adapter_rank is missing; valid: both, or neither"));
  CHECK(says(refused(0, 8), "adapters is missing"));
  CHECK(says(refused(4, 5000), "adapter_rank is 5000; valid: 0 to 4096"));
}

}  // namespace unit_adapters_tests

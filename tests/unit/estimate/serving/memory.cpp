// What no memory of a served model can have is refused by name, as `serve` does.
#include <limits>
#include <string>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace unit_estimate_serving_memory_tests {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

// The refusal of all functions of memory, which is that of `serve`; "differs" where one has another.
std::string refused(const serving_job& job) {
  const slice where = slice_for("v6e-8");
  const std::string found = refusal_of([&] { (void)serve(llama_3_8b(), job, {}, where); }).message;
  const bool alike = refusal_of([&] { (void)serving_memory_use(llama_3_8b(), 8, job, {}, where); }).message == found &&
                     refusal_of([&] { (void)largest_running(llama_3_8b(), job, {}, where); }).message == found &&
                     refusal_of([&] { (void)serving_shortage(llama_3_8b(), job, {}, where); }).message == found &&
                     refusal_of([&] { (void)largest_serving_context(llama_3_8b(), job, {}, where); }).message == found;
  return alike ? found : "differs";
}

}  // namespace

TEST_CASE("memory is refused for jobs that hold what cannot be", "[door]") {
  serving_job good;
  good.prompt = fixed_length(1024), good.output = fixed_length(256), good.prefix_hit_rate = 0.5;
  CHECK(refused(good).empty());
  const auto with = [&](auto change) {
    serving_job job = good;
    change(job);
    return refused(job);
  };
  CHECK(says(with([](serving_job& j) { j.shared_prefix = 1024; }), "serving_job.shared_prefix is 1024"));
  CHECK(says(with([](serving_job& j) { j.shared_prefix = -1; }), "serving_job.shared_prefix is -1"));
  CHECK(says(with([](serving_job& j) { j.shared_prefix = 512, j.prefix_hit_rate = 0; }),
             "serving_job.prefix_hit_rate is 0"));
  CHECK(says(with([](serving_job& j) { j.prefix_groups = 0; }), "serving_job.prefix_groups is 0"));
  for (const double value : {-1.0, nan, infinite}) {
    CHECK(says(with([&](serving_job& j) { j.beside = bytes{value}; }), "serving_job.beside is "));
    CHECK(says(with([&](serving_job& j) { j.shared_beside = bytes{value}; }), "serving_job.shared_beside is "));
    CHECK(says(with([&](serving_job& j) { j.speculation = {4, 0.8, 0, 0.1, 1000, bytes{value}}; }),
               "speculation.cache_per_token is "));
  }
  CHECK(says(with([](serving_job& j) { j.speculation = {4, 0.8, 0, 0.1, -1}; }), "speculation.parameters is -1"));
}

}  // namespace unit_estimate_serving_memory_tests

// The worked numbers in the comments of estimate/serving/memory.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace {

constexpr serving_memory memory_of(double low, double high, double usable) {
  serving_memory m;
  m.low = bytes{low}, m.high = bytes{high}, m.usable = bytes{usable};
  return m;
}

// A verdict is yes below 97 % of what is usable, not at it; no above all of it, not at it.
static_assert(fits(memory_of(1, 96.9, 100)) == verdict::yes);
static_assert(fits(memory_of(1, 97, 100)) == verdict::uncertain);
static_assert(fits(memory_of(100, 104, 100)) == verdict::uncertain);
static_assert(fits(memory_of(100.1, 104, 100)) == verdict::no);

// Weights with 2 % of padding, 1 GiB of programs and 1280 tokens of 128 KiB, beside 90 % of what a v5e has.
static_assert([] {
  const slice s = slice_for("v5litepod-1");
  serving_job job;
  job.prompt = fixed_length(1024), job.output = fixed_length(256), job.block_tokens = 16;
  const double needed = 1.02 * 2 * 8030261248.0 + 1073741824.0 + 1280 * 131072.0;
  const double lacking = needed - 0.9 * usable_hbm_per_device(s.chip).value();
  const double found = serving_shortage(llama_3_8b(), job, {}, s).value();
  return found > 1e9 && found / lacking < 1 + 1e-12 && found / lacking > 1 - 1e-12;
}());
static_assert([] {
  serving_job job;
  job.prompt = fixed_length(1024), job.output = fixed_length(256);
  return serving_shortage(llama_3_8b(), job, {}, slice_for("v6e-1")) == bytes{0};
}());

// The longest context fits, one token more does not.
static_assert([] {
  for (const char* slice_name : {"v6e-1", "v6e-4", "v5p-8", "v5litepod-8", "tpu7x-8"}) {
    const slice s = slice_for(slice_name);
    serving_job job;
    job.weights = dtype::int8;
    const std::int64_t longest = largest_serving_context(llama_3_8b(), job, {}, s);
    const detail::served_model v = detail::served_by(llama_3_8b(), job, {}, s);
    const auto holds = [&](std::int64_t tokens) {
      return detail::on_device(v, detail::cache_of(llama_3_8b(), job, static_cast<double>(tokens))) <=
             detail::cache_room(v, job, s);
    };
    if (!holds(longest) || holds(longest + 1)) return false;
  }
  return true;
}());

}  // namespace

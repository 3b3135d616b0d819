// The worked numbers in the comments of estimate/serving/memory.hpp, and its edges. It compiles, so it passes.
#include <cstdint>
#include <tpuplan/estimate/serving/memory.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_serving_memory_tests {

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

// An encoder of which not even the weights fit takes no text at all.
static_assert([] {
  transformer model = llama_3_8b();
  model.kind = architecture::encoder;
  serving_job job;
  job.prompt = fixed_length(512);
  return largest_running(model, job, {}, slice_for("v5litepod-1")) == 0 &&
         largest_running(model, job, {}, slice_for("v6e-1")) > 0;
}());

// A prefix that all sequences share is held once: of 16000 tokens and 500 of its own, with half of 300 of output, each
// sequence takes 650 tokens and not 16650. Of as many groups as sequences nothing is saved.
static_assert([] {
  const slice s = slice_for("v6e-4");
  serving_job job;
  job.prompt = fixed_length(16500), job.output = fixed_length(300), job.prefix_hit_rate = 0.9;
  const double whole = static_cast<double>(largest_running(llama_3_8b(), job, {}, s));
  job.shared_prefix = 16000;
  const double shared = static_cast<double>(largest_running(llama_3_8b(), job, {}, s));
  const double one = 16650.0, own = 650.0, room = 16000 + shared * own;
  const bool fills = room <= one * (whole + 1) && room + own > one * whole;
  job.prefix_groups = 1000;
  return fills && shared > 20 * whole && largest_running(llama_3_8b(), job, {}, s) == static_cast<std::int64_t>(whole);
}());
static_assert([] {
  serving_job job;
  job.prompt = fixed_length(1000), job.output = fixed_length(200), job.prefix_hit_rate = 0.5, job.block_tokens = 16;
  job.shared_prefix = 600, job.prefix_groups = 4;
  for (double running : {1.0, 4.0, 9.0, 300.0}) {
    const double back = detail::sharing_sequences(job, detail::whole_sequences(job, running));
    if (back / running > 1 + 1e-12 || back / running < 1 - 1e-12) return false;
  }
  return detail::shared_blocks(job) == 37.0 / 69;
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

}  // namespace static_estimate_serving_memory_tests

// The worked numbers in the comments of model/engines.hpp. It compiles, so it passes.
#include <tpuplan/model/engines.hpp>

using namespace tpuplan;

namespace static_model_engines_tests {

namespace {

static_assert(*parse_serving_engine("tpu-inference") == serving_engine::vllm);
static_assert(*parse_serving_engine("maxtext") == serving_engine::jetstream);
static_assert(*parse_serving_engine("SGLang") == serving_engine::sglang_jax);
static_assert(*parse_serving_engine("vllm-torch-xla") == serving_engine::vllm_torch_xla);
static_assert(name(*parse_serving_engine("sglang-jax")) == "sglang-jax" && !parse_serving_engine("triton"));
static_assert(!parse_serving_engine("") && name(static_cast<serving_engine>(99)) == "?");
static_assert(names_of<serving_engine>() ==
              "unnamed, jetstream, vllm, vllm-torch-xla, sglang-jax, example or vllm-torchtpu");
static_assert(names_of<cache_policy>() == "paged or reserved");

// What a scheduler takes by itself says where it was read.
static_assert([] {
  for (const detail::engine_row& row : detail::engines) {
    if ((row.step_tokens > 0 || row.prompts_alone) && detail::is_empty(row.scheduler)) return false;
  }
  return true;
}());

// Each engine that can be started says on which chips.
static_assert([] {
  for (const detail::engine_row& row : detail::engines) {
    if (!detail::is_empty(row.command) && detail::is_empty(row.chips)) return false;
    if (!detail::is_empty(row.command) && (detail::is_empty(row.title) || !detail::is_empty(row.ended))) return false;
  }
  return true;
}());

}  // namespace

}  // namespace static_model_engines_tests

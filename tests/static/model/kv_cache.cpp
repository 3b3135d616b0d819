// The worked numbers in the comments of model/kv_cache.hpp, and its edges. It compiles, so it passes.
#include <tpuplan/model/kv_cache.hpp>

#include "support/models.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_kv_cache_tests {

namespace {

static_assert(kv_bytes_per_token(llama_3_8b(), dtype::bf16) == 131072_B);
static_assert(kv_bytes_per_token(deepseek_v3(), dtype::bf16) == 70272_B);
static_assert(kv_bytes_per_sequence(gemma_2_9b(), 8192, dtype::bf16, window_eviction::evict) == 2113929216_B);

}  // namespace

}  // namespace static_model_kv_cache_tests

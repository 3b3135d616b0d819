// The worked numbers in the comments of estimate/training/memory.hpp, and its edges. It compiles, so it passes.
#include <cstddef>
#include <tpuplan/estimate/training/memory.hpp>
#include <tpuplan/hardware/slice.hpp>

#include "support/models.hpp"

using namespace tpuplan;

namespace static_estimate_training_memory_tests {

namespace {

constexpr memory_breakdown memory_of(double low, double high, double usable) {
  memory_breakdown m;
  m.low = bytes{low}, m.high = bytes{high}, m.usable = bytes{usable};
  return m;
}

// A verdict is yes below 97 % of what is usable, not at it; no above 103 %, not at it.
static_assert(fits(memory_of(1, 96.9, 100)) == verdict::yes);
static_assert(fits(memory_of(1, 97, 100)) == verdict::uncertain);
static_assert(fits(memory_of(103, 104, 100)) == verdict::uncertain);
static_assert(fits(memory_of(103.1, 104, 100)) == verdict::no);

constexpr memory_breakdown half_full() {
  memory_breakdown m;
  m.total = 15.5_GiB, m.usable = 31.25_GiB;
  return m;
}
static_assert(headroom(half_full()) == 15.75_GiB);

constexpr memory_terms llama_terms =
    memory_terms_of(sizes_of(llama_3_8b(), job_of(64, 4096)), llama_3_8b(), job_of(64, 4096), 1, memory_point);
static_assert(llama_terms[static_cast<std::size_t>(memory_stage::logits)].logits == bytes{513024});
static_assert(llama_terms[static_cast<std::size_t>(memory_stage::update)].optimizer == bytes{8.0 * 8030261248});

constexpr stage_terms some_stage() {
  stage_terms s;
  s.parameters = bytes{400}, s.optimizer = bytes{800}, s.gradients = bytes{200}, s.gathered = bytes{50};
  s.activations = bytes{3}, s.logits = bytes{4}, s.workspace = bytes{5};
  s.routed = bytes{10}, s.worst = 1;
  return s;
}
constexpr memory_layout ten_shards() {
  memory_layout at;
  at.weight_shards = 10, at.gathers = 1, at.worst_routed = 4;
  return at;
}
static_assert(fixed_bytes(some_stage(), ten_shards(), false) == bytes{190});
static_assert(bytes_per_token(some_stage()) == bytes{12});
static_assert(routed_bytes_per_token(some_stage(), ten_shards()) == bytes{40});

}  // namespace

}  // namespace static_estimate_training_memory_tests

// What a step reads, multiplies and sends of a decoder, an encoder and a pair of stacks. It compiles, so it passes.
#include <tpuplan/estimate/serving/served_model.hpp>

#include "support/models.hpp"
#include "support/near.hpp"
#include "support/stacks.hpp"

using namespace tpuplan;

namespace static_estimate_serving_served_model_tests {

namespace {

constexpr detail::served_model served(const transformer& model) {
  serving_job job;
  job.prompt = fixed_length(128);
  return detail::served_by_valid(model, job, {}, slice_for("v6e-4"), false);
}

// A decoder reads all weights for prompts; each layer has two all-reduces and one kernel that goes over the sequences.
constexpr detail::served_model llama = served(llama_3_8b());
static_assert(llama.streamed == llama.held);
static_assert(llama.layers == 32 && llama.passes == 32);
static_assert(llama.summed == 2 * 32 * 4096);
static_assert(llama.covered);
// 32 heads over four devices fill a tile of eight sublanes in each layer.
static_assert(llama.rows == 32 * 8);

// An encoder reads what it multiplies and has no pages; no run of one is published.
constexpr detail::served_model bert = served(bert_base());
static_assert(bert.streamed == bert.matrices);
static_assert(bert.rows == 0 && !bert.covered);

// A layer with cross-attention has three all-reduces and two kernels; all weights are held, and those of the decoder
// read: 6 x 768^2 and 2 x 768 x 3072 in each layer, the table, norms and relative positions.
constexpr detail::served_model t5 = served(t5_base());
static_assert(t5.held == 222903552);
static_assert(near(t5.dense, 12 * (6 * 768.0 * 768 + 2 * 768 * 3072) + 32128.0 * 768 + 37 * 768 + 32 * 12, 1e-6));
static_assert(t5.layers == 18 && t5.passes == 24);
static_assert(t5.summed == 3 * 12 * 768);
static_assert(!t5.covered);
static_assert(t5.reads.each == 36864);

// A recurrent state of four heads is held once by a group of two devices, and twice by the eight of a replica.
static_assert([] {
  transformer model = llama_3_8b();
  model.layers = 2, model.recurrent.layers = 1;
  model.recurrent.width = 64, model.recurrent.heads = 4, model.recurrent.key_dim = 16;
  detail::replica on;
  on.devices = 8;
  return detail::state_copies(model, {8, {}, {}, 2}, on) == 1 && detail::state_copies(model, {8, {}, {}, 0}, on) == 2 &&
         detail::state_copies(model, {8, {}, {}, 8}, on) == 2;
}());
// One of a single head is shared by its 64 channels.
static_assert([] {
  transformer model = llama_3_8b();
  model.layers = 2, model.recurrent.layers = 1;
  model.recurrent.width = 64, model.recurrent.heads = 1, model.recurrent.key_dim = 16;
  detail::replica on;
  on.devices = 128;
  return detail::state_copies(model, {128, {}, {}, 64}, on) == 1 &&
         detail::state_copies(model, {128, {}, {}, 0}, on) == 2;
}());

}  // namespace

}  // namespace static_estimate_serving_served_model_tests

// The worked numbers in the comments of model/encoder_decoder.hpp. It compiles, so it passes.
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>

#include "support/models.hpp"
#include "support/near.hpp"
#include "support/pairs.hpp"

using namespace tpuplan;

namespace {

// By hand: 4 x 512^2 in attention and 2 x 512 x 2048 in the MLP of a layer, and scores over 512 tokens.
constexpr double layer = 4 * 512.0 * 512 + 2 * 512.0 * 2048;
constexpr pair_flops both = forward_flops_per_pair(t5_small(), 512, 512);
static_assert(near(both.encoder.value(), 2 * 6 * 512 * (layer + 2 * 512.0 * 512), 1));
static_assert(near(both.decoder.value(),
                   2 * 6 * 512 * (layer + 4 * 512.0 * 512 + 2 * 512.0 * (256 + 512)) + 2 * 512.0 * 512 * 32128, 1));
static_assert(both.total == both.encoder + both.decoder);
static_assert(forward_flops_per_pair(t5_small(), 512, 1).encoder == both.encoder);

// Whisper large-v3, by hand: 4 d^2 of attention and 8 d^2 of MLP in a layer, 2 d^2 for the queries and the output of
// cross-attention at the target's tokens and 2 d^2 for its keys and values at the source's.
constexpr double square = 1280.0 * 1280;
constexpr pair_flops heard = forward_flops_per_pair(whisper_large_v3(), 1500, 448);
static_assert(near_relative(heard.encoder.value(), 2 * 1500 * (32 * (12 * square + 2 * 1280.0 * 1500) + 5409280)));
static_assert(near_relative(heard.decoder.value(),
                            2 * 448 * (32 * (14 * square + 2 * 1280.0 * (224 + 1500)) + 1280.0 * 51866) +
                                2 * 1500 * 32 * 2 * square));

constexpr training_job of_targets(std::int64_t target, std::int64_t source = 0) {
  training_job job = job_of(1, target);
  job.source_length = source;
  return job;
}
static_assert(source_length(whisper_large_v3(), 448) == 1500 && source_length(t5_small(), 448) == 448);
static_assert(source_length(whisper_large_v3(), of_targets(448)) == 1500);
static_assert(source_length(whisper_large_v3(), of_targets(448, 1500)) == 1500);
static_assert(source_length(t5_small(), of_targets(448)) == 448 && source_length(t5_small(), of_targets(4, 9)) == 9);
static_assert(source_length(llama_3_8b(), of_targets(448)) == 0);
// A token of a target has its share of the pair's work, part by part.
constexpr forward_flops of_token = detail::forward_flops_of_job(t5_small(), of_targets(512));
static_assert(near_relative(512 * of_token.total.value(), both.total.value(), 1e-14));
static_assert(near_relative(of_token.qkv.value(), 2 * 6 * 9.0 * 512 * 512));
static_assert(near_relative(of_token.attention_output.value(), 2 * 6 * 3.0 * 512 * 512));
static_assert(near_relative(of_token.attention.value(), 2 * 6 * 2 * 512.0 * (512 + 256 + 512)));
static_assert(near_relative(of_token.mlp_up.value(), 2 * 12 * 512.0 * 2048));
static_assert(of_token.logits == flops{2 * 512.0 * 32128});
static_assert(detail::forward_flops_of_job(llama_3_8b(), of_targets(4096)).total ==
              forward_flops_per_token(llama_3_8b(), 4096).total);
// The stacks of a pair as models of their own: what multiplies a source and a target token, and nothing twice.
static_assert(parameters(encoder_of(t5_small())).matrices == 22020096);
static_assert(parameters(decoder_of(t5_small())).matrices == 38469632);
static_assert(parameters(encoder_of(t5_small())).matrices + parameters(decoder_of(t5_small())).matrices ==
              parameters(t5_small()).matrices);
static_assert(encoder_of(t5_small()).kind == architecture::encoder);
static_assert(decoder_of(t5_small()).kind == architecture::decoder);
static_assert(kv_bytes_per_token(decoder_of(t5_small())) == bytes{12288});
static_assert(near(forward_flops_per_token(decoder_of(t5_small()), 512).total.value() * 512,
                   both.decoder.value() - 2 * 6 * 512 * (2 * 512.0 * 512 + 2 * 512.0 * 512), 1));

static_assert(kv_bytes_per_pair(t5_small(), 1, 0 + 1).self == bytes{12288});
static_assert(kv_bytes_per_pair(t5_small(), 100, 10).cross == bytes{1228800});
static_assert(kv_bytes_per_pair(t5_small(), 100, 10).total == bytes{1351680});

}  // namespace

// The worked numbers in the comments of model/encoder_decoder.hpp. It compiles, so it passes.
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>

#include "support/near.hpp"
#include "support/pairs.hpp"

using namespace tpuplan;

namespace static_model_encoder_decoder_tests {

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

}  // namespace static_model_encoder_decoder_tests

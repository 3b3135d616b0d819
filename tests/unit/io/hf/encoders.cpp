// Encoders with decoders: parameters of published models, FLOPs and caches of both sides, and what is refused.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/hardware/slice_table.hpp>
#include <tpuplan/io/hf/encoders.hpp>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/serving_job.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;
using nlohmann::json;

namespace {

struct shape {
  const char* name;
  const char* type;
  const char* changes;
  std::int64_t parameters;
};

// Sums over the tensors that the classes of transformers build (main of 2025-12-23, d6a6c82680), each table of tokens
// once.
// clang-format off
const shape published[] = {
    {"facebook/bart-base", "bart", R"({"encoder_layers":6,"decoder_layers":6,"d_model":768,"encoder_ffn_dim":3072,"decoder_ffn_dim":3072,"encoder_attention_heads":12,"decoder_attention_heads":12})", 139420416},
    {"facebook/bart-large", "bart", R"({})", 406291456},
    {"facebook/bart-large-cnn", "bart", R"({"vocab_size":50264})", 406290432},
    {"facebook/mbart-large-cc25", "mbart", R"({"vocab_size":250027})", 610851840},
    {"openai/whisper-tiny", "whisper", R"({})", 37760640},
    {"openai/whisper-small", "whisper", R"({"d_model":768,"encoder_layers":12,"decoder_layers":12,"encoder_attention_heads":12,"decoder_attention_heads":12,"encoder_ffn_dim":3072,"decoder_ffn_dim":3072})", 241734912},
    {"openai/whisper-large-v3", "whisper", R"({"d_model":1280,"encoder_layers":32,"decoder_layers":32,"encoder_attention_heads":20,"decoder_attention_heads":20,"encoder_ffn_dim":5120,"decoder_ffn_dim":5120,"vocab_size":51866,"num_mel_bins":128})", 1543490560},
};
// clang-format on

transformer model_of(const shape& each) {
  json config = json::parse(each.changes);
  config["model_type"] = each.type;
  return read_hf_config(config).model;
}

}  // namespace

TEST_CASE("parameters of encoders with decoders", "[hf_encoders]") {
  for (const shape& each : published) {
    INFO(each.name);
    CHECK(parameters(model_of(each)).total == each.parameters);
  }
}

TEST_CASE("FLOPs and caches of both sides", "[hf_encoders]") {
  const transformer tiny = model_of({"", "whisper", "{}", 0});
  const pair_flops work = forward_flops_per_pair(tiny, 1500, 100);
  // Four layers of 1500 tokens: 4 d^2 and 2 x 4 d^2 of products, scores over all 1500, and the two convolutions.
  const double d = 384, stem = 3 * d * (80 + d) + 2 * d;
  CHECK(close(work.encoder.value(), 2 * 1500 * (4 * (12 * d * d + 2 * 1500 * d) + stem)));
  const double decoder = 4 * (100 * (4 * d * d + 2 * d * d + 8 * d * d + 2 * d * (50 + 1500)) + 1500 * 2 * d * d);
  CHECK(close(work.decoder.value(), 2 * (decoder + 100 * d * 51865)));
  CHECK(kv_bytes_per_pair(tiny, 1500, 100).cross == bytes{4 * 2 * 384 * 2 * 1500.0});
  CHECK(kv_bytes_per_pair(tiny, 1500, 100, dtype::fp32).self == bytes{4 * 2 * 384 * 4 * 100.0});
  CHECK(refusal_of([&] { (void)forward_flops_per_pair(tiny, 0, 1); }).refused);
  transformer decoder_alone = tiny;
  decoder_alone.kind = architecture::decoder;
  CHECK(refusal_of([&] { (void)kv_bytes_per_pair(decoder_alone, 1, 1); }).code == errc::unsupported);
}

TEST_CASE("what is not modelled of two stacks is said", "[hf_encoders]") {
  const auto refused = [](const char* type, const char* changes) {
    return refusal_of([&] { (void)model_of({"", type, changes, 0}); }).message;
  };
  CHECK(says(refused("bart", R"({"decoder_ffn_dim":2048})"), "config.decoder_ffn_dim is 2048; valid: encoder_ffn_dim"));
  CHECK(says(refused("whisper", R"({"encoder_attention_heads":5,"decoder_attention_heads":5})"),
             "config.encoder_attention_heads"));
  CHECK(says(refused("whisper", R"({"architectures":["WhisperForAudioClassification"]})"), "config.architectures"));
  const transformer bart = model_of({"", "bart", "{}", 0});
  training_job job;
  job.global_batch = job.sequence_length = 128;
  const slice where = slice_for("v5e-8");
  CHECK(says(refusal_of([&] { (void)step_time(bart, job, fsdp_layout(where), where); }).message, "two sequences"));
  serving_job served;
  served.prompt = served.output = fixed_length(16);
  CHECK(says(refusal_of([&] { validate(served, bart); }).message, "passes of an encoder"));
}

TEST_CASE("a decoder without output head has none in its FLOPs", "[hf_encoders]") {
  const transformer with = read_hf_config({{"model_type", "mistral"}}).model;
  const transformer without = read_hf_config({{"model_type", "mistral"}, {"architectures", {"MistralModel"}}}).model;
  CHECK(parameters(with).total - parameters(without).total == std::int64_t{4096} * 32000);
  CHECK(parameters(with).matrices - parameters(without).matrices == std::int64_t{4096} * 32000);
  CHECK(forward_flops_per_token(without, 4096).logits.value() == 0);
  CHECK(forward_flops_per_token(with, 4096).total - forward_flops_per_token(without, 4096).total ==
        flops{2.0 * 4096 * 32000});
}

// Models as blocks against published counts. It compiles, so it passes.
#include <tpuplan/model/sums.hpp>

#include "support/blocks.hpp"
#include "support/worked_models.hpp"

using namespace tpuplan;

namespace static_model_sums_tests {

namespace {

constexpr bool near(flops got, double expected) {
  return got.value() > expected * (1 - 1e-9) && got.value() < expected * (1 + 1e-9);
}

constexpr blocks::model llama = model_of(llama_3_8b());
static_assert(parameters(llama).total == 8030261248 && kv_bytes_per_token(llama).value() == 131072);
static_assert(forward_flops_per_token(llama, 4096).total.value() == 16083058688);
static_assert(kv_bytes_per_sequence(model_of(gemma_2_9b()), 8192).value() == 2113929216);

constexpr transformer gemma_3_27b_text() {
  transformer m;
  m.layers = 62, m.d_model = 5376, m.vocab = 262144, m.tied_embeddings = true, m.norms_per_layer = 4;
  m.attention.heads = 32, m.attention.kv_heads = 16, m.attention.head_dim = 128, m.attention.qk_norm = true;
  m.attention.window = 1024, m.attention.local_layers = 52;
  m.mlp.d_ff = 21504;
  return m;
}
constexpr blocks::model gemma = model_of(gemma_3_27b_text());
static_assert(parameters(gemma).total == 27009002240 && kv_bytes_per_token(gemma).value() == 507904);
static_assert(near(forward_flops_per_token(gemma, 4096).total, 5.511420314e10));

constexpr transformer deepseek_with_biases() {
  transformer m = deepseek_v3();
  m.moe.router_bias = true;
  return m;
}
constexpr blocks::model v3 = model_of(deepseek_with_biases());
static_assert(parameters(v3).total == 671026419200 && kv_bytes_per_token(v3).value() == 70272);
static_assert(near(forward_flops_per_token(v3, 4096).total, 8.348329574e10));

constexpr transformer deepseek_v32() {
  transformer m = deepseek_with_biases();
  m.attention.indexer = {64, 128, 2048};
  return m;
}
constexpr blocks::model v32 = model_of(deepseek_v32());
static_assert(parameters(v32).total == 671877944064 && kv_bytes_per_token(v32).value() == 85888);
static_assert(near(forward_flops_per_token(v32, 4096).total, 8.469059994e10));

constexpr transformer qwen3_next() {
  transformer m;
  m.layers = 48, m.d_model = 2048, m.vocab = 151936;
  m.attention.heads = 16, m.attention.kv_heads = 2, m.attention.head_dim = 256;
  m.attention.qk_norm = m.attention.output_gate = true;
  m.recurrent.kind = recurrence::gated_delta, m.recurrent.layers = 36, m.recurrent.width = 4096;
  m.recurrent.heads = 32, m.recurrent.key_heads = 16, m.recurrent.key_dim = 128, m.recurrent.kernel = 4;
  m.moe.experts = 512, m.moe.top_k = 10, m.moe.expert_d_ff = 512, m.moe.shared_d_ff = 512, m.moe.shared_gate = true;
  return m;
}
constexpr blocks::model next = model_of(qwen3_next());
static_assert(parameters(next).total == 79674391296);
static_assert(kv_bytes_per_token(next).value() == 24576 && state_bytes_per_sequence(next).value() == 77266944);
static_assert(near(forward_flops_per_token(next, 4096).total, 7680753664.0));

// ResNet-50 as torchvision has it.
constexpr blocks::convolution convolved(std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
  return {outputs, kernel, stride, kernel / 2, 1, false, false, norm_kind::batch};
}
constexpr void add_stage(blocks::model& m, std::int64_t width, std::int64_t layers, std::int64_t stride) {
  blocks::place once, shortcut, others{layers - 1};
  shortcut.branch = true;
  put(m, shortcut, convolved(4 * width, 1, stride));
  put(m, once, convolved(width, 1, 1));
  put(m, once, convolved(width, 3, stride));
  put(m, once, convolved(4 * width, 1, 1));
  put(m, others, convolved(width, 1, 1));
  put(m, others, convolved(width, 3, 1));
  put(m, others, convolved(4 * width, 1, 1));
}
constexpr blocks::model resnet_50() {
  blocks::model m;
  put(m, blocks::stream{"image", blocks::flow::example, 3, 224, 224});
  put(m, blocks::place{}, convolved(64, 7, 2));
  put(m, blocks::place{}, blocks::pooling{3, 2, 1});
  add_stage(m, 64, 3, 1);
  add_stage(m, 128, 4, 2);
  add_stage(m, 256, 6, 2);
  add_stage(m, 512, 3, 2);
  put(m, blocks::place{}, blocks::pooling{});
  put(m, blocks::place{}, blocks::dense{0, 1000});
  return m;
}
constexpr blocks::model resnet = resnet_50();
static_assert(resnet.all.size == 32);
static_assert(parameters(resnet).total == 25557032 && blocks::sums_of(resnet).statistics == 53120);
static_assert(forward_flops_per_example(resnet).value() == 2.0 * 4089184256);

// Wan 2.1 14B: a diffusion transformer over video, which attends to text; its time step is one position.
constexpr blocks::model wan() {
  blocks::model m;
  const blocks::place once{1, 0, put(m, blocks::stream{"video", blocks::flow::example, 64, 32760})};
  const blocks::place text{1, 0, put(m, blocks::stream{"text", blocks::flow::example, 4096, 512})};
  const blocks::place time{1, 0, put(m, blocks::stream{"time", blocks::flow::example, 256})};
  put(m, text, blocks::dense{0, 5120});
  put(m, text, blocks::dense{0, 5120});
  put(m, time, blocks::dense{0, 5120});
  put(m, time, blocks::dense{0, 5120});
  put(m, time, blocks::dense{0, 30720});
  put(m, once, blocks::dense{0, 5120});
  blocks::attention self{40, 40, 128};
  self.causal = false, self.qkv_bias = self.output_bias = self.wide_qk_norm = true;
  blocks::attention cross = self;
  cross.from_other = true;
  blocks::place layer = once, attending = once;
  layer.count = attending.count = 0, attending.other = text.stream;
  const int modulation = put(m, layer, blocks::modulation{6}), first = put(m, layer, self);
  const int norm = put(m, layer, blocks::norm{1, norm_kind::layer}), second = put(m, attending, cross);
  const int mlp = put(m, layer, blocks::mlp{13824, 0, false, true});
  repeat(m, 40, {modulation, first, norm, second, mlp});
  put(m, once, blocks::modulation{2});
  put(m, once, blocks::dense{0, 64});
  return m;
}
constexpr blocks::model video = wan();
static_assert(parameters(video).total == 14288491584);
static_assert(forward_flops_per_example(video).value() > 1.6775e15 &&
              forward_flops_per_example(video).value() < 1.6785e15);

// Two sequences of different lengths.
constexpr transformer t5_small() {
  transformer m;
  m.kind = architecture::encoder_decoder;
  m.layers = m.encoder_layers = 6, m.d_model = 512, m.vocab = 32128, m.tied_embeddings = true;
  m.attention.heads = m.attention.kv_heads = 8, m.attention.head_dim = 64, m.attention.relative_buckets = 32;
  m.mlp.d_ff = 2048, m.mlp.gated = false;
  return m;
}
static_assert(near(forward_flops_per_pair(model_of(t5_small()), 512, 512).total,
                   forward_flops_per_pair(t5_small(), 512, 512).total.value()));
static_assert(near(forward_flops_per_pair(model_of(t5_small()), 512, 512).encoder, 22.548578304e9));

}  // namespace

}  // namespace static_model_sums_tests

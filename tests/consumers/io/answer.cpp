#include <tpuplan/core.hpp>
#include <tpuplan/read/hf.hpp>
#include <tpuplan/show/fmt.hpp>

int main() {
  const auto config = nlohmann::json::parse(R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
    "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256})");
  const tpuplan::transformer model = tpuplan::read_hf_config(config).model;
  const auto batch = static_cast<int>(critical_batch(tpuplan::v5e, tpuplan::dtype::bf16));
  fmt::print("critical batch of v5e: {}, for {} layers in {}\n", batch, model.layers, tpuplan::v5e.hbm.capacity);
  return batch == 241 && model.layers == 32 ? 0 : 1;
}

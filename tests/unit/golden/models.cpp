// Parameters, FLOPs, caches and padding of every model of data/models, figure by figure, against
// tests/golden/models.txt. Whether they are true is what the oracles ask; here no figure changes unnoticed.

#include <cstdint>
#include <string>
#include <tpuplan/io/hf_config.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/vision.hpp>
#include <tpuplan/handbook/padding.hpp>

#include "support/catch.hpp"
#include "support/fields.hpp"
#include "support/golden.hpp"

using namespace tpuplan;

namespace {

void add_number(std::string& lines, const std::string& what, double (*ask)(const transformer&), const transformer& m) {
  lines_of_fields one;
  try {
    one.add(what, ask(m));
    lines += one.lines;
  } catch (const error& refusal) {
    lines += what + ": " + refusal.what() + "\n";
  }
}

}  // namespace

TEST_CASE("parameters, FLOPs, caches and padding of every model, figure by figure") {
  std::string lines;
  for (const char* file : {"bert-base-uncased",
                           "deepseek-v2-lite",
                           "deepseek-v3",
                           "gemma-2-9b",
                           "gemma-3-27b",
                           "gpt-oss-20b",
                           "gpt2",
                           "llama-2-70b",
                           "llama-3.1-8b",
                           "llama-3.2-11b-vision",
                           "llava-1.5-7b",
                           "mistral-7b-v0.1",
                           "mistral-small-3.1-24b",
                           "mixtral-8x7b",
                           "paligemma-3b",
                           "qwen2-vl-7b",
                           "qwen2.5-7b",
                           "qwen3-235b-a22b",
                           "qwen3-32b",
                           "t5-base",
                           "vit-base-patch16-224"}) {
    const transformer m = load_hf_config(std::string(TPUPLAN_DATA_DIR) + "/models/" + file + ".json").model;
    const std::string name = std::string(file) + ": ";
    add_answer(lines, name + "parameters", [&] { return parameters(m); });
    for (const std::int64_t length : {511, 4096, 100000}) {
      for (const flop_convention how :
           {flop_convention{}, flop_convention{attention_flops::full, window_flops::clipped, false, true, true},
            flop_convention{attention_flops::causal_half, window_flops::half, true, false, false},
            flop_convention{attention_flops::none, window_flops::smooth, true, true, false}}) {
        const std::string what = name + "FLOPs at " + std::to_string(length) + " " +
                                 std::to_string(static_cast<int>(how.attention)) +
                                 std::to_string(static_cast<int>(how.window));
        add_answer(lines, what, [&] { return forward_flops_per_token(m, length, how); });
      }
    }
    add_number(
        lines, name + "training FLOPs", [](const transformer& x) { return training_flops_per_token(x, 4096).value(); },
        m);
    add_number(
        lines, name + "FLOPs of an image",
        [](const transformer& x) { return vision_flops_per_image(x.vision).value(); }, m);
    add_number(
        lines, name + "cache of a token",
        [](const transformer& x) { return kv_bytes_per_token(x, dtype::bf16).value(); }, m);
    add_number(
        lines, name + "cache of a sequence",
        [](const transformer& x) { return kv_bytes_per_sequence(x, 5000, dtype::int8).value(); }, m);
    add_number(
        lines, name + "cache with windows",
        [](const transformer& x) {
          return kv_bytes_per_sequence(x, 100000, dtype::bf16, window_eviction::evict).value();
        },
        m);
    add_answer(lines, name + "padding", [&] { return padding(m, v6e); });
    add_answer(lines, name + "padding on v5e", [&] { return padding(m, v5e); });
    for (const weight_matrix& one : matrices_of(m)) {
      add_answer(lines, name + std::string(one.name.view()), [&] { return one; });
    }
  }
  CHECK(golden_problem("models.txt", lines) == "");
}

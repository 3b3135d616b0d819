// Models as lists of blocks against the counts of the short form, for every published checkpoint and every file of
// data/models: parameters by part, FLOPs under each convention, and what decoding keeps.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/model/encoder_decoder.hpp>
#include <tpuplan/model/sums.hpp>
#include <tpuplan/read/hf.hpp>
#include <vector>

#include "support/catch.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace oracle_blocks_tests {
namespace {

bool close(double a, double b) { return std::abs(a - b) <= 1e-13 * std::max(std::abs(a), std::abs(b)); }

bool same(const parameter_count& a, const parameter_count& b) { return detail::same_fields(a, b); }

bool same(const forward_flops& a, const forward_flops& b) {
  const auto part = [](flops x, flops y) { return close(x.value(), y.value()); };
  return part(a.qkv, b.qkv) && part(a.attention_output, b.attention_output) && part(a.attention, b.attention) &&
         part(a.mlp_up, b.mlp_up) && part(a.mlp_down, b.mlp_down) && part(a.experts_up, b.experts_up) &&
         part(a.experts_down, b.experts_down) && part(a.router, b.router) && part(a.logits, b.logits) &&
         part(a.weights, b.weights) && part(a.total, b.total);
}

void check_work(const transformer& model, const blocks::model& list) {
  const flop_convention conventions[] = {maxtext_flops,
                                         megatron_flops,
                                         six_n_flops,
                                         {attention_flops::full, window_flops::clipped},
                                         {attention_flops::causal_half, window_flops::half}};
  for (const flop_convention& how : conventions) {
    for (const std::int64_t sequence : {1024, 4096, 32768})
      CHECK(same(forward_flops_per_token(list, sequence, how), forward_flops_per_token(model, sequence, how)));
  }
}

void check_cache(const transformer& model, const blocks::model& list) {
  CHECK(close(kv_bytes_per_token(list).value(), kv_bytes_per_token(model).value()));
  CHECK(close(state_bytes_per_sequence(list).value(), state_bytes_per_sequence(model).value()));
  for (const std::int64_t length : {100, 5000, 100000}) {
    CHECK(close(kv_bytes_per_sequence(list, length).value(), kv_bytes_per_sequence(model, length).value()));
    const auto all = window_eviction::keep_all;
    CHECK(close(kv_bytes_per_sequence(list, length, dtype::fp8, all).value(),
                kv_bytes_per_sequence(model, length, dtype::fp8, all).value()));
  }
}

void check_pair(const transformer& model, const blocks::model& list) {
  const pair_flops work = forward_flops_per_pair(list, 500, 300), as_short = forward_flops_per_pair(model, 500, 300);
  CHECK(close(work.encoder.value(), as_short.encoder.value()));
  CHECK(close(work.decoder.value(), as_short.decoder.value()));
}

/// The layers of a list are those of the model, and each block stands in as many as its count says.
void check_layers(const transformer& model, const blocks::model& list) {
  std::int64_t layers = 0;
  std::vector<std::int64_t> standing(list.all.size);
  for (const blocks::layer& row : list.in_order) {
    layers += row.count;
    for (const std::int8_t part : row.parts) {
      if (part >= 0) standing[static_cast<std::size_t>(part)] += row.count;
    }
  }
  CHECK(layers == (has_text(model) ? model.layers + model.encoder_layers : 0) + model.vision.layers);
  for (std::size_t i = 0; i < list.all.size; ++i)
    CHECK((standing[i] == 0 || standing[i] == list.all.items[i].at.count));
}

void check_agreement(const transformer& model) {
  const blocks::model list = model_of(model);
  CHECK(same(parameters(list), parameters(model)));
  check_layers(model, list);
  if (has_vision(model))
    CHECK(close(forward_flops_per_example(list).value(), [&] {
      const std::int64_t ends = (model.classes > 0 ? (model.vision.d_model) * model.classes : 0) +
                                (model.pooler ? (has_text(model) ? model.d_model * model.d_model
                                                                 : model.vision.d_model * model.vision.d_model)
                                              : 0);
      return vision_flops_per_image(model.vision).value() + 2 * static_cast<double>(ends);
    }()));
  if (model.kind == architecture::encoder_decoder) return check_pair(model, list);
  if (!has_text(model)) return;
  check_work(model, list);
  if (model.kind == architecture::decoder) check_cache(model, list);
}

}  // namespace

TEST_CASE("blocks of published checkpoints count as the short form", "[checkpoints]") {
  const nlohmann::json file = load_json(std::string(TPUPLAN_DATA_DIR) + "/checkpoints.json");
  REQUIRE(file.at("checkpoints").size() > 600);
  for (const nlohmann::json& each : file.at("checkpoints")) {
    INFO(each.at("name"));
    check_agreement(read_hf_document(each.at("config"), "config").model);
  }
}

TEST_CASE("blocks of the files of data/models count as the short form", "[checkpoints]") {
  for (const auto& file : std::filesystem::directory_iterator(std::string(TPUPLAN_DATA_DIR) + "/models")) {
    if (file.path().filename() == "sources.json") continue;
    INFO(file.path().string());
    check_agreement(read_hf_document(load_json(file.path().string()), file.path().string()).model);
  }
}

}  // namespace oracle_blocks_tests

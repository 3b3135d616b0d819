// Shapes of models: what is refused, and counts of parameters, FLOPs and cache bytes worked out by hand.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/handbook/work.hpp>
#include <tpuplan/model/flops.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/training_job.hpp>
#include <vector>

#include "support/call.hpp"
#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace model_parameters_tests {

namespace {

constexpr std::int64_t huge = std::int64_t{1} << 60;

// Small enough to count on paper: 2 layers, 8 wide, 4 heads of 2 sharing 2 KV heads, MLP of 16, 10 words.
constexpr transformer small() {
  transformer m;
  m.layers = 2;
  m.d_model = 8;
  m.vocab = 10;
  m.attention.heads = 4;
  m.attention.kv_heads = 2;
  m.attention.head_dim = 2;
  m.mlp.d_ff = 16;
  return m;
}

constexpr transformer small_moe() {
  transformer m = small();
  m.layers = 3;
  m.moe.experts = 4;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 6;
  m.moe.shared_d_ff = 5;
  m.moe.dense_layers = 1;
  return m;
}

constexpr transformer small_latent() {
  transformer m = small();
  m.attention.kv_heads = 4;
  m.attention.head_dim = 0;
  m.attention.latent = {3, 4, 2, 1, 2};  // q_lora_rank, kv_lora_rank, nope, rope, v
  return m;
}

constexpr vision_spec small_tower() {
  vision_spec v;
  v.image_size = 4;
  v.patch_size = 2;
  v.layers = 1;
  v.d_model = 4;
  v.heads = 2;
  v.d_ff = 8;
  return v;
}

constexpr transformer small_with_vision() {
  transformer m = small();
  m.vision = small_tower();
  return m;
}

struct bad_shape {
  const char* what;
  plain_call<void(transformer&), 72> change;
  errc code;
  const char* field;
};

// 0, negative and too large, for a dimension that must be given.
void add_dimension(std::vector<bad_shape>& list, const char* field, plain_call<std::int64_t&(transformer&)> of) {
  list.push_back({"0", [of](transformer& m) { of(m) = 0; }, errc::missing_field, field});
  list.push_back({"-1", [of](transformer& m) { of(m) = -1; }, errc::invalid_argument, field});
  list.push_back({"2^60", [of](transformer& m) { of(m) = huge; }, errc::out_of_range, field});
}
// Negative and too large, for a part that may be 0.
void add_part(std::vector<bad_shape>& list, const char* field, plain_call<std::int64_t&(transformer&)> of) {
  list.push_back({"-1", [of](transformer& m) { of(m) = -1; }, errc::out_of_range, field});
  list.push_back({"2^60", [of](transformer& m) { of(m) = huge; }, errc::out_of_range, field});
}

void check_refused(const transformer& base, const std::vector<bad_shape>& list) {
  REQUIRE_FALSE(refusal_of([&] { validate(base); }).refused);
  for (const bad_shape& bad : list) {
    INFO(bad.field << " = " << bad.what);
    transformer m = base;
    bad.change(m);
    const refusal got = refusal_of([&] { validate(m); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == bad.code);
    CHECK(says(got.message, bad.field));
    // No public function over a transformer counts such a shape.
    CHECK(refusal_of([&] { (void)parameters(m); }).refused);
    CHECK(refusal_of([&] { (void)forward_flops_per_token(m, 128); }).refused);
    CHECK(refusal_of([&] { (void)kv_bytes_per_token(m); }).refused);
  }
}

}  // namespace

TEST_CASE("bad shapes of a dense model are refused by field") {
  std::vector<bad_shape> list;
  add_dimension(list, "model.layers", [](transformer& m) -> std::int64_t& { return m.layers; });
  add_dimension(list, "model.d_model", [](transformer& m) -> std::int64_t& { return m.d_model; });
  add_dimension(list, "model.vocab", [](transformer& m) -> std::int64_t& { return m.vocab; });
  add_dimension(list, "model.mlp.d_ff", [](transformer& m) -> std::int64_t& { return m.mlp.d_ff; });
  add_dimension(list, "model.attention.heads", [](transformer& m) -> std::int64_t& { return m.attention.heads; });
  add_dimension(list, "model.attention.kv_heads", [](transformer& m) -> std::int64_t& { return m.attention.kv_heads; });
  add_dimension(list, "model.attention.head_dim", [](transformer& m) -> std::int64_t& { return m.attention.head_dim; });
  add_part(list, "model.learned_positions", [](transformer& m) -> std::int64_t& { return m.learned_positions; });
  add_part(list, "model.mlp.activation_weights",
           [](transformer& m) -> std::int64_t& { return m.mlp.activation_weights; });
  add_part(list, "model.token_types", [](transformer& m) -> std::int64_t& { return m.token_types; });
  add_part(list, "model.extra_input_rows", [](transformer& m) -> std::int64_t& { return m.extra_input_rows; });
  add_part(list, "model.norms_per_layer", [](transformer& m) -> std::int64_t& { return m.norms_per_layer; });
  add_part(list, "model.classes", [](transformer& m) -> std::int64_t& { return m.classes; });
  add_part(list, "model.published_parameters", [](transformer& m) -> std::int64_t& { return m.published_parameters; });
  add_part(list, "model.published_active_parameters",
           [](transformer& m) -> std::int64_t& { return m.published_active_parameters; });
  add_part(list, "model.attention.window", [](transformer& m) -> std::int64_t& { return m.attention.window; });
  add_part(list, "model.attention.local_layers",
           [](transformer& m) -> std::int64_t& { return m.attention.local_layers; });
  add_part(list, "model.attention.kv_shared_layers",
           [](transformer& m) -> std::int64_t& { return m.attention.kv_shared_layers; });
  add_part(list, "model.attention.cross_layers",
           [](transformer& m) -> std::int64_t& { return m.attention.cross_layers; });
  add_part(list, "model.attention.global_head_dim",
           [](transformer& m) -> std::int64_t& { return m.attention.global_head_dim; });
  add_part(list, "model.attention.global_kv_heads",
           [](transformer& m) -> std::int64_t& { return m.attention.global_kv_heads; });
  add_part(list, "model.attention.relative_buckets",
           [](transformer& m) -> std::int64_t& { return m.attention.relative_buckets; });
  list.push_back({"3 of 4 heads", [](transformer& m) { m.attention.kv_heads = 3; }, errc::not_divisible,
                  "model.attention.kv_heads"});
  list.push_back({"8 of 4 heads", [](transformer& m) { m.attention.kv_heads = 8; }, errc::not_divisible,
                  "model.attention.kv_heads"});
  list.push_back({"above layers", [](transformer& m) { m.attention.local_layers = 3, m.attention.window = 4; },
                  errc::out_of_range, "model.attention.local_layers"});
  list.push_back({"local layers without", [](transformer& m) { m.attention.local_layers = 1; }, errc::missing_field,
                  "model.attention.window"});
  check_refused(small(), list);
}

TEST_CASE("bad shapes of a mixture of experts are refused by field") {
  std::vector<bad_shape> list;
  add_dimension(list, "model.moe.expert_d_ff", [](transformer& m) -> std::int64_t& { return m.moe.expert_d_ff; });
  add_part(list, "model.moe.top_k", [](transformer& m) -> std::int64_t& { return m.moe.top_k; });
  list.push_back({"0", [](transformer& m) { m.moe.top_k = 0; }, errc::missing_field, "model.moe.top_k"});
  add_part(list, "model.moe.shared_d_ff", [](transformer& m) -> std::int64_t& { return m.moe.shared_d_ff; });
  add_part(list, "model.moe.parallel_dense_d_ff",
           [](transformer& m) -> std::int64_t& { return m.moe.parallel_dense_d_ff; });
  add_part(list, "model.moe.dense_layers", [](transformer& m) -> std::int64_t& { return m.moe.dense_layers; });
  list.push_back({"2^60", [](transformer& m) { m.moe.experts = huge; }, errc::out_of_range, "model.moe.experts"});
  list.push_back({"5 of 4", [](transformer& m) { m.moe.top_k = 5; }, errc::out_of_range, "model.moe.top_k"});
  list.push_back(
      {"above layers", [](transformer& m) { m.moe.dense_layers = 4; }, errc::out_of_range, "model.moe.dense_layers"});
  list.push_back(
      {"0 with a dense layer", [](transformer& m) { m.mlp.d_ff = 0; }, errc::missing_field, "model.mlp.d_ff"});
  check_refused(small_moe(), list);
  // Without dense layers a dense width is not asked for.
  transformer all_experts = small_moe();
  all_experts.moe.dense_layers = 0;
  all_experts.mlp.d_ff = 0;
  CHECK_FALSE(refusal_of([&] { validate(all_experts); }).refused);
}

TEST_CASE("parts that switch a feature on are refused where they are negative") {
  struct row {
    const char* field;
    plain_call<void(transformer&)> change;
  };
  for (const row& r : {row{"model.moe.experts", [](transformer& m) { m.moe.experts = -1; }},
                       {"model.moe.top_k", [](transformer& m) { m.moe.top_k = -1; }},
                       {"model.vision.layers", [](transformer& m) { m.vision.layers = -1; }}}) {
    INFO(r.field);
    transformer m = small();
    r.change(m);
    const refusal got = refusal_of([&] { validate(m); });
    CHECK(got.code == errc::out_of_range);
    CHECK(says(got.message, r.field));
  }
}

TEST_CASE("bad shapes of latent attention are refused by field") {
  std::vector<bad_shape> list;
  using latent = latent_attention_spec;
  const auto of = [](std::int64_t latent::*field) {
    return [field](transformer& m) -> std::int64_t& { return m.attention.latent.*field; };
  };
  add_dimension(list, "model.attention.latent.qk_nope_head_dim", of(&latent::qk_nope_head_dim));
  add_dimension(list, "model.attention.latent.qk_rope_head_dim", of(&latent::qk_rope_head_dim));
  add_dimension(list, "model.attention.latent.v_head_dim", of(&latent::v_head_dim));
  add_part(list, "model.attention.latent.q_lora_rank", of(&latent::q_lora_rank));
  check_refused(small_latent(), list);
}

TEST_CASE("a latent rank that cannot be is refused") {
  for (const std::int64_t rank : {std::int64_t{-1}, huge}) {
    INFO(rank);
    transformer m = small_latent();
    m.attention.latent.kv_lora_rank = rank;
    const refusal got = refusal_of([&] { validate(m); });
    CHECK(got.refused);
    CHECK(says(got.message, "kv_lora_rank"));
  }
}

TEST_CASE("bad vision towers are refused") {
  struct bad_tower {
    const char* what;
    plain_call<void(vision_spec&)> change;
    errc code;
    const char* field;
  };
  std::vector<bad_tower> list;
  using tower = vision_spec;
  struct named_size {
    const char* field;
    std::int64_t& (*of)(tower&);
  };
  for (const named_size& size :
       {named_size{"model.vision.d_model", [](tower& v) -> std::int64_t& { return v.d_model; }},
        {"model.vision.heads", [](tower& v) -> std::int64_t& { return v.heads; }},
        {"model.vision.d_ff", [](tower& v) -> std::int64_t& { return v.d_ff; }},
        {"model.vision.channels", [](tower& v) -> std::int64_t& { return v.channels; }},
        {"model.vision.temporal_patch", [](tower& v) -> std::int64_t& { return v.temporal_patch; }},
        {"model.vision.patch_size", [](tower& v) -> std::int64_t& { return v.patch_size; }},
        {"model.vision.image_size", [](tower& v) -> std::int64_t& { return v.image_size; }},
        {"model.vision.projector.merge", [](tower& v) -> std::int64_t& { return v.projector.merge; }}}) {
    const auto of = size.of;
    list.push_back({"0", [of](tower& v) { of(v) = 0; }, errc::missing_field, size.field});
    list.push_back({"-2", [of](tower& v) { of(v) = -2; }, errc::invalid_argument, size.field});
    list.push_back({"2^60", [of](tower& v) { of(v) = huge; }, errc::out_of_range, size.field});
  }
  for (const named_size& part :
       {named_size{"model.vision.learned_positions", [](tower& v) -> std::int64_t& { return v.learned_positions; }},
        {"model.vision.extra_norms", [](tower& v) -> std::int64_t& { return v.extra_norms; }},
        {"model.vision.other_weights", [](tower& v) -> std::int64_t& { return v.other_weights; }},
        {"model.vision.tokens_per_image", [](tower& v) -> std::int64_t& { return v.tokens_per_image; }},
        {"model.vision.projector.norm_weights", [](tower& v) -> std::int64_t& { return v.projector.norm_weights; }},
        {"model.vision.projector.input", [](tower& v) -> std::int64_t& { return v.projector.input; }},
        {"model.vision.projector.hidden", [](tower& v) -> std::int64_t& { return v.projector.hidden; }},
        {"model.vision.projector.output", [](tower& v) -> std::int64_t& { return v.projector.output; }}}) {
    const auto of = part.of;
    list.push_back({"-1", [of](tower& v) { of(v) = -1; }, errc::out_of_range, part.field});
    list.push_back({"2^60", [of](tower& v) { of(v) = huge; }, errc::out_of_range, part.field});
  }
  list.push_back({"3 of 4 pixels", [](tower& v) { v.patch_size = 3; }, errc::not_divisible, "model.vision.patch_size"});
  list.push_back({"3 heads of 4", [](tower& v) { v.heads = 3; }, errc::not_divisible, "model.vision.heads"});
  REQUIRE_FALSE(refusal_of([] { validate(small_with_vision()); }).refused);
  for (const bad_tower& bad : list) {
    INFO(bad.field << ": " << bad.what);
    transformer m = small_with_vision();
    bad.change(m.vision);
    const refusal got = refusal_of([&] { validate(m); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == bad.code);
    CHECK(says(got.message, bad.field));
    CHECK(refusal_of([&] { (void)vision_parameters(m.vision); }).refused);
    CHECK(refusal_of([&] { (void)vision_flops_per_image(m.vision); }).refused);
    CHECK(refusal_of([&] { (void)image_tokens(m.vision); }).refused);
    CHECK(refusal_of([&] { (void)vision_tokens(m.vision); }).refused);
  }
  transformer only_vision;
  only_vision.kind = architecture::vision;
  const refusal got = refusal_of([&] { validate(only_vision); });
  CHECK(got.code == errc::missing_field);
  CHECK(says(got.message, "model.vision.layers"));
}

TEST_CASE("counts that do not fit in 63 bits are refused, not wrapped") {
  constexpr std::int64_t large = 16777216;
  transformer m = small();
  m.layers = m.d_model = m.vocab = m.mlp.d_ff = m.attention.heads = m.attention.kv_heads = m.attention.head_dim = large;
  REQUIRE_FALSE(refusal_of([&] { validate(m); }).refused);  // each dimension by itself is allowed
  CHECK(refusal_of([&] { (void)parameters(m); }).code == errc::out_of_range);
  CHECK(refusal_of([&] { (void)forward_flops_per_token(m, 128); }).code == errc::out_of_range);
  CHECK(refusal_of([&] { (void)kv_bytes_per_token(m); }).code == errc::out_of_range);
  transformer experts = small_moe();
  experts.moe.experts = experts.moe.expert_d_ff = experts.d_model = large;
  CHECK(refusal_of([&] { (void)parameters(experts); }).code == errc::out_of_range);
  vision_spec v = small_tower();
  v.d_model = v.d_ff = v.layers = large;
  CHECK(refusal_of([&] { (void)vision_parameters(v); }).code == errc::out_of_range);
  CHECK(refusal_of([] { (void)kv_bytes_per_sequence(small(), std::numeric_limits<std::int64_t>::max()); }).code ==
        errc::out_of_range);
  training_job job;
  job.global_batch = huge;
  job.sequence_length = huge;
  CHECK(refusal_of([&] { (void)tokens_per_step(job); }).code == errc::out_of_range);
}

// ---- parameters by hand
// -------------------------------------------------------------------------------------------------

TEST_CASE("parameters of a small model with grouped queries") {
  constexpr parameter_count count = parameters(small());
  STATIC_REQUIRE(count.embedding == 10 * 8);
  // Queries 8x8, keys and values 8x4 each, output 8x8.
  STATIC_REQUIRE(count.attention == 2 * (64 + 32 + 32 + 64));
  STATIC_REQUIRE(count.mlp == 2 * (3 * 8 * 16));
  STATIC_REQUIRE(count.norms == 2 * 2 * 8 + 8);
  STATIC_REQUIRE(count.lm_head == 80);
  STATIC_REQUIRE(count.total == 80 + 384 + 768 + 40 + 80);
  STATIC_REQUIRE(count.active == count.total);
  STATIC_REQUIRE(count.matrices == 384 + 768 + 80);  // no look-up, no norms
  STATIC_REQUIRE(
      (count.experts == 0 && count.router == 0 && count.vision == 0 && count.projector == 0 && count.head == 0));
}

TEST_CASE("every switch of a dense model adds what it should") {
  struct row {
    const char* what;
    plain_call<void(transformer&)> change;
    std::int64_t added;
  };
  const std::int64_t base = parameters(small()).total;
  const std::vector<row> rows = {
      {"tied embeddings", [](transformer& m) { m.tied_embeddings = true; }, -80},
      {"learned positions", [](transformer& m) { m.learned_positions = 5; }, 40},
      {"token types", [](transformer& m) { m.token_types = 2; }, 16},
      {"extra rows of the token table", [](transformer& m) { m.extra_input_rows = 3; }, 24},
      {"other products", [](transformer& m) { m.other_products = 7; }, 7},
      {"weights that some layers lack", [](transformer& m) { m.other_weights = -3; }, -3},
      // Tables and head of 4 in place of 8, and a matrix with a bias.
      {"narrower tables", [](transformer& m) { m.embedding_width = 4; }, -10 * 4 - 10 * 4 + 4 * 8 + 8},
      // One layer's weights less: 8 (8 + 4 + 4 + 8) of attention, 3 x 8 x 16 of the MLP and two norms.
      {"layers that share their weights", [](transformer& m) { m.layer_sets = 1; }, -(8 * 24 + 3 * 8 * 16 + 16)},
      {"keys that are values", [](transformer& m) { m.attention.single_kv = true; }, -2 * 8 * 4},
      // Two KV heads and the output of four heads, each one narrower.
      {"narrower values", [](transformer& m) { m.attention.value_dim = 1; }, -2 * (8 * 2 + 8 * 4)},
      // Four heads of 2 to rank 3 by group, two groups to the model, in place of 8 x 8.
      {"output in two matrices", [](transformer& m) { m.attention.output_rank = 3, m.attention.output_groups = 2; },
       2 * (3 * (8 + 2 * 8) - 64)},
      {"queries of low rank", [](transformer& m) { m.attention.latent.q_lora_rank = 3; }, 2 * (3 * 16 - 64 + 3)},
      {"norms with bias", [](transformer& m) { m.norm_bias = true; }, 40},
      {"four norms a layer", [](transformer& m) { m.norms_per_layer = 4; }, 2 * 2 * 8},
      {"no final norm", [](transformer& m) { m.final_norm = false; }, -8},
      {"norm after the embeddings", [](transformer& m) { m.embedding_norm = true; }, 8},
      {"ungated MLP", [](transformer& m) { m.mlp.gated = false; }, -2 * 8 * 16},
      {"MLP biases", [](transformer& m) { m.mlp.bias = true; }, 2 * (2 * 16 + 8)},
      {"biases of queries, keys and values", [](transformer& m) { m.attention.qkv_bias = true; }, 2 * (8 + 4 + 4)},
      {"bias of the output", [](transformer& m) { m.attention.output_bias = true; }, 2 * 8},
      {"norms of queries and keys", [](transformer& m) { m.attention.qk_norm = true; }, 2 * (2 + 2)},
      {"sinks", [](transformer& m) { m.attention.sinks = true; }, 2 * 4},
      {"one KV head", [](transformer& m) { m.attention.kv_heads = 1; }, -2 * 2 * 8 * 2},
      {"heads wider than the model", [](transformer& m) { m.attention.head_dim = 3; }, 2 * 8 * (4 + 2 + 2 + 4)},
      {"a layer without keys and values", [](transformer& m) { m.attention.kv_shared_layers = 1; }, -2 * 8 * 4},
      {"pooler", [](transformer& m) { m.pooler = true; }, 8 * 8 + 8},
      {"relative positions", [](transformer& m) { m.attention.relative_buckets = 6; }, 6 * 4},
  };
  for (const row& r : rows) {
    INFO(r.what);
    transformer m = small();
    r.change(m);
    CHECK(parameters(m).total - base == r.added);
  }
}

TEST_CASE("parameters of a small mixture of experts") {
  constexpr parameter_count count = parameters(small_moe());
  STATIC_REQUIRE(count.attention == 3 * 192);
  STATIC_REQUIRE(count.mlp == 1 * 3 * 8 * 16 + 2 * 3 * 8 * 5);  // one dense layer; two with a shared expert
  STATIC_REQUIRE(count.experts == 2 * 4 * 3 * 8 * 6);
  STATIC_REQUIRE(count.router == 2 * 8 * 4);
  STATIC_REQUIRE(count.norms == 3 * 2 * 8 + 8);
  STATIC_REQUIRE(count.total == 80 + 576 + 624 + 1152 + 64 + 56 + 80);
  STATIC_REQUIRE(count.active == count.total - 1152 / 2);  // two of four experts
  STATIC_REQUIRE(count.matrices == 576 + 624 + 576 + 64 + 80);
  transformer gated = small_moe();
  gated.moe.shared_gate = true;
  CHECK(parameters(gated).router - count.router == 2 * 8);
  transformer biased = small_moe();
  biased.moe.router_bias = true;
  biased.moe.expert_bias = true;
  CHECK(parameters(biased).router - count.router == 2 * 4);
  CHECK(parameters(biased).experts - count.experts == 2 * 4 * (2 * 6 + 8));
}

TEST_CASE("parameters of small latent attention") {
  // Queries 8x3 and 3x(4x3); keys and values 8x(4+1) and 4x(4x(2+2)); output (4x2)x8; norms of 3 and 4.
  STATIC_REQUIRE(parameters(small_latent()).attention == 2 * (24 + 36 + 40 + 64 + 64 + 7));
  transformer direct = small_latent();
  direct.attention.latent.q_lora_rank = 0;  // queries 8x(4x3)
  CHECK(parameters(direct).attention == 2 * (96 + 40 + 64 + 64 + 4));
}

TEST_CASE("parameters of a small encoder-decoder") {
  transformer m = small();
  m.kind = architecture::encoder_decoder;
  m.encoder_layers = 1;
  m.tied_embeddings = true;
  m.mlp.gated = false;
  m.attention.kv_heads = 4;
  m.attention.relative_buckets = 6;
  const parameter_count count = parameters(m);
  CHECK(count.embedding == 80);
  // 2 decoder layers with self- and cross-attention, 1 encoder layer: five of 4 x 8 x 8; one table per stack.
  CHECK(count.attention == 5 * 256 + 2 * 6 * 4);
  CHECK(count.mlp == 3 * 2 * 8 * 16);
  // Decoder 3 a layer and a final one; encoder 2 and a final one.
  CHECK(count.norms == 8 * (3 * 2 + 1 + 2 + 1));
  CHECK(count.total == 80 + 1328 + 768 + 80);
  CHECK(refusal_of([&] { (void)forward_flops_per_token(m, 128); }).code == errc::unsupported);
  CHECK(refusal_of([&] { (void)kv_bytes_per_token(m); }).code == errc::unsupported);
  m.encoder_layers = 0;
  CHECK(says(refusal_of([&] { validate(m); }).message, "model.encoder_layers"));
}

TEST_CASE("parameters of what only some decoders and encoders have") {
  const auto more = [](void (*change)(transformer&)) {
    transformer m = small();
    const std::int64_t before = parameters(m).total;
    change(m);
    return parameters(m).total - before;
  };
  CHECK(more([](transformer& m) { m.attention.qk_norm = true; }) == 2 * 2 * 2);             // two norms of 2
  CHECK(more([](transformer& m) { m.attention.wide_qk_norm = true; }) == 2 * (4 + 2) * 2);  // of every head
  transformer shared = small();  // whose second layer has no keys of its own to norm
  shared.attention.kv_shared_layers = 1;
  const std::int64_t without = parameters(shared).total;
  shared.attention.wide_qk_norm = true;
  CHECK(parameters(shared).total - without == (4 + 2 + 4) * 2);
  CHECK(more([](transformer& m) { m.mlp.activation_weights = 3; }) == 2 * 3);
  CHECK(more([](transformer& m) { m.head_bias = true; }) == 10);
  CHECK(more([](transformer& m) { m.head_transform = true; }) == 8 * 8 + 8 + 8);
  CHECK(more([](transformer& m) { m.pooler = true; }) == 8 * 8 + 8);
  CHECK(more([](transformer& m) { m.classes = 3; }) == 9 * 3);
}

TEST_CASE("parameters of a small vision tower and its projector") {
  // A layer: 4x4x4 and biases 3x4 + 4, two norms of 8, MLP 2x4x8 + 8 + 4; patches 3x2x2 x 4 + 4.
  STATIC_REQUIRE(vision_parameters(small_tower()) == (64 + 16 + 16 + 64 + 12) + (48 + 4));
  vision_spec v = small_tower();
  v.class_token = true;
  v.learned_positions = 5;
  v.extra_norms = 1;
  v.other_weights = 9;
  CHECK(vision_parameters(v) - vision_parameters(small_tower()) == 4 + 5 * 4 + 8 + 9);
  v = small_tower();
  v.gated = true;
  CHECK(vision_parameters(v) - vision_parameters(small_tower()) == 4 * 8 + 8);
  CHECK(projector_parameters(small_tower()) == 0);
  v.projector.input = 4;
  v.projector.hidden = 6;
  v.projector.output = 8;
  v.projector.bias = true;
  v.projector.norm_weights = 4;
  CHECK(projector_parameters(v) == 4 + 4 * 6 + 6 + 6 * 8 + 8);
  v.projector.hidden = 0;
  v.projector.bias = false;
  v.projector.merge = 2;
  v.projector.merge_matrix = true;
  CHECK(projector_parameters(v) == 4 + 2 * 2 * 4 * 4 + 4 * 8);
  transformer m = small();
  m.vision = v;
  m.classes = 7;
  const parameter_count count = parameters(m);
  CHECK(count.vision == vision_parameters(v));
  CHECK(count.projector == 4 + 64 + 32);
  CHECK(count.head == 5 * 7);
  CHECK(count.total == parameters(small()).total + count.vision + count.projector + count.head);
}

TEST_CASE("tokens of images") {
  STATIC_REQUIRE(patches(4, 2) == 4);
  STATIC_REQUIRE(vision_tokens(small_tower()) == 4);
  STATIC_REQUIRE(image_tokens(small_tower()) == 4);
  vision_spec v = small_tower();
  v.class_token = true;
  CHECK(vision_tokens(v) == 5);
  CHECK(image_tokens(v) == 4);
  v.projector.merge = 2;
  CHECK(image_tokens(v) == 1);
  v.tokens_per_image = 3;
  CHECK(image_tokens(v) == 3);
  CHECK(refusal_of([] { (void)patches(225, 16); }).code == errc::not_divisible);
  CHECK(refusal_of([] { (void)patches(0, 16); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)patches(224, -16); }).code == errc::invalid_argument);
}

TEST_CASE("FLOPs of a small vision tower") {
  // 4 tokens: products 4 x (4x4x4 + 2x4x8), attention 2 x 4 x 4 x 4, patches 4 x 12 x 4; two FLOPs each.
  STATIC_REQUIRE(vision_flops_per_image(small_tower()).value() == 2 * (4 * (64 + 64) + 128 + 192));
}

TEST_CASE("a published count stands in for the counted one") {
  transformer m = small();
  m.published_parameters = parameters(m).total * 2;
  m.published_active_parameters = parameters(m).matrices / 2;
  const parameter_count count = parameters(m);
  CHECK(count.total == m.published_parameters);
  CHECK(count.matrices == m.published_active_parameters);
  CHECK(count.attention == parameters(small()).attention);
  CHECK(training_flops_per_token(m, 1, six_n_flops).value() == 6 * static_cast<double>(count.total));
}

TEST_CASE("adapters") {
  // Rank 2 on queries (8 + 8) and values (8 + 4) of two layers.
  lora_targets on;
  on.q = on.v = true;
  CHECK(lora_parameters(small(), 2, on) == 2 * 2 * (16 + 12));
  on = {};
  on.gate = on.up = on.down = true;
  CHECK(lora_parameters(small(), 1, on) == 2 * 3 * (8 + 16));
  CHECK(refusal_of([&] { (void)lora_parameters(small(), 0, on); }).code == errc::missing_field);
  CHECK(refusal_of([&] { (void)lora_parameters(small_moe(), 8, on); }).code == errc::unsupported);
  // Beside experts on attention alone: queries and values of three layers.
  lora_targets attention;
  attention.q = attention.v = true;
  CHECK(lora_parameters(small_moe(), 2, attention) == 2 * 3 * (16 + 12));
  transformer further = small_moe();
  further.other_products = 1;  // as of heads that only some layers have
  CHECK(refusal_of([&] { (void)lora_parameters(further, 2, attention); }).code == errc::unsupported);
  CHECK(refusal_of([&] { (void)lora_parameters(small_latent(), 8, on); }).code == errc::unsupported);
}

TEST_CASE("adapters of layers that are not alike") {
  // Of four layers one is idle and two have no MLP. Two have a window, of which one reads the keys of an earlier layer;
  // the third has heads of 4 and one matrix for keys and values.
  transformer uneven = small();
  uneven.layers = 4, uneven.recurrent.idle_layers = 1;
  uneven.mlp.absent = 2, uneven.mlp.double_wide_in_shared = true;
  uneven.attention.window = 16, uneven.attention.local_layers = 2, uneven.attention.kv_shared_layers = 1;
  uneven.attention.global_head_dim = 4, uneven.attention.global_kv_heads = 1, uneven.attention.global_kv_shared = true;
  const auto of = [&](bool lora_targets::*target) {
    lora_targets on;
    on.*target = true;
    return lora_parameters(uneven, 1, on);
  };
  CHECK(of(&lora_targets::q) == 2 * (8 + 8) + (8 + 16));
  CHECK(of(&lora_targets::o) == 2 * (8 + 8) + (8 + 16));
  CHECK(of(&lora_targets::k) == 2 * (8 + 4));
  CHECK(of(&lora_targets::v) == 8 + 4);
  CHECK(of(&lora_targets::down) == (8 + 16) + (8 + 32));
}

// ---- FLOPs
// ------------------------------------------------------------------------------------------------------------

TEST_CASE("layers that attend to an image do not attend to the text") {
  transformer m = small();
  m.attention.cross_layers = 1;
  CHECK(forward_flops_per_token(m, 100).attention.value() == 2 * 4 * (2 + 2) * 50);
  m.vision.tokens_per_image = 3;
  CHECK(forward_flops_per_token(m, 100).attention.value() == 2 * 4 * (2 + 2) * (50 + 3));
}

TEST_CASE("forward FLOPs of one token, by part") {
  constexpr forward_flops f = forward_flops_per_token(small(), 6);
  STATIC_REQUIRE(f.qkv.value() == 2 * 2 * 128);
  STATIC_REQUIRE(f.attention_output.value() == 2 * 2 * 64);
  // Scores and values: 2 layers x 4 heads x 3 keys (half of 6) x (2 + 2), two FLOPs each.
  STATIC_REQUIRE(f.attention.value() == 2 * 2 * 4 * 3 * 4);
  CHECK(close(f.mlp_up.value(), 2 * 2 * 2 * 128));
  CHECK(close(f.mlp_down.value(), 2 * 2 * 128));
  STATIC_REQUIRE(f.logits.value() == 2 * 80);
  CHECK(close(f.total.value(), 512 + 256 + 192 + 1024 + 512 + 160));
  CHECK(close(training_flops_per_token(small(), 6).value(), 3 * f.total.value()));
}

TEST_CASE("forward FLOPs of experts count the active ones and the router") {
  const forward_flops f = forward_flops_per_token(small_moe(), 6);
  CHECK(close(f.experts_up.value() + f.experts_down.value(), 2 * 576));
  CHECK(close(f.experts_up.value(), 2 * f.experts_down.value()));
  CHECK(close(f.mlp_up.value() + f.mlp_down.value(), 2 * 624));
  CHECK(f.router.value() == 2 * 64);
  CHECK(forward_flops_per_token(small_moe(), 6, megatron_flops).router.value() == 0);
  const double parts = (f.qkv + f.attention_output + f.attention + f.mlp_up + f.mlp_down + f.experts_up +
                        f.experts_down + f.router + f.logits)
                           .value();
  CHECK(close(f.total.value(), parts));
}

TEST_CASE("what counts as a FLOP is a convention") {
  const auto attention = [](const transformer& m, attention_flops how, window_flops window = window_flops::smooth) {
    return forward_flops_per_token(m, 8, {how, window, true, false}).attention.value();
  };
  // Of 8 keys: all, half, none; 2 FLOPs x 2 layers x 4 heads x keys x (2 + 2).
  CHECK(attention(small(), attention_flops::full) == 64 * 8);
  CHECK(attention(small(), attention_flops::causal_half) == 64 * 4);
  CHECK(attention(small(), attention_flops::none) == 0);
  // An encoder sees all of them whatever is asked.
  transformer encoder = small();
  encoder.kind = architecture::encoder;
  CHECK(attention(encoder, attention_flops::causal_half) == 64 * 8);
  CHECK(attention(encoder, attention_flops::full) == 64 * 8);
  // A window of 2 in one of the two layers.
  transformer local = small();
  local.attention.window = 2;
  local.attention.local_layers = 1;
  CHECK(attention(local, attention_flops::full) == 32 * (8 + 2));
  CHECK(attention(local, attention_flops::causal_half) == 32 * (4 + (2 - 2.0 * 2 / 16)));
  CHECK(attention(local, attention_flops::causal_half, window_flops::clipped) == 32 * (4 + 2));
  CHECK(attention(local, attention_flops::causal_half, window_flops::half) == 32 * (4 + 1));
  local.attention.window = 6;  // wider than half of the sequence
  CHECK(attention(local, attention_flops::causal_half, window_flops::clipped) == 32 * (4 + 4));
  local.attention.window = 8;  // as wide as the sequence: no window
  CHECK(attention(local, attention_flops::causal_half) == 64 * 4);
  // Latent attention: keys of 2 + 1, values of 2.
  CHECK(attention(small_latent(), attention_flops::full) == 2 * 2 * 4 * 8 * (3 + 2));
  // Layers that attend to everything may have wider heads.
  transformer wide = local;
  wide.attention.window = 2;
  wide.attention.global_head_dim = 4;
  CHECK(attention(wide, attention_flops::full) == 32 * (2 + 2 * 8));
}

TEST_CASE("six N counts every parameter, and attention only where it is asked for") {
  CHECK(training_flops_per_token(small(), 8, six_n_flops).value() == 6.0 * 1352);
  flop_convention with_attention = six_n_flops;
  with_attention.attention = attention_flops::full;
  CHECK(training_flops_per_token(small(), 8, with_attention).value() == 6.0 * 1352 + 3 * 512);
  CHECK(forward_flops_per_token(small(), 8, six_n_flops).weights.value() == 2.0 * 1352);
  CHECK(forward_flops_per_token(small(), 8, six_n_flops).qkv.value() == 0);
}

TEST_CASE("an MFU is converted between conventions and back") {
  const double there = converted_mfu(0.4, small(), 8, six_n_flops, maxtext_flops);
  const double by_hand = 0.4 * (512 + 256 + 256 + 1024 + 512 + 160) / (2.0 * 1352);
  CHECK(close(there, by_hand));
  CHECK(close(converted_mfu(there, small(), 8, maxtext_flops, six_n_flops), 0.4));
  CHECK(converted_mfu(0.4, small(), 8, maxtext_flops, maxtext_flops) == 0.4);
  CHECK(refusal_of([] { (void)converted_mfu(1.5, small(), 8, six_n_flops, maxtext_flops); }).code ==
        errc::out_of_range);
  CHECK(refusal_of([] { (void)converted_mfu(-0.1, small(), 8, six_n_flops, maxtext_flops); }).code ==
        errc::out_of_range);
  CHECK(refusal_of([] {
          (void)converted_mfu(std::numeric_limits<double>::quiet_NaN(), small(), 8, six_n_flops, maxtext_flops);
        }).code == errc::not_finite);
}

TEST_CASE("sequences that cannot be are refused") {
  struct row {
    std::int64_t length;
    errc code;
  };
  for (const row& r : {row{0, errc::missing_field}, {-1, errc::invalid_argument}, {huge, errc::out_of_range}}) {
    INFO(r.length);
    const refusal got = refusal_of([&] { (void)forward_flops_per_token(small(), r.length); });
    CHECK(got.code == r.code);
    CHECK(says(got.message, "sequence_length"));
  }
  CHECK(refusal_of([] { (void)kv_bytes_per_sequence(small(), 0); }).code == errc::missing_field);
  CHECK(refusal_of([] { (void)kv_bytes_per_sequence(small(), -5); }).code == errc::invalid_argument);
}

// ---- caches
// -------------------------------------------------------------------------------------------------------------

TEST_CASE("the ends of what a training step is asked") {
  training_job job = job_of(8, 128);
  job.work_multiplier = 100;
  CHECK_FALSE(refusal_of([&] { validate(job); }).refused);
  job.work_multiplier = 100.5;
  CHECK(says(refusal_of([&] { validate(job); }).message, "training_job.work_multiplier"));
}

TEST_CASE("the ends of what FLOPs are counted for") {
  const transformer m = llama_3_8b();
  CHECK(refusal_of([&] { (void)forward_flops_per_token(m, (std::int64_t{1} << 40) + 1); }).code == errc::out_of_range);
  transformer one_window = m;
  one_window.attention.window = 128;
  one_window.attention.local_layers = 1;
  const refusal got = refusal_of([&] { (void)attention_parity_length(one_window, attention_against::layers); });
  CHECK(says(got.message, "model.attention.local_layers is 1"));
}

TEST_CASE("attention takes as much as the rest of a layer at a length of which every layer attends to everything") {
  const transformer m = llama_3_8b();
  // Projections of 2 x 4096 (4096 + 1024) numbers, MLPs of 3 x 4096 x 14336; attention of 2 x 4096 for each token.
  CHECK(attention_parity_length(m, attention_against::projections) == 5120);
  CHECK(attention_parity_length(m, attention_against::layers) == 5120 + 3 * 14336 / 2);
  CHECK(attention_parity_length(m, attention_against::projections, attention_flops::causal_half) == 10240);
  const auto refusal_with = [&](void (*change)(transformer&)) {
    transformer other = m;
    change(other);
    return refusal_of([&] { (void)attention_parity_length(other, attention_against::layers); });
  };
  CHECK(refusal_with([](transformer& o) {
          o.attention.indexer.heads = 1, o.attention.latent.q_lora_rank = 64;
          o.attention.indexer.head_dim = o.attention.indexer.top_k = 64;
        }).code == errc::unsupported);
  CHECK(says(refusal_with([](transformer& o) {
               o.attention.indexer.heads = 1;
               o.attention.indexer.head_dim = o.attention.indexer.top_k = 64;
             }).message,
             "model.attention.latent.q_lora_rank is 0; valid: 1 or more with an indexer"));
  CHECK(refusal_with([](transformer& o) { o.attention.merged_layers = 1, o.attention.merged_ratio = 4; }).code ==
        errc::unsupported);
  CHECK(refusal_of([&] { (void)attention_parity_length(m, attention_against::layers, attention_flops::none); }).code ==
        errc::invalid_argument);
}

TEST_CASE("bytes of keys and values") {
  // 2 layers x 2 x 2 heads x 2 numbers.
  STATIC_REQUIRE(kv_bytes_per_token(small(), dtype::bf16) == 32_B);
  STATIC_REQUIRE(kv_bytes_per_token(small(), dtype::int8) == 16_B);
  STATIC_REQUIRE(kv_bytes_per_token(small(), dtype::int4) == 8_B);
  STATIC_REQUIRE(kv_bytes_per_sequence(small(), 100) == 3200_B);
  // Latent attention: 2 layers x (4 + 1), however many heads.
  STATIC_REQUIRE(kv_bytes_per_token(small_latent()) == 20_B);
  transformer local = small();
  local.attention.window = 10;
  local.attention.local_layers = 1;
  CHECK(kv_bytes_per_token(local) == 32_B);  // windows do not enter
  CHECK(kv_bytes_per_sequence(local, 100, dtype::bf16, window_eviction::keep_all) == 3200_B);
  CHECK(kv_bytes_per_sequence(local, 100, dtype::bf16, window_eviction::evict) == bytes{16.0 * (100 + 10)});
  CHECK(kv_bytes_per_sequence(local, 10, dtype::bf16, window_eviction::evict) == 320_B);
  CHECK(kv_bytes_per_sequence(local, 5, dtype::bf16, window_eviction::evict) == 160_B);
  transformer wide = local;
  wide.attention.global_head_dim = 4;
  wide.attention.global_kv_heads = 1;
  CHECK(kv_bytes_per_token(wide) == bytes{2.0 * (2 * 1 * 4 + 2 * 2 * 2)});
  transformer shared = small();
  shared.attention.kv_shared_layers = 1;
  CHECK(kv_bytes_per_token(shared) == 16_B);
  transformer crossed = small();
  crossed.attention.cross_layers = 1;
  CHECK(kv_bytes_per_token(crossed) == 16_B);
  transformer encoder = small();
  encoder.kind = architecture::encoder;
  CHECK(refusal_of([&] { (void)kv_bytes_per_token(encoder); }).code == errc::unsupported);
}

TEST_CASE("layers that read another's keys and layers that attend to an image are not the same ones") {
  transformer m = small();
  m.attention.kv_shared_layers = 1;
  m.attention.cross_layers = 1;
  CHECK(says(refusal_of([&] { (void)kv_bytes_per_token(m); }).message, "model.attention.kv_shared_layers"));
  m.layers = 3;
  CHECK(kv_bytes_per_token(m) == 16_B);
  m.attention.cross_layers = 3;
  CHECK(says(refusal_of([&] { (void)kv_bytes_per_token(m); }).message, "model.attention.cross_layers"));
}

// ---- training steps -------------------------------------------------------------------------------------------------

TEST_CASE("bad training steps are refused by field") {
  struct bad_job {
    const char* what;
    plain_call<void(training_job&)> change;
    errc code;
    const char* field;
  };
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const std::vector<bad_job> list = {
      {"0", [](training_job& j) { j.global_batch = 0; }, errc::missing_field, "training_job.global_batch"},
      {"-8", [](training_job& j) { j.global_batch = -8; }, errc::invalid_argument, "training_job.global_batch"},
      {"0", [](training_job& j) { j.sequence_length = 0; }, errc::missing_field, "training_job.sequence_length"},
      {"-8", [](training_job& j) { j.sequence_length = -8; }, errc::invalid_argument, "training_job.sequence_length"},
      {"0", [](training_job& j) { j.gradient_accumulation = 0; }, errc::missing_field,
       "training_job.gradient_accumulation"},
      {"-1", [](training_job& j) { j.gradient_accumulation = -1; }, errc::invalid_argument,
       "training_job.gradient_accumulation"},
      {"3 of 8", [](training_job& j) { j.gradient_accumulation = 3; }, errc::not_divisible,
       "training_job.gradient_accumulation"},
      {"0", [](training_job& j) { j.capacity_factor = 0; }, errc::out_of_range, "training_job.capacity_factor"},
      {"NaN", [](training_job& j) { j.capacity_factor = not_a_number; }, errc::not_finite,
       "training_job.capacity_factor"},
      {"0", [](training_job& j) { j.vocabulary_tiles = 0; }, errc::missing_field, "training_job.vocabulary_tiles"},
      {"1.1", [](training_job& j) { j.logits_fraction = 1.1; }, errc::out_of_range, "training_job.logits_fraction"},
      {"NaN", [](training_job& j) { j.logits_fraction = not_a_number; }, errc::not_finite,
       "training_job.logits_fraction"},
      {"0", [](training_job& j) { j.work_multiplier = 0; }, errc::out_of_range, "training_job.work_multiplier"},
      {"-1", [](training_job& j) { j.images_per_sequence = -1; }, errc::invalid_argument,
       "training_job.images_per_sequence"},
  };
  training_job good;
  good.global_batch = 8;
  good.sequence_length = 16;
  REQUIRE_FALSE(refusal_of([&] { validate(good); }).refused);
  for (const bad_job& bad : list) {
    INFO(bad.field << " = " << bad.what);
    training_job job = good;
    bad.change(job);
    const refusal got = refusal_of([&] { validate(job); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(got.code == bad.code);
    CHECK(says(got.message, bad.field));
  }
}

TEST_CASE("every dimension is taken up to its end and no further") {
  constexpr std::int64_t dimension = 16777216, tokens = std::int64_t{1} << 40, published = std::int64_t{1} << 53;
  struct end {
    const char* field;
    std::int64_t& (*of)(transformer&);
    std::int64_t least, most;
  };
  const end ends[] = {
      {"model.layers", [](transformer& m) -> std::int64_t& { return m.layers; }, 8, dimension},
      {"model.d_model", [](transformer& m) -> std::int64_t& { return m.d_model; }, 1, dimension},
      {"model.vocab", [](transformer& m) -> std::int64_t& { return m.vocab; }, 1, dimension},
      {"model.classes", [](transformer& m) -> std::int64_t& { return m.classes; }, 0, dimension},
      {"model.learned_positions", [](transformer& m) -> std::int64_t& { return m.learned_positions; }, 0, tokens},
      {"model.token_types", [](transformer& m) -> std::int64_t& { return m.token_types; }, 0, dimension},
      {"model.extra_input_rows", [](transformer& m) -> std::int64_t& { return m.extra_input_rows; }, 0, dimension},
      {"model.norms_per_layer", [](transformer& m) -> std::int64_t& { return m.norms_per_layer; }, 0, 16},
      {"model.published_parameters", [](transformer& m) -> std::int64_t& { return m.published_parameters; }, 0,
       published},
      {"model.published_active_parameters",
       [](transformer& m) -> std::int64_t& { return m.published_active_parameters; }, 0, published},
      {"model.attention.head_dim", [](transformer& m) -> std::int64_t& { return m.attention.head_dim; }, 1, dimension},
      {"model.attention.kv_heads", [](transformer& m) -> std::int64_t& { return m.attention.kv_heads; }, 1, 32},
      {"model.attention.window", [](transformer& m) -> std::int64_t& { return m.attention.window; }, 1, tokens},
      {"model.attention.local_layers", [](transformer& m) -> std::int64_t& { return m.attention.local_layers; }, 0, 28},
      {"model.attention.kv_shared_layers", [](transformer& m) -> std::int64_t& { return m.attention.kv_shared_layers; },
       0, 27},
      {"model.attention.cross_layers", [](transformer& m) -> std::int64_t& { return m.attention.cross_layers; }, 0, 28},
      {"model.attention.global_head_dim", [](transformer& m) -> std::int64_t& { return m.attention.global_head_dim; },
       0, dimension},
      {"model.attention.global_kv_heads", [](transformer& m) -> std::int64_t& { return m.attention.global_kv_heads; },
       0, 32},
      {"model.attention.relative_buckets", [](transformer& m) -> std::int64_t& { return m.attention.relative_buckets; },
       0, dimension},
      {"model.moe.experts", [](transformer& m) -> std::int64_t& { return m.moe.experts; }, 2, dimension},
      {"model.moe.top_k", [](transformer& m) -> std::int64_t& { return m.moe.top_k; }, 1, 8},
      {"model.moe.expert_d_ff", [](transformer& m) -> std::int64_t& { return m.moe.expert_d_ff; }, 1, dimension},
      {"model.moe.shared_d_ff", [](transformer& m) -> std::int64_t& { return m.moe.shared_d_ff; }, 0, dimension},
      {"model.moe.parallel_dense_d_ff", [](transformer& m) -> std::int64_t& { return m.moe.parallel_dense_d_ff; }, 0,
       dimension},
      {"model.moe.dense_layers", [](transformer& m) -> std::int64_t& { return m.moe.dense_layers; }, 0, 32},
      {"model.mlp.d_ff", [](transformer& m) -> std::int64_t& { return m.mlp.d_ff; }, 1, dimension},
  };
  transformer good = llama_3_8b();
  good.moe.experts = 8;
  good.moe.top_k = 2;
  good.moe.expert_d_ff = 1024;
  good.moe.dense_layers = 4;
  good.attention.window = 1024;
  good.attention.local_layers = 4;
  good.attention.cross_layers = 4;
  for (const end& e : ends) {
    CAPTURE(e.field);
    for (const std::int64_t right : {e.least, e.most}) {
      transformer m = good;
      e.of(m) = right;
      CHECK_NOTHROW(validate(m));
    }
    for (const std::int64_t wrong : {e.least - 1, e.most + 1}) {
      if (e.field == std::string_view("model.layers") || (wrong == 1 && e.least == 2)) continue;
      transformer m = good;
      e.of(m) = wrong;
      CHECK(refusal_of([&] { validate(m); }).refused);
    }
  }
  transformer latent = good;
  latent.attention.latent = {dimension, dimension, dimension, dimension, dimension};
  CHECK_NOTHROW(validate(latent));
  for (std::int64_t latent_attention_spec::*rank :
       {&latent_attention_spec::q_lora_rank, &latent_attention_spec::kv_lora_rank,
        &latent_attention_spec::qk_nope_head_dim, &latent_attention_spec::qk_rope_head_dim,
        &latent_attention_spec::v_head_dim}) {
    transformer m = latent;
    m.attention.latent.*rank = dimension + 1;
    CHECK(refusal_of([&] { validate(m); }).refused);
  }
  transformer many = good;
  many.attention.heads = many.attention.kv_heads = dimension;
  CHECK_NOTHROW(validate(many));
  many.attention.heads = many.attention.kv_heads = dimension + 1;
  CHECK(refusal_of([&] { validate(many); }).refused);
}

TEST_CASE("a step has at most 2^60 tokens") {
  training_job job = job_of(std::int64_t{1} << 20, std::int64_t{1} << 40);
  CHECK(tokens_per_step(job) == std::int64_t{1} << 60);
  job.global_batch += 1;
  CHECK(says(refusal_of([&] { (void)tokens_per_step(job); }).message,
             "training_job.global_batch is 1048577; valid: at most 2^60"));
}

TEST_CASE("active parameters are those of a token, in modules for further tokens too") {
  transformer m = small();
  m.moe.experts = 8, m.moe.top_k = 2, m.moe.expert_d_ff = 4;
  const parameter_count one = parameters(m);
  const std::int64_t expert = 3 * 8 * 4, unrouted = 2 * 6 * expert;
  CHECK(one.active == one.total - unrouted);
  m.prediction_layers = 1;
  const parameter_count two = parameters(m);
  CHECK(two.active == two.total - unrouted - unrouted / 2);
  m.other_weights = -two.active;
  CHECK(refusal_of([&] { (void)parameters(m); }).code == errc::out_of_range);
}

}  // namespace model_parameters_tests

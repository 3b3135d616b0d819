// Models as lists of blocks: what is refused, by name.

#include <cstdint>
#include <tpuplan/model/model.hpp>
#include <tpuplan/model/sums.hpp>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace model_model_tests {
namespace {

blocks::model empty() {
  blocks::model m;
  put(m, blocks::stream{"text", blocks::flow::tokens, 8});
  return m;
}

void check_refused(errc code, const char* field, const refusal& got) {
  INFO(field << ": " << got.message);
  CHECK(got.refused);
  CHECK(got.code == code);
  CHECK(says(got.message, field));
}

}  // namespace

TEST_CASE("a model has at most 96 blocks, 96 rows of layers and 8 streams") {
  blocks::model m = empty();
  for (int i = 0; i < 96; ++i) {
    put(m, blocks::place{0}, blocks::mlp{8});
    repeat(m, 1, {i});
  }
  CHECK(parameters(m).mlp == 96 * 3 * 64);
  check_refused(errc::out_of_range, "blocks of a model is 97",
                refusal_of([&] { put(m, blocks::place{}, blocks::mlp{8}); }));
  check_refused(errc::out_of_range, "rows of layers of a model is 97", refusal_of([&] { repeat(m, 1, {0}); }));
  for (int i = 1; i < 8; ++i) put(m, blocks::stream{"more", blocks::flow::example, 8});
  check_refused(errc::out_of_range, "streams of a model is 9", refusal_of([&] {
                  put(m, blocks::stream{"more", blocks::flow::example, 8});
                }));
}

TEST_CASE("a block is read as what it is alone") {
  const blocks::block one{blocks::place{}, blocks::mlp{8}};
  CHECK(blocks::as<blocks::mlp>(one).d_ff == 8);
  check_refused(errc::invalid_argument, "kind of the block is attention; valid: mlp",
                refusal_of([&] { (void)blocks::as<blocks::attention>(one); }));
}

TEST_CASE("blocks are refused by field") {
  const auto refused = [](auto one) {
    return refusal_of([&] {
      blocks::model m = empty();
      put(m, blocks::place{}, one);
    });
  };
  check_refused(errc::missing_field, "mlp.d_ff", refused(blocks::mlp{}));
  check_refused(errc::not_divisible, "attention.kv_heads", refused(blocks::attention{4, 3, 8}));
  check_refused(errc::missing_field, "attention.head_dim", refused(blocks::attention{4, 4}));
  check_refused(errc::missing_field, "latent_attention.kv_rank", refused(blocks::latent_attention{4}));
  check_refused(errc::out_of_range, "experts.top_k", refused(blocks::experts{4, 5, 8}));
  check_refused(errc::missing_field, "logits.vocab", refused(blocks::logits{}));
  check_refused(errc::missing_field, "dense.outputs", refused(blocks::dense{}));
  check_refused(errc::out_of_range, "convolution.padding", refused(blocks::convolution{8, 3, 1, -2}));
  check_refused(errc::missing_field, "norm.kind", refused(blocks::norm{1, norm_kind::none}));
  check_refused(errc::missing_field, "recurrent.width", refused(blocks::recurrent{}));
  check_refused(errc::out_of_range, "table.rows", refused(blocks::table{-1}));
  check_refused(errc::missing_field, "projector.input", refused(blocks::projector{}));
  check_refused(errc::out_of_range, "remainder.products", refused(blocks::remainder{-1}));
}

TEST_CASE("places, streams and layers are refused by field") {
  blocks::model m = empty();
  check_refused(errc::missing_field, "stream.width", refusal_of([&] { put(m, blocks::stream{}); }));
  check_refused(errc::out_of_range, "place.stream", refusal_of([&] {
                  put(m, blocks::place{1, 0, 1}, blocks::mlp{8});
                }));
  blocks::place at;
  at.other = 3;
  check_refused(errc::out_of_range, "place.other", refusal_of([&] { put(m, at, blocks::mlp{8}); }));
  check_refused(errc::out_of_range, "block of a layer", refusal_of([&] { repeat(m, 2, {0}); }));
  const int mlp = put(m, blocks::place{0}, blocks::mlp{8});
  check_refused(errc::missing_field, "place.count", refusal_of([&] { (void)parameters(m); }));
  check_refused(errc::missing_field, "layers", refusal_of([&] { repeat(m, 0, {mlp}); }));
  check_refused(errc::missing_field, "model.on", refusal_of([] { (void)parameters(blocks::model{}); }));
}

TEST_CASE("models are the same by every part, and differ by any") {
  blocks::model m = empty();
  put(m, blocks::place{}, blocks::mlp{8});
  CHECK(m == m);
  CHECK_FALSE(m != m);
  for (int part = 0; part < 6; ++part) {
    blocks::model other = m;
    if (part == 0) other.name = "other";
    if (part == 1) put(other, blocks::stream{"more", blocks::flow::tokens, 4});
    if (part == 2) put(other, blocks::place{}, blocks::mlp{8});
    if (part == 3) repeat(other, 1, {put(other, blocks::place{0}, blocks::mlp{8})});
    if (part == 4) other.published_parameters = 1;
    if (part == 5) other.published_active_parameters = 1;
    INFO(part);
    CHECK(other != m);
    CHECK_FALSE(other == m);
  }
}

TEST_CASE("what a model without tokens is not asked") {
  blocks::model m;
  put(m, blocks::stream{"image", blocks::flow::example, 3, 8, 8});
  put(m, blocks::place{}, blocks::convolution{4, 3});
  CHECK(forward_flops_per_example(m).value() == 2.0 * 64 * 27 * 4);
  check_refused(errc::unsupported, "FLOPs per token", refusal_of([&] { (void)forward_flops_per_token(m, 128); }));
  check_refused(errc::unsupported, "KV cache", refusal_of([&] { (void)kv_bytes_per_token(m); }));
}

TEST_CASE("more than 12 kinds of attention are refused") {
  blocks::model m = empty();
  for (std::int64_t i = 1; i <= 13; ++i) put(m, blocks::place{}, blocks::attention{1, 1, i});
  check_refused(errc::out_of_range, "different attention in a model", refusal_of([&] { (void)parameters(m); }));
}

}  // namespace model_model_tests

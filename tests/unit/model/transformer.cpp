// The shape of a model: whatever numbers it is given, it is refused by name or its figures are positive and finite.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tpuplan/estimate/serving/engine.hpp>
#include <tpuplan/estimate/training/step_time.hpp>
#include <tpuplan/handbook/padding.hpp>
#include <tpuplan/model/kv_cache.hpp>
#include <tpuplan/reflect.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/models.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace model_transformer_tests {

namespace {

transformer with_tower(transformer m) {
  m.vision.image_size = 336;
  m.vision.patch_size = 14;
  m.vision.layers = 24;
  m.vision.d_model = 1024;
  m.vision.heads = 16;
  m.vision.d_ff = 4096;
  m.vision.projector.input = 1024;
  m.vision.projector.output = m.d_model;
  return m;
}

// Local and global layers, layers that share keys and values, experts and dense layers.
transformer mixed() {
  transformer m = with_tower(llama_3_8b());
  m.attention.window = 1024;
  m.attention.local_layers = 20;
  m.attention.kv_shared_layers = 8;
  m.attention.global_head_dim = 256;
  m.mlp.double_wide_in_shared = true;
  m.moe.experts = 8;
  m.moe.top_k = 2;
  m.moe.expert_d_ff = 1024;
  m.moe.dense_layers = 4;
  return m;
}

transformer latent() {
  transformer m = llama_3_8b();
  m.attention.latent = {1536, 512, 128, 64, 128};
  return m;
}

// The public figures of a shape, by name.
struct figure {
  std::string name;
  double value = 0;
};

std::vector<figure> figures_of(const transformer& m) {
  std::vector<figure> list;
  const parameter_count count = parameters(m);
  for (const std::int64_t part : {count.embedding, count.attention, count.mlp, count.experts, count.router, count.norms,
                                  count.lm_head, count.vision, count.projector, count.head})
    list.push_back({"a part", static_cast<double>(part) + 1});
  list.push_back({"total", static_cast<double>(count.total)});
  list.push_back({"active", static_cast<double>(count.active)});
  list.push_back({"matrices", static_cast<double>(count.matrices)});
  list.push_back({"forward", forward_flops_per_token(m, 4096).total.value()});
  list.push_back({"cache of a token", kv_bytes_per_token(m).value()});
  list.push_back({"cache of a sequence", kv_bytes_per_sequence(m, 4096).value()});
  list.push_back({"padding", padding(m, v5p).stored.value()});
  if (has_vision(m)) list.push_back({"image", vision_flops_per_image(m.vision).value()});
  const slice where = slice_for("v5p-128");
  training_job job;
  job.global_batch = 64;
  job.sequence_length = 4096;
  const layout mesh = fsdp_layout(where);
  const step_breakdown step = step_time(m, job, mesh, where);
  const memory_breakdown memory = memory_use(m, job, mesh, where);
  list.push_back({"step", step.total.value()});
  list.push_back({"mfu", step.mfu});
  list.push_back({"memory low", memory.low.value()});
  list.push_back({"memory", memory.total.value()});
  list.push_back({"memory high", memory.high.value()});
  serving_job chat;
  chat.prompt = fixed_length(1024);
  chat.output = fixed_length(256);
  chat.beyond_max_positions = true;
  const serving_layout one{1, weight_sharding::one_dimension, cache_sharding::heads};
  const serving_estimate served = serve(m, chat, one, where);
  list.push_back({"serving memory", served.memory.total.value()});
  if (served.refusal == serving_refusal::none) {
    list.push_back({"token", served.per_token.total.value()});
    list.push_back({"running", served.running < 1e9 ? 1.0 : -1.0});
  }
  return list;
}

// Calls visit(name, number) for every whole number of a shape, those of its parts included.
template <class Shape, class Visit>
void each_count(Shape& shape, const std::string& place, const Visit& visit) {
  detail::fields_of<Shape>::each(shape, [&](std::string_view name, auto& field) {
    using type = std::decay_t<decltype(field)>;
    const std::string where = place + "." + std::string(name);
    if constexpr (std::is_same_v<type, std::int64_t>) {
      visit(where, field);
    } else if constexpr (detail::has_trait<detail::fields_of, type>) {
      each_count(field, where, visit);
    }
  });
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("any number in any field of a shape is refused by name, or its figures are positive", "[door]") {
  std::size_t tried = 0, refused = 0;
  for (const transformer& base : {llama_3_8b(), mixed(), latent()}) {
    for (const figure& each : figures_of(base)) {
      INFO(each.name);
      CHECK(each.value > 0);
    }
    std::vector<std::string> fields;
    transformer counted = base;
    each_count(counted, "model", [&](const std::string& field, std::int64_t&) { fields.push_back(field); });
    for (std::size_t which = 0; which < fields.size(); ++which) {
      for (const std::int64_t value :
           {-largest - 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{8}, std::int64_t{16777216},
            std::int64_t{6000000000000000}, largest / 2, largest - 1, largest}) {
        transformer m = base;
        std::size_t at = 0;
        each_count(m, "model", [&](const std::string&, std::int64_t& field) {
          if (at++ == which) field = value;
        });
        INFO(fields[which] << " = " << value);
        ++tried;
        std::vector<figure> figures;
        const refusal got = refusal_of([&] { figures = figures_of(m); });
        if (got.refused) {
          ++refused;
          CHECK(says(got.message, "model."));
          CHECK_FALSE(says(got.message, "of counts"));
          continue;
        }
        CHECK((value >= 0 || fields[which] == "model.other_weights"));
        CHECK(value <= std::int64_t{1} << 53);
        for (const figure& each : figures) {
          INFO(each.name << " " << each.value);
          CHECK(std::isfinite(each.value));
          CHECK(each.value > 0);
        }
      }
    }
  }
  CHECK(tried > 1500);
  CHECK(refused > tried / 3);
  CHECK(refused < tried);
}

TEST_CASE("two large numbers at once are refused, or the figures are positive", "[door]") {
  const transformer base = mixed();
  std::size_t count = 0;
  transformer counted = base;
  each_count(counted, "model", [&](const std::string&, std::int64_t&) { ++count; });
  for (std::size_t one = 0; one < count; ++one) {
    for (std::size_t other = one + 1; other < count; ++other) {
      transformer m = base;
      std::size_t at = 0;
      std::string names;
      each_count(m, "model", [&](const std::string& name, std::int64_t& field) {
        if (at == one || at == other) field = 16777216, names += name + " ";
        ++at;
      });
      std::vector<figure> figures;
      if (refusal_of([&] { figures = figures_of(m); }).refused) continue;
      for (const figure& each : figures) {
        INFO(names << each.name << " " << each.value);
        CHECK((std::isfinite(each.value) && each.value > 0));
      }
    }
  }
}

TEST_CASE("shapes of a hostile afternoon", "[door]") {
  struct row {
    const char* field;
    void (*change)(transformer&);
  };
  for (const row& r :
       {row{"model.vision.other_weights", [](transformer& m) { m.vision.other_weights = largest - 1; }},
        {"model.vision.extra_norms", [](transformer& m) { m.vision.extra_norms = 6000000000000000; }},
        {"model.mlp.d_ff",
         [](transformer& m) {
           m.moe.dense_layers = 0;
           m.mlp.d_ff = std::int64_t{1} << 60;
         }},
        {"model.attention.local_layers",
         [](transformer& m) {
           m.layers = 10, m.attention.local_layers = 10, m.attention.cross_layers = 8;
           m.attention.kv_shared_layers = 0, m.attention.global_head_dim = 512;
         }},
        {"model.attention.kv_shared_layers",
         [](transformer& m) {
           m.layers = 10, m.attention.local_layers = 0, m.attention.kv_shared_layers = 10;
           m.attention.global_head_dim = 1;
         }},
        {"model.attention.kv_shared_layers", [](transformer& m) { m.attention.kv_shared_layers = m.layers; }},
        {"model.published_parameters", [](transformer& m) { m.published_parameters = 8; }},
        {"model.published_active_parameters", [](transformer& m) { m.published_active_parameters = 3; }}}) {
    INFO(r.field);
    transformer m = mixed();
    r.change(m);
    const refusal got = refusal_of([&] { (void)parameters(m); });
    INFO(got.message);
    CHECK(got.refused);
    CHECK(says(got.message, std::string(r.field) + " is"));
  }
}

TEST_CASE("layers that share keys and values are of both kinds in proportion, in weights as in the cache", "[door]") {
  // Ten layers, five of them local with heads of 8, five global with heads of 2; the four that share hold queries
  // alone.
  transformer m;
  m.layers = 10;
  m.d_model = 16;
  m.vocab = 100;
  m.mlp.d_ff = 32;
  m.attention.heads = 2;
  m.attention.kv_heads = 1;
  m.attention.head_dim = 8;
  m.attention.global_head_dim = 2;
  m.attention.window = 64;
  m.attention.local_layers = 5;
  m.attention.kv_shared_layers = 4;
  // Queries and outputs: 2 heads; keys and values: 1 head each, in three layers of either kind.
  const std::int64_t queries = 16 * 2 * (5 * 8 + 5 * 2), keys = 16 * 2 * (3 * 8 + 3 * 2);
  CHECK(parameters(m).attention == 2 * queries + keys);
  CHECK(kv_bytes_per_token(m) == bytes{2.0 * 2 * (3 * 8 + 3 * 2)});
}

}  // namespace model_transformer_tests

// Published models of images and clips against data/checkpoints.json: how many parameters each has.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tpuplan/read/diffusers.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#ifndef TPUPLAN_DATA_DIR
#error "TPUPLAN_DATA_DIR is the folder of the data, as a string"
#endif

using namespace tpuplan;

namespace oracle_diffusers_tests {
using nlohmann::json;

namespace {

const json& file() {
  static const json document = load_json(std::string(TPUPLAN_DATA_DIR) + "/checkpoints.json");
  return document;
}

diffusion_pipeline pipeline_of(const json& config) {
  std::vector<assumption> assumed;
  return read_pipeline(config, assumed);
}

}  // namespace

TEST_CASE("published models of images and clips: parameters", "[diffusers][checkpoints]") {
  for (const json& each : file().at("diffusers")) {
    INFO(each.at("name"));
    CHECK(total_parameters(pipeline_of(each.at("config"))) == each.at("parameters").get<std::int64_t>());
  }
}

TEST_CASE("published models of images and clips: each class is among them, with a source", "[diffusers]") {
  std::set<std::string> names, classes;
  for (const json& each : file().at("diffusers")) {
    INFO(each.at("name"));
    CHECK(file().at("sources").contains(each.at("source").get<std::string>()));
    CHECK(file().at("counted").contains(each.at("counted").get<std::string>()));
    CHECK(names.insert(each.at("name").get<std::string>()).second);
    classes.insert(each.at("config").at("_class_name").get<std::string>());
  }
  for (const std::string_view type : known_diffusers_classes()) CHECK(classes.count(std::string(type)) == 1);
}

TEST_CASE("published models of images and clips: the list of their work adds up to it", "[diffusers]") {
  for (const json& each : file().at("diffusers")) {
    INFO(each.at("name"));
    const diffusion_pipeline p = pipeline_of(each.at("config"));
    const std::int64_t unit = p.spatial * p.patch, frames = p.temporal > 1 ? 1 + 4 * p.temporal : 1;
    const picture_size size{16 * unit, 8 * unit, frames};
    const blocks::model one = p.denoisers.size > 0 ? denoiser_for(p, 0, size, 64) : decoder_for(p, size);
    const blocks::work_list work = work_of(one);
    double sum = 0;
    for (std::size_t i = 0; i < work.product_count; ++i) {
      const blocks::listed_product& l = work.products[i];
      sum += 2 * l.times * l.rows * static_cast<double>(l.one.inner) * static_cast<double>(l.one.outer) *
             static_cast<double>(l.one.used);
    }
    for (std::size_t i = 0; i < work.core_count; ++i) {
      const blocks::listed_core& l = work.cores[i];
      const double pair = static_cast<double>(l.one.heads) * static_cast<double>(l.one.key_width + l.one.value_width);
      sum += l.times * l.rows * (2 * l.keys * pair + l.one.fixed.value());
    }
    CHECK(close(sum, forward_flops_per_example(one).value(), 1e-9));
  }
}

// The work of one is more for a larger image, for more frames and for more text; that of a patch is never less.
TEST_CASE("published models of images and clips: work grows with the size", "[diffusers]") {
  for (const json& each : file().at("diffusers")) {
    INFO(each.at("name"));
    const diffusion_pipeline p = pipeline_of(each.at("config"));
    const std::int64_t unit = 2 * p.spatial * p.patch, frames = p.temporal > 1 ? 1 + 4 * p.temporal : 1;
    const auto work = [&](std::int64_t width, std::int64_t height, std::int64_t clip, std::int64_t text) {
      const picture_size size{width, height, clip};
      return forward_flops_per_example(p.denoisers.size > 0 ? denoiser_for(p, 0, size, text) : decoder_for(p, size))
          .value();
    };
    const double one = work(8 * unit, 8 * unit, frames, 64);
    const double two = work(16 * unit, 8 * unit, frames, 64), three = work(24 * unit, 8 * unit, frames, 64);
    CHECK(two > one);
    CHECK(three - two >= (two - one) * (1 - 1e-9));
    CHECK(work(8 * unit, 16 * unit, frames, 64) == two);
    if (p.temporal > 1) CHECK(work(8 * unit, 8 * unit, frames + p.temporal * p.patch_frames, 64) > one);
    if (p.text_tokens > 0 && p.denoisers.size > 0) CHECK(work(8 * unit, 8 * unit, frames, 65) > one);
    if (p.denoisers.size == 0)
      CHECK(forward_flops_per_example(encoder_for(p, {8 * unit, 8 * unit, frames})).value() > 0);
  }
}

}  // namespace oracle_diffusers_tests

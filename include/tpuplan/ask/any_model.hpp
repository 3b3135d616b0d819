#ifndef TPUPLAN_ASK_ANY_MODEL_HPP
#define TPUPLAN_ASK_ANY_MODEL_HPP

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tpuplan/ask/subject.hpp>
#include <tpuplan/model/parameters.hpp>
#include <tpuplan/model/vision_network.hpp>
#include <tpuplan/read/hf_network.hpp>
#include <tpuplan/read/keras.hpp>
#include <utility>

/// @file
/// What a file describes, whichever kind of model it is: the one way from a document to a transformer or to a network
/// of layers.

namespace tpuplan {
inline namespace abi_0 {

/// What a file describes.
struct any_model {
  model_config config;         ///< of a network its name and what was assumed
  std::optional<network> net;  ///< a network of layers, or a vision transformer as one
};

namespace detail {

/// The side that a processor of images of any size gives to those of a side: the nearest of whole patches, as many of
/// them as are merged, and of two the even one. Source: smart_resize of transformers' Qwen2-VL.
[[nodiscard]] inline std::int64_t resized_side(const vision_spec& v, std::int64_t side, std::string_view size) {
  const std::int64_t unit = checked_multiply(v.patch_size, v.projector.merge);
  if (side < unit)
    fail(errc::out_of_range, size, side, "at least " + std::to_string(unit) + ", patches that are merged");
  const std::int64_t below = side / unit, rest = 2 * (side % unit);
  return unit * (rest > unit || (rest == unit && below % 2 == 1) ? below + 1 : below);
}

/// What a reader assumed of the size of images; null: nothing.
[[nodiscard]] inline assumption* find_image_size(std::vector<assumption>& assumed) {
  for (assumption& each : assumed)
    if (each.field == "images" || (each.field.size() > 7 && each.field.substr(each.field.size() - 7) == ".images"))
      return &each;
  return nullptr;
}

/// Refuses another size for a tower of tiles: it sees none but its own, and larger images take several.
inline void refuse_tiles(model_config given, std::int64_t side, std::string_view size) {
  const assumption* const said = find_image_size(given.assumed);
  const std::int64_t own = given.model.vision.image_size;
  if (said == nullptr || said->value.rfind(in_tiles, 0) != 0 || side == own) return;
  fail(errc::unsupported, size, side,
       std::to_string(own) + ", the side of a tile: of a larger image each tile is one of its own");
}

/// The model of a config.json with square images of another size: as its class reads the size from the file, or, where
/// it reads none, that of the same patches, to which its processor resizes them.
[[nodiscard]] inline model_config sized_model_of(const nlohmann::json& document, std::int64_t side,
                                                 std::string_view size, const std::string& source) {
  nlohmann::json sized = document;
  const bool is_part = document.contains("vision_config") && document["vision_config"].is_object();
  const bool own = document.contains("schema");
  refuse_tiles(model_of(document, source), side, size);
  if (!own) (is_part ? sized["vision_config"] : sized)["image_size"] = side;
  model_config found = model_of(sized, source);
  if (!has_vision(found.model)) fail(errc::unsupported, size, side, "a model with a vision tower");
  const std::string field = is_part ? "vision_config.image_size" : "image_size";
  const auto say_side = [&] {
    const std::string now = std::to_string(found.model.vision.image_size);
    if (assumption* const said = find_image_size(found.assumed))
      *said = {said->field, now + " x " + now, "as the question says, in whole patches"};
    else if (is_part)
      found.assumed.push_back({"images", now + " x " + now, "as the question says, of a tower that takes such"});
  };
  const auto not_read = std::find(found.not_read.begin(), found.not_read.end(), field);
  if (!own && not_read == found.not_read.end()) return say_side(), found;
  const vision_spec before = found.model.vision;
  if (!own) side = resized_side(before, positive_count(size, side), size);
  found.model = with_image_size(found.model, side);
  vision_spec& v = found.model.vision;
  const std::int64_t all = patches(before.image_size, before.patch_size);
  if (!own && v.tokens_per_image > 0 && all % v.tokens_per_image == 0)
    v.tokens_per_image = patches(side, v.patch_size) / (all / v.tokens_per_image);
  if (not_read != found.not_read.end()) found.not_read.erase(not_read);
  say_side();
  return found;
}

/// Throws unless every layer of a network in a file can follow the one before it, naming the first that cannot.
inline void validate_layers(const network& net, const std::string& source) {
  network first = net;
  for (first.layers.size = net.layers.size == 0 ? 0 : 1; first.layers.size < net.layers.size; ++first.layers.size) {
    try {
      validate(first);
    } catch (const error&) {
      break;
    }
  }
  try {
    validate(first);
  } catch (const error& problem) {
    constexpr std::string_view of_a_layer = "layer.";
    const std::string_view field = problem.field();
    if (field.substr(0, of_a_layer.size()) != of_a_layer) throw;
    const std::size_t place = first.layers.size - 1;
    throw error(problem.code(),
                source + ".value.layers[" + std::to_string(place) + "]." +
                    std::string(field.substr(of_a_layer.size())) + " of \"" +
                    std::string(first.layers.items[place].name.view()) + "\"",
                problem.given(), problem.valid());
  }
}

}  // namespace detail

/// A config.json, what keras.Model.to_json writes, or a transformer or a network as `json_document` writes it, with
/// square images of another size where one is given; `source` stands for the document in messages, and `size` for the
/// size of images. Worked:
/// {"model_type": "dinov3_vit", "num_register_tokens": 4} is a network of 21596544 parameters.
/// @throws error naming the field for what is missing, contradictory or not supported.
[[nodiscard]] inline any_model read_any_model(const nlohmann::json& document, const std::string& source = "config",
                                              const std::optional<std::int64_t>& image_size = {},
                                              std::string_view size = "image_size") {
  any_model found;
  const bool own = document.is_object() && document.contains("schema");
  if (own && document.contains("type") && document["type"] == "network") {
    if (image_size)
      detail::fail(errc::invalid_argument, size, *image_size, "a config.json; the file of a network has its own sizes");
    found.net = read_json_document<network>(document, {}, source);
    detail::validate_layers(*found.net, source);
    found.config.model.name = found.net->name;
    return found;
  }
  if (own && document.contains("type") && document["type"].is_string() && document["type"] != "transformer")
    detail::fail(errc::unknown_name, source + ".type", document["type"].get<std::string>(), "transformer or network");
  const bool keras = is_keras_model(document);
  if (keras && image_size)
    detail::fail(errc::invalid_argument, size, *image_size, "a config.json; the file of Keras has its own sizes");
  if (keras || is_hf_network(document)) {
    nlohmann::json sized = document;
    if (image_size) sized["image_size"] = *image_size;
    network_config read = keras ? read_keras(document, source) : read_hf_network(sized, source);
    found.net = read.net;
    found.config.model.name = read.net.name;
    found.config.assumed = std::move(read.assumed);
    return found;
  }
  found.config = image_size ? detail::sized_model_of(document, *image_size, size, source) : model_of(document, source);
  if (!has_text(found.config.model)) found.net = network_of(found.config.model);
  return found;
}

/// The parameters that are trained of what a file describes. Worked: 86567656 of ViT-B/16 with 1000 classes.
[[nodiscard]] inline std::int64_t trained_parameters(const any_model& model) {
  return model.net ? parameters(*model.net).trained : parameters(model.config.model).total;
}

}  // namespace abi_0
}  // namespace tpuplan

#endif

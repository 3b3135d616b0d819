#ifndef TPUPLAN_ASK_ANY_MODEL_HPP
#define TPUPLAN_ASK_ANY_MODEL_HPP

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
    validate(*found.net);
    found.config.model.name = found.net->name;
    return found;
  }
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
  found.config = model_of(document, source);
  if (image_size && !has_vision(found.config.model))
    detail::fail(errc::unsupported, size, *image_size, "a model with a vision tower");
  if (image_size) found.config.model = with_image_size(found.config.model, *image_size);
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

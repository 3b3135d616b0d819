// What the readers of diffusers, Keras and networks in stages make of files in which one value is another, block by
// block and layer by layer: a line for each class, as in files.cpp. Every default of a class is among them: what a file
// leaves open is on record with its value, and each of these values is asked for with another in its place.
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/json/file.hpp>
#include <tpuplan/read/diffusers.hpp>
#include <tpuplan/read/hf_network.hpp>
#include <tpuplan/read/keras.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/digests.hpp"
#include "support/told.hpp"

using namespace tpuplan;

namespace golden_made_files_tests {

namespace {

using nlohmann::json;

/// The positions that the denoiser of a pipeline has of what it is usually asked for.
std::string usual_of(const diffusion_pipeline& p) {
  if (p.denoisers.size == 0 || p.usual.width == 0) return "";
  return told_of(patches_of(p, p.usual));
}

std::string pipeline_told(const json& config) {
  std::vector<assumption> assumed;
  const diffusion_pipeline p = read_pipeline(config, assumed);
  return told_of(p) + told_of(assumed) + usual_of(p);
}

/// What a class takes where the file says nothing.
json defaults_of(const std::string& type) {
  std::vector<assumption> assumed;
  json all{{"_class_name", type}};
  (void)read_pipeline(all, assumed);
  for (const assumption& each : assumed) {
    if (each.why.rfind("class default", 0) != 0) continue;
    const json value = json::parse(each.value, nullptr, false);
    json more = all;
    more[each.field] = value.is_discarded() ? json(each.value) : value;
    try {
      std::vector<assumption> beside;
      (void)read_pipeline(more, beside);
      all = more;
    } catch (const error&) {  // a default that files leave out, or write as null
    }
  }
  return all;
}

void each_pipeline(digests& all, const std::string& group, json config, std::size_t& turn) {
  const json& file = config;
  const auto ask = [&](const std::string& change) { all.add(group, change, [&] { return pipeline_told(file); }); };
  ask("as it is");
  each_change(config, "", turn, ask);
}

json sequence_of(const char* shape, const json& layers) {
  json list = layers;
  list.insert(list.begin(), json{{"class_name", "InputLayer"}, {"config", {{"batch_shape", json::parse(shape)}}}});
  return {{"class_name", "Sequential"}, {"config", {{"name", "own"}, {"layers", list}}}};
}

std::string network_told(const network_config& read) { return told_of(read.net) + told_of(read.assumed); }

}  // namespace

TEST_CASE("files of diffusers with one value changed, as they were", "[golden]") {
  digests all;
  std::size_t turn = 0;
  for (const std::string_view type : known_diffusers_classes())
    each_pipeline(all, std::string(type), defaults_of(std::string(type)), turn);
  const json published = load_json(TPUPLAN_DATA_DIR "/checkpoints.json");
  for (const json& each : published.at("diffusers"))
    each_pipeline(all, each.at("config").at("_class_name").get<std::string>(), each.at("config"), turn);
  for (const char* file : {"sdxl", "flux", "schnell", "wan"})
    each_pipeline(all, file, load_json(std::string(TPUPLAN_TESTS_DIR "/cli/plans/") + file + ".json"), turn);
  // Words that no default and no published file has.
  const std::vector<std::string> others = {
      R"({"_class_name":"UNet2DConditionModel","resnet_time_scale_shift":"scale_shift"})",
      R"({"_class_name":"UNet2DConditionModel","use_linear_projection":true,"mid_block_type":null})",
      R"({"_class_name":"UNet2DConditionModel","class_embed_type":"timestep"})",
      R"({"_class_name":"PixArtTransformer2DModel","use_additional_conditions":true})",
      R"({"_class_name":"SD3Transformer2DModel","qk_norm":"rms_norm","dual_attention_layers":[0,1,2]})",
      R"({"_class_name":"Transformer2DModel","norm_type":"ada_norm_zero"})",
      R"({"_class_name":"Transformer2DModel","norm_type":"ada_norm_single"})",
      R"({"_class_name":"Transformer2DModel","norm_type":"layer_norm"})",
      R"({"_class_name":"SanaTransformer2DModel","guidance_embeds":true,"qk_norm":"rms_norm_across_heads"})",
      R"({"_class_name":"CogVideoXTransformer3DModel","patch_size_t":2,"ofs_embed_dim":512})",
      R"({"_class_name":"HunyuanVideoTransformer3DModel","image_condition_type":"token_replace"})",
      R"({"_class_name":"FluxTransformer2DModel","quantization_config":{}})"};
  for (const std::string& file : others) all.add("others", file, [&] { return pipeline_told(json::parse(file)); });
  CHECK(all.problem("diffusers_files.txt") == "");
}

TEST_CASE("files of Keras with one value changed, as they were", "[golden]") {
  digests all;
  std::size_t turn = 0;
  const auto each_layer = [&](const std::string& group, json document) {
    const json& file = document;
    const auto ask = [&](const std::string& change) {
      all.add(group, change, [&] { return network_told(read_keras(file)); });
    };
    ask("as it is");
    each_change(document, "", turn, ask);
    // A graph has its layers in a list.
    if (!document["config"].contains("layers")) return;
    for (json& layer : document["config"]["layers"])
      if (layer.is_object()) each_change(layer, layer.value("class_name", "") + '.', turn, ask);
  };
  for (const char* name : {"mnist_convnet", "imdb_bilstm", "shakespeare_gru", "timeseries_transformer", "unet"})
    each_layer(name, load_hf_document(std::string(TPUPLAN_TESTS_DIR "/unit/read/keras/") + name + ".json"));
  for (const char* name : {"inception_v3", "mobilenetv2", "resnet50", "vgg16", "xception"})
    all.add(name, "as it is", [&] {
      return network_told(
          read_keras(load_hf_document(std::string(TPUPLAN_TESTS_DIR "/unit/read/keras/") + name + ".json")));
    });
  const json behind =
      json::parse(R"([{"class_name":"Flatten","config":{}},{"class_name":"Dense","config":{"units":2}}])");
  const auto ask_layer = [&](const char* shape, const char* type, const char* config) {
    json list = behind;
    list.insert(list.begin(), json{{"class_name", type}, {"config", json::parse(config)}});
    each_layer(type, sequence_of(shape, list));
  };
  ask_layer("[null,9,5]", "Dense", R"({"units":7,"use_bias":true,"activation":"relu"})");
  ask_layer("[null,9,5]", "Conv1D", R"({"filters":6,"kernel_size":[3],"strides":[2],"padding":"same","groups":1})");
  ask_layer("[null,9,8,6]", "Conv2D",
            R"({"filters":6,"kernel_size":[3,3],"strides":[2,2],"padding":"valid","groups":2,
      "dilation_rate":[1,1],"use_bias":false,"data_format":"channels_last"})");
  ask_layer("[null,9,8,6]", "Conv2D",
            R"({"filters":6,"kernel_size":2,"strides":3,"padding":"same","dilation_rate":2})");
  ask_layer("[null,4,9,8,6]", "Conv3D", R"({"filters":4,"kernel_size":[2,3,3],"strides":[1,2,2],"padding":"same"})");
  ask_layer("[null,9,8,6]", "Conv2DTranspose", R"({"filters":7,"kernel_size":[3,3],"strides":[2,2],"padding":"same"})");
  ask_layer("[null,9,8,6]", "DepthwiseConv2D",
            R"({"kernel_size":[3,3],"strides":[2,2],"depth_multiplier":2,"padding":"same"})");
  ask_layer("[null,9,8,6]", "SeparableConv2D",
            R"({"filters":7,"kernel_size":[3,3],"depth_multiplier":2,"padding":"same"})");
  ask_layer("[null,9,5]", "LSTM", R"({"units":7,"return_sequences":true,"use_bias":true})");
  ask_layer("[null,9,5]", "GRU", R"({"units":7,"return_sequences":false,"reset_after":true})");
  ask_layer("[null,9,5]", "Bidirectional",
            R"({"merge_mode":"concat","layer":{"class_name":"GRU","config":{"units":3}}})");
  ask_layer("[null,9,5]", "MultiHeadAttention", R"({"num_heads":3,"key_dim":8,"value_dim":4,"use_bias":true})");
  ask_layer("[null,9]", "Embedding", R"({"input_dim":100,"output_dim":16})");
  ask_layer("[null,9,5]", "LayerNormalization", R"({"scale":true,"center":true})");
  ask_layer("[null,9,5]", "BatchNormalization", R"({"scale":true,"center":false})");
  ask_layer("[null,9,5]", "MaxPooling1D", R"({"pool_size":[2],"strides":[2],"padding":"same"})");
  ask_layer("[null,9,8,6]", "AveragePooling2D", R"({"pool_size":[2,2],"strides":[2,1],"padding":"valid"})");
  ask_layer("[null,9,8,6]", "ZeroPadding2D", R"({"padding":[[0,1],[2,3]]})");
  ask_layer("[null,9,8,6]", "Cropping2D", R"({"cropping":[[1,0],[2,1]]})");
  ask_layer("[null,9,8,6]", "UpSampling2D", R"({"size":[2,3]})");
  ask_layer("[null,9,5]", "Reshape", R"({"target_shape":[3,-1]})");
  ask_layer("[null,9,5]", "Permute", R"({"dims":[2,1]})");
  ask_layer("[null,9,8,6]", "GlobalAveragePooling2D", R"({"keepdims":true})");
  ask_layer("[null,9]", "RepeatVector", R"({"n":3})");
  ask_layer("[null,9,5]", "Nothing", "{}");
  ask_layer("[null,9]", "Dense", R"({"units":7})");
  ask_layer("[null,9,8,6]", "Reshape", R"({"target_shape":[-1,12]})");
  ask_layer("[null,9,8,6]", "LayerNormalization", R"({"axis":[3],"scale":false})");
  ask_layer("[null,9,5]", "UpSampling1D", R"({"size":3})");
  ask_layer("[null,9,5]", "ZeroPadding1D", R"({"padding":[1,2]})");
  ask_layer("[null,9,5]", "Cropping1D", R"({"cropping":[1,2]})");
  ask_layer("[null,9,5]", "AveragePooling1D", R"({"pool_size":4,"strides":3,"padding":"valid"})");
  ask_layer("[null,9,5]", "GlobalMaxPooling1D", R"({"keepdims":false})");
  ask_layer("[null,9,8,6]", "Resizing", R"({"height":4,"width":6})");
  ask_layer("[null,9,5]", "SimpleRNN", R"({"units":7,"use_bias":false})");
  ask_layer("[null,9,5]", "TimeDistributed", R"({"layer":{"class_name":"Dense","config":{"units":3}}})");
  ask_layer("[null,9,5]", "PReLU", R"({"shared_axes":[1]})");
  ask_layer("[null,9,5]", "Normalization", R"({"axis":-1})");
  CHECK(all.problem("keras_files.txt") == "");
}

TEST_CASE("files of networks in stages with one value changed, as they were", "[golden]") {
  digests all;
  std::size_t turn = 0;
  const auto each_network = [&](const std::string& type, const std::string& head, const char* changes) {
    json document = json::parse(changes);
    document["model_type"] = type;
    document["architectures"] = {head};
    document["num_labels"] = 10;
    const json& file = document;
    const auto ask = [&](const std::string& change) {
      all.add(head, change, [&] { return network_told(read_hf_network(file)); });
    };
    ask("as it is");
    each_change(document, "", turn, ask);
  };
  for (const char* kind : {"ForImageClassification", "Model"}) {
    const std::string head = kind;
    each_network("convnext", "ConvNext" + head, "{}");
    each_network("convnext", "ConvNext" + head,
                 R"({"num_channels":3,"patch_size":4,"num_stages":4,"hidden_sizes":[24,48,96,192],"depths":[1,2,3,1],
                     "image_size":96,"layer_scale_init_value":1e-6})");
    each_network("swin", "Swin" + head, "{}");
    each_network("swin", "Swin" + head,
                 R"({"image_size":128,"patch_size":4,"num_channels":3,"embed_dim":48,
        "depths":[1,2,1],"num_heads":[2,4,8],"window_size":4,"mlp_ratio":3.0,"qkv_bias":false})");
    each_network("resnet", "ResNet" + head, "{}");
    each_network("resnet", "ResNet" + head,
                 R"({"num_channels":1,"embedding_size":32,"hidden_sizes":[64,96,128],
        "depths":[2,1,2],"layer_type":"bottleneck","downsample_in_first_stage":true,"downsample_in_bottleneck":false})");
    each_network("resnet", "ResNet" + head, R"({"hidden_sizes":[32,64],"depths":[1,3],"layer_type":"basic"})");
  }
  CHECK(all.problem("stage_files.txt") == "");
}

}  // namespace golden_made_files_tests

// Models of Keras as keras.Model.to_json writes them, against the parameters and FLOPs that are published for them and
// those that Keras itself counts. keras/write.py had Keras 3.16.0 write the files in keras/.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <tpuplan/ask/any_model.hpp>
#include <tpuplan/estimate/training/network.hpp>
#include <tpuplan/read/keras.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace read_keras_tests {
using nlohmann::json;

namespace {

json stored(const std::string& name) {
  return load_hf_document(TPUPLAN_TESTS_DIR "/unit/read/keras/" + name + ".json");
}

/// A sequence of layers after an input.
json sequence(const char* shape, const char* layers) {
  json model = {{"class_name", "Sequential"}, {"config", {{"name", "own"}}}};
  json& list = model["config"]["layers"];
  list = json::parse(layers);
  json input = {{"class_name", "InputLayer"}};
  input["config"]["batch_shape"] = json::parse(shape);
  list.insert(list.begin(), input);
  return model;
}

std::int64_t total(const char* shape, const char* layers) {
  return parameters(read_keras(sequence(shape, layers)).net).total;
}

std::string refused(const json& model) {
  return refusal_of([&] { (void)read_keras(model); }).message;
}

struct published {
  const char* name;
  std::int64_t total, trained;
};

}  // namespace

TEST_CASE("models of Keras have the parameters that are published for them", "[keras]") {
  // Totals of keras.applications: keras-team/keras-io templates/api/applications/index.md @01b6d6c; trained: published
  // copies of their summary(). keras-io examples/vision/md/mnist_convnet.md @38324b7, examples/nlp/md/
  // bidirectional_lstm_imdb.md @8bda227. The GRU: copies of TensorFlow's tutorial text_generation. Of no page: the
  // U-Net, 448 + 4640 + 2064 + 4624 + 34, and the transformer as its source pools (examples/timeseries, @2024821,
  // channels last): the page @dad05fa pools channels first and has 93130 = 29258 - (1 x 128 + 128) + (500 x 128 + 128).
  const published models[] = {{"mnist_convnet", 34826, 34826},          {"imdb_bilstm", 2757761, 2757761},
                              {"shakespeare_gru", 4022850, 4022850},    {"vgg16", 138357544, 138357544},
                              {"resnet50", 25636712, 25583592},         {"mobilenetv2", 3538984, 3504872},
                              {"xception", 22910480, 22855952},         {"inception_v3", 23851784, 23817352},
                              {"timeseries_transformer", 29258, 29258}, {"unet", 11810, 11810}};
  for (const published& each : models) {
    const json document = stored(each.name);
    INFO(each.name);
    REQUIRE(is_keras_model(document));
    const network_parameters counted = parameters(read_keras(document).net);
    CHECK(counted.total == each.total);
    CHECK(counted.trained == each.trained);
    CHECK(trained_parameters(read_any_model(document)) == each.trained);
  }
}

// What count_params() of each model and of its trainable weights said when Keras wrote its file. The encoder of the
// U-Net is frozen, which is taken as trained, and said: a network has no layers without gradients.
TEST_CASE("models of Keras have the parameters that Keras counts", "[keras]") {
  const json totals = load_hf_document(TPUPLAN_TESTS_DIR "/unit/read/keras/totals.json");
  CHECK(totals.at("keras_version") == "3.16.0");
  std::size_t models = 0;
  for (const auto& [name, counted] : totals.items()) {
    if (!counted.is_object()) continue;
    ++models;
    INFO(name);
    const json document = stored(name);
    CHECK(document.at("module").get<std::string>().rfind("keras", 0) == 0);  // Keras 3 writes where its classes are
    const network_parameters read = parameters(read_keras(document).net);
    CHECK(read.total == counted.at("total").get<std::int64_t>());
    const std::int64_t frozen = name == "unet" ? 3 * 3 * 16 * 32 + 32 : 0;
    CHECK(read.trained == counted.at("trained").get<std::int64_t>() + frozen);
  }
  CHECK(models == 10);
}

// The form of Keras 2, as TensorFlow.js 4.22.0 writes it (keras/write.js), with what its countParams() says.
TEST_CASE("models of TensorFlow.js have the parameters that it counts", "[keras]") {
  for (const char* name : {"tfjs_images", "tfjs_words"}) {
    INFO(name);
    const json document = stored(name);
    REQUIRE(is_keras_model(document));
    CHECK(document.at("modelTopology").at("keras_version") == "tfjs-layers 4.22.0");
    CHECK(parameters(read_keras(document).net).total == document.at("parameters").get<std::int64_t>());
  }
}

// Source: `_ops` in torchvision/models of pytorch/vision, copies of 2022 and later.
TEST_CASE("models of Keras have the multiply-adds that torchvision publishes", "[keras]") {
  const auto giga = [](const char* name) {
    return forward_flops_per_example(read_keras(stored(name)).net).value() / 2e9;
  };
  CHECK(close(giga("mobilenetv2"), 0.3008, 0.001));  // 0.301 of mobilenet_v2
  CHECK(close(giga("vgg16"), 15.47, 0.001));         // 15.47 of vgg16
  CHECK(close(giga("inception_v3"), 5.713, 0.001));  // 5.713 of inception_v3
}

TEST_CASE("a network by hand and the same one of Keras agree", "[keras]") {
  const network mine = read_json_document<network>(load_json(TPUPLAN_DATA_DIR "/networks/resnet-50-keras.json"));
  const network theirs = read_keras(stored("resnet50")).net;
  CHECK(parameters(theirs).total == parameters(mine).total);
  CHECK(forward_flops_per_example(theirs).value() == forward_flops_per_example(mine).value());
  CHECK(saved_numbers_per_example(theirs) == saved_numbers_per_example(mine));
  network_job job;
  job.global_batch = 1024;
  layout data;
  data.data = 8;
  const slice where = slice_for("v5e-8");
  CHECK(close(step_time(theirs, job, data, where).total.value(), step_time(mine, job, data, where).total.value()));
}

TEST_CASE("layers of Keras by their formulas", "[keras]") {
  // Two biases of a GRU, one of an LSTM; 1-D and uneven windows are one product; a transposed one has a bias an output.
  CHECK(total("[null,9,5]", R"([{"class_name":"GRU","config":{"units":7}}])") == 3 * 7 * (5 + 7 + 2));
  CHECK(total("[null,9,5]", R"([{"class_name":"GRU","config":{"units":7,"reset_after":false}}])") ==
        3 * 7 * (5 + 7 + 1));
  CHECK(total("[null,9,5]", R"([{"class_name":"LSTM","config":{"units":7}}])") == 4 * 7 * (5 + 7 + 1));
  CHECK(total("[null,9,5]", R"([{"class_name":"SimpleRNN","config":{"units":7,"use_bias":false}}])") == 7 * (5 + 7));
  CHECK(total("[null,9,5]", R"([{"class_name":"Conv1D","config":{"filters":7,"kernel_size":[3]}}])") == 3 * 5 * 7 + 7);
  CHECK(total("[null,9,9,5]", R"([{"class_name":"Conv2D","config":{"filters":7,"kernel_size":[1,3]}}])") ==
        3 * 5 * 7 + 7);
  CHECK(total("[null,4,9,9,5]", R"([{"class_name":"Conv3D","config":{"filters":2,"kernel_size":3}}])") ==
        27 * 5 * 2 + 2);
  CHECK(total("[null,9,9,5]",
              R"([{"class_name":"Conv2DTranspose","config":{"filters":7,"kernel_size":3,"strides":2}}])") ==
        9 * 5 * 7 + 7);
  CHECK(total("[null,9,9,5]",
              R"([{"class_name":"SeparableConv2D","config":{"filters":7,"kernel_size":3,"depth_multiplier":2}}])") ==
        9 * 5 * 2 + 10 * 7 + 7);
  CHECK(total("[null,6]", R"([{"class_name":"Dense","config":{"units":4}},{"class_name":"BatchNormalization","config":
        {"scale":false}},{"class_name":"PReLU","config":{}},{"class_name":"Normalization","config":{}}])") ==
        6 * 4 + 4 + 3 * 4 + 4 + 2 * 4 + 1);
  // The factors of ConvNeXt's channels, and its blocks that may be left out.
  CHECK(total("[null,9,9,5]", R"([{"class_name":"Conv2D","config":{"filters":7,"kernel_size":1}},{"class_name":
        "LayerScale","config":{"init_values":1e-6,"projection_dim":7}},{"class_name":"StochasticDepth","config":{}}])") ==
        5 * 7 + 7 + 7);
  CHECK(total("[null,9,5]", R"([{"class_name":"TimeDistributed","config":{"layer":{"class_name":"Dense","config":
        {"units":3}}}},{"class_name":"Flatten","config":{}},{"class_name":"Dense","config":{"units":2}}])") ==
        5 * 3 + 3 + 27 * 2 + 2);
}

TEST_CASE("shapes behind layers of Keras", "[keras]") {
  // A dense layer behind each tells how many numbers came out: its weights are twice as many.
  const auto behind = [](const char* shape, const std::string& layer) {
    const std::string all = "[" + layer + R"(,{"class_name":"Flatten","config":{}},{"class_name":"Dense","config":
        {"units":2,"use_bias":false}}])";
    return total(shape, all.c_str()) / 2;
  };
  const auto with = [](const char* type, const char* config) {
    return std::string(R"({"class_name":")") + type + R"(","config":)" + config + "}";
  };
  CHECK(behind("[null,9,5]", with("ZeroPadding1D", R"({"padding":[1,2]})")) == 12 * 5);
  CHECK(behind("[null,9,9,5]", with("ZeroPadding2D", R"({"padding":[[0,1],[2,3]]})")) == 10 * 14 * 5);
  CHECK(behind("[null,9,9,5]", with("Cropping2D", R"({"cropping":[1,2]})")) == 7 * 5 * 5);
  CHECK(behind("[null,9,9,5]", with("UpSampling2D", R"({"size":[2,3]})")) == 18 * 27 * 5);
  CHECK(behind("[null,9,9,5]", with("Resizing", R"({"height":4,"width":6})")) == 4 * 6 * 5);
  CHECK(behind("[null,9,9,5]", with("MaxPooling2D", R"({"pool_size":2})")) == 4 * 4 * 5);
  CHECK(behind("[null,9,9,5]", with("MaxPooling2D", R"({"pool_size":[3,1],"strides":[2,1],"padding":"same"})")) ==
        5 * 9 * 5);
  CHECK(behind("[null,9,9,5]", with("GlobalMaxPooling2D", "{}")) == 5);
  CHECK(behind("[null,9,9,5]", with("GlobalMaxPooling2D", R"({"keepdims":true})")) == 5);
  CHECK(behind("[null,6,4]", with("Reshape", R"({"target_shape":[2,-1,3]})")) == 24);
  CHECK(behind("[null,6,4]", with("Reshape", R"({"target_shape":[24,1]})")) == 24);
  CHECK(behind("[null,6,4]", with("Permute", R"({"dims":[2,1]})")) == 24);
  CHECK(behind("[null,6]", with("RepeatVector", R"({"n":3})")) == 18);
}

TEST_CASE("a model of Keras 2 and one of TensorFlow.js", "[keras]") {
  const json two = json::parse(R"({"class_name":"Model","keras_version":"2.1.6","config":{"name":"two","layers":[
    {"class_name":"InputLayer","name":"a","config":{"batch_input_shape":[null,8],"name":"a"},"inbound_nodes":[]},
    {"class_name":"Dense","name":"b","config":{"units":4,"name":"b"},"inbound_nodes":[[["a",0,0,{}]]]},
    {"class_name":"Dense","name":"c","config":{"units":4,"name":"c"},"inbound_nodes":[[["a",0,0,{}]]]},
    {"class_name":"Concatenate","name":"d","config":{"axis":-1,"name":"d"},"inbound_nodes":[[["b",0,0,{}],["c",0,0,{}]]]},
    {"class_name":"Dense","name":"e","config":{"units":1,"name":"e"},"inbound_nodes":[[["d",0,0,{}]]]}],
    "input_layers":[["a",0,0]],"output_layers":[["e",0,0]]}})");
  CHECK(parameters(read_keras(two).net).total == 2 * (8 * 4 + 4) + 8 + 1);
  CHECK(read_keras(two).net.layers.size == 2);  // b and c are of one shape
  const json wrapped = {{"modelTopology", {{"model_config", two}}}};
  CHECK(is_keras_model(wrapped));
  CHECK(parameters(read_keras(wrapped).net).total == 81);
  // What two layers read is no part of a layer: the norm stays one of its own.
  json shared = two;
  shared["config"]["layers"][3] = {{"class_name", "BatchNormalization"},
                                   {"name", "d"},
                                   {"config", {{"name", "d"}}},
                                   {"inbound_nodes", json::parse(R"([[["b",0,0,{}]]])")}};
  shared["config"]["layers"][2]["inbound_nodes"] = json::parse(R"([[["b",0,0,{}]]])");
  CHECK(read_keras(shared).net.layers.size == 4);
}

TEST_CASE("what of Keras cannot be read is refused by its layer", "[keras]") {
  const auto one = [](const char* shape, const char* layers) { return refused(sequence(shape, layers)); };
  CHECK(says(one("[null,8]", R"([{"class_name":"Lambda","config":{"name":"mine"}}])"), "mine is Lambda; valid:"));
  CHECK(says(one("[null,8]", R"([{"class_name":"Dens","config":{}}])"), "Dense"));
  CHECK(says(one("[null,null,8]", R"([{"class_name":"LSTM","config":{"units":1}}])"), "tpuplan.export"));
  CHECK(says(one("[null,8]", R"([{"class_name":"LSTM","config":{"units":1}}])"), "1 dimensions; valid: 2"));
  CHECK(says(one("[null,8,8,3]", R"([{"class_name":"Conv2D","config":{"filters":1,"kernel_size":3,
      "data_format":"channels_first"}}])"),
             "data_format"));
  CHECK(says(one("[null,2,2,3]", R"([{"class_name":"Conv2D","config":{"filters":1,"kernel_size":3}}])"),
             "kernel_size is 3"));
  CHECK(says(one("[null,8]", R"([{"class_name":"Dense","config":{"units":0}}])"), "units"));
  CHECK(says(one("[null,8]", R"([{"class_name":"Dense","config":{"units":4,"use_bias":"no"}}])"), "use_bias"));
  CHECK(says(one("[null,6,4]", R"([{"class_name":"Reshape","config":{"target_shape":[5,-1]}}])"), "target_shape"));
  CHECK(says(
      one("[null,6,4]", R"([{"class_name":"TimeDistributed","config":{"layer":{"class_name":"LSTM","config":{}}}}])"),
      "LSTM; valid: Dense"));
  CHECK(says(one("[null,6,4]", R"([{"class_name":"Bidirectional","config":{"layer":{"class_name":"Bidirectional"}}}])"),
             "Bidirectional; valid: LSTM, GRU or SimpleRNN"));
  json many = sequence("[null,4]", "[]");
  for (int units = 1; units <= 97; ++units)
    many["config"]["layers"].push_back({{"class_name", "Dense"}, {"config", {{"units", units}}}});
  CHECK(says(refused(many), "layers of different shapes is more than 96; valid: at most 96"));
  for (int i = 0; i < 4096; ++i) many["config"]["layers"].push_back(many["config"]["layers"][1]);
  CHECK(says(refused(many), "at most 4096"));
  json twice = stored("mnist_convnet");
  twice["class_name"] = "Mine";
  CHECK(says(refused(twice), "class_name is Mine; valid: Sequential or Functional"));
  json shared = json::parse(R"({"class_name":"Functional","config":{"layers":[
    {"class_name":"InputLayer","name":"a","config":{"batch_shape":[null,8]},"inbound_nodes":[]},
    {"class_name":"Dense","name":"b","config":{"units":8},"inbound_nodes":[[["a",0,0,{}]],[["b",0,0,{}]]]}],
    "input_layers":[["a",0,0]],"output_layers":[["b",1,0]]}})");
  CHECK(says(refused(shared), "several calls of a layer with weights"));
  shared["config"]["layers"][1]["inbound_nodes"] = json::parse(R"([[["z",0,0,{}]]])");
  CHECK(says(refused(shared), "a tensor that nothing makes"));
}

}  // namespace read_keras_tests

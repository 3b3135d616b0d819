// The worked networks of data/networks against published counts, and what a list of layers refuses.
#include <string>
#include <tpuplan/json.hpp>
#include <tpuplan/json/file.hpp>
#include <tpuplan/model/network.hpp>

#include "support/catch.hpp"
#include "support/networks.hpp"
#include "support/refusal.hpp"

using namespace tpuplan;

namespace model_network_tests {

namespace {

network network_of(const std::string& file) {
  const std::string path = std::string(TPUPLAN_DATA_DIR) + "/networks/" + file + ".json";
  return read_json_document<network>(load_json(path), {}, path);
}

}  // namespace

TEST_CASE("worked networks have the published numbers of parameters and multiply-adds") {
  struct row {
    const char* file;
    std::int64_t trained;
    std::int64_t total;  // with what is kept without being trained
    double giga_macs;    // to two digits behind the point, as they are published; 0: not published
  };
  for (const row& r : {
           row{"mlp-784-128-10", 101770, 101770, 0}, row{"mlp-512-1024-512-256-10", 1184010, 1184010, 0},
           row{"resnet-50", 25557032, 25610152, 4.09},         // torchvision: model table
           row{"resnet-50-keras", 25583592, 25636712, 0},      // Keras: model.summary()
           row{"efficientnet-b0", 5288548, 5330564, 0.39},     // torchvision: model table
           row{"efficientnet-b0-keras", 5288548, 5330571, 0},  // Keras: model.summary()
           row{"efficientnet-v2-s", 21458488, 21612360,
               8.37},                                   // torchvision: model table, 8.366; Keras: model.summary()
           row{"vit-s-16", 22050664, 22050664, 4.60},   // timm: vit_small_patch16_224
           row{"vit-b-16", 86567656, 86567656, 17.56},  // torchvision: model table
           row{"bert-base", 109482240, 109482240, 0},   // transformers: BertModel with pooler
       }) {
    INFO(r.file);
    const network net = network_of(r.file);
    const network_parameters count = parameters(net);
    CHECK(count.trained == r.trained);
    CHECK(count.total == r.total);
    if (r.giga_macs > 0) CHECK(std::abs(forward_flops_per_example(net).value() / 2e9 - r.giga_macs) < 0.006);
    CHECK(json_document(net) == json_document(read_json_document<network>(json_document(net))));
  }
}

TEST_CASE("the vision-language model has its tower, projector and text, counted on paper") {
  // A layer of width d: 4 d^2 + 4 d of attention, 8 d^2 + 5 d of the MLP, 4 d of norms.
  const auto layer = [](std::int64_t d) { return 12 * d * d + 13 * d; };
  const std::int64_t tower = 768 * (16 * 16 * 3 + 1) + 196 * 768 + 12 * layer(768) + 2 * 768;
  const std::int64_t text = 2 * 32000 * 1024 + 12 * layer(1024) + 2 * 1024;
  CHECK(parameters(network_of("vlm-196")).trained == tower + (768 + 1) * 1024 + text);
}

TEST_CASE("the Hugging Face configuration and the list of layers of ViT-B/16 agree") {
  // The same model, read in two ways: multiply-adds of the tower and of its classifier.
  CHECK(forward_flops_per_example(network_of("vit-b-16")).value() == 2 * (17563060224.0 + 768 * 1000));
}

TEST_CASE("a layer refuses what it has no use for, and sizes that do not follow") {
  const auto refused = [](network_layer layer) {
    network net = mlp(8, {4});
    net.layers.add(layer);
    return refusal_of([&] { validate(net); }).message;
  };
  network_layer layer;
  layer.groups = 2;
  CHECK(says(refused(layer), "layer.groups is 2; valid: 1 but for a convolution"));
  layer = convolution(3, 1);
  layer.groups = 2;
  CHECK(says(refused(layer), "layer.groups is 2; valid: a divisor of the channels"));
  layer = {};
  layer.kernel = 3;
  CHECK(says(refused(layer), "valid: a convolution or a pool"));
  layer = {};
  layer.heads = 2;
  CHECK(says(refused(layer), "layer.heads is 2; valid: 0 but for attention"));
  layer.kind = layer_kind::attention;
  layer.heads = 3;
  CHECK(says(refused(layer), "layer.heads is 3; valid: a divisor"));
  layer = {};
  layer.gates = 4;
  CHECK(says(refused(layer), "layer.gates is 4; valid: 4 of an LSTM, 3 of a GRU, 1 of a simple one; else 0"));
  layer.kind = layer_kind::recurrent;
  layer.gates = 5;
  CHECK(says(refused(layer), "layer.gates is 5"));
  layer = {};
  layer.head_width = 64;
  CHECK(says(refused(layer), "layer.head_width is 64; valid: 0 but for attention"));
  layer = {};
  layer.kind = layer_kind::norm;
  CHECK(says(refused(layer), "layer.norm is none; valid: batch, layer or rms"));
  layer = {};
  layer.kind = layer_kind::embedding;
  CHECK(says(refused(layer), "rows of the table"));
  layer = convolution(4, 5);
  layer.padding = 0;
  CHECK(says(refused(layer), "layer.kernel is 5; valid: at most the side"));
  layer = convolution(4, 0);
  CHECK(says(refused(layer), "layer.kernel is 0; valid: 1 or more"));
  layer = convolution(4, 1);
  layer.kind = layer_kind::depthwise;
  layer.outputs = 5;
  CHECK(says(refused(layer), "layer.outputs is 5; valid: 0"));
  layer = {};
  layer.padding = -2;
  CHECK(says(refused(layer), "layer.padding is -2"));
  layer = {};
  layer.count = 0;
  CHECK(says(refused(layer), "layer.count is 0"));
  CHECK(says(refusal_of([] { validate(network{}); }).message, "network.layers is none"));
  CHECK(says(refusal_of([] {
               network net;
               for (int i = 0; i < 97; ++i) net.layers.add({});
             }).message,
             "at most 96 kinds"));
}

TEST_CASE("recurrent layers: weights, products of each step, and what they keep") {
  network net;
  net.height = 10, net.channels = 5;
  network_layer lstm;
  lstm.kind = layer_kind::recurrent;
  lstm.gates = 4, lstm.outputs = 7;
  net.layers.add(lstm);
  CHECK(parameters(net).trained == 4 * 7 * (5 + 7 + 1));
  // Input products of ten positions at once, then ten steps one after the other.
  CHECK(forward_flops_per_example(net).value() == 2.0 * 10 * 4 * 7 * (5 + 7));
  std::int64_t steps = 0;
  for_each_product(net, [&](const layer_product& each) { steps = each.rows == 1 ? each.count : steps; });
  CHECK(steps == 10);
  CHECK(saved_numbers_per_example(net) == 10 * 5 + 10 * 7 * (1 + 4 + 1));  // output, gates and cells
  // The weights of the steps are read in each of them, those of the input once.
  CHECK(detail::weights_read(lstm, detail::shape_behind(lstm, 10, 1, 5)) == 4 * 7 * 5 + 10 * 4 * 7 * 7);
  lstm.gates = 3;
  net.layers = {};
  net.layers.add(lstm);
  CHECK(saved_numbers_per_example(net) == 10 * 5 + 10 * 7 * (1 + 3));
}

TEST_CASE("attention whose heads are wider than its channels") {
  network net;
  net.height = 6, net.channels = 8;
  network_layer attention;
  attention.kind = layer_kind::attention;
  attention.heads = 2;
  network_layer wide = attention;
  wide.head_width = 16;
  net.layers.add(wide);
  CHECK(parameters(net).trained == 4 * 8 * 32 + 3 * 32 + 8);
  CHECK(forward_flops_per_example(net).value() == 2.0 * 6 * (4 * 8 * 32 + 2 * 6 * 32));
  // Heads of the usual width are the same layer.
  network usual = net, stated = net;
  usual.layers = {}, stated.layers = {};
  usual.layers.add(attention);
  attention.head_width = 4;
  stated.layers.add(attention);
  CHECK(parameters(usual).trained == parameters(stated).trained);
  CHECK(saved_numbers_per_example(usual) == saved_numbers_per_example(stated));
  CHECK(forward_flops_per_example(usual).value() == forward_flops_per_example(stated).value());
}

}  // namespace model_network_tests

"""Writes the models of this folder: `python3 write.py`. Keras did not write them. They are in the form of
keras.Model.to_json of Keras 3 (keras/src/models/functional.py and sequential.py, keras/src/saving/serialization_lib.py),
with the settings that count layers' weights and shapes, after the architectures of keras/src/applications and of the
examples on keras.io and tensorflow.org. tests/unit/read/keras.cpp has the parameters that are published for them."""
import json
import os


class graph:
    def __init__(self, name):
        self.name, self.layers, self.numbers = name, [], {}

    def __call__(self, kind, inputs=None, **config):
        number = self.numbers[kind] = self.numbers.get(kind, 0) + 1
        name = f"{kind.lower()}_{number}"
        config = dict(config, name=name)
        tensors = [{"class_name": "__keras_tensor__", "config": {"keras_history": [one, 0, 0]}}
                   for one in (inputs if isinstance(inputs, list) else [inputs])]
        node = [] if inputs is None else [{"args": [tensors] if isinstance(inputs, list) else tensors, "kwargs": {}}]
        if kind == "MultiHeadAttention":
            node[0]["args"] = tensors * 2
        self.layers.append({"module": "keras.layers", "class_name": kind, "config": config, "registered_name": None,
                            "name": name, "inbound_nodes": node})
        return name

    def norm(self, x, act=None, **config):
        x = self("BatchNormalization", x, axis=-1, **dict({"center": True, "scale": True}, **config))
        return self("Activation", x, activation=act) if act else x

    def conv(self, x, filters, kernel, strides=1, padding="same", **config):
        return self("Conv2D", x, filters=filters, kernel_size=kernel, strides=strides, padding=padding, **config)

    def write(self, inputs, outputs):
        write(self.name, {"module": "keras.src.models.functional", "class_name": "Functional", "config": {
            "name": self.name, "trainable": True, "layers": self.layers,
            "input_layers": [[one, 0, 0] for one in inputs], "output_layers": [[one, 0, 0] for one in outputs]},
            "registered_name": "Functional"})


def write(name, model):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps(model, separators=(",", ":")) + "\n")


def sequential(name, shape, layers):
    made = [{"module": "keras.layers", "class_name": "InputLayer", "config": {"batch_shape": [None, *shape]}}]
    made += [{"module": "keras.layers", "class_name": kind, "config": config, "registered_name": None}
             for kind, config in layers]
    write(name, {"module": "keras", "class_name": "Sequential", "config": {"name": name, "layers": made},
                 "registered_name": None})


def resnet50():
    g = graph("resnet50")
    image = g("InputLayer", batch_shape=[None, 224, 224, 3])
    x = g("ZeroPadding2D", image, padding=[[3, 3], [3, 3]])
    x = g.norm(g.conv(x, 64, [7, 7], [2, 2], "valid"), "relu")
    x = g("MaxPooling2D", g("ZeroPadding2D", x, padding=[[1, 1], [1, 1]]), pool_size=[3, 3], strides=[2, 2])
    for filters, blocks, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            stride = first if block == 0 else 1
            shortcut = g.norm(g.conv(x, 4 * filters, 1, stride, "valid")) if block == 0 else x
            y = g.norm(g.conv(x, filters, 1, stride, "valid"), "relu")
            y = g.norm(g.conv(y, filters, 3), "relu")
            y = g.norm(g.conv(y, 4 * filters, 1, 1, "valid"))
            x = g("Activation", g("Add", [shortcut, y]), activation="relu")
    x = g("Dense", g("GlobalAveragePooling2D", x), units=1000, activation="softmax")
    g.write([image], [x])


def mobilenet_v2():
    g = graph("mobilenetv2")
    image = g("InputLayer", batch_shape=[None, 224, 224, 3])

    def relu6(x):
        return g("ReLU", g.norm(x), max_value=6.0)

    def block(x, before, filters, stride, expansion, residual):
        y = x
        if expansion != 1:
            y = relu6(g.conv(y, expansion * before, 1, use_bias=False))
        if stride == 2:
            y = g("ZeroPadding2D", y, padding=[[0, 1], [0, 1]])
        y = g("DepthwiseConv2D", y, kernel_size=3, strides=stride, padding="same" if stride == 1 else "valid",
              use_bias=False, depth_multiplier=1)
        y = g.norm(g.conv(relu6(y), filters, 1, use_bias=False))
        return g("Add", [x, y]) if residual else y

    x = relu6(g.conv(image, 32, 3, 2, use_bias=False))
    before = 32
    for expansion, filters, blocks, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                              (6, 160, 3, 2), (6, 320, 1, 1)):
        for each in range(blocks):
            x = block(x, before, filters, first if each == 0 else 1, expansion, each > 0)
            before = filters
    x = relu6(g.conv(x, 1280, 1, use_bias=False))
    g.write([image], [g("Dense", g("GlobalAveragePooling2D", x), units=1000, activation="softmax")])


def xception():
    g = graph("xception")
    image = g("InputLayer", batch_shape=[None, 299, 299, 3])

    def separable(x, filters):
        return g.norm(g("SeparableConv2D", x, filters=filters, kernel_size=[3, 3], padding="same", use_bias=False))

    x = g.norm(g.conv(image, 32, 3, 2, "valid", use_bias=False), "relu")
    x = g.norm(g.conv(x, 64, 3, 1, "valid", use_bias=False), "relu")
    for number, filters in enumerate((128, 256, 728)):
        shortcut = g.norm(g.conv(x, filters, 1, 2, use_bias=False))
        y = separable(x if number == 0 else g("Activation", x, activation="relu"), filters)
        y = separable(g("Activation", y, activation="relu"), filters)
        y = g("MaxPooling2D", y, pool_size=[3, 3], strides=[2, 2], padding="same")
        x = g("Add", [y, shortcut])
    for _ in range(8):
        y = x
        for _ in range(3):
            y = separable(g("Activation", y, activation="relu"), 728)
        x = g("Add", [y, x])
    shortcut = g.norm(g.conv(x, 1024, 1, 2, use_bias=False))
    y = separable(g("Activation", x, activation="relu"), 728)
    y = separable(g("Activation", y, activation="relu"), 1024)
    x = g("Add", [g("MaxPooling2D", y, pool_size=3, strides=2, padding="same"), shortcut])
    x = g("Activation", separable(x, 1536), activation="relu")
    x = g("Activation", separable(x, 2048), activation="relu")
    g.write([image], [g("Dense", g("GlobalAveragePooling2D", x), units=1000, activation="softmax")])


def inception_v3():
    g = graph("inception_v3")
    image = g("InputLayer", batch_shape=[None, 299, 299, 3])

    def conv(x, filters, rows, columns, strides=1, padding="same"):
        x = g.conv(x, filters, [rows, columns], strides, padding, use_bias=False)
        return g.norm(x, "relu", scale=False)

    def path(x, *steps):
        for step in steps:
            x = conv(x, *step)
        return x

    def pooled(x, filters):
        return conv(g("AveragePooling2D", x, pool_size=3, strides=1, padding="same"), filters, 1, 1)

    def joined(*parts):
        return g("Concatenate", list(parts), axis=3)

    x = path(image, (32, 3, 3, 2, "valid"), (32, 3, 3, 1, "valid"), (64, 3, 3))
    x = path(g("MaxPooling2D", x, pool_size=3, strides=2), (80, 1, 1, 1, "valid"), (192, 3, 3, 1, "valid"))
    x = g("MaxPooling2D", x, pool_size=3, strides=2)
    for filters in (32, 64, 64):
        x = joined(conv(x, 64, 1, 1), path(x, (48, 1, 1), (64, 5, 5)), path(x, (64, 1, 1), (96, 3, 3), (96, 3, 3)),
                   pooled(x, filters))
    x = joined(conv(x, 384, 3, 3, 2, "valid"), path(x, (64, 1, 1), (96, 3, 3), (96, 3, 3, 2, "valid")),
               g("MaxPooling2D", x, pool_size=3, strides=2))
    for n in (128, 160, 160, 192):
        x = joined(conv(x, 192, 1, 1), path(x, (n, 1, 1), (n, 1, 7), (192, 7, 1)),
                   path(x, (n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)), pooled(x, 192))
    x = joined(path(x, (192, 1, 1), (320, 3, 3, 2, "valid")),
               path(x, (192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, 2, "valid")),
               g("MaxPooling2D", x, pool_size=3, strides=2))
    for _ in range(2):
        y, z = conv(x, 384, 1, 1), path(x, (448, 1, 1), (384, 3, 3))
        x = joined(conv(x, 320, 1, 1), joined(conv(y, 384, 1, 3), conv(y, 384, 3, 1)),
                   joined(conv(z, 384, 1, 3), conv(z, 384, 3, 1)), pooled(x, 192))
    g.write([image], [g("Dense", g("GlobalAveragePooling2D", x), units=1000, activation="softmax")])


def vgg16():
    layers = []
    for filters, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        layers += [("Conv2D", {"filters": filters, "kernel_size": [3, 3], "padding": "same", "activation": "relu"})] * count
        layers.append(("MaxPooling2D", {"pool_size": [2, 2], "strides": [2, 2]}))
    layers += [("Flatten", {}), ("Dense", {"units": 4096, "activation": "relu"}),
               ("Dense", {"units": 4096, "activation": "relu"}), ("Dense", {"units": 1000, "activation": "softmax"})]
    sequential("vgg16", [224, 224, 3], layers)


def unet():
    """A small U-Net with a nested model as its encoder, as transfer learning has it."""
    g = graph("unet")
    image = g("InputLayer", batch_shape=[None, 64, 64, 3])
    skip = g.conv(image, 16, 3, activation="relu")
    inner = graph("encoder")
    features = inner("InputLayer", batch_shape=[None, 64, 64, 16])
    down = inner("MaxPooling2D", features, pool_size=2)
    inner_out = inner.conv(down, 32, 3, activation="relu")
    tensor = {"class_name": "__keras_tensor__", "config": {"keras_history": [skip, 0, 0]}}
    g.layers.append({"module": "keras.src.models.functional", "class_name": "Functional", "name": "encoder", "config": {
        "name": "encoder", "trainable": False, "layers": inner.layers, "input_layers": [[features, 0, 0]],
        "output_layers": [[inner_out, 0, 0]]}, "inbound_nodes": [{"args": [tensor], "kwargs": {}}]})
    up = g("Conv2DTranspose", "encoder", filters=16, kernel_size=2, strides=2, padding="same")
    x = g("Concatenate", [skip, up], axis=-1)
    g.write([image], [g.conv(g.conv(x, 16, 3, activation="relu"), 2, 1, activation="softmax")])


def timeseries_transformer():
    g = graph("timeseries_transformer")
    series = x = g("InputLayer", batch_shape=[None, 500, 1])
    for _ in range(4):
        y = g("MultiHeadAttention", x, num_heads=4, key_dim=256, value_dim=256, use_bias=True, output_shape=None)
        x = g("Add", [g("LayerNormalization", g("Dropout", y, rate=0.25), axis=-1), x])
        y = g("Conv1D", x, filters=4, kernel_size=1, activation="relu")
        y = g("Conv1D", g("Dropout", y, rate=0.25), filters=1, kernel_size=1)
        x = g("Add", [g("LayerNormalization", y, axis=-1), x])
    x = g("GlobalAveragePooling1D", x)
    x = g("Dense", g("Dropout", g("Dense", x, units=128, activation="relu"), rate=0.4), units=2, activation="softmax")
    g.write([series], [x])


def main():
    conv = {"kernel_size": [3, 3], "activation": "relu"}
    sequential("mnist_convnet", [28, 28, 1], [
        ("Conv2D", dict(conv, filters=32)), ("MaxPooling2D", {"pool_size": [2, 2]}), ("Conv2D", dict(conv, filters=64)),
        ("MaxPooling2D", {"pool_size": [2, 2]}), ("Flatten", {}), ("Dropout", {"rate": 0.5}),
        ("Dense", {"units": 10, "activation": "softmax"})])
    lstm = {"class_name": "LSTM", "config": {"units": 64, "return_sequences": True, "use_bias": True}}
    last = {"class_name": "LSTM", "config": {"units": 64, "return_sequences": False, "use_bias": True}}
    sequential("imdb_bilstm", [200], [
        ("Embedding", {"input_dim": 20000, "output_dim": 128}), ("Bidirectional", {"layer": lstm, "merge_mode": "concat"}),
        ("Bidirectional", {"layer": last, "merge_mode": "concat"}), ("Dense", {"units": 1, "activation": "sigmoid"})])
    sequential("shakespeare_gru", [100], [
        ("Embedding", {"input_dim": 66, "output_dim": 256}),
        ("GRU", {"units": 1024, "return_sequences": True, "reset_after": True}), ("Dense", {"units": 66})])
    vgg16()
    resnet50()
    mobilenet_v2()
    xception()
    inception_v3()
    unet()
    timeseries_transformer()


if __name__ == "__main__":
    main()

"""Writes the models of this folder as keras.Model.to_json does: python3 write.py [FOLDER], where Keras 3 is installed.

Those that are here were written by Keras 3.16.0 (keras-team/keras @3422977, 2026-08-21) with KERAS_BACKEND=numpy.
totals.json beside them has the parameters that Keras counts: all of them, and those that are trained.
"""
import json
import os
import sys

import keras
from keras import Input, Sequential, layers


def mnist_convnet():
    """keras-io examples/vision/mnist_convnet."""
    return Sequential([
        Input((28, 28, 1)), layers.Conv2D(32, kernel_size=(3, 3), activation="relu"), layers.MaxPooling2D((2, 2)),
        layers.Conv2D(64, kernel_size=(3, 3), activation="relu"), layers.MaxPooling2D((2, 2)), layers.Flatten(),
        layers.Dropout(0.5), layers.Dense(10, activation="softmax")], name="mnist_convnet")


def imdb_bilstm():
    """keras-io examples/nlp/bidirectional_lstm_imdb, with sequences of a known length."""
    inputs = Input((200,), dtype="int32")
    x = layers.Embedding(20000, 128)(inputs)
    x = layers.Bidirectional(layers.LSTM(64, return_sequences=True))(x)
    x = layers.Bidirectional(layers.LSTM(64))(x)
    return keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x), name="imdb_bilstm")


def shakespeare_gru():
    """The model of TensorFlow's tutorial text_generation."""
    return Sequential([Input((100,)), layers.Embedding(66, 256), layers.GRU(1024, return_sequences=True),
                       layers.Dense(66)], name="shakespeare_gru")


def unet():
    """A small U-Net with a nested model as its encoder that is not trained, as transfer learning has it."""
    features = Input((64, 64, 16))
    inner = layers.Conv2D(32, 3, padding="same", activation="relu")(layers.MaxPooling2D(2)(features))
    encoder = keras.Model(features, inner, name="encoder")
    encoder.trainable = False
    image = Input((64, 64, 3))
    skip = layers.Conv2D(16, 3, padding="same", activation="relu")(image)
    up = layers.Conv2DTranspose(16, 2, strides=2, padding="same")(encoder(skip))
    x = layers.Conv2D(16, 3, padding="same", activation="relu")(layers.Concatenate()([skip, up]))
    return keras.Model(image, layers.Conv2D(2, 1, activation="softmax")(x), name="unet")


def timeseries_transformer():
    """keras-io examples/timeseries/timeseries_classification_transformer, pooled over its steps."""
    inputs = x = Input((500, 1))
    for _ in range(4):
        y = layers.MultiHeadAttention(key_dim=256, num_heads=4, dropout=0.25)(x, x)
        x = layers.LayerNormalization(epsilon=1e-6)(layers.Dropout(0.25)(y)) + x
        y = layers.Conv1D(4, kernel_size=1, activation="relu")(x)
        y = layers.Conv1D(1, kernel_size=1)(layers.Dropout(0.25)(y))
        x = layers.LayerNormalization(epsilon=1e-6)(y) + x
    x = layers.Dense(128, activation="relu")(layers.GlobalAveragePooling1D()(x))
    outputs = layers.Dense(2, activation="softmax")(layers.Dropout(0.4)(x))
    return keras.Model(inputs, outputs, name="timeseries_transformer")


def main(folder):
    published = keras.applications
    made = {"vgg16": published.VGG16, "resnet50": published.ResNet50, "mobilenetv2": published.MobileNetV2,
            "xception": published.Xception, "inception_v3": published.InceptionV3}
    made = {name: lambda make=make: make(weights=None) for name, make in made.items()}
    made.update({one.__name__: one for one in (mnist_convnet, imdb_bilstm, shakespeare_gru, unet, timeseries_transformer)})
    totals = {"keras_version": keras.__version__}
    for name, make in made.items():
        model = make()
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as out:
            out.write(model.to_json() + "\n")
        totals[name] = {"total": model.count_params(),
                        "trained": sum(one.size if hasattr(one, "size") else 0 for one in
                                       (weight.numpy() for weight in model.trainable_weights))}
        keras.backend.clear_session()
    with open(os.path.join(folder, "totals.json"), "w", encoding="utf-8") as out:
        json.dump(totals, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))

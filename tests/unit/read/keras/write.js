// Writes models of TensorFlow.js, whose form is that of Keras 2: node write.js [FOLDER], where @tensorflow/tfjs-core,
// tfjs-layers and tfjs-backend-cpu are installed. Those that are here were written by 4.22.0.
const fs = require("fs");
const path = require("path");
const tf = { ...require("@tensorflow/tfjs-core"), ...require("@tensorflow/tfjs-layers") };
require("@tensorflow/tfjs-backend-cpu");

/** A network of images with a shortcut, a branch and a separable convolution. */
function images() {
  const { layers } = tf;
  const image = tf.input({ shape: [32, 32, 3] });
  const stem = layers.activation({ activation: "relu" }).apply(
    layers.batchNormalization().apply(layers.conv2d({ filters: 16, kernelSize: 3, padding: "same", useBias: false }).apply(image)));
  const left = layers.separableConv2d({ filters: 16, kernelSize: 3, padding: "same" }).apply(stem);
  const added = layers.add().apply([stem, left]);
  const right = layers.depthwiseConv2d({ kernelSize: 3, padding: "same" }).apply(stem);
  const joined = layers.concatenate().apply([added, right]);
  const pooled = layers.maxPooling2d({ poolSize: 2 }).apply(joined);
  const flat = layers.dropout({ rate: 0.2 }).apply(layers.globalAveragePooling2d({}).apply(pooled));
  return tf.model({ inputs: image, outputs: layers.dense({ units: 10, activation: "softmax" }).apply(flat), name: "images" });
}

/** Two recurrent layers over words. */
function words() {
  return tf.sequential({ name: "words", layers: [
    tf.layers.embedding({ inputDim: 1000, outputDim: 32, inputLength: 50 }),
    tf.layers.bidirectional({ layer: tf.layers.lstm({ units: 24, returnSequences: true, recurrentInitializer: "glorotUniform" }), mergeMode: "concat" }),
    tf.layers.gru({ units: 16, resetAfter: false, recurrentInitializer: "glorotUniform" }),
    tf.layers.dense({ units: 1, activation: "sigmoid" })] });
}

const folder = process.argv[2] || __dirname;
for (const model of [images(), words()]) {
  const written = { modelTopology: JSON.parse(model.toJSON()), parameters: model.countParams() };
  fs.writeFileSync(path.join(folder, "tfjs_" + model.name + ".json"), JSON.stringify(written) + "\n");
}

"""A model of Keras or torch as a file that tpuplan reads.

    python3 -m tpuplan.export torchvision.models:resnet50 --input 3,224,224 -o model.json
    python3 -m tpuplan.export my_model.keras -o model.json
    tpuplan train model.json --slice v6e-8 --batch 1024

A model is MODULE:NAME, a torch module or a function that makes one (or a model of Keras), or a file of
keras.Model.to_json or model.save. Sizes are of one example, without its batch, in the order that the model takes.
docs/models.md says what is seen of a model and what is not."""

import argparse
import copy
import importlib
import json
import os
import sys
import zipfile


class NotSupported(Exception):
    """What a file of tpuplan cannot say, and what to do instead."""


RELU = {"ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "Hardsigmoid", "Hardtanh"}
SMOOTH = {"GELU", "SiLU", "Mish", "Softplus", "Hardswish", "Softsign", "CELU"}
NOTHING = {"Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "Flatten", "Unflatten", "Identity", "ZeroPad2d",
           "ConstantPad1d", "ConstantPad2d", "ReflectionPad2d", "ReplicationPad2d", "Upsample", "UpsamplingNearest2d",
           "UpsamplingBilinear2d", "PixelShuffle", "PixelUnshuffle", "ChannelShuffle", "StochasticDepth", "DropPath",
           "Permute"}
WHOLE = {"MultiheadAttention", "LSTM", "GRU", "RNN"}


def is_square(*sizes):
    return all(isinstance(each, int) or len(set(each)) == 1 for each in sizes)


def one(size):
    return size if isinstance(size, int) else size[0]


def product(sizes):
    result = 1
    for each in sizes:
        result *= each
    return result


class Walk:
    """The layers that modules add while a model runs once. Tensors are kept, so that each has an identity."""

    def __init__(self):
        self.rows, self.made, self.kept, self.seen, self.notes = [], {}, [], {}, []

    def add(self, name, kind, positions, inputs, outputs, **more):
        row = {"name": name[-24:], "kind": kind, "height": positions[0] if positions else 1,
               "width": product(positions[1:]) if len(positions) > 1 else 1, "inputs": inputs, "outputs": outputs}
        self.rows.append({**row, **more})
        return self.rows[-1]

    def table(self, name, rows, width):
        self.add(name, "embedding", [1], rows, width, branch=True)

    def visit(self, name, module, inputs, output):
        kind = type(module).__name__
        result = output[0] if isinstance(output, tuple) else output
        source = inputs[0] if inputs else result  # attention may be called by keywords; its output has the same shape
        weights = list(module.parameters())
        for each in weights:
            owner = self.seen.setdefault(id(each), name)
            if owner != name:
                raise NotSupported(f"weights of {name} are those of {owner}; valid: each once (a language model with tied "
                                   "embeddings is read from its config.json)")
        if weights and name in self.made.values():
            raise NotSupported(f"{name} ({kind}) runs twice in one step; valid: once")
        self.kept += [source, result]
        reader = READERS.get(kind)
        if reader:
            row = reader(self, name, module, source, result)
            if row is not None:
                self.made[id(result)] = name
                row["module"] = name
        elif kind in RELU or kind in SMOOTH:
            self.activate(source, result, "relu" if kind in RELU else "smooth")
        elif weights:
            raise NotSupported(f"{name} is a {kind}; valid: {', '.join(sorted(READERS))}, or modules made of these")
        elif kind not in NOTHING and "Pool" not in kind:
            self.notes.append(f"{name} ({kind}) has no weights and is left out")
        elif kind in ("Identity", "Dropout") or kind in NOTHING and result is source:
            self.pass_on(source, result)

    def maker(self, tensor):
        name = self.made.get(id(tensor))
        return next((row for row in self.rows if row.get("module") == name), None) if name else None

    def pass_on(self, source, result):
        if id(source) in self.made:
            self.made[id(result)] = self.made[id(source)]

    def activate(self, source, result, kind):
        row = self.maker(source)
        if row is not None and "activation" not in row:
            row["activation"] = kind
        self.pass_on(source, result)

    def counted(self):
        """The layers, those of one shape as one with a count."""
        found = {}
        for row in self.rows:
            row = {key: value for key, value in row.items() if key != "module"}
            key = json.dumps({**row, "name": ""}, sort_keys=True)
            if key in found:
                found[key]["count"] += 1
            else:
                found[key] = {**row, "count": 1}
        return list(found.values())


def linear(walk, name, module, source, result):
    return walk.add(name, "dense", list(source.shape[1:-1]), module.in_features, module.out_features,
                    bias=module.bias is not None)


def convolution(walk, name, module, source, result):
    sizes, out = list(source.shape[2:]), list(result.shape[2:])
    kernel, stride, groups = module.kernel_size, module.stride, module.groups
    bias, inputs, outputs = module.bias is not None, module.in_channels, module.out_channels
    same = module.padding == "same"
    even = same or is_square(module.padding) and set(module.dilation) == {1}
    if len(sizes) == 2 and is_square(kernel, stride) and even:
        window = dict(kernel=one(kernel), stride=one(stride), padding=-1 if same else one(module.padding), bias=bias)
        if groups == inputs and groups > 1 and outputs % inputs == 0:
            return walk.add(name, "depthwise", sizes, outputs, outputs, **window)
        return walk.add(name, "convolution", sizes, inputs, outputs, groups=groups, **window)
    if groups != 1:
        raise NotSupported(f"{name}: groups of windows that are not square; valid: square windows in two dimensions")
    return walk.add(name, "dense", out, product(kernel) * inputs, outputs, bias=bias)


def transposed(walk, name, module, source, result):
    if module.groups != 1:
        raise NotSupported(f"{name}: a transposed convolution in groups; valid: 1 group")
    walk.add(name, "dense", list(source.shape[2:]), module.in_channels, product(module.kernel_size) * module.out_channels,
             bias=False)
    if module.bias is not None:
        walk.table(name + " bias", 1, module.out_channels)


def norm(walk, name, module, source, result):
    kind = type(module).__name__
    last = kind in ("LayerNorm", "RMSNorm")
    channels = source.shape[-1] if last else source.shape[1]
    weights = sum(each.numel() for each in module.parameters())
    if weights not in (0, channels, 2 * channels):
        raise NotSupported(f"{name} ({kind}) has {weights} weights; valid: one or two for each of the {channels} channels")
    whole = "batch" if kind.startswith("BatchNorm") else "layer"
    if whole == "batch" and (weights != 2 * channels or not module.track_running_stats):
        raise NotSupported(f"{name} ({kind}) without weights or statistics; valid: affine and track_running_stats")
    used = whole if weights == 2 * channels else "rms"
    row = walk.maker(source)
    if weights == 0:
        return None
    if row is not None and "norm" not in row and "activation" not in row and row["outputs"] == channels:
        row["norm"] = used
        walk.pass_on(source, result)
        return None
    positions = list(source.shape[1:-1] if last else source.shape[2:])
    return walk.add(name, "norm", positions, channels, channels, norm=used)


def embedding(walk, name, module, source, result):
    walk.add(name, "embedding", list(source.shape[1:]), module.num_embeddings, module.embedding_dim)


def pool(walk, name, module, source, result):
    channels, sizes, out = source.shape[1], list(source.shape[2:]), list(result.shape[2:])
    if product(out) == 1:
        walk.add(name, "pooling", sizes, channels, channels, kernel=0)
    else:  # what it writes is what counts
        walk.add(name, "pooling", out, channels, channels)


def recurrent(walk, name, module, source, result):
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[type(module).__name__]
    if getattr(module, "proj_size", 0):
        raise NotSupported(f"{name}: proj_size; valid: 0")
    steps, inputs = source.shape[1 if module.batch_first else 0], module.input_size
    directions = 2 if module.bidirectional else 1
    for layer in range(module.num_layers):
        for _ in range(directions):
            walk.add(name, "recurrent", [steps], inputs, module.hidden_size, gates=gates, bias=module.bias)
            if module.bias:  # torch keeps two
                walk.table(name + " bias", 1, gates * module.hidden_size)
        inputs = directions * module.hidden_size


def attention(walk, name, module, source, result):
    if not module._qkv_same_embed_dim or module.bias_k is not None:
        raise NotSupported(f"{name}: keys or values of another width; valid: those of the queries")
    tokens = source.shape[1 if module.batch_first else 0]
    return walk.add(name, "attention", [tokens], module.embed_dim, module.embed_dim, heads=module.num_heads,
                    bias=module.in_proj_bias is not None)


READERS = {"Linear": linear, "NonDynamicallyQuantizableLinear": linear, "Conv1d": convolution, "Conv2d": convolution,
           "Conv3d": convolution, "ConvTranspose1d": transposed, "ConvTranspose2d": transposed, "BatchNorm1d": norm,
           "BatchNorm2d": norm, "BatchNorm3d": norm, "SyncBatchNorm": norm, "LayerNorm": norm, "GroupNorm": norm,
           "RMSNorm": norm, "LayerNorm2d": norm, "BatchNormAct2d": norm, "Embedding": embedding, "LSTM": recurrent,
           "GRU": recurrent, "RNN": recurrent, "MultiheadAttention": attention, "MaxPool1d": pool, "MaxPool2d": pool,
           "MaxPool3d": pool, "AvgPool1d": pool, "AvgPool2d": pool, "AvgPool3d": pool, "AdaptiveAvgPool1d": pool,
           "AdaptiveAvgPool2d": pool, "AdaptiveMaxPool2d": pool}


def document_of(name, sizes, layers):
    """The file of a network, with the sizes of an example: positions, then channels."""
    height, width, channels = sizes
    return {"schema": "tpuplan/1", "type": "network", "value": {
        "name": name[:64], "height": height, "width": width, "channels": channels, "layers": layers}}


def from_torch(module, *examples, name=""):
    """The file of a torch module, which runs once on these examples (tensors with a batch of 2), and notes of what was
    not seen. Functions outside of modules (torch.matmul, scaled_dot_product_attention) are not seen."""
    import torch
    walk, hooks = Walk(), []
    module = copy.deepcopy(module).train()  # in eval(), torch may run its encoder layers without their modules

    def watch(path, each):
        if type(each).__name__ in WHOLE or not list(each.children()):
            hooks.append(each.register_forward_hook(lambda m, i, o: walk.visit(path or type(m).__name__, m, i, o)))
            return
        for child, inner in each.named_children():
            watch(f"{path}.{child}" if path else child, inner)

    watch("", module)
    with torch.no_grad():
        module(*examples)
    for each in hooks:
        each.remove()
    for path, each in module.named_modules():
        if type(each).__name__ in READERS and any(id(one) not in walk.seen for one in each.parameters()):
            raise NotSupported(f"{path} ({type(each).__name__}) did not run: its weights are used by a function, which is "
                               "not seen, or not at all; valid: modules that are called")
    beside = [(path, each.numel()) for path, each in module.named_parameters() if id(each) not in walk.seen]
    for path, numbers in beside:
        walk.table(path, 1, numbers)
    if beside:
        walk.notes.append(f"{sum(numbers for _, numbers in beside)} weights of no layer ({beside[0][0]} and others, "
                          f"{len(beside)} in all) are counted as weights that multiply nothing")
    if any(not each.requires_grad for each in module.parameters()):
        walk.notes.append("frozen weights are counted as trained ones")
    first = examples[0]
    shape = list(first.shape[1:])
    if not first.is_floating_point():
        sizes = (product(shape), 1, 1)
    elif len(shape) == 3:
        sizes = (shape[1], shape[2], shape[0])
    else:
        sizes = (product(shape[:-1]), 1, shape[-1])
    return document_of(name or type(module).__name__, sizes, walk.counted()), walk.notes


def with_sizes(document, sizes):
    """A file of Keras whose first input has these sizes."""
    def fill(value):
        if isinstance(value, dict):
            for key in ("batch_shape", "batch_input_shape", "build_input_shape"):
                if isinstance(value.get(key), list):
                    if len(value[key]) != len(sizes) + 1:
                        raise NotSupported(f"--input has {len(sizes)} sizes; valid: {len(value[key]) - 1}, as {value[key]}")
                    value[key] = [None, *sizes]
                    return True
            return any(fill(each) for each in value.values())
        return isinstance(value, list) and any(fill(each) for each in value)

    document = copy.deepcopy(document)
    if sizes and not fill(document):
        raise NotSupported("--input: the model states no input; valid: a model that begins with keras.Input")
    return document


def loaded(path):
    """A file of Keras: JSON, or the archive of model.save, which has the same in config.json."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read("config.json"))
    with open(path, encoding="utf-8") as given:
        return json.load(given)


def made(words):
    """What MODULE:NAME is: a model, or what a function without arguments returns."""
    module, _, name = words.partition(":")
    sys.path.insert(0, os.getcwd())
    found = getattr(importlib.import_module(module), name)
    is_model = hasattr(found, "to_json") or hasattr(found, "named_modules")
    return found if is_model and not isinstance(found, type) else found()


def exported(model, sizes, tokens, name):
    """The file of a model, and notes."""
    if isinstance(model, dict):
        return with_sizes(model, sizes), []
    if hasattr(model, "to_json"):
        return with_sizes(json.loads(model.to_json()), sizes), []
    import torch
    if not sizes and not tokens:
        raise NotSupported("--input is missing; valid: the sizes of one example, 3,224,224, or --tokens 128")
    example = torch.zeros(2, tokens, dtype=torch.long) if tokens else torch.randn(2, *sizes)
    return from_torch(model, example, name=name)


def main(words=None):
    parser = argparse.ArgumentParser(prog="python3 -m tpuplan.export", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="MODULE:NAME, or a file of keras.Model.to_json or model.save")
    parser.add_argument("--input", default="", help="sizes of one example without its batch: 3,224,224")
    parser.add_argument("--tokens", type=int, default=0, help="whole numbers of one example, for a model of tokens")
    parser.add_argument("-o", "--output", default="-", help="the file; - is standard output")
    given = parser.parse_args(words)
    try:
        sizes = [int(each) for each in given.input.split(",") if each]
        model = loaded(given.model) if os.path.exists(given.model) else made(given.model)
        document, notes = exported(model, sizes, given.tokens, given.model.rpartition(":")[2])
    except (NotSupported, ImportError, AttributeError, TypeError, ValueError, OSError, KeyError) as error:
        print(f"tpuplan.export: {error or type(error).__name__}", file=sys.stderr)
        return 2
    for note in notes:
        print(f"note: {note}", file=sys.stderr)
    text = json.dumps(document) + "\n"
    if given.output == "-":
        sys.stdout.write(text)
    else:
        with open(given.output, "w", encoding="utf-8") as out:
            out.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

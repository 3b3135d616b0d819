"""python3 -m tpuplan.export: torch modules (where torch is installed) and files of Keras."""

import json
import sys
import zipfile

import pytest
import tpuplan
from tpuplan import export


def weights(document):
    """The parameters that tpuplan counts in a file: those in products, tables and the rest, by the gradients in fp32."""
    answer = tpuplan.fit_network(document, "v5e-1", job={"global_batch": 1, "optimizer": "sgd", "weights": "fp32"})
    return round(answer.breakdown.gradients_bytes / 4)


@pytest.fixture
def keras(tree):
    return tree / "tests/unit/read/keras"


def test_a_file_of_keras_passes_through(keras, tmp_path, capsys):
    path = str(keras / "mnist_convnet.json")
    assert export.main([path]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads(open(path).read()) and weights(document) == 34826
    archive = tmp_path / "model.keras"
    with zipfile.ZipFile(archive, "w") as made:
        made.write(path, "config.json")
    assert export.main([str(archive), "-o", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text()) == document


def test_sizes_of_an_input_are_filled_in(keras, tmp_path):
    document = json.loads((keras / "imdb_bilstm.json").read_text())
    document["config"]["layers"][0]["config"]["batch_shape"] = [None, None]
    open_file = tmp_path / "open.json"
    open_file.write_text(json.dumps(document))
    with pytest.raises(tpuplan.Error, match="tpuplan.export"):
        weights(document)
    assert export.main([str(open_file), "--input", "200", "-o", str(tmp_path / "sized.json")]) == 0
    assert weights(json.loads((tmp_path / "sized.json").read_text())) == 2757761
    assert export.main([str(open_file), "--input", "200,3"]) == 2


def test_what_cannot_be_exported_is_refused(capsys):
    assert export.main(["no_such_module:net", "--input", "3"]) == 2
    assert "no_such_module" in capsys.readouterr().err


def test_torch_modules():
    torch = pytest.importorskip("torch", reason="torch is not installed: its modules are not exported here")
    nn = torch.nn
    convolutions = nn.Sequential(
        nn.Conv2d(3, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1,
        groups=16), nn.Conv2d(16, 32, (1, 7), padding=(0, 3)), nn.GELU(), nn.ConvTranspose2d(32, 8, 2, 2), nn.MaxPool2d(2),
        nn.GroupNorm(4, 8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))
    document, notes = export.from_torch(convolutions, torch.randn(2, 3, 32, 32))
    assert not notes and weights(document) == sum(each.numel() for each in convolutions.parameters())
    kinds = [(each["kind"], each.get("norm"), each.get("activation")) for each in document["value"]["layers"]]
    assert kinds[0] == ("convolution", "batch", "relu") and kinds[1][0] == "depthwise" and kinds[2] == ("dense", None, "smooth")

    words = nn.Sequential(
        nn.Embedding(100, 32), nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2),
        nn.LSTM(32, 16, 2, batch_first=True, bidirectional=True))
    document, notes = export.from_torch(words, torch.zeros(2, 20, dtype=torch.long))
    assert not notes and weights(document) == sum(each.numel() for each in words.parameters())
    assert document["value"]["height"] == 20 and {each["kind"] for each in document["value"]["layers"]} >= {"recurrent"}

    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.place = nn.Linear(4, 4), nn.Parameter(torch.zeros(1, 4))

        def forward(self, x):
            return self.first(x) + self.place

    document, notes = export.from_torch(Own(), torch.randn(2, 4))
    assert weights(document) == 24 and notes[0].startswith("4 weights of no layer (place ")

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
            self.second.weight = self.first.weight

        def forward(self, x):
            return self.second(self.first(x))

    class Unseen(Tied):
        def forward(self, x):
            return nn.functional.linear(x, self.first.weight)

    for module, words in ((Tied(), "those of first"), (nn.Bilinear(4, 4, 2), "Bilinear"), (Unseen(), "did not run")):
        with pytest.raises(export.NotSupported, match=words):
            examples = [torch.randn(2, 4)] * (2 if isinstance(module, nn.Bilinear) else 1)
            export.from_torch(module, *examples)


def test_networks_of_torchvision(tree):
    models = pytest.importorskip("torchvision.models", reason="torchvision is not installed")
    torch = sys.modules["torch"]
    document, notes = export.from_torch(models.resnet50(), torch.randn(2, 3, 64, 64))
    mine = json.loads((tree / "data/networks/resnet-50.json").read_text())
    assert not notes and weights(document) == weights(mine) == 25557032

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train the three Fashion-MNIST models of this folder and export them to ONNX.

One seeded script makes everything that lies next to it: the .onnx files, their
.infer.json sidecars and the sample images, so that anybody can make them again
and see where every number in them comes from.

No epoch is chosen by its test result: the weights of the last epoch are what is
exported, and the script reads the test images only to state the accuracy.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import onnx_ir as ir
import onnxruntime
import onnxscript.optimizer
import onnxscript.rewriter
import torch
from onnx_ir.passes.common import (
    ClearMetadataAndDocStringPass,
    LiftConstantsToInitializersPass,
    RemoveUnusedNodesPass,
)
from onnxscript.rewriter.rules import common as rules
from PIL import Image
from torch import nn

LABELS = [
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
]

PREPROCESS = {
    "preset": "fashion-mnist",
    "channels": "gray",
    "width": 28,
    "height": 28,
    "resize": "bilinear",
    "scale": 1.0 / 255.0,
    "mean": [0.2860],
    "std": [0.3530],
    "layout": "NCHW",
    "formula": "x = (pixel * scale - mean) / std",
}

SIZE = 28
SHIFT = 2  # pixels an image may move in each direction while training
EVAL_BATCH = 500
SAMPLES_PER_CLASS = 4
GOLDEN_COUNT = 3
MAX_FILE_BYTES = 3_000_000


@dataclass(frozen=True)
class Split:
    """Images as uint8 (N, 28, 28) and labels as int64 (N)."""

    images: torch.Tensor
    labels: torch.Tensor


# Networks ---------------------------------------------------------------------


class FashionMlp(nn.Module):
    """Three fully connected layers: the smallest graph worth running."""

    def __init__(self) -> None:
        super().__init__()
        self.flatten = nn.Flatten()
        self.fc1 = nn.Linear(SIZE * SIZE, 512)
        self.fc2 = nn.Linear(512, 512)
        self.fc3 = nn.Linear(512, len(LABELS))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.flatten(image)
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.fc3(x)


class FashionCnn(nn.Module):
    """A network of LeNet's shape and scale, with ReLU and max pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=5, padding=2)
        self.conv2 = nn.Conv2d(16, 32, kernel_size=5, padding=2)
        self.pool = nn.MaxPool2d(2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Linear(32 * 7 * 7, 128)
        self.fc2 = nn.Linear(128, len(LABELS))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.pool(torch.relu(self.conv1(image)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = torch.relu(self.fc1(self.flatten(x)))
        return self.fc2(x)


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions and a shortcut, projected where the shape changes."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + self.shortcut(x))


class FashionResnet(nn.Module):
    """Five residual blocks, global average pooling and dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(16)
        self.blocks = nn.Sequential(
            ResidualBlock(16, 16, stride=1),
            ResidualBlock(16, 32, stride=2),
            ResidualBlock(32, 32, stride=1),
            ResidualBlock(32, 64, stride=2),
            ResidualBlock(64, 64, stride=1),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.flatten = nn.Flatten()
        self.dropout = nn.Dropout(0.2)
        self.fc = nn.Linear(64, len(LABELS))

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        x = self.blocks(torch.relu(self.bn(self.conv(image))))
        return self.fc(self.dropout(self.flatten(self.pool(x))))


@dataclass(frozen=True)
class Recipe:
    """How one model is built, trained and exported."""

    name: str
    build: Callable[[], nn.Module]
    epochs: int
    max_lr: float
    weight_decay: float
    required_accuracy: float
    output_name: str = "scores"
    softmax: bool = False
    keep_training_ops: bool = False


RECIPES = [
    Recipe("fashion_mlp", FashionMlp, 40, 0.10, 1e-4, 0.88),
    Recipe(
        "fashion_cnn", FashionCnn, 20, 0.05, 5e-4, 0.915, output_name="probabilities", softmax=True
    ),
    Recipe("fashion_resnet", FashionResnet, 14, 0.20, 5e-4, 0.925, keep_training_ops=True),
]


# Data -------------------------------------------------------------------------


def read_idx(path: Path) -> torch.Tensor:
    """Read one gzip-compressed IDX file of unsigned bytes."""
    raw = gzip.decompress(path.read_bytes())
    zeros, kind, rank = struct.unpack(">HBB", raw[:4])
    if zeros != 0 or kind != 8:
        raise ValueError(f"{path}: not an IDX file of unsigned bytes")
    shape = struct.unpack(f">{rank}I", raw[4 : 4 + 4 * rank])
    values = np.frombuffer(raw, dtype=np.uint8, offset=4 + 4 * rank)
    return torch.from_numpy(values.reshape(shape).copy())


def load_split(folder: Path, prefix: str) -> Split:
    """Load the "train" or the "t10k" half of the data set into memory."""
    images = read_idx(folder / f"{prefix}-images-idx3-ubyte.gz")
    labels = read_idx(folder / f"{prefix}-labels-idx1-ubyte.gz")
    return Split(images, labels.long())


def preprocess(pixels: torch.Tensor) -> torch.Tensor:
    """Turn uint8 (N, 28, 28) into the float32 (N, 1, 28, 28) the models read."""
    scaled = pixels.float() * PREPROCESS["scale"]
    return ((scaled - PREPROCESS["mean"][0]) / PREPROCESS["std"][0]).unsqueeze(1)


def augment(padded: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Shift each image by up to SHIFT pixels and mirror half of them.

    Both are one gather over the whole batch, so the processor's time goes into
    the network and not into the augmentation.
    """
    count = len(padded)
    offsets = torch.randint(0, 2 * SHIFT + 1, (2, count, 1), generator=generator)
    mirror = torch.rand(count, 1, generator=generator) < 0.5
    steps = torch.arange(SIZE)
    rows = offsets[0] + steps
    columns = offsets[1] + torch.where(mirror, steps.flip(0), steps)
    image = torch.arange(count)[:, None, None]
    return padded[image, rows[:, :, None], columns[:, None, :]]


def training_batches(
    split: Split, batch_size: int, generator: torch.Generator
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Yield one epoch of shuffled, augmented batches; the short rest is left out."""
    padded = nn.functional.pad(split.images, (SHIFT,) * 4)
    order = torch.randperm(len(padded), generator=generator)
    for chosen in order.split(batch_size):
        if len(chosen) == batch_size:
            yield preprocess(augment(padded[chosen], generator)), split.labels[chosen]


# Training ---------------------------------------------------------------------


def train(recipe: Recipe, split: Split, epochs: int, batch_size: int, seed: int) -> nn.Module:
    """Train one model from scratch and return it in inference mode."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    model = recipe.build()
    optimizer = torch.optim.SGD(
        model.parameters(),
        lr=recipe.max_lr,
        momentum=0.9,
        nesterov=True,
        weight_decay=recipe.weight_decay,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=recipe.max_lr,
        total_steps=epochs * (len(split.images) // batch_size),
    )
    for epoch in range(epochs):
        started = time.monotonic()
        loss_sum, batches = 0.0, 0
        for inputs, labels in training_batches(split, batch_size, generator):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            schedule.step()
            loss_sum, batches = loss_sum + loss.item(), batches + 1
        seconds = time.monotonic() - started
        print(
            f"{recipe.name}: epoch {epoch + 1}/{epochs}, "
            f"loss {loss_sum / batches:.4f}, {seconds:.0f} s",
            flush=True,
        )
    return model.eval()


def predictions(run: Callable[[torch.Tensor], torch.Tensor], split: Split) -> torch.Tensor:
    """Return the class that `run` gives to each image of the split."""
    return torch.cat([run(preprocess(part)).argmax(1) for part in split.images.split(EVAL_BATCH)])


# Export -----------------------------------------------------------------------


def tidy(model: ir.Model) -> None:
    """Clean an unoptimised export but leave the batch norm nodes in it.

    The exporter's own optimisation would fold them into the convolutions; these
    are the other steps of it that this graph needs: constant folding, fixed
    reshape targets, no all-zero biases, constants as initializers.
    """
    onnxscript.optimizer.fold_constants(model)
    onnxscript.rewriter.rewrite(
        model,
        pattern_rewrite_rules=[
            rules.materialize_reshape_shape_rule,
            rules.remove_optional_bias_from_conv_rule,
        ],
    )
    RemoveUnusedNodesPass()(model)
    LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(model)


def restore_dropout(model: ir.Model, ratio: float) -> None:
    """Put the Dropout node back in front of the last layer.

    The exporter leaves an inference-mode dropout out, but other exporters keep
    it, and an engine has to know it as the identity that it is. Without its third
    input, training_mode, the node is in inference mode.
    """
    last = model.graph.outputs[0].producer()
    source = last.inputs[0]
    tensor = ir.tensor(ratio, dtype=ir.DataType.FLOAT, name="dropout.ratio")
    ratio_value = ir.val(tensor.name, const_value=tensor)
    model.graph.register_initializer(ratio_value)
    output = ir.val("dropout", type=source.type, shape=source.shape)
    node = ir.node("Dropout", [source, ratio_value], outputs=[output], name="node_dropout")
    model.graph.insert_before(last, node)
    last.replace_input_with(0, output)


def export(model: nn.Module, recipe: Recipe, path: Path) -> None:
    """Write the model with PyTorch's current exporter, weights inside the file."""
    program = torch.onnx.export(
        model,
        (torch.zeros(2, 1, SIZE, SIZE),),
        dynamo=True,
        optimize=not recipe.keep_training_ops,
        input_names=["image"],
        output_names=[recipe.output_name],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        verbose=False,
    )
    if recipe.keep_training_ops:
        tidy(program.model)
        restore_dropout(program.model, model.dropout.p)
    # The exporter notes the source line of each node with this machine's paths.
    ClearMetadataAndDocStringPass()(program.model)
    program.model.metadata_props["tessera.labels"] = json.dumps(LABELS)
    program.model.metadata_props["tessera.preprocess"] = json.dumps(PREPROCESS)
    ir.save(program.model, path)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    if path.stat().st_size >= MAX_FILE_BYTES:
        raise RuntimeError(f"{path.name}: {path.stat().st_size} bytes is too much")


def onnx_runner(path: Path) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a function that runs the exported file in ONNX Runtime."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def run(inputs: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(session.run(None, {"image": inputs.numpy()})[0])

    return run


# Samples and sidecars ---------------------------------------------------------


def sample_indices(labels: torch.Tensor) -> list[int]:
    """Pick the first few test images of each class: a rule, not a choice."""
    chosen = [
        (labels == label).nonzero().flatten()[:SAMPLES_PER_CLASS] for label in range(len(LABELS))
    ]
    return sorted(torch.cat(chosen).tolist())


def sample_name(index: int, label: int) -> str:
    """Name a sample by its place in the test set and its label."""
    slug = LABELS[label].lower().replace("/", "-").replace(" ", "-")
    return f"fashion_{index:05d}_{slug}.png"


def write_samples(split: Split, folder: Path) -> list[Path]:
    """Write the sample images as 8-bit gray PNG, in the order of the test set."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for index in sample_indices(split.labels):
        path = folder / sample_name(index, int(split.labels[index]))
        Image.fromarray(split.images[index].numpy()).save(path, optimize=True)
        paths.append(path)
    return paths


def golden_entry(model: nn.Module, path: Path) -> dict[str, object]:
    """State the five best raw outputs for one PNG, read back from its file."""
    pixels = torch.from_numpy(np.array(Image.open(path)))
    best = model(preprocess(pixels.unsqueeze(0)))[0].topk(5)
    top5 = [
        {"label": LABELS[index], "index": index, "score": score}
        for score, index in zip(best.values.tolist(), best.indices.tolist(), strict=True)
    ]
    return {"image": f"{path.parent.name}/{path.name}", "top5": top5}


def write_sidecar(
    model: nn.Module, model_path: Path, samples: list[Path], correct: int, total: int
) -> None:
    """Write the .infer.json that tells how to feed the model and what to expect."""
    version = torch.__version__.split("+")[0]
    sidecar = {
        "format": 1,
        "labels": LABELS,
        "preprocess": PREPROCESS,
        "golden": [golden_entry(model, path) for path in samples[:GOLDEN_COUNT]],
        "accuracy": {
            "dataset": f"fashion-mnist test, {total} images",
            "correct": correct,
            "fraction": round(correct / total, 4),
            "measured_with": f"PyTorch {version} CPU float32",
        },
        "source": (
            "Trained from scratch by models/train_fashion.py on Fashion-MNIST "
            "(Debian package dataset-fashion-mnist)"
        ),
        "license": (
            "Apache-2.0 (model and script); data set and sample images: MIT, "
            "Copyright 2017 Zalando SE"
        ),
        "sha256": hashlib.sha256(model_path.read_bytes()).hexdigest(),
    }
    text = json.dumps(sidecar, indent=2, ensure_ascii=False)
    model_path.with_suffix(".infer.json").write_text(text + "\n", encoding="utf-8")


def count_macs(model: nn.Module) -> int:
    """Count the multiply-accumulates of convolutions and linear layers for one image."""
    macs = 0

    def hook(layer: nn.Module, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        nonlocal macs
        macs += output.numel() * layer.weight[0].numel()

    layers = [m for m in model.modules() if isinstance(m, (nn.Conv2d, nn.Linear))]
    handles = [layer.register_forward_hook(hook) for layer in layers]
    model(torch.zeros(1, 1, SIZE, SIZE))
    for handle in handles:
        handle.remove()
    return macs


# Command line -----------------------------------------------------------------


def make_model(
    recipe: Recipe,
    train_split: Split,
    test_split: Split,
    samples: list[Path],
    args: argparse.Namespace,
) -> None:
    """Train, export, check and describe one model."""
    epochs = 1 if args.quick else recipe.epochs
    model = train(recipe, train_split, epochs, args.batch_size, args.seed)
    if recipe.softmax:
        model = nn.Sequential(model, nn.Softmax(dim=1)).eval()
    path = args.output / f"{recipe.name}.onnx"
    export(model, recipe, path)

    with torch.inference_mode():
        ours = predictions(model, test_split)
        theirs = predictions(onnx_runner(path), test_split)
        correct = int((ours == test_split.labels).sum())
        onnx_correct = int((theirs == test_split.labels).sum())
        total = len(test_split.labels)
        write_sidecar(model, path, samples, correct, total)
        parameters = sum(p.numel() for p in model.parameters())
        print(
            f"{recipe.name}: {parameters} parameters, {count_macs(model)} MACs, "
            f"{path.stat().st_size} bytes, PyTorch {correct}/{total}, "
            f"ONNX Runtime {onnx_correct}/{total}, "
            f"{int((ours != theirs).sum())} predictions differ",
            flush=True,
        )
    if abs(correct - onnx_correct) > 1:
        raise RuntimeError(f"{recipe.name}: the exported file does not match PyTorch")
    if not args.quick and correct < recipe.required_accuracy * total:
        raise RuntimeError(f"{recipe.name}: below the required {recipe.required_accuracy}")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--data",
        type=Path,
        default=Path("/usr/share/datasets/fashion-mnist"),
        help="folder of the four IDX.gz files (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(__file__).resolve().parent,
        help="folder to write to (default: the folder of this script)",
    )
    names = [recipe.name for recipe in RECIPES]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--quick",
        action="store_true",
        help="one epoch on 4,000 images: checks the script, not the accuracy",
    )
    return parser.parse_args()


def main() -> None:
    """Make the samples and the chosen models."""
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    torch.use_deterministic_algorithms(True)
    args.output.mkdir(parents=True, exist_ok=True)
    train_split = load_split(args.data, "train")
    if args.quick:
        train_split = Split(train_split.images[:4000], train_split.labels[:4000])
    test_split = load_split(args.data, "t10k")
    samples = write_samples(test_split, args.output / "samples")
    for recipe in RECIPES:
        if recipe.name in args.only:
            make_model(recipe, train_split, test_split, samples, args)


if __name__ == "__main__":
    main()

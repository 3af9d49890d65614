"""The llama network for training: RMS norms, rotated queries and keys, causal attention, gated feed forward, one table for both ends."""

import collections

import torch
from torch import nn
from torch.nn import functional

Shape = collections.namedtuple("Shape", "vocabulary layers embedding heads kv_heads feed_forward context rope_base epsilon")


class Norm(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(shape.embedding))
        self.epsilon = shape.epsilon

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


def rotation(shape, length):
    """Cosine and sine by position and pair: (length, head_size / 2) each."""
    size = shape.embedding // shape.heads
    frequencies = shape.rope_base ** (-torch.arange(0, size, 2, dtype=torch.float64) / size)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), frequencies)
    return angles.cos().float(), angles.sin().float()


def rotate(x, cosine, sine):
    """Neighbouring values are a pair, as llama files have them. x: (batch, heads, length, head_size)."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), -1).flatten(-2)


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.size = shape.embedding // shape.heads
        keys = shape.kv_heads * self.size
        self.attn_norm = Norm(shape)
        self.attn_q = nn.Linear(shape.embedding, shape.embedding, bias=False)
        self.attn_k = nn.Linear(shape.embedding, keys, bias=False)
        self.attn_v = nn.Linear(shape.embedding, keys, bias=False)
        self.attn_output = nn.Linear(shape.embedding, shape.embedding, bias=False)
        self.ffn_norm = Norm(shape)
        self.ffn_gate = nn.Linear(shape.embedding, shape.feed_forward, bias=False)
        self.ffn_up = nn.Linear(shape.embedding, shape.feed_forward, bias=False)
        self.ffn_down = nn.Linear(shape.feed_forward, shape.embedding, bias=False)

    def attention(self, x, cosine, sine, mask):
        batch, length, _ = x.shape
        heads = lambda y, count: y.view(batch, length, count, self.size).transpose(1, 2)  # (batch, heads, length, head_size)
        query = rotate(heads(self.attn_q(x), self.shape.heads), cosine, sine)
        share = self.shape.heads // self.shape.kv_heads
        key = rotate(heads(self.attn_k(x), self.shape.kv_heads), cosine, sine).repeat_interleave(share, 1)
        value = heads(self.attn_v(x), self.shape.kv_heads).repeat_interleave(share, 1)
        weights = (query @ key.transpose(-2, -1) * self.size ** -0.5 + mask).softmax(-1)
        return self.attn_output((weights @ value).transpose(1, 2).reshape(batch, length, -1))

    def forward(self, x, cosine, sine, mask):
        x = x + self.attention(self.attn_norm(x), cosine, sine, mask)
        y = self.ffn_norm(x)
        return x + self.ffn_down(functional.silu(self.ffn_gate(y)) * self.ffn_up(y))


class Network(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.embedding)
        self.blk = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.output_norm = Norm(shape)
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                spread = 0.02 if name.startswith("token_embd") else weight.shape[1] ** -0.5
                quiet = (2 * shape.layers) ** -0.5 if name.endswith(("attn_output.weight", "ffn_down.weight")) else 1
                nn.init.normal_(weight, std=spread * quiet)

    def forward(self, tokens):
        """The state behind every token, (batch, length, embedding); `logits` makes predictions of it."""
        length = tokens.shape[1]
        cosine, sine = rotation(self.shape, length)
        mask = torch.full((length, length), float("-inf")).triu(1)
        x = self.token_embd(tokens)
        for layer in self.blk:
            x = layer(x, cosine, sine, mask)
        return self.output_norm(x)

    def logits(self, states):
        return states @ self.token_embd.weight.T

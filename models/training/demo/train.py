"""Trains lectern-demo from nothing and writes its GGUF file: python3 models/training/demo/train.py (one thread; resumes where it was stopped)."""

import argparse
import math
import os
import random
import sys
import time

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("demo", "shared")]
sys.dont_write_bytecode = True

import torch
from torch.nn import functional

import conversations
import gguf
import network
import training
import vocabulary

SEED = 20261122
SHAPE = network.Shape(vocabulary=1024, layers=4, embedding=160, heads=5, kv_heads=5, feed_forward=448, context=1024, rope_base=10000.0, epsilon=1e-5)
# (steps, rows a step, tokens a row, second stage): first all topics alike, then as people ask, at last in full length so that long conversations work.
PHASES = [(800, 16, 256, False), (350, 16, 256, True), (50, 4, 1024, True), (120, 4, 1024, True)]
# Rising to RATE, a cosine down to LAST_RATE by the end of the third phase; the last phase starts again lower and ends at 0.
RATE, WARM_UP, LAST_RATE, SECOND_RATE = 3e-3, 60, 1e-4, 6e-4
# The file's logits are so many times the trained ones, as if at a third of the temperature: a slip in an answer that is known by heart becomes rare for clients that
# leave the temperature at 1, and what stories choose evenly stays even.
SHARPNESS = 3.0
STEPS = sum(steps for steps, *_ in PHASES)
LAST_PHASE = STEPS - PHASES[-1][0]

ROOT = os.path.dirname(os.path.dirname(PLACE))


def learned_vocabulary():
    draw = random.Random(SEED)
    pairs = [conversations.pair(draw) for _ in range(12000)]
    roles = ["user\n", "assistant\n"]
    texts = [text for pair in pairs for text in (*pair, *roles)] + [conversations.system(draw) for _ in range(1000)]
    return vocabulary.learn(texts, SHAPE.vocabulary, conversations.SPECIALS)


def phase_of(step):
    for steps, *phase in PHASES:
        if step < steps:
            return phase
        step -= steps
    raise ValueError("beyond the last step")


def batch(words, step):
    """Drawn by the step's own seed, so that a resumed run sees what an unbroken one would."""
    draw = random.Random(SEED * 1000003 + step)
    rows, length, second_stage = phase_of(step)
    made = [conversations.row(draw, words, length, second_stage) for _ in range(rows)]
    tokens = torch.tensor([row for row, _ in made])
    learned = torch.tensor([row for _, row in made])
    return tokens[:, :-1], tokens[:, 1:], learned[:, 1:]


def rate(step):
    if step < WARM_UP:
        return RATE * (step + 1) / WARM_UP
    if step >= LAST_PHASE:
        return SECOND_RATE * (STEPS - step) / (STEPS - LAST_PHASE)
    done = (step - WARM_UP) / (LAST_PHASE - WARM_UP)
    return LAST_RATE + (RATE - LAST_RATE) * (1 + math.cos(math.pi * done)) / 2


def loss_of(model, tokens, targets, learned):
    states = model(tokens)[learned]
    return functional.cross_entropy(model.logits(states), targets[learned])


def optimiser_of(model):
    matrices = [weight for weight in model.parameters() if weight.dim() == 2]
    vectors = [weight for weight in model.parameters() if weight.dim() != 2]
    return torch.optim.AdamW([{"params": matrices, "weight_decay": 0.05}, {"params": vectors, "weight_decay": 0.0}], lr=RATE, betas=(0.9, 0.98))


def train(model, words, checkpoint, steps):
    optimiser = optimiser_of(model)
    first = training.resume(checkpoint, model, optimiser).get("step", 0)
    begin, mean = time.time(), None
    for step in range(first, min(steps, STEPS)):
        for group in optimiser.param_groups:
            group["lr"] = rate(step)
        loss = loss_of(model, *batch(words, step))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        mean = loss.item() if mean is None else 0.95 * mean + 0.05 * loss.item()
        if (step + 1) % 20 == 0:
            print(f"step {step + 1} of {STEPS}, loss {mean:.4f}, {(time.time() - begin) / (step + 1 - first):.2f} s a step", flush=True)
        if (step + 1) % 25 == 0 or step + 1 == STEPS:
            training.save(checkpoint, model, optimiser, step=step + 1)
    return mean


def save(model, words, path):
    kinds = [3 if token in words.specials else 1 for token in words.tokens]
    metadata = [
        ("general.architecture", gguf.STRING, "llama"), ("general.name", gguf.STRING, "lectern-demo"), ("general.file_type", gguf.UNSIGNED, 1),
        ("general.size_label", gguf.STRING, "1.4M"),
        ("general.description", gguf.STRING, "Knows the service that it ships with, and nothing else."),
        ("llama.context_length", gguf.UNSIGNED, SHAPE.context), ("llama.embedding_length", gguf.UNSIGNED, SHAPE.embedding),
        ("llama.block_count", gguf.UNSIGNED, SHAPE.layers), ("llama.feed_forward_length", gguf.UNSIGNED, SHAPE.feed_forward),
        ("llama.attention.head_count", gguf.UNSIGNED, SHAPE.heads), ("llama.attention.head_count_kv", gguf.UNSIGNED, SHAPE.kv_heads),
        ("llama.attention.layer_norm_rms_epsilon", gguf.FLOAT, SHAPE.epsilon), ("llama.rope.freq_base", gguf.FLOAT, SHAPE.rope_base),
        ("llama.rope.dimension_count", gguf.UNSIGNED, SHAPE.embedding // SHAPE.heads), ("llama.vocab_size", gguf.UNSIGNED, SHAPE.vocabulary),
        ("tokenizer.ggml.model", gguf.STRING, "gpt2"), ("tokenizer.ggml.pre", gguf.STRING, "qwen2"),
        ("tokenizer.ggml.tokens", (gguf.ARRAY, gguf.STRING), words.tokens), ("tokenizer.ggml.token_type", (gguf.ARRAY, gguf.SIGNED), kinds),
        ("tokenizer.ggml.merges", (gguf.ARRAY, gguf.STRING), [" ".join(pair) for pair in words.merges]),
        ("tokenizer.ggml.eos_token_id", gguf.UNSIGNED, words.ids[conversations.END]),
        ("tokenizer.ggml.padding_token_id", gguf.UNSIGNED, words.ids[conversations.TEXT_END]),
        ("tokenizer.ggml.add_bos_token", gguf.BOOL, False),
        ("tokenizer.chat_template", gguf.STRING, conversations.CHAT_TEMPLATE),
    ]
    tensors = [(name, weight * SHARPNESS if name == "output_norm.weight" else weight, gguf.F16 if weight.dim() == 2 else gguf.F32) for name, weight in model.named_parameters()]
    gguf.write(path, metadata, tensors)


@torch.no_grad()
def answer(model, words, question, given=""):
    """What the network writes with the likeliest token at every step."""
    tokens = words.encode(conversations.prompt(question, given))
    written = []
    while len(written) < 200:
        chosen = int(model.logits(model(torch.tensor([tokens + written]))[0, -1]).argmax())
        if words.tokens[chosen] in words.specials:
            break
        written.append(chosen)
    return words.decode(written)


def examine(model, words):
    """How many of the wordings that training never saw are answered to the letter."""
    questions = conversations.held_out()
    right = 0
    for question, expected in questions:
        written = answer(model, words, question)
        fits = written == expected if expected else written.startswith("Once upon a time") and written.endswith(".")
        right += fits
        if not fits:
            print(f"  {question} -> {written}", flush=True)
    print(f"held-out wordings answered: {right} of {len(questions)}", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--scratch", default=os.path.join(ROOT, "scratch"), help="where checkpoints go")
    arguments.add_argument("--out", default=os.path.join(ROOT, "models", "lectern-demo.gguf"))
    arguments.add_argument("--steps", type=int, default=STEPS, help="stop earlier, to try")
    options = arguments.parse_args()
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    os.makedirs(options.scratch, exist_ok=True)
    words = learned_vocabulary()
    model = network.Network(SHAPE)
    print(f"{sum(weight.numel() for weight in model.parameters())} weights, {len(words)} tokens", flush=True)
    loss = train(model, words, os.path.join(options.scratch, "lectern-demo.pt"), options.steps)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.dim() == 2:
                weight.copy_(weight.half().float())  # what the file keeps
    save(model, words, options.out)
    print(f"wrote {options.out}, last mean loss {loss}", flush=True)
    examine(model, words)


if __name__ == "__main__":
    main()

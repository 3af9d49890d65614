"""Trains the relation network: `train.py TENSORS OUT [--hours H]`. TENSORS holds train/ and dev/ of tensors.ts. OUT/last.pt is the checkpoint from which the next call goes on; OUT/log.jsonl has the curve."""

import argparse
import json
import os
import sys
import time

import torch
from torch.nn import functional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus
import relations

# Of the losses: pairs are averaged over the pairs that count, so each relation weighs as much as the classes.
WEIGHTS = {"class": 1.0, "level": 0.2, "block": 1.0, "table": 0.5, "row": 1.0, "column": 1.0, "next": 0.5}
RATE, WARM_UP, DECAY = 1.5e-3, 300, 0.01


def losses(network, t):
    classes, levels, scores = network(t["features"], t["geometry"], t["text"], t["mask"])
    labels, exists, table = corpus.pair_labels(t)
    made = {"class": functional.cross_entropy(classes.flatten(0, 1), t["cls"].flatten(), ignore_index=-100, label_smoothing=0.02)}
    if (t["level"] >= 0).any():
        made["level"] = functional.cross_entropy(levels.flatten(0, 1), t["level"].flatten(), ignore_index=-100)
    for index, name in enumerate(relations.RELATIONS[:4]):
        # Rows and columns are asked only within a table.
        counts = table if name in ("row", "column") else exists
        loss = functional.binary_cross_entropy_with_logits(scores[:, index], labels[name].float(), reduction="none")
        # Half the weight to pairs that are related, which are few.
        positive, negative = counts & labels[name], counts & ~labels[name]
        if positive.any():
            made[name] = (loss * positive).sum() / positive.sum() / 2 + (loss * negative).sum() / negative.sum().clamp(min=1) / 2
    following = scores[:, 4].masked_fill(~t["has_order"][:, None, :] | torch.eye(scores.shape[-1], dtype=torch.bool), -1e4)
    if (t["next"] >= 0).any():
        made["next"] = functional.cross_entropy(following.flatten(0, 1), t["next"].flatten(), ignore_index=-100)
    return made, (classes, levels, scores)


@torch.no_grad()
def measure(network, pages, classes):
    """Accuracy and mean F1 of the classes, of next, and F1 of the pairs."""
    network.eval()
    counts = {name: [0, 0, 0] for name in relations.RELATIONS[:4]}
    confusion = torch.zeros(len(classes), len(classes), dtype=torch.int64)
    right_next = all_next = right_level = all_level = 0
    for batch in corpus.batches(pages):
        t = corpus.tensors(batch)
        _, (found, levels, scores) = losses(network, t)
        known = t["cls"] >= 0
        confusion += torch.bincount(t["cls"][known] * len(classes) + found.argmax(-1)[known], minlength=len(classes) ** 2).view(len(classes), -1)
        labels, exists, table = corpus.pair_labels(t)
        for index, name in enumerate(relations.RELATIONS[:4]):
            ask = table if name in ("row", "column") else exists
            told = ((scores[:, index] + scores[:, index].transpose(1, 2)) > 0) & ask
            truth = labels[name] & ask
            for at, value in enumerate(((told & truth).sum(), told.sum(), truth.sum())):
                counts[name][at] += int(value)
        following = scores[:, 4].masked_fill(~t["has_order"][:, None, :] | torch.eye(scores.shape[-1], dtype=torch.bool), -1e4).argmax(-1)
        has = t["next"] >= 0
        right_next += int((following == t["next"])[has].sum())
        all_next += int(has.sum())
        has = t["level"] >= 0
        right_level += int((levels.argmax(-1) == t["level"])[has].sum())
        all_level += int(has.sum())
    hits = confusion.diag().float()
    f1 = 2 * hits / (confusion.sum(0) + confusion.sum(1)).clamp(min=1)
    there = confusion.sum(1) > 0
    made = {"accuracy": float(hits.sum() / confusion.sum().clamp(min=1)), "class_f1": float(f1[there].mean()), "next": right_next / max(1, all_next), "level": right_level / max(1, all_level)}
    for name, (both, told, truth) in counts.items():
        made[name] = 2 * both / max(1, told + truth)
    made["by_class"] = {classes[at]: round(float(f1[at]), 3) for at in range(len(classes)) if there[at]}
    network.train()
    return made


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tensors")
    parser.add_argument("out")
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=10, help="of the whole cycle of the rate")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)
    os.makedirs(asked.out, exist_ok=True)
    classes, pages = corpus.load(corpus.find(asked.tensors, "train"))
    _, dev = corpus.load(corpus.find(asked.tensors, "dev"))
    print(f"{len(pages)} pages to train on, {len(dev)} of other origins to measure", flush=True)
    network = relations.RelationNetwork(len(classes), asked.width, asked.layers)
    some = torch.cat([torch.from_numpy(page.features) for page in pages[:: max(1, len(pages) // 2000)]])
    network.mean.copy_(some.mean(0))
    network.deviation.copy_(some.std(0).clamp(min=0.05))
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=DECAY)
    steps_an_epoch = len(corpus.batches(pages))
    total = steps_an_epoch * asked.epochs
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1.0, (step + 1) / WARM_UP) * max(0.02, 1 - step / max(1, total)))
    step, epoch = 0, 0
    last = os.path.join(asked.out, "last.pt")
    if os.path.exists(last):
        state = torch.load(last)
        network.load_state_dict(state["network"])
        optimiser.load_state_dict(state["optimiser"])
        schedule.load_state_dict(state["schedule"])
        step, epoch = state["step"], state["epoch"]
    print(f"{sum(weight.numel() for weight in network.parameters())} weights, {steps_an_epoch} steps an epoch, from step {step}", flush=True)
    began = time.time()
    while epoch < asked.epochs and time.time() - began < asked.hours * 3600:
        sums, seen = {}, 0
        for batch in corpus.batches(pages, corpus.draw_of(1000 * asked.seed + epoch)):
            made, _ = losses(network, corpus.tensors(batch))
            loss = sum(WEIGHTS[name] * value for name, value in made.items())
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            seen += len(batch)
            for name, value in made.items():
                sums.setdefault(name, []).append(float(value))
            if step % 50 == 0:
                print(step, f"{seen / (time.time() - began):.1f} pages/s", {name: round(sum(values[-50:]) / len(values[-50:]), 4) for name, values in sums.items()}, flush=True)
            if time.time() - began > asked.hours * 3600:
                break
        epoch += 1
        row = {"step": step, "epoch": epoch, "loss": {name: round(sum(values) / len(values), 4) for name, values in sums.items()}, "dev": measure(network, dev, classes) if dev else None}
        with open(os.path.join(asked.out, "log.jsonl"), "a") as log:
            log.write(json.dumps(row) + "\n")
        print(row, flush=True)
        torch.save({"network": network.state_dict(), "optimiser": optimiser.state_dict(), "schedule": schedule.state_dict(), "step": step, "epoch": epoch, "classes": classes, "width": asked.width, "layers": asked.layers}, last)


if __name__ == "__main__":
    main()

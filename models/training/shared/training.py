"""What the trainings do alike: the cycle of the learning rate, the optimiser's step, checkpoints to resume from, and the loop of those that count steps."""

import math
import os
import time

import torch


class Cycle:
    """One cycle of the learning rate: up in a straight line over the first `warm_up` of it, then down along a cosine from `rate` to `last`."""

    def __init__(self, rate, last, warm_up):
        self.first, self.last, self.warm_up = rate, last, warm_up

    def rate(self, done):
        """At `done` from 0 to 1."""
        if done < self.warm_up:
            return self.first * max(0.02, done / self.warm_up)
        return self.last + (self.first - self.last) * (1 + math.cos(math.pi * min(1.0, (done - self.warm_up) / (1 - self.warm_up)))) / 2


def learn(model, optimiser, loss, rate):
    """One step of the optimiser down `loss`, the gradient's norm bounded by 2."""
    for group in optimiser.param_groups:
        group["lr"] = rate
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
    optimiser.step()


def save(checkpoint, model, optimiser, **state):
    """The file is there whole or not at all."""
    torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), **state}, checkpoint + ".new")
    os.replace(checkpoint + ".new", checkpoint)


def resume(checkpoint, model, optimiser, device="cpu"):
    """What `save` was given as state; {} where there is no checkpoint yet."""
    if not os.path.exists(checkpoint):
        return {}
    saved = torch.load(checkpoint, map_location=device)
    model.load_state_dict(saved.pop("model"))
    optimiser.load_state_dict(saved.pop("optimiser"))
    print(f"resumed at { {name: value for name, value in saved.items() if isinstance(value, (int, float))} }", flush=True)
    return saved


def trained(checkpoint, model):
    """`model` with the weights of a checkpoint, ready to answer; and the checkpoint's state."""
    saved = torch.load(checkpoint, map_location="cpu")
    model.load_state_dict(saved.pop("model"))
    saved.pop("optimiser")
    return model.eval(), saved


class Answers:
    """A model that is being trained as a function to measure: floats on the processor in and out, no training mode meanwhile."""

    def __init__(self, model, device):
        self.model, self.device = model, device

    def __enter__(self):
        self.model.eval()
        return lambda x: self.model(x.to(self.device)).float().cpu()

    def __exit__(self, *_):
        self.model.train()


def by_steps(model, cycle, checkpoint, steps, *, batch_of, loss_of, sentence_of, decay=0.98, say_every=50, save_every=200):
    """Trains up to `steps` steps of one cycle, on a GPU where there is one; the loss that is said is a running mean that keeps `decay`.

    `batch_of(step)` gives (x, ...), the same at the same step; `loss_of(outputs, ...)` takes the model's answer to x in floats and the rest; `sentence_of(network)` measures.
    """
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.to(device)
    optimiser = torch.optim.AdamW(model.parameters(), lr=cycle.first, weight_decay=0.01)
    first = resume(checkpoint, model, optimiser, device).get("step", 0)
    begin, mean = time.time(), None
    for step in range(first, steps):
        x, *rest = (part.to(device) for part in batch_of(step))
        with torch.autocast(device, dtype=torch.bfloat16):
            outputs = model(x)
        loss, rate = loss_of(outputs.float(), *rest), cycle.rate(step / steps)
        learn(model, optimiser, loss, rate)
        mean = loss.item() if mean is None else decay * mean + (1 - decay) * loss.item()
        if (step + 1) % say_every == 0:
            print(f"step {step + 1}, loss {mean:.4f}, rate {rate:.5f}, {(step + 1 - first) * len(x) / (time.time() - begin):.1f} pictures/s", flush=True)
        if (step + 1) % save_every == 0 or step + 1 == steps:
            save(checkpoint, model, optimiser, step=step + 1)
            with Answers(model, device) as network:
                print(f"after {step + 1} steps: {sentence_of(network)}", flush=True)

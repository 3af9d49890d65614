"""A random generator with the choices that content and style generators share. The same seed gives the same draws in every process."""

import random


class Draw(random.Random):
    """`Draw("any text")`: the text is the seed."""

    def chance(self, probability):
        return self.random() < probability

    def pick(self, options):
        """One of `options`: a sequence, or text whose parts `|` separates."""
        return self.choice(options.split("|") if isinstance(options, str) else options)

    def weighted(self, options):
        """One key of `options`, a dict of weights."""
        return self.choices(list(options), weights=list(options.values()))[0]

    def some(self, options, least, most):
        """Between `least` and `most` different ones of `options`, in their order."""
        pool = options.split("|") if isinstance(options, str) else list(options)
        count = min(len(pool), self.randint(least, most))
        return [pool[index] for index in sorted(self.sample(range(len(pool)), count))]

    def digits(self, count):
        return "".join(self.choice("0123456789") for _ in range(count))

    def code(self, pattern):
        """`pattern` with every `#` a digit, `A` a capital letter and `?` either; other characters stay."""
        letters = "ABCDEFGHJKLMNPRSTUVWXYZ"
        made = {"#": lambda: self.choice("0123456789"), "A": lambda: self.choice(letters), "?": lambda: self.choice(letters + "0123456789")}
        return "".join(made[character]() if character in made else character for character in pattern)

    def amount(self, least, most, places=2):
        """A number whose logarithm is evenly distributed between the bounds."""
        low, high = max(least, 1e-9), max(most, 1e-9)
        return round(low * (high / low) ** self.random(), places)

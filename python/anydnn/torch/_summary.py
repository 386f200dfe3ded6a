# SPDX-License-Identifier: Apache-2.0
"""The result of `fused`: a dictionary of patterns that prints with a summary and with the reasons of the rest."""
from collections import Counter
from typing import Dict, List, Set

from torch import nn


class Fused(Dict[str, List[str]]):
    """Maps the name of a module to its patterns. `reasons` maps each normalization that is not fused to why."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons: Dict[str, str] = {}
        # The names of the fused normalizations, and of the modules whose forward cannot be read, with the reasons.
        self.taken: Set[str] = set()
        self.unread: Dict[str, str] = {}
        self.classes: Dict[str, str] = {}
        self.summary = ""

    def finish(self, norms: Dict[str, nn.Module], always: str) -> None:
        """Completes the reasons for all normalizations of a model, and makes the summary."""
        self.classes = {name: type(one).__name__ for name, one in norms.items()}
        self.taken &= set(norms)
        known, self.reasons = self.reasons, {}
        for name in norms:
            if name not in self.taken:
                self.reasons[name] = always or known.get(name) or self._above(name)
        self.summary = f"{len(self.taken)} of {len(norms)} normalizations fused"
        counts = Counter(self.reasons.values()).most_common()
        if counts:
            reason, count = counts[0]
            rest = len(self.reasons) - count
            self.summary += f", because {reason} ({count} of {len(self.reasons)})" if rest else f", because {reason}"

    def _above(self, name: str) -> str:
        """Returns the reason of the nearest module above that cannot be read."""
        while name:
            name = name.rpartition(".")[0]
            if name in self.unread:
                return f"{name or 'the model'} has {self.unread[name]}"
        return "no forward that can be read calls it"

    def __repr__(self) -> str:
        lines = [self.summary]
        lines += [f"{name or 'the model'}: {'; '.join(patterns)}" for name, patterns in self.items()]
        lines += [f"{name} ({self.classes[name]}): NOT fused, because {reason}" for name, reason in self.reasons.items()]
        lines += [f"{name or 'the model'}: NOT read, because of {reason}" for name, reason in self.unread.items()]
        return "\n".join(lines)

"""Metrics: how the hub is doing, in the text form that Prometheus reads."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from server.hub import Hub

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


@dataclass(slots=True)
class Histogram:
    """How often something took how long."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(SECONDS) + 1))
    total: float = 0.0

    def see(self, seconds: float) -> None:
        """Take note of one."""
        self.counts[bisect_left(SECONDS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str, words: str) -> Iterator[str]:
        """Write it down."""
        yield f"# HELP {name} {words}"
        yield f"# TYPE {name} histogram"
        so_far = 0
        for bound, count in zip((*map(str, SECONDS), "+Inf"), self.counts, strict=True):
            so_far += count
            yield f'{name}_bucket{{le="{bound}"}} {so_far}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {so_far}"


@dataclass(slots=True)
class Metrics:
    """What is measured as it happens; the rest is counted when it is asked for."""

    loop_lag: Histogram = field(default_factory=Histogram)
    commit: Histogram = field(default_factory=Histogram)
    fanout: Histogram = field(default_factory=Histogram)
    refused: Counter[str] = field(default_factory=Counter)


def exposition(hub: "Hub") -> str:
    """Write everything down."""
    measured = hub.metrics
    lines = [
        *measured.loop_lag.lines("railbird_loop_lag_seconds", "How late the hub's pulse was."),
        *measured.commit.lines("railbird_commit_seconds", "From deciding to durable."),
        *measured.fanout.lines("railbird_fanout_seconds", "Building and writing one document."),
        *_gauge("railbird_storage_ok", "1 while everything can be stored.", hub.trouble is None),
        *_gauge("railbird_events", "Events that are open.", len(hub.desks)),
    ]
    roles = Counter(visitor.badge.role for visitor in hub.visitors if visitor.greeted)
    lines += ["# HELP railbird_clients Who is connected.", "# TYPE railbird_clients gauge"]
    lines += [f'railbird_clients{{role="{role}"}} {roles[role]}' for role in sorted(roles)]
    lines += ["# HELP railbird_refused_total Orders that were refused."]
    lines += ["# TYPE railbird_refused_total counter"]
    refused = sorted(measured.refused.items())
    lines += [f'railbird_refused_total{{code="{code}"}} {count}' for code, count in refused]
    lines += _gauge("railbird_connections", "Connections that are open.", hub.porch.inside)
    lines += ["# HELP railbird_connections_refused_total Connections that were one too many."]
    lines += ["# TYPE railbird_connections_refused_total counter"]
    lines += [f"railbird_connections_refused_total {hub.porch.refused}"]
    paired = [v for v in hub.visitors if hub.reception.devices.by_id(v.device) is not None]
    reports = [visitor.report for visitor in paired if visitor.report is not None]
    skew = max((abs(report["skew"] or 0) for report in reports), default=0)
    lines += _gauge("railbird_client_skew_ms", "How late or early the worst screen paints.", skew)
    return "\n".join(lines) + "\n"


def _gauge(name: str, words: str, value: float) -> list[str]:
    return [f"# HELP {name} {words}", f"# TYPE {name} gauge", f"{name} {int(value)}"]

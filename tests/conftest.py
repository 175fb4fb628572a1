"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings

# Hypothesis does not judge by the clock of a busy machine, and plays the same examples every time:
# a landing must not hang on luck. `RAILBIRD_EXAMPLES` asks for others, and for more of them.
settings.register_profile(
    "railbird",
    deadline=None,
    derandomize="RAILBIRD_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("railbird")

# Hubs in processes of their own keep their compiled modules, as installed ones do: to compile all
# of it anew would cost each of them a second.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / "build" / "pycache")


def pytest_make_parametrize_id(val: Any) -> str | None:
    """Name tests after functions, not after where they lie: all processes must agree on names."""
    return getattr(val, "__name__", None) if callable(val) else None

"""The engine is pure: its imports prove it."""

import ast
import sys
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "server" / "engine"
IMPURE = {
    "asyncio",
    "time",
    "datetime",
    "random",
    "sqlite3",
    "os",
    "socket",
    "threading",
    "secrets",
}


def imports(path: Path) -> set[str]:
    """List the modules that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", sorted(ENGINE.glob("**/*.py")), ids=lambda path: path.stem)
def test_engine_imports_only_itself_and_the_pure_part_of_the_standard_library(path: Path) -> None:
    """No I/O, no clock, no randomness, nothing of the rest of Railbird."""
    for module in imports(path):
        top = module.split(".")[0]
        if top == "server":
            assert module == "server.engine" or module.startswith("server.engine."), module
        else:
            assert top in sys.stdlib_module_names - IMPURE, module

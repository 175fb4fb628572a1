# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test lint types rules unit screens faults browser fuzz bench clean
.DEFAULT_GOAL := run

# The environment is rebuilt when the list of dependencies changes.
.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

run: .venv/ready
	$(BIN)/railbird serve

# What is missing on this machine is told first, what takes longest comes last.
test: browser lint types rules unit screens faults

# The engine's own tests, with their coverage. Tracing is slow, so nothing else is traced: what plays
# random nights runs with the rest.
RULES := tests/engine tests/houses tests/hands/test_dead_button.py tests/test_presets.py \
	tests/test_rehearsal.py tests/test_timetable.py
NIGHTS := tests/engine/test_invariants.py
SCREENS := tests/e2e tests/dealer_console
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

rules: .venv/ready
	$(PYTEST) $(RULES) --ignore $(NIGHTS) --cov --cov-report=term

unit: .venv/ready browser
	$(PYTEST) tests $(RULES:%=--ignore %) $(SCREENS:%=--ignore %) --ignore tests/faults
	$(PYTEST) $(NIGHTS)

# Nothing is tried twice: what fails once is wrong, in the program or in its test.
screens: .venv/ready browser
	$(PYTEST) $(SCREENS)

# Real kills, disks and wires: one after the other, since each keeps a whole machine busy.
faults: .venv/ready browser
	$(BIN)/pytest tests/faults

# Screens are tested in a real browser and a real terminal, and the browser's modules in node: where
# one is missing and may be installed, it is; where it may not, the tests cannot be run.
browser:
	@for tool in chromium tmux node; do \
		command -v $$tool >/dev/null && continue; \
		package=$$(echo $$tool | sed s/^node$$/nodejs/); \
		if [ "$$(id -u)" -ne 0 ]; then \
			echo "$$tool is missing: as root, apt-get install $$package" >&2; exit 1; \
		fi; \
		apt-get update -qq && apt-get install -y -qq $$package >/dev/null && \
			command -v $$tool >/dev/null || exit 1; \
	done

# Looks for input that breaks something, a minute for each target; `make fuzz SECONDS=600` for more.
SECONDS ?= 60
fuzz: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python -m tests.fuzz $(SECONDS)

bench: .venv/ready
	$(BIN)/python bench/all.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .fuzz

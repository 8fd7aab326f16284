# make test needs nothing but Go; every other target says what it needs.

GO       ?= go
FUZZTIME ?= 30s
# What one package may take; with the race detector on two slow cores lsp takes longer
# than Go's own ten minutes.
TESTTIME ?= 40m
# More arguments for go test, such as TESTFLAGS='-run Insert -v'.
TESTFLAGS ?=

# The linter is a Go tool of a module of its own, so that its two hundred
# dependencies stay out of ours. Go caches the built tool.
LINT = $(GO) tool -modfile=.ci/tools.mod golangci-lint
ACTIONLINT = $(GO) tool -modfile=.ci/actions.mod actionlint

.DEFAULT_GOAL := help
.PHONY: help build test race explore mutants soak soak-load memory faults hostile reliability fuzz lint check vuln licences reproducible cross windows release-check bench benchmarks demo e2e agents soak-editors extension pictures conformance generate check-generated packages packages-check

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Without cgo, which nothing here needs, the program is static: it starts half a
# millisecond sooner, and 1.6 MB less of it are resident.
build: ## Build bin/patchls
	CGO_ENABLED=0 $(GO) build -o bin/patchls ./cmd/patchls

# lsp takes longest, so it starts first, beside the others.
test: ## Vet and test everything
	$(GO) vet ./...
	$(GO) test -timeout $(TESTTIME) $(TESTFLAGS) ./lsp ./...
	@echo "make test: stale generated files fail the tests ...IsUpToDate in lsp; make generate writes them"

race: ## Test with the race detector, uncached and in a random order (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -timeout $(TESTTIME) -count=1 -shuffle=on $(TESTFLAGS) ./lsp ./...

# What is drawn at random is the same each time, but for the targets that look for what is new.
FRESH = PATCHLS_FIRST_SEED=$${PATCHLS_FIRST_SEED:-random}

EXPLORETIME ?= 1h
explore: ## Run the random tests with fresh seeds for EXPLORETIME (1h), and print what fails with its seed
	GO="$(GO)" EXPLORETIME="$(EXPLORETIME)" .ci/explore

MUTANTS ?= 20
MUTANTSEED ?= $(shell date +%s)
mutants: ## Put MUTANTS=20 faults into the product, one at a time, drawn by MUTANTSEED, below FOLDERS, and see which tests find them
	$(GO) run ./internal/testkit/mutants -n $(MUTANTS) -seed $(MUTANTSEED) $(FOLDERS)

SOAKSTEPS ?= 1000000
soak: ## Let agents, a user and bad editors edit at random for SOAKSTEPS (1000000: some 40 minutes)
	$(FRESH) PATCHLS_SIM_STEPS=$(SOAKSTEPS) PATCHLS_PAIR_STEPS=$(SOAKSTEPS) PATCHLS_SEEN_STEPS=$(SOAKSTEPS) $(GO) test -count=1 -timeout 4h -run '^Test(Sim|Pairs|SeenAtRandom)$$' -v ./lsp

LOADTIME ?= 1h
LOADTABLE ?= load.txt
soak-load: ## Send 200 commands a second to 50 documents for LOADTIME (1h), figures of each minute in LOADTABLE (load.txt)
	$(FRESH) PATCHLS_LOAD_TIME=$(LOADTIME) PATCHLS_LOAD_TABLE=$(abspath $(LOADTABLE)) $(GO) test -count=1 -timeout 0 -run '^TestLoad$$' -v ./cmd/patchls

memory: ## See that memory is given back, and that commands take little, with nothing beside it
	PATCHLS_MEMORY=1 $(GO) test -count=1 -run '^(TestMemoryIsGivenBack|TestRefusedCommandsAreSmall)$$' -v ./cmd/patchls

FAULTS ?= all
faults: ## Let one thing go wrong at every message, and every call of a save (15 minutes; FAULTS=some: a sample)
	PATCHLS_FAULTS=$(FAULTS) $(GO) test -count=1 -timeout 2h -run '^TestFault' -v ./lsp ./editors/headless ./workspace/paths

HOSTILETIME ?= 60s
hostile: ## Let peers made by a grammar do their worst, each kind for HOSTILETIME (60s), and count them
	@out=$$($(FRESH) PATCHLS_HOSTILE=$(HOSTILETIME) $(GO) test -p 1 -count=1 -timeout 4h -run '^TestHostile' -v ./lsp ./agent ./editors/headless ./cmd/patchls 2>&1) || \
		{ echo "$$out" | grep -v '^=== \|level=INFO'; exit 1; }; \
	echo "$$out" | sed -n 's/.*_test.go:[0-9]*: hostile /hostile /p'

# What each step prints is in docs/reliability/figures.md, which also says what the long versions found.
reliability: ## Make the short version of each figure of docs/reliability/figures.md again (5 minutes)
	GO="$(GO)" MAKE="$(MAKE)" .ci/reliability

fuzz: ## Run every fuzz target in turn, each for FUZZTIME (30s)
	@set -e; \
	list=$$($(GO) test -list '^Fuzz' ./...); \
	echo "$$list" | awk '/^Fuzz/{name[n++]=$$1} /^ok/{for(i=0;i<n;i++) print $$2, name[i]; n=0}' | { \
		n=0; \
		while read -r pkg name; do \
			n=$$((n+1)); \
			echo "== $$name ($$pkg)"; \
			$(GO) test "$$pkg" -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x </dev/null; \
		done; \
		[ $$n -gt 0 ] || echo "make fuzz: no fuzz target found"; \
	}

lint: ## Run the linters of .golangci.yml (the first run builds them: minutes), and those of Lua (npm, Debian's lua-check) and of workflows
	$(LINT) run
	$(ACTIONLINT)
	CHECK="$(CHECK)" .ci/lua/check

# What a release is made of, and with, is held here beside what it does.
# vuln is last, so that its note that it could not check is seen.
check: ## Vet, lint, test with -race, and hold what a release is made of (licences, cross, reproducible, release-check, vuln)
	$(GO) vet ./...
	$(MAKE) licences cross reproducible lint race release-check vuln

vuln: ## Look for known vulnerabilities (network; CHECK=strict fails where they cannot be looked up)
	GO="$(GO)" CHECK="$(CHECK)" .ci/vulnerabilities

# Reads the module cache alone, once it has the modules of all platforms.
licences: ## Hold THIRD_PARTY.md and the licences of all that is linked, on every platform of a release
	@$(GO) test -list 'ThirdPartyIsUpToDate$$' . | grep -q '^TestThirdParty'
	$(GO) test -count=1 -run '^Test(ThirdPartyIsUpToDate|Recognise)$$' . -released

reproducible: ## Build the program twice, elsewhere and with an empty cache, and compare (minutes)
	GO="$(GO)" .ci/reproducible

cross: ## Build for every platform of a release, and vet for all systems
	GO="$(GO)" .ci/cross

SAVES ?= 40
windows: ## Run tests of the program for Windows under wine (Debian and root, where wine is not there), with SAVES contended saves
	GO="$(GO)" CHECK="$(CHECK)" SAVES="$(SAVES)" .ci/windows

# A Go tool of a module of its own, as the linter is, and larger.
release-check: ## Check the configuration of releases (the first run builds goreleaser: minutes)
	$(GO) tool -modfile=.ci/release.mod goreleaser check

packages: ## Write all that a release consists of to dist/ (git, npm, GNU tar; builds goreleaser: minutes)
	GO="$(GO)" .ci/packages/write

# In a home with nothing in it, and no network, as a user would from the pages.
packages-check: ## Install what is in dist/ as README.md and docs/install.md say, edit with it in the real editors, and remove it
	$(GO) run ./editors/e2e -packages dist -guide README.md
	$(GO) run ./editors/e2e -packages dist -guide docs/install.md

BENCHTIME ?= full
bench: ## Measure beside peers and write docs/performance.md and its figures (node, npm, git, patch; 10 minutes; BENCHTIME=quick: each row once, 2 minutes, only printed)
	$(GO) run ./bench $(if $(filter quick,$(BENCHTIME)),-quick) $(BENCHFLAGS)

benchmarks: ## Run every Go benchmark, which compares with itself at another size
	$(GO) test -run '^$$' -bench . $(TESTFLAGS) ./...

demo: ## Show the main job on a real file
	$(GO) run ./cmd/patchls demo

# E2EFLAGS are those of editors/e2e, such as -only neovim -v.
e2e: ## Prove it in the real editors, which are installed first (Debian, root, npm; 15 minutes at most)
	$(GO) run ./editors/e2e $(E2EFLAGS)
	$(GO) run ./editors/e2e -plugins
	$(GO) run ./editors/e2e -guide docs/editors/neovim.md
	$(GO) run ./editors/e2e -guide docs/editors/vscode.md
	$(GO) run ./editors/e2e -soak 20s -tries 10 -seed 1

# AGENTFLAGS are those of editors/e2e/agents, such as -only claude -logs /tmp/l.
agents: ## Have real agent programs edit in live editors, with a stand-in for their models (npm, root; installs 1.5 GB)
	$(GO) run ./editors/e2e/agents $(AGENTFLAGS)
	$(GO) run ./editors/e2e -agents claude,codex,opencode,claude-agent-acp

SOAKTIME ?= 1h
soak-editors: ## Have a user at random and three agents work in the real editors for SOAKTIME (1h), each change judged by who made it
	$(GO) run ./editors/e2e -soak $(SOAKTIME) $(E2EFLAGS)

extension: ## Check and test the VS Code extension by itself (npm)
	cd editors/vscode && ../../.ci/npm ci --ignore-scripts --no-audit --no-fund && npm run check && npm test

pictures: ## Have the real editors make the pictures of the documentation
	$(GO) run ./editors/e2e -only neovim -case picture -out docs/pictures
	$(GO) run ./editors/e2e -only vscode -case picture -out editors/vscode/media
	cd editors/vscode && npm run --silent icon

conformance: ## Hold the MCP server to the protocol's own inspector and conformance runner, and to libraries of clients (npm)
	GO="$(GO)" .ci/mcp

generate: ## Write the generated files
	$(GO) generate ./...

# The test is part of make test; this runs it alone. A test that is not there must
# not pass.
check-generated: ## Test that the generated files are those that make generate writes
	@$(GO) test -list 'IsUpToDate$$' ./lsp | grep -q '^TestReference'
	$(GO) test -count=1 -run 'UpToDate$$|^TestPages$$' . ./lsp ./editors/e2e/agents ./cmd/patchls

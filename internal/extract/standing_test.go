package extract

import (
	"strings"
	"testing"

	"agentflow/memory"
)

// A user's wish for later work differs from one for now.
func TestStanding(t *testing.T) {
	for _, c := range []struct{ sentence, why string }{
		// for later work
		{"Always use tabs.", ""},
		{"Please always run make lint before you commit.", ""},
		{"Never use mocks in integration tests.", ""},
		{"I prefer table tests.", ""},
		{"I really prefer small commits over big ones.", ""},
		{"From now on write the changelog in German.", ""},
		{"From now on, use synctest for clocks.", ""},
		{"As of today, errors are wrapped with %w.", ""},
		{"We use pnpm and not npm.", ""},
		{"We don't use globals.", ""},
		{"We deploy from the branch release.", ""},
		{"Our convention is one struct per file.", ""},
		{"The house style is lower case messages.", ""},
		{"Use tabs instead of spaces.", ""},
		{"Write errors in lower case, not upper case.", ""},
		{"Don't use time.Sleep in tests.", ""},
		{"Do not add comments that restate the code.", ""},
		{"Every handler must return JSON.", ""},
		{"All exported names need to have doc comments.", ""},
		{"No package should import app.", ""},
		{"Run the linter before every commit.", ""},
		{"Whenever you touch the schema, update docs/schema.md.", ""},
		{"Remember that the API keys live in the vault.", ""},
		{"Keep in mind that Windows has no symlinks.", ""},
		{"By default, answer in short sentences.", ""},
		{"In general I expect a test for each bug.", ""},
		{"On this branch always target Go 1.26.", ""},
		{"In all my repositories use conventional commits.", ""},
		{"I hate abbreviations in names.", ""},
		{"I like table tests.", ""},
		{"Ab jetzt immer Tabs benutzen.", ""},
		{"Bitte niemals direkt auf main pushen.", ""},
		{"Ich bevorzuge kurze Funktionen.", ""},
		// for now
		{"Fix the typo in line 3.", "one piece of work"},
		{"Now run the tests.", "one piece of work"},
		{"Run the tests.", "not said to hold"},
		{"Fix the login bug.", "one piece of work"},
		{"Always fix the login first.", "one piece of work"},
		{"Use the other function instead of this function.", "one piece of work"},
		{"Don't commit yet.", "one piece of work"},
		{"Never mind.", "passing state"},
		{"Go on.", "one piece of work"},
		{"It always fails on CI.", "passing state"},
		{"The test never passes.", "passing state"},
		{"I always get an error here.", "passing state"},
		{"I like that.", "passing state"},
		{"I like how it looks.", "passing state"},
		{"Should we always use tabs?", "asks"},
		{"Do you prefer tabs?", "asks"},
		{"Add a button to the page.", "not said to hold"},
		{"Rename parseConfig to loadConfig.", "not said to hold"},
		{"The button must be blue.", "not said to hold"},
		{"I want the login to be faster.", "not said to hold"},
		{"Write a test for it.", "not said to hold"},
		{"Look at session.go:12, it never closes the file.", "names a line"},
		{"Always check #42 before.", "one issue"},
		{"This time use spaces instead of tabs.", "one piece of work"},
		{"For this commit always use the old author.", "one piece of work"},
		{"Try again, it was always green before.", "one piece of work"},
		{"Use tabs for now instead of spaces.", "one piece of work"},
		{"Behebe den Fehler im Login.", "one piece of work"},
		{"Mach weiter wie immer.", "one piece of work"},
		{"Jetzt die Tests laufen lassen.", "one piece of work"},
		{"yes", "not said to hold"},
		{"", "not said to hold"},
	} {
		if why := standing(c.sentence); (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%q: %q, want %q", c.sentence, why, c.why)
		}
	}
}

func TestScope(t *testing.T) {
	for sentence, want := range map[string]string{
		"Always use tabs.":                               memory.ProjectNamespace,
		"Always use tabs in this repository.":            memory.ProjectNamespace,
		"In this project never use globals.":             memory.ProjectNamespace,
		"For this branch always target Go 1.26.":         memory.BranchNamespace,
		"Never push on this feature branch.":             memory.BranchNamespace,
		"Auf diesem Branch immer squashen.":              memory.BranchNamespace,
		"We always release from the branch stable.":      memory.ProjectNamespace,
		"Use conventional commits in all my projects.":   memory.GlobalNamespace,
		"In every repository of mine, always use tabs.":  memory.GlobalNamespace,
		"In allen meinen Projekten immer Tabs benutzen.": memory.GlobalNamespace,
		"Always install it globally.":                    memory.ProjectNamespace,
		"Always run all tests of the project.":           memory.ProjectNamespace,
	} {
		if got := scope(sentence); got != want {
			t.Errorf("%q holds in %q, want %q", sentence, got, want)
		}
	}
}

func TestSentenceOf(t *testing.T) {
	asked := []string{"Fix it.", "Don't always use tabs! See e.g. session.go for how. Never push to main; ask me first.\nRun `make lint` before every\ncommit"}
	for quote, want := range map[string]string{
		"always use tabs":                   "Don't always use tabs!",
		"ALWAYS USE  TABS!":                 "Don't always use tabs!",
		"never push to main":                "Never push to main;",
		"session.go for how":                "session.go for how.",
		"make lint before every commit":     "Run `make lint` before every commit",
		"always push to main":               "",
		"":                                  "",
		"...":                               "",
		"Fix it. Don't always":              "",
		"always use tabs see e.g. session":  "",
		"for how. Never push to main; ask ": "",
	} {
		got, ok := sentenceOf(quote, asked)
		if ok != (want != "") || got != want {
			t.Errorf("%q stands in %q (%v), want %q", quote, got, ok, want)
		}
	}
}

func TestFollows(t *testing.T) {
	for _, c := range []struct {
		fact, sentence string
		want           bool
	}{
		{"Use tabs for indentation", "Always use tabs.", true},
		{"The user prefers table tests", "I prefer table tests", true},
		{"Use mocks in integration tests", "Never use mocks in integration tests.", false},
		{"Mocks are never used in integration tests", "Never use mocks in integration tests.", true},
		{"The database listens on port 5432", "Always use tabs.", false},
		{"", "Always use tabs.", false},
	} {
		if got := follows(c.fact, c.sentence); got != c.want {
			t.Errorf("%q after %q: %v", c.fact, c.sentence, got)
		}
	}
}

package propose

import (
	"slices"
	"strings"
	"testing"
)

// proposing are prompts with the facts that they propose.
var proposing = []struct {
	prompt string
	facts  []string
}{
	// always or never
	{"No, we never put that in main.", []string{"We never put that in main."}},
	{"always use pnpm here", []string{"Always use pnpm here"}},
	{"Always run `make generate` after you change a proto file.", []string{"Always run `make generate` after you change a proto file."}},
	{"please never commit directly to main", []string{"Never commit directly to main"}},
	{"Stop. We never mock the database in integration tests.", []string{"We never mock the database in integration tests."}},
	{"You should never edit the files in gen/ by hand.", []string{"You should never edit the files in gen/ by hand."}},
	{"In tests, always use synctest and never a sleep.", []string{"In tests, always use synctest and never a sleep."}},
	{"when you add a flag, always update docs/cli.md", []string{"When you add a flag, always update docs/cli.md"}},
	{"Looks good. But please always wrap errors with %w.", []string{"Always wrap errors with %w."}},
	{"I want you to always ask before you push.", []string{"I want you to always ask before you push."}},
	{"make sure you never log the request body", []string{"Make sure you never log the request body"}},
	{"Migrations must always be reversible.", []string{"Migrations must always be reversible."}},
	// one thing in place of another
	{"don't use npm, use pnpm", []string{"Don't use npm, use pnpm"}},
	{"No, use slog instead of logrus.", []string{"Use slog instead of logrus."}},
	{"Use tabs, not spaces.", []string{"Use tabs, not spaces."}},
	{"no, run pytest with uv, not pip", []string{"Run pytest with uv, not pip"}},
	{"Do not use moment.js because it is deprecated.", []string{"Do not use moment.js because it is deprecated."}},
	{"no - we use Vitest", []string{"We use Vitest"}},
	// what we do
	{"We don't use default exports.", []string{"We don't use default exports."}},
	{"nope, we only deploy on Tuesdays", []string{"We only deploy on Tuesdays"}},
	{"In this repo we squash before merging.", []string{"In this repo we squash before merging."}},
	{"Here we use Postgres everywhere, not SQLite.", []string{"Here we use Postgres everywhere, not SQLite."}},
	{"our convention is one struct per file", []string{"Our convention is one struct per file"}},
	{"I prefer table tests over many small functions.", []string{"I prefer table tests over many small functions."}},
	{"in this repo we want to commit the state of --local-dev", []string{"In this repo we want to commit the state of --local-dev"}},
	{"we should be using the strong types instead of string wherever we can", []string{"We should be using the strong types instead of string wherever we can"}},
	// from now on
	{"From now on write commit messages in German.", []string{"From now on write commit messages in German."}},
	{"Going forward, put feature flags into config/flags.yml.", []string{"Going forward, put feature flags into config/flags.yml."}},
	{"Run the linter before every commit.", []string{"Run the linter before every commit."}},
	{"Every time you touch the schema, regenerate the client.", []string{"Every time you touch the schema, regenerate the client."}},
	{"don't ever force-push to release branches", []string{"Don't ever force-push to release branches"}},
	{"Don't use fmt.Println in tests.", []string{"Don't use fmt.Println in tests."}},
	// a rule among other things
	{"Add a timeout flag to serve. Never add a flag without a line in docs/usage.md.", []string{"Never add a flag without a line in docs/usage.md."}},
	{"fix the login bug\n- always use the test clock\n- run the suite", []string{"Always use the test clock"}},
	{"```go\nalways := true\n```\nNo, we never name variables in German.", []string{"We never name variables in German."}},
	// German, French, Spanish, Portuguese
	{"Nein, wir committen nie direkt auf main.", []string{"Wir committen nie direkt auf main."}},
	{"Bitte nutze immer pnpm.", []string{"Nutze immer pnpm."}},
	{"Benutze kein npm, nimm pnpm.", []string{"Benutze kein npm, nimm pnpm."}},
	{"Ab jetzt schreibst du Commits auf Englisch.", []string{"Ab jetzt schreibst du Commits auf Englisch."}},
	{"Non, on ne pousse jamais sur main.", []string{"On ne pousse jamais sur main."}},
	{"Utilise toujours pnpm.", []string{"Utilise toujours pnpm."}},
	{"N'utilise pas npm, utilise pnpm.", []string{"N'utilise pas npm, utilise pnpm."}},
	{"Usa siempre pnpm en vez de npm.", []string{"Usa siempre pnpm en vez de npm."}},
	{"No, nunca hacemos push a main.", []string{"Nunca hacemos push a main."}},
	{"Use sempre pnpm.", []string{"Use sempre pnpm."}},
	{"Não, nunca fazemos commit na main.", []string{"Nunca fazemos commit na main."}},
}

// silent are prompts that propose nothing.
var silent = []string{
	// one-off instructions
	"no, rename it to foo",
	"no, we use npm for now",
	"don't use npm, use pnpm this time",
	"No, put that into a helper.",
	"Use the other function.",
	"use a map instead of the slice",
	"don't use a goroutine for this, use the loop",
	"Don't commit yet.",
	"don't change the tests in this PR",
	"stop, that's the wrong file",
	"No, revert that.",
	"wait, use the staging database for now",
	"Skip the flaky test until the fix lands.",
	"Rename parseConfig to loadConfig.",
	"add a test for it",
	"no, the button must be blue",
	"Now run the tests with -race.",
	"Remember to update the changelog for this change.",
	"This time use spaces instead of tabs.",
	"Commit that.",
	"Make the error message shorter and don't repeat the path.",
	"no I meant the second option",
	"actually, leave it as it was",
	// questions
	"Do we always use pnpm here?",
	"why do we never mock the database",
	"Should I always run make generate?",
	"Can you use pnpm instead of npm?",
	"what is our convention for errors?",
	"is it true that we never deploy on Fridays",
	// how things are
	"It always fails on CI.",
	"The test never passes on Windows.",
	"The cache is never invalidated when the file changes.",
	"you always forget the semicolon",
	"I never said that.",
	"we never had a problem with it before",
	"The function should always return a value.",
	"never mind",
	"never mind, we'll look at it later.",
	"nah you can always invoke git show if you want to see the commit",
	"we can always render it on the way out",
	"Like there should always be a commit that matches the session",
	"hmm, this always lists them under each branch",
	"I'd personally prefer a map, then send the array into the loop",
	"I'd prefer that",
	"do not stash anything, read the files you need",
	"yes, but we don't need to commit",
	"we don't have `Entire-Session` anymore so this is obsolete.",
	"For the first release, we could say we don't support concurrent sessions.",
	"Maybe we should always use pnpm.",
	"the docs say we never commit to main",
	"The linter complains: never use any.",
	"I think we use Redis somewhere",
	"we don't have tests for the parser",
	"we don't need the flag any more",
	// quoted, pasted and other people's words
	`The README says "always use pnpm here", is that right?`,
	`Translate "We never commit to main" into French.`,
	"> always use pnpm here\nwhat does that mean",
	"```\nAlways use pnpm.\nNever use npm.\n```",
	"Fix this:\nerror: never use any here\nwarning: always use const",
	"2026-11-27 10:00:00 INFO always use the new endpoint",
	"npm ERR! never use --force with this",
	"    always use pnpm\n    never use npm",
	"lint.go:12: always check errors",
	"<agentflow_memory>\n> We never commit to main.\n</agentflow_memory>\nAlways use tabs.",
	"agentflow: remembered: We never commit to main.",
	"/remember always use pnpm here",
	"/review never use npm",
	"!git commit -m 'never use npm'",
	"if (x) { // never use this",
	"diff --git a/x b/x\n+ // always use pnpm",
	// answers
	"yes", "no", "ok, go on", "2", "", "looks good, commit and push",
	// other languages
	"Warum schlägt der Test immer fehl?",
	"Der Test schlägt immer fehl.",
	"Nein, nenn es bitte foo.",
	"Le test échoue toujours.",
	"Renomme la fonction en foo.",
	"El test siempre falla en CI.",
	"No, cambia el nombre a foo.",
	"O teste sempre falha no CI.",
	"Não, renomeie para foo.",
	// a document
	strings.Repeat("The service reads its settings from a file. ", 60) + "Always use tabs.",
}

func TestCorrections(t *testing.T) {
	for _, c := range proposing {
		var got []string
		for _, p := range Corrections(Prompt{Text: c.prompt}) {
			got = append(got, p.Text)
			if !strings.Contains(c.prompt, p.Sentence) {
				t.Errorf("%q: the sentence %q is not in it", c.prompt, p.Sentence)
			}
		}
		if !slices.Equal(got, c.facts) {
			t.Errorf("%q: %q, want %q", c.prompt, got, c.facts)
		}
	}
	for _, prompt := range silent {
		if got := Corrections(Prompt{Text: prompt}); len(got) > 0 {
			t.Errorf("%q: proposes %q", prompt, got[0].Text)
		}
	}
}

// The first sentence of a task is the work, unless it is no order or contradicts.
func TestTasks(t *testing.T) {
	for task, want := range map[string]string{
		"Use slog instead of logrus.":                                     "",
		"Always add autocomplete to Param":                                "",
		"Do not write to the console because it is no tty.":               "",
		"Add a parser. We never put parsers in the root.":                 "We never put parsers in the root.",
		"Add a flag. Always use tabs.":                                    "Always use tabs.",
		"No, always use pnpm here.":                                       "Always use pnpm here.",
		"We never put parsers in the root. Move this one.":                "We never put parsers in the root.",
		"From now on write commit messages in German. Commit this.":       "From now on write commit messages in German.",
		"Bitte nutze immer pnpm.":                                         "",
		"Nein, nutze immer pnpm.":                                         "Nutze immer pnpm.",
		"Fix the login bug\n- always use the test clock\n- run the suite": "Always use the test clock",
	} {
		var got []string
		for _, p := range Corrections(Prompt{Text: task, Task: true}) {
			got = append(got, p.Text)
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%q: %q, want %q", task, got, want)
		}
	}
}

// With an action that was refused, fewer words are a correction.
func TestRefusals(t *testing.T) {
	for prompt, want := range map[string]bool{
		"use pnpm":                             true,
		"we use ninja here":                    true,
		"don't touch the generated files":      true,
		"migrations are off limits":            true,
		"run make test":                        true,
		"nutze pnpm bitte":                     true,
		"use the other file":                   false,
		"no, rename it to foo":                 false,
		"not now":                              false,
		"why do you need that?":                false,
		"first show me the plan":               false,
		"skip that for now":                    false,
		"I'll do that myself":                  false,
		"wait until the tests in CI are green": false,
	} {
		if got := len(Corrections(Prompt{Text: prompt, Refused: "Bash npm install left-pad"})) > 0; got != want {
			t.Errorf("%q: %v, want %v", prompt, got, want)
		}
	}
	if len(Corrections(Prompt{Text: "use pnpm"})) > 0 {
		t.Error("without a refused action the same words propose a fact")
	}
}

func TestInstructions(t *testing.T) {
	for prompt, want := range map[string]string{
		"Add a flag. Update the changelog with each flag.": "Update the changelog with each flag.",
		"please run make lint before you commit":           "Run make lint before you commit",
		"fix it":                                           "",
		"Fix the login bug.":                               "",
		"Run the tests in this file.":                      "",
		"Why does it run the tests in a container?":        "",
		"commit": "",
	} {
		var got string
		for _, s := range Instructions(prompt) {
			if !strings.HasPrefix(s, "Add a") {
				got = s
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

func FuzzCorrections(f *testing.F) {
	for _, c := range proposing {
		f.Add(c.prompt)
	}
	for _, prompt := range silent {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, refused := range []string{"", "Bash"} {
			for _, p := range Corrections(Prompt{Text: text, Refused: refused}) {
				if strings.TrimSpace(p.Text) == "" || p.Sentence == "" || len(strings.Fields(p.Sentence)) > maxWords || strings.Contains(p.Sentence, "\n") {
					t.Errorf("%q proposes %+v", text, p)
				}
			}
		}
		for _, s := range Instructions(text) {
			if strings.Contains(s, "\n") || len(s) > len(text)+4 {
				t.Errorf("%q: instruction %q", text, s)
			}
		}
	})
}

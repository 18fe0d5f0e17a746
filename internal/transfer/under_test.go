package transfer

import (
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestImportKeepsWhatItemsStandUnder: a prohibition in another tool's notes is not imported as a
// plain statement, from any kind of file.
func TestImportKeepsWhatItemsStandUnder(t *testing.T) {
	const notes = "## Production\n\n### Do not\n\n- Run migrations from a laptop\n- `terraform`\n\n```\nmake wipe\n```\n\n**Never:**\n- Push to main\n"
	for name, text := range map[string]string{
		"CLAUDE.md": "# CLAUDE.md\n\n" + notes, "AGENTS.md": "# Agents\n\n" + notes, ".cursor/rules/prod.mdc": "---\nalwaysApply: true\n---\n" + notes,
		".github/copilot-instructions.md": notes,
	} {
		edits, _ := Plan(nil, read(t, name, text), Options{Now: now})
		to := apply(t, map[string][]byte{}, edits)
		for _, want := range []string{"- Production: Do not: Run migrations from a laptop <", "- Production: Do not: `terraform` <", "- Production: Do not: Never: Push to main <"} {
			if !strings.Contains(string(to["MEMORY.md"]), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, to["MEMORY.md"])
			}
		}
		for file, content := range to {
			if file != "MEMORY.md" && !strings.Contains(string(content), "## Production: Do not\n\n```\nmake wipe") {
				t.Errorf("%s: %s", file, content)
			}
		}
		if again, report := Plan(to, read(t, name, text), Options{Now: now}); len(again) > 0 {
			t.Errorf("%s: a second time adds %+v", name, report.Added)
		}
		bare := func(id string) bool { return id == memory.TextID("Run migrations from a laptop") }
		if _, report := Plan(nil, read(t, name, text), Options{Now: now, Barred: bare}); report.Forgotten != 1 {
			t.Errorf("%s: a text that was forgotten comes back: %+v", name, report)
		}
	}
}

// TestImportKeepsPaths: a rule for some files, or text below the heading of a folder, applies to
// these files after an import, and after another export and import.
func TestImportKeepsPaths(t *testing.T) {
	for name, text := range map[string]string{
		".cursor/rules/web.mdc": "---\nglobs: web/**,*.{ts,tsx}\nalwaysApply: false\n---\n- Use pnpm here\n",
		"CLAUDE.md":             "# CLAUDE.md\n\n## web/**\n\n- Use pnpm here\n",
	} {
		want := map[bool][]string{true: {"web/**"}, false: {"web/**", "*.{ts,tsx}"}}[name == "CLAUDE.md"]
		edits, _ := Plan(nil, read(t, name, text), Options{Now: now})
		from := apply(t, map[string][]byte{}, edits)
		for _, format := range Formats {
			edits, _ := Plan(nil, read(t, "all."+format, export(t, from, format, Filter{})), Options{Now: now})
			facts := markdown.Parse(apply(t, map[string][]byte{}, edits)[memory.LastingFile]).Facts()
			if len(facts) != 1 || !slices.Equal(facts[0].Paths, want) || !strings.HasSuffix(facts[0].Text, "Use pnpm here") {
				t.Errorf("%s by %s: %+v", name, format, facts)
			}
		}
	}
}

// TestExportKeepsHeadings: facts below a person's heading are below it after a round trip, and
// nothing else is.
func TestExportKeepsHeadings(t *testing.T) {
	from := map[string][]byte{"MEMORY.md": []byte("# Memory\n\n## Never on production\n\n" + markdown.FormatFact(memory.Fact{ID: id(1), Text: "`terraform apply`"}) + "- Drop tables\n")}
	edits, _ := Plan(nil, read(t, "all.jsonl", export(t, from, "jsonl", Filter{})), Options{Now: now})
	to := apply(t, map[string][]byte{}, edits)
	if got := string(to["MEMORY.md"]); got != string(from["MEMORY.md"]) {
		t.Errorf("it became\n%s", got)
	}
	edits, _ = Plan(map[string][]byte{"MEMORY.md": []byte("# Memory\n")}, read(t, "all.jsonl", export(t, from, "jsonl", Filter{})), Options{Now: now})
	whole := map[string]bool{}
	for _, f := range markdown.Parse(edits[0].After).Facts() {
		whole[f.Whole()] = true
	}
	if len(whole) != 2 || !whole["Never on production: `terraform apply`"] || !whole["Never on production: Drop tables"] {
		t.Errorf("%v\n%s", whole, edits[0].After)
	}
	edits, _ = Plan(from, read(t, "x.md", "- Use tabs everywhere\n"), Options{Now: now})
	facts := markdown.Parse(apply(t, from, edits)["MEMORY.md"]).Facts()
	if last := facts[len(facts)-1]; last.Whole() != "Use tabs everywhere" {
		t.Errorf("it came under what a person forbids: %q", last.Whole())
	}
}

// TestNothingComesUnderWhatAPersonWrote: text added to the end of MEMORY.md is not below the last
// heading or list of it.
func TestNothingComesUnderWhatAPersonWrote(t *testing.T) {
	for _, end := range []string{"# Staging\n\n- port 9000 is ours\n", "## Never\n\n- push to main\n", "Avoid:\n\n- global state\n", "**Never**\n\nPush to main.\n"} {
		from := map[string][]byte{"MEMORY.md": []byte("# Memory\n\n" + end)}
		for _, notes := range []string{"- Use tabs everywhere\n", "## Style\n\n- Use tabs everywhere\n"} {
			edits, _ := Plan(from, read(t, "x.md", notes), Options{Now: now})
			facts := markdown.Parse(apply(t, from, edits)["MEMORY.md"]).Facts()
			if len(facts) != 1 || len(facts[0].Under) > 0 && facts[0].Under[0] != "Style" {
				t.Errorf("%q and %q: %+v", end, notes, facts)
			}
		}
	}
}

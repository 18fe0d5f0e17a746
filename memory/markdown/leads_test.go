package markdown

import (
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
)

// TestWholeSaysWhatAnItemStandsUnder: what a person forbids is not shown as a plain
// statement, however they write it.
func TestWholeSaysWhatAnItemStandsUnder(t *testing.T) {
	for src, want := range map[string][]string{
		"# Memory\n\n## Facts\n\n- a b\n\n## 2026-11-21\n\n- c d\n":     {"a b", "c d"},
		"# Memory\n\n## Never on production\n\n- `terraform apply`\n":   {"Never on production: `terraform apply`"},
		"## Production\n\n### Do not\n\n- a b\n\n### Always\n\n- c d\n": {"Production: Do not: a b", "Production: Always: c d"},
		"# Never do this\n\na b\n\n# Rules\n\nc d\n":                    {"Never do this: a b", "c d"},
		"Avoid:\n\n- a b\n* c d\n\ne f\n\n- g h\n":                      {"Avoid: a b", "Avoid: c d", "e f", "g h"},
		"Avoid\n- a b\n":             {"Avoid: a b"},
		"**Never:**\n- a b\n\nc d\n": {"Never: a b", "c d"},
		"**Never**\n\na b\n\nc d\n\n__Always__\n\ne f\n\n## Next\n\ng h\n": {"Never: a b", "Never: c d", "Always: e f", "Next: g h"},
		"Never:\n\na b\n\nc d\n":                                               {"Never: a b", "c d"},
		"Never do any of these.\n\n- a b\n\n## Facts\n\n- c d\n":               {"Never do any of these.: a b", "c d"},
		"We use Go.\n\n- a b\n":                                                {"We use Go.", "a b"},
		"- Never:\n  - a b\n  - c d\n- e f\n":                                  {"Never:\n- a b\n- c d", "e f"},
		"- Never:\n- a b\n- c d\n- Always:\n- e f\n":                           {"Never: a b", "Never: c d", "Always: e f"},
		"- Never:\n  - a b <!-- id=0199aaaa -->\n  - c d\n- e f\n":             {"Never: a b", "Never: c d", "e f"},
		"- On production\n  - Never\n    - a b <!-- id=0199aaaa -->\n- c d":    {"On production\n- Never", "On production: Never: a b", "c d"},
		"Avoid:\n- a b <!-- id=0199aaaa -->\n- c d <!-- id=0199aaab -->\n":     {"Avoid: a b", "Avoid: c d"},
		"Avoid:\n1. a b\n2. c d\n\n- e f\n":                                    {"Avoid:\n1. a b\n2. c d", "Avoid: e f"},
		"## Never\n\n1. a b\n2. c d\n":                                         {"Never:\n1. a b\n2. c d"},
		"## Never\n\n```\na b\n```\n":                                          {"Never:\n```\na b\n```"},
		"## Style\n\n| Do | Don't |\n|---|---|\n| a b | c d |\n":               {"Style:\n| Do | Don't |\n|---|---|\n| a b | c d |"},
		"## Do not\n\n- do nothing twice\n- Do not push\n":                     {"Do not: do nothing twice", "Do not push"},
		"## Testing\n\n- a b <!-- id=0199aaaa category=testing -->\n":          {"a b"},
		"- a b <!-- id=0199aaaa category=Do%20not source=import:x.md -->\n":    {"Do not: a b"},
		"- Do not: a b <!-- id=0199aaaa category=Do%20not source=import:x -->": {"Do not: a b"},
		"---\ndescription: Never in v1\nglobs: api/v1/**\n---\n- a b\n":        {"Never in v1: In `api/v1/**`: a b"},
		"---\ntitle: Old machines\n---\n- a b\n":                               {"Old machines: a b"},
		"Bei uns nie:\n- a b\n":                                                {"Bei uns nie: a b"}, "禁止事項：\n- a b\n": {"禁止事項: a b"},
		"Avoid:\n<!-- why -->\n- a b\n\n---\n\n- c d\n": {"Avoid: a b", "c d"},
		strings.Repeat("word ", 80) + "never:\n- a b\n": {"… " + strings.Repeat("word ", 58) + "never: a b"},
	} {
		var got []string
		for _, n := range Parse([]byte(src)).Notes("x.md") {
			if !n.Leads {
				got = append(got, n.AsFact().Whole())
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", src, got, want)
		}
	}
}

// TestFactsOfEntriesKnowWhatAPersonPutAbove them, and headings of ours add nothing.
func TestFactsOfEntriesKnowWhatAPersonPutAbove(t *testing.T) {
	e := memory.Entry{ID: "0199aaaa-0000-7000-8000-000000000001", Kind: memory.KindRun, Title: "x", Task: "x", Facts: []memory.Fact{{ID: "0199aaaa-0000-7000-8000-000000000002", Text: "a b"}}}
	plain := string(Format(e))
	for _, text := range []string{plain, strings.Replace(plain, "### Memories\n", "### Memories\n\nNever:\n", 1), strings.Replace(plain, "### Memories", "### Never", 1)} {
		want := "Never: a b"
		if text == plain {
			want = "a b"
		}
		if facts := Parse([]byte(text)).Facts(); len(facts) != 1 || facts[0].Whole() != want {
			t.Errorf("%s\n%+v", text, facts)
		}
	}
}

// TestLinesWithinANoteKnowItsBeginning: for a line within a long item, or between the rows of a
// table, Under returns the beginning of the note.
func TestLinesWithinANoteKnowItsBeginning(t *testing.T) {
	d := Parse([]byte("## Rules\n\nAvoid:\n\n- Never:\n  - a b\n  - c d\n\n| Do | Don't |\n|----|-------|\n| a | b |\n| c | d |\n"))
	for line, want := range map[int]string{1: "", 5: "Avoid", 6: "Avoid|Never", 7: "Avoid|Never", 9: "", 11: "| Do | Don't |", 12: "| Do | Don't |"} {
		if got := strings.Join(d.Under("x.md", line), "|"); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
}

package transfer

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// randomMemory is a memory of hand-written text, entries, facts and notes of the
// memory tool, in any order.
func randomMemory(rnd *rand.Rand) map[string][]byte {
	next := 100
	part := func() string {
		next++
		switch rnd.IntN(9) {
		case 0:
			return "## Heading " + randomtest.Pick(rnd, "one", "two", "of 2026-11-20") + "\n\n"
		case 1:
			return "Never on production:\n\n- `terraform apply` number " + id(next) + "\n- by hand\n\n"
		case 2:
			return "Prose that a person wrote, " + id(next) + ".\nIn two lines.\n\n"
		case 3:
			return "```sh\n# " + id(next) + "\nmake\n```\n\n"
		case 4:
			return markdown.FormatFact(memory.Fact{ID: id(next), Type: memory.Semantic, Text: "Fact " + id(next)})
		case 5:
			return string(markdown.Format(memory.Entry{ID: id(next), Kind: memory.KindNote, Time: now, Facts: []memory.Fact{{ID: id(next + 5000), Text: "Note " + id(next)}}}))
		case 6:
			return string(markdown.Format(memory.Entry{ID: id(next), Kind: memory.KindRun, Time: now, Title: "Run", Summary: "Done " + id(next), Result: &memory.Result{Success: true, Outcome: memory.OutcomeOK, Duration: time.Second}}))
		case 7:
			return "<!-- a comment -->\n\n| a | b |\n|---|---|\n| " + id(next) + " | 2 |\n\n"
		}
		return randomtest.Pick(rnd, "- ~~struck~~\n", "\n", "---\n\n", "- unmarked "+id(next)+"\n", "<!-- agentflow-file x.md bytes=3 -->\n", "> quoted "+id(next)+"\n\n")
	}
	files := map[string][]byte{}
	for _, name := range randomtest.Picks(rnd, 1, 5, "MEMORY.md", "2026-11-21.md", "2026-11-22.md", "archive/2026-08.md", "archive/facts.md", "notes/plan.md", "notes/deep/b.md", "topics.md") {
		text := randomtest.Pick(rnd, "", "# "+memory.FileTitle(name)+"\n\n", "---\ntags: [x]\n---\n\n")
		for range rnd.IntN(7) {
			text += part()
		}
		if rnd.IntN(4) == 0 {
			text = strings.TrimSuffix(text, "\n")
		}
		files[name] = []byte(text)
	}
	return files
}

func imported(t *testing.T, into map[string][]byte, name string, export []byte) (map[string][]byte, Report) {
	items, problems, err := Read(name, bytes.NewReader(export))
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v, %v", problems, err)
	}
	edits, report := Plan(into, items, Options{Now: now})
	after := maps.Clone(into)
	for _, e := range edits {
		if !bytes.Equal(e.Before, into[e.File]) {
			t.Fatalf("the edit of %s is of another text", e.File)
		}
		after[e.File] = e.After
	}
	return after, report
}

// TestRoundTrip exports random memories in both forms. An empty memory holds the same
// bytes after the import, another one all that was said, and the one it comes from
// gains nothing.
func TestRoundTrip(t *testing.T) {
	randomtest.Check(t, 300, func(t *testing.T, rnd *rand.Rand) {
		from := randomMemory(rnd)
		for format, name := range map[string]string{"jsonl": "all.jsonl", "markdown": "all.md"} {
			var out bytes.Buffer
			files := Files{Names: slices.Collect(maps.Keys(from)), Read: func(name string) ([]byte, error) { return from[name], nil }}
			if _, err := Export(&out, files, format, Filter{}); err != nil {
				t.Fatal(err)
			}
			got, report := imported(t, map[string][]byte{}, name, out.Bytes())
			for file, text := range from {
				if len(text) > 0 && !bytes.Equal(got[file], text) {
					t.Errorf("%s: %s was\n%q\nand is\n%q", format, file, text, got[file])
				}
			}
			for file := range got {
				if _, there := from[file]; !there {
					t.Errorf("%s: %s is new: %q; %+v", format, file, got[file], report)
				}
			}
			if _, again := imported(t, from, name, out.Bytes()); len(again.Added) != 0 {
				t.Errorf("%s: to itself it adds %+v", format, again.Added)
			}
			other := map[string][]byte{"MEMORY.md": []byte("# Memory\n\n- Mine.\n"), "notes/plan.md": []byte("Another plan.\n")}
			merged, _ := imported(t, other, name, out.Bytes())
			checkHolds(t, format, from, merged)
			if !bytes.HasPrefix(merged["notes/plan.md"], other["notes/plan.md"]) {
				t.Errorf("%s: a file that was there lost text: %q", format, merged["notes/plan.md"])
			}
		}
	})
}

// checkHolds looks for each id that the texts of a memory name in another one.
func checkHolds(t *testing.T, format string, from, in map[string][]byte) {
	all := string(bytes.Join(slices.Collect(maps.Values(in)), nil))
	for file, text := range from {
		for word := range strings.FieldsFuncSeq(string(text), func(r rune) bool { return !strings.ContainsRune("0123456789abcdef-", r) }) {
			if len(word) == len(id(1)) && strings.HasPrefix(word, id(1)[:20]) && !strings.Contains(all, word) {
				t.Errorf("%s: %s of %s is lost: %q", format, word, file, text)
			}
		}
	}
}

// TestWholeFileStaysOut refuses names outside memory, and brings back nothing that was
// forgotten.
func TestWholeFileStaysOut(t *testing.T) {
	for _, name := range []string{"../x.md", "/x.md", "a/../../x.md", ".hidden.md", "a/.b/x.md", "feedback.md", "x.txt", `a\b.md`, "c:x.md", ""} {
		line, _ := encodeFile(name, []byte("x\n"))
		if items, problems, _ := Read("x.jsonl", bytes.NewReader(line)); len(items) != 0 || len(problems) != 1 {
			t.Errorf("%q: %+v, %v", name, items, problems)
		}
	}
	line, _ := encodeFile("notes/a.md", []byte("The gate opens at six.\n"))
	items, _, _ := Read("x.jsonl", bytes.NewReader(line))
	for _, o := range []Options{
		{Barred: func(id string) bool { return id == memory.TextID("The gate opens at six.") }},
		{Namespace: "branch/x"},
	} {
		if edits, report := Plan(nil, items, o); len(edits) != 0 {
			t.Errorf("%+v, %+v", edits, report)
		}
	}
	Redact(items, func(s string) string { return strings.ReplaceAll(s, "six", "[redacted]") })
	if edits, _ := Plan(nil, items, Options{}); len(edits) != 1 || string(edits[0].After) != "The gate opens at [redacted].\n" {
		t.Errorf("%+v", edits)
	}
}

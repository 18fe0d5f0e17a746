package memory

import (
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/endtest"
)

func TestQuotedEntryIsText(t *testing.T) {
	entry := string(Format(runEntry(t)))
	for name, c := range map[string]struct {
		src     string
		entries int
	}{
		"quoted":             {"See:\n```\n" + entry + "```\nend\n", 0},
		"quoted and real":    {"```md\n" + entry + "```\n\n" + entry, 1},
		"fence left open":    {"```\ncode\n\n" + entry + entry, 2},
		"opener at the end":  {"code\n```\n\n" + string(Format(hostileEntry(t))) + entry, 2},
		"fence behind":       {entry + "```\nx\n```\n" + entry, 2},
		"end line taken out": {strings.ReplaceAll(entry, "---\n", "") + entry, 2},
	} {
		if n := len(Parse([]byte(c.src)).Entries()); n != c.entries {
			t.Errorf("%s: %d entries, want %d", name, n, c.entries)
		}
	}
}

func TestHandEditedEntry(t *testing.T) {
	src := string(Format(runEntry(t)))
	src = strings.Replace(src, "What the agent said last, at most 1,200 characters.", "My words.\n\nNot indented.", 1)
	src = strings.Replace(src, "### Memories\n", "### My section\nfree text\n\n### Memories\n* added by hand\n", 1)
	src = strings.Replace(src, "· Fix the flaky login test\n", "· A better title\n", 1)
	d := Parse([]byte(src + "## My own heading\ntext\n"))
	if len(d.Blocks) != 2 || string(d.Bytes()) != src+"## My own heading\ntext\n" {
		t.Fatalf("%d blocks: %q", len(d.Blocks), d.Bytes())
	}
	e := d.Blocks[0].Entry
	if e.Title != "A better title" || e.Summary != "My words.\n\nNot indented." || e.Extra != "### My section\nfree text" {
		t.Errorf("title %q, summary %q, extra %q", e.Title, e.Summary, e.Extra)
	}
	if len(e.Facts) != 2 || e.Facts[0].Text != "added by hand" || e.Facts[0].ID != "" {
		t.Errorf("facts %+v", e.Facts)
	}
}

func TestRemove(t *testing.T) {
	run, note := runEntry(t), Entry{ID: "n1", Kind: KindNote, Facts: []Fact{{ID: "f1", Text: "one\ntwo"}}}
	src := string(Format(run)) + "hand\n" + string(Format(note)) + "- mine <!-- id=f2 -->\n  more\n- next\n"
	d := Parse([]byte(src))
	if got := d.IDs(); !slices.Equal(got, []string{run.ID, run.Facts[0].ID, "n1", "f1", "f2"}) {
		t.Fatalf("ids %v", got)
	}
	for id, want := range map[string]string{
		run.ID:          string(Format(run)),
		run.Facts[0].ID: FormatFact(run.Facts[0]),
		"f1":            string(Format(note)),
		"f2":            "- mine <!-- id=f2 -->\n  more\n",
	} {
		rest, removed, ok := d.Remove(id)
		if !ok || string(removed) != want || string(rest) != strings.Replace(src, want, "", 1) {
			t.Errorf("%s: removed %q", id, removed)
		}
	}
	if rest, _, ok := d.Remove("none"); ok || string(rest) != src {
		t.Error("removed what is not there")
	}
}

func TestFold(t *testing.T) {
	var list []Change
	for i := range 1000 {
		list = append(list, Change{Status: StatusAdded, Path: "vendor/p" + strings.Repeat("x", i%7) + "/f" + strings.Repeat("y", i), Added: 2, Counted: true})
	}
	list = append(list, Change{Status: StatusModified, Path: "main.go", Added: 1, Counted: true})
	got := Fold(list, MaxChanges)
	files := 0
	for _, c := range got {
		files += max(c.Files, 1)
	}
	if len(got) > MaxChanges || files != len(list) || !slices.ContainsFunc(got, func(c Change) bool { return c.Path == "main.go" }) {
		t.Fatalf("%d lines for %d files", len(got), files)
	}
	if short := Fold(got, MaxChanges); !slices.Equal(short, got) {
		t.Error("folded again")
	}
}

func TestChunks(t *testing.T) {
	e := runEntry(t)
	e.Summary = strings.Repeat("A sentence of some words. ", 120) + "End."
	hand := "# Notes of 2026-10-02\n\nIntro.\n\n## Sub\n\n- tip <!-- id=f9 type=semantic tags=pinned importance=0.9 -->\n"
	src := hand + string(Format(runEntry(t))) + string(Format(e))
	list := collected("memory/2026-11-21.md", Parse([]byte(src)), 400, 80, time.Time{})
	if len(list) < 5 {
		t.Fatalf("%d chunks", len(list))
	}
	if c := list[1]; c.Heading != "Notes of 2026-10-02 > Sub" || c.StartLine != 5 || c.EndLine != 7 || c.Body != "- tip" || !c.Pinned ||
		!c.Date.Equal(time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC)) || c.Importance != 0.9 {
		t.Errorf("text %+v", c)
	}
	whole := list[2]
	if whole.StartLine != 8 || whole.Text+"\n\n" != string(Format(runEntry(t))) || whole.Files != "auth/session.go\nauth/clock.go\nauth/time.go\nnotes/todo.txt\nREADME.md" {
		t.Errorf("entry %+v", whole)
	}
	for i, c := range list[3:] {
		if c.Ordinal != i || c.EntryID != e.ID || Tokens(c.Text) > 400 {
			t.Errorf("part %d: ordinal %d, %d tokens", i, c.Ordinal, Tokens(c.Text))
		}
	}
	if last := list[len(list)-1]; !strings.Contains(last.Body, "use synctest") || strings.Contains(last.Body, "None") {
		t.Errorf("last part %q", last.Body)
	}
}

// TestLongTexts reads texts of megabytes, in which work that grows with their
// square would take hours; BenchmarkLongTexts has the ratio.
func TestLongTexts(t *testing.T) {
	for name, unit := range units {
		endtest.Soon(t, name, func() { chunked(unit, 200_000) })
	}
}

var units = map[string]string{
	"bullets":      "- x <!-- id=1 -->\n",
	"plain":        "- x\n  y\n",
	"open fences":  "```x\n\n<!-- agentflow v=1 -->\n",
	"growing":      "````` \n~~~ x\n",
	"comments":     "<!-- agentflow v=1 id=1 --> ",
	"one line":     "- \\x41 <!-- `",
	"blank":        "\n",
	"open comment": "<!-- x\n",
	"tailed":       "<!-- x\n--> y\n",
	"table":        "| a | b |\n|---|---|\n",
	"one row":      "| `a/b.go` <!-- x --> `",
	"underlined":   "x\n===\n",
	"quoted heads": "```x\n## a\n\n<!-- agentflow v=1 -->\n",
}

func chunked(unit string, n int) []Chunk {
	return collected("x.md", Parse([]byte(strings.Repeat(unit, n))), 400, 80, time.Time{})
}

// BenchmarkLongTexts takes each text beside one 16 times as long.
func BenchmarkLongTexts(b *testing.B) {
	for name, unit := range units {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for i, n := range []int{2000, 32000} {
					start := time.Now()
					chunked(unit, n)
					took[i] += time.Since(start)
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "x/16x-text")
		})
	}
}

// What random entries found: values that looked like something else.
func TestLookalikesComeBack(t *testing.T) {
	for _, e := range []Entry{
		{Title: "\u3000wide blanks\u3000"}, {Title: "no break\u00a0"}, {Title: "\u2003"},
		{Changes: ChangeList{Items: []Change{
			{Status: StatusModified, Path: "a", Note: "3 files) and more"},
			{Status: StatusModified, Path: "a", Note: "+1 −2) (x"},
			{Status: StatusModified, Path: "a", Note: "3 files", Added: 1, Counted: true},
		}}},
	} {
		e.ID, e.Kind, e.Time = "e1", KindRun, at(t, day)
		checkEntry(t, e)
	}
}

func TestSmall(t *testing.T) {
	id, err := NewID(at(t, day), strings.NewReader("0123456789"))
	if err != nil || id != "01a1fe4e-9bd8-7031-b233-343536373839" || ShortID(id) != "373839" {
		t.Errorf("id %s, %v", id, err)
	}
	if _, err := NewID(at(t, day), strings.NewReader("")); err == nil {
		t.Error("an id without randomness")
	}
	if got := Title("\n  \n " + strings.Repeat("ä", 90) + "\nmore"); got != strings.Repeat("ä", 79)+"…" {
		t.Errorf("title %q", got)
	}
	for s, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "漢字かな": 3} {
		if got := Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
	if got := Clean("a\x1b[1;31mb\x1b]0;t\x07\u202ec\U000E0041\xff"); got != "abc\uFFFD" {
		t.Errorf("clean %q", got)
	}
}

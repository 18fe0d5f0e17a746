package consolidate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// oddities are examples of unusual Markdown from people.
var oddities = []string{
	"Some prose.\n", "```\n", "~~~\ncode\n", "# Title\n", "## Facts\n", "## facts ##\n\n", "Facts\n-----\n", "---\n", "<!-- \n", "-->\n", "- a bullet\n", "  - nested\n",
	"- by hand <!-- id=odd type=semantic -->\n", "- ~~gone~~ <!-- id=struck -->\n", "  - deep <!-- id=deep importance=0.9 -->\n", "* star <!-- id=star note=mine -->\n",
	"<!-- agentflow v=1 kind=note id= -->\n", "<!-- agentflow v=1 kind=run id=handrun time=2026-01-02T03:04:05Z -->\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "\n\n", "tail without end",
	"---\ntags: x\n---\n", "\uFEFF# 2026-10-01\n", "# 2026-10-02\n", "- <!-- id= -->\n", "- broken <!-- id=b importance=NaN merged=%,,/ created=yesterday -->\n", "\x00\xff\n", "1. one\n",
	"- of two <!-- id=odd type=semantic -->\n", "## 2026-10-03 10:00 · quoted\n\n", "    - code <!-- id=code -->\n",
}

var phrases = []string{
	"The port is 5432", "the port is 5433", "The port is 5432.", "Never push to main", "Push to main", "The server calls the client", "The client calls the server",
	"Use `make test`", "Line one\n\nline three", "使用制表符。", "使用 制表符", "~~not struck~~", "- looks like a list", "x <!-- y --> z", strings.Repeat("long ", 300), "",
}

// randomFact has all that a fact may have, from few values, so that facts meet.
func randomFact(r *rand.Rand) memory.Fact {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	f := memory.Fact{
		ID: id(r.IntN(60)), Type: memory.FactType(pick("semantic", "procedural", "", "odd type")), Importance: float64(r.IntN(11)) / 10,
		Text: pick(phrases...), Key: pick("", "", "", "port", "two words"), Namespace: pick("", "", "", "branch/x", "global"),
		Category: pick("", "", "conventions", "# bad\nheading"), Source: pick("", "", "hand", id(900), id(901), id(902)), Struck: r.IntN(8) == 0,
	}
	if r.IntN(6) == 0 {
		f.Tags = append(f.Tags, "pinned")
	}
	if r.IntN(3) == 0 {
		f.Created = daysAgo(r.IntN(800))
	}
	if r.IntN(8) == 0 {
		f.Expires = daysAgo(r.IntN(20) - 10)
	}
	if r.IntN(8) == 0 {
		f.Supersedes = id(r.IntN(60))
	}
	for range r.IntN(5) - 2 {
		f.Merged = append(f.Merged, memory.Origin{ID: id(r.IntN(100)), Source: id(900 + r.IntN(5)), Created: daysAgo(r.IntN(800))})
	}
	return f
}

func randomText(r *rand.Rand, when time.Time) []byte {
	var b bytes.Buffer
	for range r.IntN(12) {
		switch r.IntN(5) {
		case 0:
			b.WriteString(oddities[r.IntN(len(oddities))])
		case 1:
			b.WriteString(markdown.FormatFact(randomFact(r)))
		case 2:
			b.WriteString(note(100+r.IntN(30), when, randomFact(r)))
		case 3:
			b.WriteString(entry(200+r.IntN(30), when, randomFact(r), randomFact(r)))
		default:
			text := note(100+r.IntN(30), when, randomFact(r))
			b.WriteString(strings.Replace(text, "---\n", oddities[r.IntN(len(oddities))]+"---\n", 1))
		}
	}
	text := b.Bytes()
	if r.IntN(6) == 0 {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	return text
}

func randomInput(seed uint64) Input {
	r := rand.New(rand.NewPCG(seed, 1))
	in := Input{Options: defaults, Now: now, Files: map[string][]byte{}}
	for _, n := range []int{0, 1, 20, 40, 41, 42, 43, 300} {
		if r.IntN(3) > 0 {
			in.Files[daily(n)] = randomText(r, daysAgo(n))
		}
	}
	for _, name := range []string{"MEMORY.md", "archive/facts.md", memory.MonthFile(daysAgo(41)), "topics/mine.md", memory.FeedbackFile} {
		if r.IntN(2) > 0 {
			in.Files[name] = randomText(r, daysAgo(50))
		}
	}
	if r.IntN(2) == 0 {
		in.MaxLines, in.MaxBytes = 5+r.IntN(30), 300+r.IntN(5000)
	}
	if r.IntN(4) == 0 {
		in.MaxFacts, in.MaxAge, in.MinImportance = r.IntN(10), time.Duration(r.IntN(500))*24*time.Hour, float64(r.IntN(5))/10
	}
	if r.IntN(5) == 0 {
		in.Since = daysAgo(r.IntN(50))
	}
	return in
}

// handLines returns the lines of memory that people wrote.
func handLines(files map[string][]byte) map[string]bool {
	lines := map[string]bool{}
	for _, text := range files {
		doc := markdown.Parse(text)
		for i := range doc.Blocks {
			b := &doc.Blocks[i]
			ours := ""
			if b.Entry != nil && b.Entry.Kind == memory.KindNote {
				ours = string(markdown.Format(*b.Entry))
			}
			rest := b.Revise(func(*markdown.FactAt) (markdown.Revision, memory.Fact) { return markdown.Goes, memory.Fact{} })
			for line := range strings.Lines(string(rest)) {
				if line = strings.TrimRight(line, "\r\n"); !strings.Contains(ours, line+"\n") {
					lines[line] = true
				}
			}
		}
	}
	return lines
}

func checkInput(t *testing.T, in Input) {
	t.Helper()
	after, _ := planned(t, in)
	have := map[string]bool{}
	for _, text := range after {
		for line := range strings.Lines(string(text)) {
			have[strings.TrimRight(line, "\r\n")] = true
		}
	}
	for line := range handLines(in.Files) {
		if _, daily := memory.DayOf(strings.TrimPrefix(strings.TrimPrefix(line, "\uFEFF"), "# ") + ".md"); !have[line] && strings.TrimSpace(line) != "" && !daily {
			t.Errorf("a line that a person wrote is gone: %q", line)
		}
	}
	if !bytes.Equal(after[memory.FeedbackFile], in.Files[memory.FeedbackFile]) {
		t.Error("the judgements changed")
	}
}

func TestRandomMemories(t *testing.T) {
	for seed := range uint64(600) {
		checkInput(t, randomInput(seed))
		if t.Failed() {
			t.Fatalf("with seed %d", seed)
		}
	}
}

func FuzzPlan(f *testing.F) {
	for i, s := range oddities {
		f.Add(uint64(i), s)
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		in := randomInput(seed)
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range in.Files {
				if !yield(name) {
					return
				}
			}
		})
		if len(names) > 0 {
			name := names[seed%uint64(len(names))]
			in.Files[name] = append(append([]byte(nil), in.Files[name]...), text...)
		}
		checkInput(t, in)
	})
}

func TestHugeLine(t *testing.T) {
	huge := strings.Repeat("x", 10<<20)
	in := Input{Options: defaults, Now: now, Files: map[string][]byte{
		"MEMORY.md": []byte("# Memory\n" + huge + "\n- a fact <!-- id=" + id(1) + " -->\n"),
		daily(40):   []byte(huge + "\n" + note(2, daysAgo(40), said(3, "A fact!"))),
	}}
	after, r := planned(t, in)
	if !strings.Contains(string(after["MEMORY.md"]), huge) || !strings.Contains(string(after[memory.MonthFile(daysAgo(40))]), huge) {
		t.Error("the line is gone")
	}
	if f := all(after)[id(1)]; len(f.Merged) != 1 {
		t.Errorf("%+v", f)
	}
	if !slices.ContainsFunc(r.Actions, func(a Action) bool { return a.Kind == Left && a.File == "MEMORY.md" }) {
		t.Error(fmt.Sprint("nothing says that MEMORY.md is too large: ", len(r.Actions)))
	}
}

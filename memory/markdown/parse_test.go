package markdown

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

func TestQuotedEntryIsText(t *testing.T) {
	entry := string(Format(memorytest.RunEntry(t)))
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
	src := string(Format(memorytest.RunEntry(t)))
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

// Facts that are quoted in code are text, in a fence that a fact's further
// lines open too.
func TestFactsInFencesAreText(t *testing.T) {
	for src, want := range map[string]string{
		"```\n- x <!-- id=f1 -->\n```\n- y <!-- id=f2 -->\n":                           "f2",
		"- x <!-- id=f1 -->\n  ```\n  code\n```\n# A\n- y <!-- id=f2 -->\n":            "f1 f2",
		"- x <!-- id=f1 -->\n\n  ```\n- y <!-- id=f2 -->\n```\n\n- z <!-- id=f3 -->\n": "f1 f3",
		"```\n- x <!-- id=f1 -->\n":                                                    "f1",
	} {
		if got := strings.Join(Parse([]byte(src)).IDs(), " "); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# Notes\n\n- a fact <!-- id=1 -->\n"))
	f.Add([]byte("\xef\xbb\xbf## 2026-11-21 14:32 · x\r\n\r\n<!-- agentflow v=1 id=a -->\r\n\r\n**Task**: x\r\n---\r\n"))
	f.Add([]byte("```\n## x\n\n<!-- agentflow v=1 id=a -->\n---\n```\n"))
	f.Add([]byte("## x\n<!-- agentflow v=1 kind=note id=a -->\n### Summary\n```\n---\n```\n### Memories\n- x\n  - y <!-- id=q -->\n"))
	f.Add([]byte("## 0\n<!-- agentflow v=0 kind=note id=0 -->\n### Summary\n```\n0\n```\n### Memories\n* 0\n  0<!-- id=0-->"))
	f.Add([]byte(run2 + notes2 + "## x\n<!-- agentflow v=1 kind=run id=a -->\n---\n"))
	f.Add([]byte("```\n" + run2 + "```\n- a <!-- id=f note=n -->\n- b <!-- id=g note=n -->\n\n" + fact2))
	f.Fuzz(func(t *testing.T, src []byte) {
		d := Parse(src)
		if !bytes.Equal(d.Bytes(), src) {
			t.Fatalf("bytes %q from %q", d.Bytes(), src)
		}
		next := 1
		for _, b := range d.Blocks {
			if b.StartLine != next || b.EndLine < b.StartLine {
				t.Fatalf("block on lines %d-%d after line %d", b.StartLine, b.EndLine, next-1)
			}
			next = b.EndLine + 1
			last := b.StartLine - 1
			for _, f := range b.Facts {
				if f.StartLine <= last || f.EndLine < f.StartLine || f.EndLine > b.EndLine {
					t.Fatalf("fact on lines %d-%d", f.StartLine, f.EndLine)
				}
				last = f.EndLine
			}
		}
		if lines := outline.Split(src).Count(); next != lines+1 {
			t.Fatalf("blocks cover %d of %d lines", next-1, lines)
		}
		ids := d.IDs()
		if !slices.Equal(ids, Parse(d.Bytes()).IDs()) {
			t.Fatal("ids differ when parsed again")
		}
		for _, id := range ids[:min(len(ids), 3)] {
			if rest, removed, ok := d.Remove(id); !ok || len(rest)+len(removed) != len(src) {
				t.Fatalf("removing %q: %v, %d + %d of %d bytes", id, ok, len(rest), len(removed), len(src))
			}
			checkPin(t, d, id)
		}
		for _, e := range d.Entries() {
			checkEntry(t, *e)
			checkEntry2(t, *e)
		}
	})
}

func TestWithout(t *testing.T) {
	src := "# A\r\n\r\n- one <!-- id=f1 -->\r\n  more\r\n- two <!-- id=f2 -->"
	for drop, want := range map[string]string{
		"":      src,
		"f1":    "# A\r\n\r\n\n\n- two <!-- id=f2 -->",
		"f2":    "# A\r\n\r\n- one <!-- id=f1 -->\r\n  more\r\n",
		"f1 f2": "# A\r\n\r\n\n\n",
	} {
		if got := Without(src, func(f memory.Fact) bool { return strings.Contains(drop, f.ID) }); got != want {
			t.Errorf("without %q: %q, want %q", drop, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range memorytest.Nasty {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if back := unescape(escapeInline(s)); back != s {
			t.Fatalf("%q escaped and back %q", s, back)
		}
	})
}

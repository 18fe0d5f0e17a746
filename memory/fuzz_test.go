package memory

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentflow/internal/invisible"
)

// checkEntry holds Format and Parse to their promise for one entry, alone
// and between other text.
func checkEntry(t *testing.T, e Entry) {
	t.Helper()
	want := e.Normal()
	text := Format(e)
	for _, eol := range []string{"\n", "\r\n"} {
		src := bytes.ReplaceAll(text, []byte("\n"), []byte(eol))
		d := Parse(src)
		if len(d.Blocks) != 1 || d.Blocks[0].Entry == nil {
			t.Fatalf("%d blocks from %q", len(d.Blocks), src)
		}
		if got := *d.Blocks[0].Entry; !sameEntry(got, want) {
			t.Fatalf("got  %+v\nwant %+v\nfrom %q", got, want, src)
		}
	}
	if again := Format(*Parse(text).Blocks[0].Entry); !bytes.Equal(again, text) {
		t.Fatalf("formatted again %q, first %q", again, text)
	}
	around := "hand\n```\nunclosed\n\n"
	d := Parse([]byte(around + string(text) + string(text) + "after\n"))
	if len(d.Blocks) != 4 || string(d.Blocks[0].Raw) != around || !bytes.Equal(d.Blocks[2].Raw, text) {
		t.Fatalf("%d blocks around %q", len(d.Blocks), text)
	}
	for _, c := range collected("memory/2026-11-21.md", d, 20, 5, time.Time{}) {
		checkChunk(t, d, c)
	}
}

func checkChunk(t *testing.T, d *Document, c Chunk) {
	t.Helper()
	l := splitLines(d.Bytes())
	if c.StartLine < 1 || c.EndLine < c.StartLine || c.EndLine > l.count() {
		t.Fatalf("chunk on lines %d-%d of %d", c.StartLine, c.EndLine, l.count())
	}
	for i, line := range strings.Split(c.Text, "\n") {
		if at := c.StartLine - 1 + i; at >= l.count() || !strings.Contains(l.src[l.start[at]:l.start[at+1]], line) {
			t.Fatalf("line %d of chunk %q is not on its line %d", i, c.Text, at+1)
		}
	}
	if strings.Count(c.Text, "\n") != c.EndLine-c.StartLine {
		t.Fatalf("chunk %q is on lines %d-%d", c.Text, c.StartLine, c.EndLine)
	}
}

// sameEntry compares with times by instant and offset.
func sameEntry(a, b Entry) bool {
	_, x := a.Time.Zone()
	_, y := b.Time.Zone()
	if !a.Time.Equal(b.Time) || x != y {
		return false
	}
	a.Time = b.Time
	return reflect.DeepEqual(a, b)
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("seed"))
	f.Add(bytes.Repeat([]byte{7, 3, 11, 8}, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := source{data}
		checkEntry(t, s.entry())
	})
}

func FuzzFact(f *testing.F) {
	f.Add([]byte("seed"), "text")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		s := source{data}
		fact := s.fact()
		fact.Text += text
		bullet := FormatFact(fact)
		l := splitLines([]byte(bullet))
		b, ok := bulletOf(l.at(0))
		got, end, isFact := factAt(l, 0, l.count(), b, true)
		if !ok || !isFact || end != l.count() || !reflect.DeepEqual(got, fact.Normal()) {
			t.Fatalf("got %+v, want %+v, from %q", got, fact.Normal(), bullet)
		}
		if fact.ID == "" {
			return
		}
		d := Parse([]byte("# Facts\n\n" + bullet + "- other\n"))
		if len(d.Blocks) != 1 || len(d.Blocks[0].Facts) != 1 || !reflect.DeepEqual(d.Blocks[0].Facts[0].Fact, fact.Normal()) {
			t.Fatalf("not found in hand-written text: %q", bullet)
		}
		rest, removed, ok := d.Remove(fact.ID)
		if !ok || string(removed) != bullet || string(rest) != "# Facts\n\n- other\n" {
			t.Fatalf("removed %q, left %q", removed, rest)
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, p := range append(nasty, "a b", " a", "a ", "Foo (1).txt") {
		f.Add(p, p, []byte{1})
	}
	f.Fuzz(func(t *testing.T, path, note string, data []byte) {
		q := QuotePath(path)
		if !strings.HasPrefix(q, `"`) {
			if q != path {
				t.Fatalf("%q became %q", path, q)
			}
		} else if got, n, ok := unquotePrefix(q); !ok || n != len(q) || got != path {
			t.Fatalf("%q quoted %q, unquoted %q", path, q, got)
		}
		s := source{data}
		c := s.change()
		c.Path, c.Note = path, note
		line := FormatChange(c)
		if bytes.ContainsAny([]byte(line), "\n\r") || !utf8.ValidString(line) {
			t.Fatalf("not one line: %q", line)
		}
		want := c.Normal()
		if want.Certainty != Possible {
			want.Certainty = ""
		}
		if got, ok := ParseChange(line); !ok || got != want {
			t.Fatalf("%+v became %q, became %+v", want, line, got)
		}
		unquotePrefix(path)
		ParseChange(path)
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range nasty {
		f.Add(s)
	}
	f.Add("\x1b]0;title\x07text\x1b[1;31mred\x1b(B\x1b")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if Clean(got) != got || !utf8.ValidString(got) {
			t.Fatalf("%q cleaned %q, again %q", s, got, Clean(got))
		}
		for _, r := range got {
			if invisible.Rune(r) {
				t.Fatalf("%q left %U", got, r)
			}
		}
		if title := Title(s); utf8.RuneCountInString(title) > maxTitle || bytes.ContainsAny([]byte(title), "\n\t") {
			t.Fatalf("title %q", title)
		}
		if back := unescape(escapeInline(s)); back != s {
			t.Fatalf("%q escaped and back %q", s, back)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("# Notes\n\n- a fact <!-- id=1 -->\n"))
	f.Add([]byte("\xef\xbb\xbf## 2026-11-21 14:32 · x\r\n\r\n<!-- agentflow v=1 id=a -->\r\n\r\n**Task**: x\r\n---\r\n"))
	f.Add([]byte("```\n## x\n\n<!-- agentflow v=1 id=a -->\n---\n```\n"))
	f.Add([]byte("## x\n<!-- agentflow v=1 kind=note id=a -->\n### Summary\n```\n---\n```\n### Memories\n- x\n  - y <!-- id=q -->\n"))
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
		if lines := splitLines(src).count(); next != lines+1 {
			t.Fatalf("blocks cover %d of %d lines", next-1, lines)
		}
		for _, c := range collected("memory/2026-11-21.md", d, 10, 3, time.Time{}) {
			checkChunk(t, d, c)
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
		}
	})
}

package markdown

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentflow/internal/testing/memorytest"
	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/internal/outline"
)

func goldenEntries(t *testing.T) map[string]memory.Entry {
	note := memory.Entry{ID: "n1", Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day), Facts: []memory.Fact{{ID: "f1", Type: memory.Semantic, Text: "Deploys happen\non Tuesdays."}}}
	commit := memory.Entry{
		ID: "c1", Kind: memory.KindCommit, Time: memorytest.At(t, memorytest.Day), Title: "Bump", Task: "Bump\n\nBecause.", Commits: []changeset.Commit{{ID: "a1b2c3d4e5"}},
	}
	session := memory.Entry{
		ID: "s1", Kind: memory.KindSession, Time: memorytest.At(t, memorytest.Day), Title: "Fix the login", Task: "Fix the login", Agent: "claude", Session: "5e55",
		Then:   []string{"now the logout", "- and a list\n- of two", "then: again"},
		Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: 3 * time.Second}, Summary: "Both work.",
	}
	return map[string]memory.Entry{"session": session, "run": memorytest.RunEntry(t), "hostile": hostileEntry(t), "note": note, "commit": commit}
}

func TestGolden(t *testing.T) {
	for name, e := range goldenEntries(t) {
		t.Run(name, func(t *testing.T) {
			checkEntry(t, e)
			file := filepath.Join("testdata", name+".golden")
			got := Format(e)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestAnyEntryComesBack(t *testing.T) {
	randomtest.Check(t, 2000, func(t *testing.T, rnd *rand.Rand) {
		s := source{randomBytes(rnd, 1500)}
		checkEntry(t, s.entry())
	})
}

// randomBytes are up to most bytes. Small ones, and runs of those that
// numbers at their limits are made of, come more often than by chance.
func randomBytes(rnd *rand.Rand, most int) []byte {
	var b []byte
	for n := rnd.IntN(most + 1); len(b) < n; {
		switch rnd.IntN(16) {
		case 0:
			b = append(b, bytes.Repeat([]byte{randomtest.Pick[byte](rnd, 0, 0x7f, 0x80, 0xff)}, 1+rnd.IntN(9))...)
		case 1, 2, 3:
			b = append(b, byte(rnd.IntN(16)))
		default:
			b = append(b, byte(rnd.IntN(256)))
		}
	}
	return b
}

// What random entries found: values that looked like something else.
func TestLookalikesComeBack(t *testing.T) {
	for _, e := range []memory.Entry{
		{Title: "\u3000wide blanks\u3000"}, {Title: "no break\u00a0"}, {Title: "\u2003"},
		{Changes: changeset.List{Items: []changeset.Change{
			{Status: changeset.StatusModified, Path: "a", Note: "3 files) and more"},
			{Status: changeset.StatusModified, Path: "a", Note: "+1 −2) (x"},
			{Status: changeset.StatusModified, Path: "a", Note: "3 files", Added: 1, Counted: true},
		}}},
	} {
		e.ID, e.Kind, e.Time = "e1", memory.KindRun, memorytest.At(t, memorytest.Day)
		checkEntry(t, e)
	}
}

func TestSmall(t *testing.T) {
	id, err := memory.NewID(memorytest.At(t, memorytest.Day), strings.NewReader("0123456789"))
	if err != nil || id != "01a1fe4e-9bd8-7031-b233-343536373839" || memory.ShortID(id) != "373839" {
		t.Errorf("id %s, %v", id, err)
	}
	if _, err := memory.NewID(memorytest.At(t, memorytest.Day), strings.NewReader("")); err == nil {
		t.Error("an id without randomness")
	}
	if got := memory.Title("\n  \n " + strings.Repeat("ä", 90) + "\nmore"); got != strings.Repeat("ä", 79)+"…" {
		t.Errorf("title %q", got)
	}
	for s, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "漢字かな": 3} {
		if got := memory.Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
	if got := memory.Clean("a\x1b[1;31mb\x1b]0;t\x07\u202ec\U000E0041\xff"); got != "abc\uFFFD" {
		t.Errorf("clean %q", got)
	}
}

// checkEntry checks the promises of Format and Parse for one entry, by itself and between other
// text.
func checkEntry(t *testing.T, e memory.Entry) {
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
}

// sameEntry compares with times by instant and offset.
func sameEntry(a, b memory.Entry) bool {
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
		l := outline.Split([]byte(bullet))
		b, ok := outline.BulletOf(l.Line(0))
		got, end, isFact := factAt(l, 0, l.Count(), b, true)
		if !ok || !isFact || end != l.Count() || !reflect.DeepEqual(got, fact.Normal()) {
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
	for _, p := range append(memorytest.Nasty, "a b", " a", "a ", "Foo (1).txt") {
		f.Add(p, p, []byte{1})
	}
	f.Fuzz(func(t *testing.T, path, note string, data []byte) {
		q := memory.QuotePath(path)
		if !strings.HasPrefix(q, `"`) {
			if q != path {
				t.Fatalf("%q became %q", path, q)
			}
		} else if got, n, ok := memory.UnquotePath(q); !ok || n != len(q) || got != path {
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
		if want.Certainty != changeset.Possible {
			want.Certainty = ""
		}
		if got, ok := ParseChange(line); !ok || got != want {
			t.Fatalf("%+v became %q, became %+v", want, line, got)
		}
		memory.UnquotePath(path)
		ParseChange(path)
	})
}

// certainties are those of the run's own lists, in order, and its possible
// commits.
func certainties(e *memory.Entry) string {
	var list []string
	for _, l := range []changeset.List{e.Changes, e.Uncommitted} {
		for _, c := range l.Items {
			list = append(list, c.Path+" "+string(c.Certainty))
		}
	}
	for _, c := range e.PossibleCommits {
		list = append(list, c.ID+" "+c.Subject)
	}
	return strings.Join(list, ", ")
}

func certainRun() memory.Entry {
	return memory.Entry{
		Kind: memory.KindRun, ID: "r1",
		Changes: changeset.List{Items: []changeset.Change{
			{Status: changeset.StatusAdded, Path: "a", Certainty: changeset.Shown}, {Status: changeset.StatusAdded, Path: "b", Certainty: changeset.Likely},
		}},
		Uncommitted:     changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: "c", Added: 1, Counted: true, Certainty: changeset.Possible}}},
		Commits:         []changeset.Commit{{ID: "a1b2c3d4e5", Subject: "Ours"}},
		PossibleCommits: []changeset.Commit{{ID: "b2c3d4e5f6", Subject: "Whose?"}},
		Meanwhile:       changeset.List{Items: []changeset.Change{{Status: changeset.StatusModified, Path: "d"}}},
	}
}

// TestCertaintyByHand: changes that a person makes in the Markdown count, and old entries do not
// claim certainties that were unknown then.
func TestCertaintyByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		edit      []string // old, new, …
		certainty string
	}{
		{"as written", nil, "a shown, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"the mark is taken out", []string{" (possibly)\n\n### Changed", "\n\n### Changed"}, "a shown, b likely, c likely, b2c3d4e5f6 Whose?"},
		{"a mark is put in", []string{"- A a\n", "- A a (possibly)\n"}, "a possible, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"a line is taken out", []string{"- A a\n", ""}, "b likely, c possible, b2c3d4e5f6 Whose?"},
		{"a line is put in", []string{"- A a\n", "- A a\n- A aa\n- A ab (possibly)\n"}, "a likely, aa likely, ab possible, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"the mark of a commit is taken out", []string{"Whose? (possibly)", "Whose?"}, "a shown, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"a commit is taken out", []string{"- a1b2c3d Ours\n", ""}, "a shown, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"odd letters", []string{"certainty=sl/p", "certainty=%FF//"}, "a likely, b likely, c possible, b2c3d4e5f6 Whose?"},
		{"before there was certainty", []string{" certainty=sl/p", "", " possible=b2c3d4e5f6", "", " (possibly)", ""}, "a possible, b possible, c possible"},
		{"a commit by hand", []string{"kind=run", "kind=commit"}, "a , b , c , b2c3d4e5f6 Whose?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := string(Format(certainRun()))
			for old, edited := range pairs(c.edit) {
				if !strings.Contains(src, old) {
					t.Fatalf("no %q in\n%s", old, src)
				}
				src = strings.ReplaceAll(src, old, edited)
			}
			d := Parse([]byte(src))
			if string(d.Bytes()) != src {
				t.Errorf("the file did not come back:\n%s", d.Bytes())
			}
			e := d.Entries()[0]
			if got := certainties(e); got != c.certainty {
				t.Errorf("have %s\nwant %s\nfrom\n%s", got, c.certainty, src)
			}
			if got := e.Meanwhile.Items[0]; got != (changeset.Change{Status: changeset.StatusModified, Path: "d"}) {
				t.Errorf("meanwhile: %+v", got)
			}
			checkEntry(t, *e)
		})
	}
}

func pairs(list []string) func(yield func(a, b string) bool) {
	return func(yield func(a, b string) bool) {
		for pair := range slices.Chunk(list, 2) {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

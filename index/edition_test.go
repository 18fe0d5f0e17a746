package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/memory/retrieval"
)

// found returns the headings that a question finds with a listing of now.
func (s notes) found(d *DB, text string) string {
	s.t.Helper()
	answer, _, syncErr, err := d.AskListed(s.t.Context(), List(s.t.Context(), s.source()), retrieval.Query{Text: text, Now: day})
	must(s.t, syncErr)
	must(s.t, err)
	var out []string
	for _, h := range answer.Hits {
		out = append(out, lastPart(h.Heading))
	}
	return strings.Join(out, "|")
}

// TestAskListed checks that a search finds the current text of the files, for
// any older state of the index.
func TestAskListed(t *testing.T) {
	for name, o := range map[string]Options{"words": {}, "vectors": {Embedder: local(t)}} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			d := s.open(o)
			if got := s.found(d, "parser"); got != "" {
				t.Errorf("in nothing: %q", got)
			}
			s.put("a.md", entry("e1", day, "Speed up the parser", "It reads the file once."))
			if got := s.found(d, "parser"); got != "Speed up the parser" {
				t.Errorf("in what was not indexed yet: %q", got)
			}
			if got := s.found(d, "parser"); got != "Speed up the parser" {
				t.Errorf("in what was: %q", got)
			}
			s.put("a.md", entry("e1", day, "Slow down the parser", "It reads the file twice."))
			if got := s.found(d, "parser"); got != "Slow down the parser" {
				t.Errorf("in what was edited: %q", got)
			}
			must(t, os.Remove(s.file("a.md")))
			if got := s.found(d, "parser"); got != "" {
				t.Errorf("in what was removed: %q", got)
			}
		})
	}
}

// TestAskListedMends asks an index that is of no use.
func TestAskListedMends(t *testing.T) {
	for name, spoil := range map[string]string{
		"older":   `PRAGMA user_version=1`,
		"damaged": `UPDATE chunks SET text='nonsense'`,
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			want := s.found(s.open(Options{}), "login")
			alter(t, s.db(), spoil)
			if got := s.found(s.open(Options{Notice: func(string) {}}), "login"); got != want || got == "" {
				t.Errorf("%q, before it was spoilt %q", got, want)
			}
		})
	}
}

// TestEditions checks that stillIs reports each write since a search, and
// nothing else.
func TestEditions(t *testing.T) {
	s := filled(t)
	d := s.open(Options{Embedder: local(t)})
	s.sync(d)
	_, of, err := d.asked(t.Context(), retrieval.Query{Text: "login"})
	must(t, err)
	same := func(what string, want bool) {
		t.Helper()
		if got := d.stillIs(t.Context(), of); got != want {
			t.Errorf("%s: the same is %v", what, got)
		}
		_, of, err = d.asked(t.Context(), retrieval.Query{Text: "login"})
		must(t, err)
	}
	same("nothing was written", true)
	s.sync(d)
	same("nothing was to be written", true)
	s.put("new.md", entry("new", day, "A new one", "Something else."))
	s.sync(d)
	same("a file was added", false)
	other := s.open(Options{Embedder: local(t)})
	if _, err := other.Rebuild(t.Context(), s.source()); err != nil {
		t.Fatal(err)
	}
	same("it was made anew", false)
	alter(t, s.db(), `UPDATE meta SET value=value+1 WHERE key='cached'`)
	same("a vector was kept", false)
}

// TestEdition checks that the edition identifies the content of the index in
// every process, and changes whenever the content does.
func TestEdition(t *testing.T) {
	s := filled(t)
	d := s.open(Options{Embedder: local(t)})
	edition := func(d *DB) string {
		t.Helper()
		name, err := d.Edition(t.Context())
		must(t, err)
		return name
	}
	names := map[string]string{}
	another := func(what string) string {
		t.Helper()
		name := edition(d)
		if before, known := names[name]; known || name == "" {
			t.Errorf("%s: %q, as when %s", what, name, before)
		}
		names[name] = what
		return name
	}
	another("nothing was indexed")
	s.sync(d)
	now := another("files were indexed")
	s.sync(d)
	_, err := d.Search(t.Context(), retrieval.Query{Text: "login", Now: day})
	must(t, err)
	if got := edition(d); got != now {
		t.Errorf("a sync that finds nothing, and a search, make %s of %s", got, now)
	}
	files, err := filepath.Glob(s.file("*.md"))
	must(t, err)
	must(t, os.Chtimes(files[0], day, day))
	s.sync(d)
	if got := edition(d); got != now {
		t.Errorf("a file that was touched makes %s of %s", got, now)
	}
	if got := edition(s.open(Options{Embedder: local(t)})); got != now {
		t.Errorf("another process says %s, not %s", got, now)
	}
	s.put("new.md", entry("new", day, "A new one", "Something else."))
	if got := edition(d); got != now {
		t.Error("it is another one before the file is indexed")
	}
	s.sync(d)
	another("a file was added")
	s.put("new.md", entry("new", day, "A new one", "Something quite else."))
	s.sync(d)
	another("a file was edited")
	must(t, os.Remove(s.file("new.md")))
	s.sync(d)
	another("a file was removed")
	_, err = d.Rebuild(t.Context(), s.source())
	must(t, err)
	another("it was made anew")
}

// TestEditionOfNoIndex checks that Edition returns an error when the index
// cannot be read.
func TestEditionOfNoIndex(t *testing.T) {
	s := filled(t)
	d, err := Open(t.Context(), s.db(), Options{Notice: func(string) {}})
	must(t, err)
	must(t, d.Close())
	if name, err := d.Edition(t.Context()); err == nil {
		t.Errorf("a closed index has the edition %q", name)
	}
}

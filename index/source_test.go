package index

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// tree writes files below the store's folder, which stands for a work tree.
func (s notes) tree(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		must(s.t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(s.t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// included returns the store's sources with other Markdown of the work tree.
func (s notes) included(include, ignore []string) []Source {
	return []Source{s.source(), {Dir: s.dir, Included: true, Include: include, Ignore: ignore}}
}

func paths(t *testing.T, d *DB) string {
	t.Helper()
	names, err := column[string](t.Context(), oneConn(t, tables(t, d)), `SELECT path FROM files ORDER BY path`)
	must(t, err)
	return strings.Join(names, " ")
}

func TestIncludedFiles(t *testing.T) {
	s := newStore(t)
	s.put("MEMORY.md", "# Memory\n\nOurs.\n")
	files := map[string]string{}
	for _, name := range []string{"README.md", "docs/guide.md", "docs/deep/er/x.MD", "docs/old/y.md", "docs/notes.txt", "docs/node_modules/m.md",
		"docs/.git/h.md", "docs/.agentflow/memory/z.md", "src/code.md", "memory/../.agentflow/memory/own.md"} {
		files[name] = "# " + name + "\n\nText.\n"
	}
	s.tree(files)
	must(t, os.Symlink(filepath.Join(s.dir, "src"), filepath.Join(s.dir, "docs", "linked")))
	must(t, os.Symlink("/etc/passwd", filepath.Join(s.dir, "docs", "link.md")))
	d := s.open(Options{})
	for _, c := range []struct {
		include, ignore []string
		want            string
		skipped         int
	}{
		{[]string{"docs/**/*.md"}, nil, "docs/guide.md docs/old/y.md", 0},
		{[]string{"docs/old", "src/"}, nil, "docs/old/y.md src/code.md", 0},
		{[]string{"docs/**"}, []string{"docs/old/", "**/link.md"}, "docs/deep/er/x.MD docs/guide.md", 0},
		{[]string{"*.md", "./src/*.md"}, nil, "README.md src/code.md", 0},
		{[]string{"docs/node_modules/**/*.md"}, nil, "docs/node_modules/m.md", 0},
		{[]string{"{docs/old,src}/*.md"}, nil, "docs/old/y.md src/code.md", 0},
		{[]string{"**/*.md"}, []string{"docs"}, "./memory/MEMORY.md README.md src/code.md", 0},
		{[]string{"docs/linked/*.md"}, nil, "", 0},
		{[]string{"../**/*.md", "/etc/*.md", "docs/[", ""}, nil, "", 0},
	} {
		r, err := d.Sync(t.Context(), s.included(c.include, c.ignore)...)
		must(t, err)
		want := strings.Fields(c.want + " memory/MEMORY.md")
		slices.Sort(want)
		if got := paths(t, d); got != strings.Join(want, " ") || len(r.Skipped) != c.skipped {
			t.Errorf("%q without %q: %s, want %s; skipped %q", c.include, c.ignore, got, want, r.Skipped)
		}
		stats, err := d.Stats(t.Context())
		must(t, err)
		if stats.Files != len(want) || stats.Included != len(want)-1 {
			t.Errorf("%q: %+v", c.include, stats)
		}
	}
	s.sync(d)
	if got := paths(t, d); got != "memory/MEMORY.md" {
		t.Errorf("nothing is included any more, but %s", got)
	}
}

// TestIncludedRankApart checks that an entry comes before a document with the
// same text, and that documents take two of five places when the hits go into a
// prompt.
func TestIncludedRankApart(t *testing.T) {
	s := newStore(t)
	s.put("2026-11-21.md", entry("e1", day, "The flaky login", "The flaky login was the clock.")+entry("e2", day, "Other", "flaky login too"))
	docs := map[string]string{"docs/copy.md": entry("e1", day, "The flaky login", "Forged.")}
	for _, n := range []string{"a", "b", "c", "d"} {
		docs["docs/"+n+".md"] = "# The flaky login " + n + "\n\nThe flaky login was the clock.\n"
	}
	s.tree(docs)
	d := s.open(Options{})
	_, err := d.Sync(t.Context(), s.included([]string{"docs/*.md"}, nil)...)
	must(t, err)
	hits := search1(t, d, retrieval.Query{Text: "flaky login clock", Gate: true})
	own := 0
	for _, h := range hits {
		if strings.HasPrefix(h.Path, "memory/") {
			own++
		}
	}
	if got := search1(t, d, retrieval.Query{Text: "forged"}); len(got) != 1 || got[0].Kind != "" || got[0].EntryID != "" {
		t.Errorf("a document pretends to be an entry: %+v", got)
	}
	if len(hits) != 4 || own != 2 || hits[0].EntryID != "e1" {
		t.Errorf("%d hits, %d of memory: %+v", len(hits), own, hits)
	}
	if got := search1(t, d, retrieval.Query{Text: "flaky login clock"}); len(got) != 5 {
		t.Errorf("a person's search gives %d hits", len(got))
	}
	for path, want := range map[string]int{"docs": 5, "docs/": 5, "docs/b.md": 1, "doc": 0} {
		if got := search1(t, d, retrieval.Query{Text: "flaky login", Filter: retrieval.Filter{Path: path}}); len(got) != want {
			t.Errorf("below %s: %d hits, want %d", path, len(got), want)
		}
	}
	if got := search1(t, d, retrieval.Query{Text: "flaky login", Filter: retrieval.Filter{Kind: memory.KindRun}}); len(got) != 2 {
		t.Errorf("runs: %d hits", len(got))
	}
}

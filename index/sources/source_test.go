package sources

import (
	"path/filepath"
	"testing"
)

func TestReads(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	all := Source{Dir: dir}
	docs := Source{Dir: dir, Include: []string{"docs/**/*.md"}, Ignore: []string{"docs/old"}}
	for _, c := range []struct {
		source Source
		folder string
		want   bool
	}{
		{all, ".", true}, {all, "archive", true}, {all, "..", false}, {all, "../other", false},
		{docs, ".", true}, {docs, "docs", true}, {docs, "docs/deep/er", true}, {docs, "docs/old", false}, {docs, "docs/old/er", false},
		{docs, "src", false}, {docs, ".git", false}, {docs, ".agentflow", false},
	} {
		if got := c.source.Reads(filepath.Join(dir, c.folder)); got != c.want {
			t.Errorf("%v reads %s: %v", c.source.Include, c.folder, got)
		}
	}
}

// TestOnlyWhatPatternsLeadTo checks that a pattern does not cause a walk of the
// whole work tree.
func TestOnlyWhatPatternsLeadTo(t *testing.T) {
	for _, c := range []struct {
		pattern, folder string
		want            bool
	}{
		{"docs/**/*.md", "docs", true}, {"docs/**/*.md", "docs/a/b", true}, {"docs/**/*.md", "src", false}, {"docs/*.md", "docs/a", false},
		{"*.md", "docs", false}, {"*/README.md", "src", true}, {"*/README.md", "src/a", false}, {"a*/b/*.md", "ax/b", true}, {"a*/b/*.md", "ax/c", false},
		{"**/*.md", "any/where", true}, {"docs/**", "docs", true}, {"docs/**", "docs/a/b", true}, {"{a,b/c}/*.md", "b/c", true}, {"a/**/b/*.md", "a/x/b", true},
	} {
		s := Source{Include: []string{c.pattern}}
		if got := s.enters(c.folder); got != c.want {
			t.Errorf("%s enters %s: %v", c.pattern, c.folder, got)
		}
		s.Ignore = []string{c.folder}
		if s.enters(c.folder) {
			t.Errorf("%s enters %s, which is ignored", c.pattern, c.folder)
		}
	}
}

func TestIgnored(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"secrets", "secrets/a/b.txt", true}, {"secrets/", "secrets/a.txt", true}, {"secrets", "my/secrets", false}, {"**/secrets", "my/secrets/x", true},
		{"*.pem", "key.pem", true}, {"*.pem", "keys/key.pem", false}, {"**/*.pem", "key.pem", true}, {"./a", "a", true}, {"**", "x", true}, {"[", "[", false},
	} {
		if got := Ignored([]string{c.pattern}, c.name); got != c.want {
			t.Errorf("%s ignores %s: %v", c.pattern, c.name, got)
		}
	}
}

// TestLocate finds the files that names stand for, and none outside of the sources.
func TestLocate(t *testing.T) {
	brought := func(rel string) bool { return rel == "brought.md" }
	list := []Source{{Dir: "/w/.agentflow/memory", Prefix: "memory/", Untrusted: brought}, {Dir: "/w", Included: true}}
	for name, want := range map[string]struct {
		path            string
		included, moved bool
	}{
		"memory/2026-11-21.md": {"/w/.agentflow/memory/2026-11-21.md", false, false},
		"memory/notes/plan.md": {"/w/.agentflow/memory/notes/plan.md", false, false},
		"memory/brought.md":    {"/w/.agentflow/memory/brought.md", false, true},
		"//memory/brought.md":  {"/w/.agentflow/memory/brought.md", true, false},
		"./memory/guide.md":    {"/w/memory/guide.md", true, false},
		"./docs/guide.md":      {"/w/docs/guide.md", true, false},
		"docs/guide.md":        {"/w/docs/guide.md", true, false},
		"memory/../../../x.md": {},
		"../x.md":              {},
	} {
		f, ok := Locate(list, name)
		if ok != (want.path != "") || ok && (filepath.ToSlash(f.Path()) != want.path || f.Included != want.included || f.Moved() != want.moved || f.Name != name) {
			t.Errorf("%s: %+v, %v", name, f, ok)
		}
	}
	if _, ok := Locate([]Source{{Dir: "", Prefix: "memory/"}}, "memory/x.md"); ok {
		t.Error("a source without a folder has files")
	}
}

package index

import (
	"fmt"
	"testing"

	"agentflow/embed"
	"agentflow/memory/retrieval"
)

// TestNonsenseFindsNothing asks for words that no text has, of which the vectors of some texts are near by chance.
func TestNonsenseFindsNothing(t *testing.T) {
	local, err := embed.New(embed.Options{Provider: "local"})
	must(t, err)
	s := newStore(t)
	text := ""
	for i := range 60 {
		text += entry(fmt.Sprintf("entry%d", i), day, fmt.Sprintf("Release %d", i), "The notes are short.")
	}
	s.put("2026-11-21.md", text+entry("login", day, "Fix login", "")+entry("auth", day, "Authentication", ""))
	d := s.open(Options{Embedder: local})
	s.sync(d)
	for a := range 26 {
		for b := range 26 {
			nonsense := string([]byte{'z', byte('a' + a), 'q', byte('a' + b), 'x', byte('a' + b), 'j'})
			if hits := search1(t, d, retrieval.Query{Text: nonsense}); len(hits) > 0 {
				t.Fatalf("%s finds %q", nonsense, hits[0].Text)
			}
		}
	}
	for alike, want := range map[string]string{"loginx": "Fix login", "relogin": "Fix login", "reauthenticate": "Authentication"} {
		if got := headings(t, d, retrieval.Query{Text: alike, Limit: 1}); got != want {
			t.Errorf("%s finds %q", alike, got)
		}
	}
}

func TestAlike(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"loginx", "login"}: true, {"login", "loginpage"}: true, {"plugh", "plugin"}: true, {"xyzzyfoo", "foo"}: false,
		{"metafu", "metadata"}: false, {"zzzz", "zz"}: false, {"größer", "größe"}: true, {"authentication", "authorize"}: false,
	} {
		if got := alike(pair[0], pair[1]); got != want {
			t.Errorf("%q: %v", pair, got)
		}
	}
}

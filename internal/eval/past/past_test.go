package past

import (
	"strings"
	"testing"

	"agentflow/index/stems"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/words"
)

// TestBefore moves back and forth in a history: the changes of a commit are not visible before
// it.
func TestBefore(t *testing.T) {
	r := gittest.New(t)
	var ids []string
	for i, text := range []string{"func alpha() {}", "func beta() {}", "func gamma() {}"} {
		r.Write("a.go", text)
		if i == 1 {
			r.Write("b.go", "alpha()")
		}
		r.Git("add", ".")
		r.Git("commit", "-qm", text)
		ids = append(ids, strings.TrimSpace(r.Git("rev-parse", "HEAD")))
	}
	f := Open(r.Dir)
	for _, c := range []struct {
		before string
		word   string
		want   int
		files  int
	}{{ids[1], "alpha", 1, 1}, {ids[1], "beta", 0, 1}, {ids[2], "alpha", 1, 2}, {ids[2], "beta", 1, 2}, {ids[1][:12], "alpha", 1, 1}} {
		if err := f.Before(t.Context(), c.before); err != nil {
			t.Fatal(err)
		}
		found, err := f.Find(t.Context(), []uint32{stems.Hash(words.Stem(c.word))})
		if err != nil || len(found.Paths) != c.want || found.Files != c.files {
			t.Errorf("%s before %s: %+v, %v", c.word, c.before, found, err)
		}
	}
	if err := f.Before(t.Context(), "nowhere"); err == nil {
		t.Error("a commit that is not there has a past")
	}
}

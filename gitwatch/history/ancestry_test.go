package history

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestLeadTo asks about all pairs of commits at once, and git about each.
func TestLeadTo(t *testing.T) {
	f := gittest.New(t)
	storied(f)
	f.Git("checkout", "-q", "--orphan", "unrelated")
	f.Commit("another root", "r", "r\n")
	f.Commit("upon it", "r", "s\n")
	all := strings.Fields(f.Git("rev-list", "--all"))
	for name, commits := range map[string][]string{"unrelated": all, "one history": strings.Fields(f.Git("rev-list", "main")), "one": all[:1]} {
		var pairs []Pair
		for _, a := range append(commits, gittest.IDA) {
			for _, c := range commits {
				pairs = append(pairs, Pair{a, c})
			}
		}
		lead, err := LeadTo(t.Context(), f.Dir, pairs)
		gittest.Must(t, err)
		for _, p := range pairs {
			_, err := f.Try("merge-base", "--is-ancestor", p.Ancestor, p.Commit)
			var exit *exec.ExitError
			if want := err == nil; lead[p] != want || err != nil && !errors.As(err, &exit) {
				t.Errorf("%s: %s leads to %s: %v, want %v (%v)", name, p.Ancestor, p.Commit, lead[p], want, err)
			}
		}
	}
	if lead, err := LeadTo(t.Context(), f.Dir, nil); len(lead) != 0 || err != nil {
		t.Errorf("of none: %v, %v", lead, err)
	}
}

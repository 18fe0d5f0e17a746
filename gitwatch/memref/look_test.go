package memref

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLook: the files show that refs are where they were, packed or not, and never that they are
// where they are not.
func TestLook(t *testing.T) {
	remote, clones := repos(t, 1)
	r := clones[0]
	const kept, mine = "refs/agentflow/accepted", "refs/agentflow/mine"
	one, other := run(t, r.Dir, "rev-parse", "HEAD"), run(t, r.Dir, "rev-parse", "refs/stash")
	run(t, r.Dir, "push", "-q", "origin", one+":"+ref, one+":"+ref+"-more")
	run(t, r.Dir, "update-ref", kept, one)
	run(t, r.Dir, "worktree", "add", "-q", filepath.Join(t.TempDir(), "linked"))
	linked := Repo{Dir: strings.TrimPrefix(strings.Split(run(t, r.Dir, "worktree", "list", "--porcelain"), "worktree ")[2], "")}
	linked.Dir, _, _ = strings.Cut(linked.Dir, "\n")
	check := func(when string, want bool) {
		t.Helper()
		for _, from := range []Repo{r, {Dir: filepath.Join(r.Dir, ".git")}, linked} {
			if got := from.Keeps(map[string]string{kept: one, mine: ""}); got != want {
				t.Errorf("%s: Keeps from %s is %v", when, from.Dir, got)
			}
		}
		if got := r.Stands("origin", ref, one); got != want {
			t.Errorf("%s: Stands is %v", when, got)
		}
	}
	check("loose", true)
	for _, dir := range []string{remote, r.Dir} {
		run(t, dir, "pack-refs", "--all", "--prune")
	}
	check("packed", true)
	if r.Stands("origin", ref, "") || r.Stands("nowhere", ref, one) || r.Stands("origin", ref, other) {
		t.Error("Stands says yes of another commit, or of none")
	}
	if r.Keeps(map[string]string{mine: ""}) {
		t.Error("without a commit nothing shows that refs are files")
	}
	run(t, r.Dir, "update-ref", kept, other)
	run(t, r.Dir, "push", "-q", "-f", "origin", other+":"+ref)
	check("moved after it was packed", false)
	run(t, r.Dir, "update-ref", kept, one)
	run(t, r.Dir, "push", "-q", "-f", "origin", one+":"+ref)
	check("moved back", true)

	run(t, r.Dir, "update-ref", mine, one)
	if run(t, r.Dir, "pack-refs", "--all", "--prune"); r.Keeps(map[string]string{kept: one, mine: ""}) {
		t.Error("a packed ref must not be there")
	}
	run(t, r.Dir, "update-ref", "-d", kept)
	run(t, remote, "update-ref", "-d", ref)
	check("lost", false)
	must(t, os.WriteFile(filepath.Join(remote, ref), []byte("ref: refs/heads/x\n"), 0o600))
	if r.Stands("origin", ref, one) {
		t.Error("a symbolic ref is left to git")
	}
}

package gitwatch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// actor does random things to a repository.
type actor struct {
	*fixture
	rnd *rand.Rand
	log []string
}

func (a *actor) file() string {
	names := fields(a.git("ls-files", "-z"))
	if len(names) == 0 || a.rnd.IntN(8) == 0 {
		return fmt.Sprintf("d%d/n%d.txt", a.rnd.IntN(3), a.rnd.IntN(30))
	}
	return names[a.rnd.IntN(len(names))]
}

// text is lines of a small alphabet of words, so that diffs have choices.
func (a *actor) text() string {
	var b strings.Builder
	for range 5 + a.rnd.IntN(40) {
		fmt.Fprintf(&b, "line %d\n", a.rnd.IntN(60))
	}
	return b.String()
}

// edit changes a few lines of a file.
func (a *actor) edit(name string) {
	old, err := os.ReadFile(a.path(name))
	if err != nil {
		_ = os.RemoveAll(a.path(name))
		a.write(name, a.text())
		return
	}
	lines := strings.SplitAfter(string(old), "\n")
	for range 1 + a.rnd.IntN(4) {
		i := a.rnd.IntN(len(lines))
		switch a.rnd.IntN(3) {
		case 0:
			lines[i] = fmt.Sprintf("edit %d\n", a.rnd.IntN(1000))
		case 1:
			lines = append(lines[:i:i], append([]string{fmt.Sprintf("new %d\n", a.rnd.IntN(1000))}, lines[i:]...)...)
		default:
			lines[i] = ""
		}
	}
	a.write(name, strings.Join(lines, ""))
}

// act does one random thing; what git refuses is fine.
func (a *actor) act() {
	n := a.rnd.IntN(22)
	name := a.file()
	var err error
	switch n {
	case 0, 1, 2, 3:
		a.edit(name)
	case 4:
		a.write(fmt.Sprintf("d%d/f%d.txt", a.rnd.IntN(3), a.rnd.IntN(100)), a.text())
	case 5:
		_ = os.Remove(a.path(name))
	case 6:
		_, err = a.try("mv", name, fmt.Sprintf("d%d/m%d.txt", a.rnd.IntN(3), a.rnd.IntN(100)))
	case 7:
		_ = os.Chmod(a.path(name), 0o644|os.FileMode(a.rnd.IntN(2)*0o111))
	case 8, 9, 10:
		a.git("add", "-A")
		_, err = a.try("commit", "-qm", fmt.Sprintf("commit %d", a.rnd.IntN(1000)))
	case 11:
		_, err = a.try("commit", "-qm", "one path", "--", name)
	case 12:
		_, err = a.try("commit", "-q", "--amend", "--no-edit", "-a")
	case 13:
		_, err = a.try("reset", "-q", "--mixed", "HEAD~1")
	case 14:
		_, err = a.try("checkout", "-q", "-B", fmt.Sprintf("br%d", a.rnd.IntN(3)))
	case 15:
		_, err = a.try("checkout", "-q", fmt.Sprintf("br%d", a.rnd.IntN(3)))
	case 16:
		_, err = a.try("merge", "-q", "--no-edit", "-X", "ours", fmt.Sprintf("br%d", a.rnd.IntN(3)))
		if err != nil {
			_, _ = a.try("merge", "--abort")
		}
	case 17:
		_, err = a.try("rebase", "-q", fmt.Sprintf("br%d", a.rnd.IntN(3)))
		if err != nil {
			_, _ = a.try("rebase", "--abort")
		}
	case 18:
		_, err = a.try("cherry-pick", fmt.Sprintf("br%d", a.rnd.IntN(3)))
		if err != nil {
			_, _ = a.try("cherry-pick", "--abort")
		}
	case 19:
		_, err = a.try("stash", "-q", "-u")
	case 20:
		_, err = a.try("stash", "pop", "-q")
		if err != nil && strings.Contains(a.git("status", "--porcelain"), "U") {
			a.git("reset", "-q", "--hard")
		}
	case 21:
		_, err = a.try("revert", "--no-edit", "HEAD")
		if err != nil {
			_, _ = a.try("revert", "--abort")
		}
	}
	a.log = append(a.log, fmt.Sprintf("%d %s: %v", n, name, err != nil))
}

// TestRandomRuns lets a run do random things, alone, from a clean start: the
// paths it is given and their counts must be those git sees.
func TestRandomRuns(t *testing.T) {
	seeds := uint64(15)
	if testing.Short() {
		seeds = 5
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := &actor{fixture: newFixture(t), rnd: rand.New(rand.NewPCG(seed, 7))}
			for range 6 {
				a.commit("base", fmt.Sprintf("d%d/f%d.txt", a.rnd.IntN(3), a.rnd.IntN(9)), a.text())
			}
			a.write("run.txt", "x\n")
			a.git("add", "-A")
			a.git("commit", "-qm", "start")
			start := strings.TrimSpace(a.git("rev-parse", "HEAD"))
			set := a.during(func() {
				for range 25 {
					a.act()
				}
			})
			a.check(set, start)
			if t.Failed() {
				t.Logf("did:\n%s", strings.Join(a.log, "\n"))
			}
		})
	}
}

// check compares with git. Commits: those reachable that were not before, all
// the run's own. Changes: where history is a line from the start, git's diff
// of its ends. Uncommitted: git's diff of HEAD with the work tree, staged
// into a tree of its own.
func (a *actor) check(set ChangeSet, start string) {
	t := a.t
	made := strings.Fields(a.git("rev-list", "HEAD", "--branches", "--not", start))
	ours := map[string]bool{}
	for _, c := range set.Commits {
		ours[c.ID] = true
	}
	for _, id := range made {
		if !ours[id] {
			t.Errorf("commit %s is not listed", id)
		}
		delete(ours, id)
	}
	if len(ours) > 0 {
		t.Errorf("listed and not reachable: %v", ours)
	}
	want(t, "meanwhile", show(set.Meanwhile), "")
	if a.isLine(start, made) {
		want(t, "changes", show(set.Changes), a.gitDiff(start, "HEAD"))
	}
	// What the work tree holds, as a tree, without touching the index.
	stashed := a.workTree()
	if _, err := a.try("merge-base", "--is-ancestor", start, "HEAD"); err == nil {
		want(t, "uncommitted", show(set.Uncommitted), a.gitDiff("HEAD", stashed))
	}
}

// isLine says whether the made commits are one line from start to HEAD.
func (a *actor) isLine(start string, made []string) bool {
	line := strings.Fields(a.git("rev-list", "--first-parent", start+"..HEAD"))
	if _, err := a.try("merge-base", "--is-ancestor", start, "HEAD"); err != nil {
		return false
	}
	merges := a.git("rev-list", "--merges", "HEAD", "--branches", "--not", start)
	return len(line) == len(made) && merges == ""
}

// workTree writes the work tree's content as a tree and returns its id.
func (f *fixture) workTree() string {
	f.t.Helper()
	index := f.path("../index.copy")
	if b, err := os.ReadFile(f.path(".git/index")); err == nil {
		must(f.t, os.WriteFile(index, b, 0o600))
	}
	own := *f
	own.extra = []string{"GIT_INDEX_FILE=" + index}
	own.git("add", "-A")
	return strings.TrimSpace(own.git("write-tree"))
}

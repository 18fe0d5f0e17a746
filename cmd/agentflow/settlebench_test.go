package main

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkSettle measures the first search after a change of the commits in a
// repository of 6,000, against a search with nothing to settle. Memory holds a thousand
// commits, and one that was removed again.
func BenchmarkSettle(b *testing.B) {
	for name, act := range map[string]func(*settleLab){
		"commit": (*settleLab).commit, "rebase-of-100": (*settleLab).rebase,
		"cherry-pick-of-100": (*settleLab).pick, "pull-of-5000": (*settleLab).pull,
	} {
		b.Run(name, func(b *testing.B) {
			l := newSettleLab(b)
			search := func() time.Duration { return wall(b, l.Command("search", "part number change")) }
			sideBySide(b, func() time.Duration { act(l); return search() }, search)
		})
	}
}

// settleLab is a repository with hooks and a main branch at old. tip is
// 5,000 commits ahead of it.
type settleLab struct {
	*lab
	old, tip string
	acted    int
}

func newSettleLab(b *testing.B) *settleLab {
	b.Helper()
	base := newLab(b, "")
	dir := filepath.Join(b.TempDir(), "imported")
	base.imported(dir, 6000, 50)
	l := &settleLab{lab: base.in(dir)}
	l.tip, l.old = l.Git("rev-parse", "main"), l.Git("rev-parse", "main~5000")
	l.Git("reset", "-q", "--hard", l.old)
	l.Agentflow("init")
	l.Agentflow("hook", "install")
	l.Agentflow("backfill", "--last", "1000")
	l.commit()
	l.Agentflow("status")
	l.Git("reset", "-q", "--hard", l.old)
	l.Git("checkout", "-q", "-b", "work", "main~5")
	for i := range 100 {
		l.Commit(fmt.Sprint("own", i), fmt.Sprint("own work ", i))
	}
	l.Git("checkout", "-q", "main")
	l.Agentflow("search", "work")
	return l
}

func (l *settleLab) commit() {
	l.T.Helper()
	l.acted++
	l.Commit("dir0/file0", fmt.Sprint("a change of the token number ", l.acted))
}

// rebase moves the hundred commits to another base, and the next time back.
func (l *settleLab) rebase() {
	l.T.Helper()
	bases := []string{"main", "main~5"}
	l.Git("rebase", "-q", "--onto", bases[l.acted%2], "work~100", "work")
	l.acted++
}

// pick copies the hundred commits, and makes one that a hook notes.
func (l *settleLab) pick() {
	l.T.Helper()
	l.Git("checkout", "-q", "-B", "copies", "main")
	l.Git("cherry-pick", "work~100..work")
	l.commit()
}

// pull brings 5,000 commits, which memory saw go before.
func (l *settleLab) pull() {
	l.T.Helper()
	l.Git("update-ref", "refs/heads/main", l.old)
	l.Agentflow("search", "part")
	l.Git("update-ref", "refs/heads/main", l.tip)
}

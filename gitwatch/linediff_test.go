package gitwatch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/linediff"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
)

// lcs is the plain table for the longest common subsequence of lines.
func lcs(x, y []string) int {
	row := make([]int, len(y)+1)
	for _, a := range x {
		diagonal := 0
		for j, b := range y {
			above := row[j+1]
			if a == b {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(y)]
}

func TestCountLinesIsMinimal(t *testing.T) {
	randomtest.Check(t, 5000, func(t *testing.T, rnd *rand.Rand) {
		// Short texts and few kinds of lines have edges of their own.
		most, kinds := 1+rnd.IntN(60), []string{"a\n", "b\n", "c\n", "d\n", "\n"}[:1+rnd.IntN(5)]
		x, y := randomtest.Picks(rnd, 0, most, kinds...), randomtest.Picks(rnd, 0, most, kinds...)
		added, deleted := linediff.Count([]byte(strings.Join(x, "")), []byte(strings.Join(y, "")))
		common := lcs(x, y)
		if added != len(y)-common || deleted != len(x)-common {
			t.Fatalf("from %q to %q: +%d -%d, want +%d -%d", x, y, added, deleted, len(y)-common, len(x)-common)
		}
	})
}

// TestCountLinesBounded: two large files of the same few lines in other
// orders end in time, and the counts still lead from one to the other.
func TestCountLinesBounded(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		var b strings.Builder
		for range 60_000 {
			fmt.Fprintf(&b, "%d\n", rnd.IntN(50))
		}
		return []byte(b.String())
	}
	added, deleted := linediff.Count(text(), text())
	if added != deleted || added > 60_000 {
		t.Errorf("+%d -%d", added, deleted)
	}
}

// TestNumstatAgreesWithGit compares counts and renames with git's on files
// edited as source is edited.
func TestNumstatAgreesWithGit(t *testing.T) {
	f := newFixture(t)
	rnd := rand.New(rand.NewPCG(3, 4))
	a := &actor{fixture: f, rnd: rnd}
	for i := range 60 {
		f.Write(fmt.Sprintf("dir%d/file%d.go", i%7, i), source(rnd))
	}
	f.Write("no newline", "a\nb")
	f.Write("crlf", "a\r\nb\r\nc\r\n")
	f.Write("binary", "a\x00b\n")
	f.Write("empty", "")
	f.Git("add", "-A")
	f.Git("commit", "-qm", "base")
	base := strings.TrimSpace(f.Git("rev-parse", "HEAD"))
	set := f.during(func() {
		for i := range 60 {
			name := fmt.Sprintf("dir%d/file%d.go", i%7, i)
			for range rnd.IntN(8) {
				a.edit(name)
			}
			switch i % 5 {
			case 0:
				f.Git("mv", name, fmt.Sprintf("dir%d/moved%d.go", (i+1)%7, i))
			case 1:
				f.Git("mv", name, fmt.Sprintf("dir%d/file%d.go", (i+1)%7, i))
			}
		}
		f.Write("no newline", "a\nb\n")
		f.Git("mv", "crlf", "lf")
		f.Write("lf", "a\nb\nc\n")
		f.Git("mv", "binary", "binary2")
		f.Git("mv", "empty", "empty2")
		f.Git("add", "-A")
		f.Git("commit", "-qm", "edits")
	})
	gittest.Want(t, "changes", gittest.Show(set.Changes), f.gitDiff(base, "HEAD"))
}

// source looks like code: many lines of the same few kinds.
func source(rnd *rand.Rand) string {
	var b strings.Builder
	for i := range 10 + rnd.IntN(80) {
		switch rnd.IntN(5) {
		case 0:
			b.WriteString("\n")
		case 1:
			b.WriteString("\t}\n")
		default:
			fmt.Fprintf(&b, "\tstatement %d of %d\n", i, rnd.IntN(500))
		}
	}
	return b.String()
}

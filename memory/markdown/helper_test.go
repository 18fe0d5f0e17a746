package markdown

import (
	"encoding/binary"
	"flag"
	"math"
	"testing"
	"time"

	"agentflow/internal/testing/memorytest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

var update = flag.Bool("update", false, "write the golden files")

func hostileEntry(t *testing.T) memory.Entry {
	e := memorytest.RunEntry(t)
	e.Title = "## x --> <!-- agentflow v=1 -->"
	e.Commits[0].Subject, e.Commits[1].Subject = "Use a fake clock", "### Memories"
	e.PossibleCommits = []changeset.Commit{{ID: "c3d4e5f6a7", Subject: "Bump (possibly)"}, {ID: "d4e5f6a7b8"}}
	e.Uncommitted.Items[0].Note = "(possibly)"
	e.Task = "First line\n\n## 2026-01-01 00:00 · y\n\n<!-- agentflow v=1 kind=run id=z -->\n---\n### Memories\n- x <!-- id=q -->\n```\nnever closed"
	e.Summary = "Done:\n\n- a list\n- of <b>things</b> like List<String> and C:\\dir\n\n```go\nx := `1`\n```\n\n# A heading\n"
	e.Errors = []string{"exit status 1\nstderr: \x1b[31mno\x1b[0m", "**Denied**: not one", ""}
	e.Denials = []string{"Bash(git push)"}
	e.Remarks = []string{"pulled 3 commits"}
	e.Changes.Unread = "object not found"
	e.Meanwhile.Items = []changeset.Change{
		{Status: changeset.StatusModified, Path: "a \"b\"\n.txt", Note: "already changed before"},
		{Status: changeset.StatusFolder, Path: "vendor/", Files: 120, Added: 400, Deleted: 20, Counted: true},
	}
	e.Elsewhere.Items = []changeset.Change{
		{Status: changeset.StatusAdded, Tree: ".claude/worktrees/topic", Path: ".claude/worktrees/topic/a (b): c.txt", Added: 4, Counted: true, Certainty: changeset.Shown},
		{Status: changeset.StatusModified, Tree: "~/lib: two", Path: "~/lib: two/lexer.txt", Note: "x: y", Certainty: changeset.Possible},
		{Status: changeset.StatusModified, Tree: ".", Path: "parser.txt", Certainty: changeset.Shown},
		{Status: changeset.StatusDeleted, Path: "~/notes: old/plan.md", Certainty: changeset.Shown},
	}
	return e
}

// source makes entries from arbitrary bytes; when they run out, all is zero.
type source struct{ data []byte }

func (s *source) byte() byte {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *source) uint64() uint64 {
	var b [8]byte
	n := copy(b[:], s.data)
	s.data = s.data[n:]
	return binary.LittleEndian.Uint64(b[:])
}

func (s *source) text() string {
	var out []byte
	for n := int(s.byte() % 8); n > 0; n-- {
		if k := s.byte(); k < 200 {
			out = append(out, memorytest.Nasty[int(k)%len(memorytest.Nasty)]...)
		} else {
			m := min(int(s.byte()%16), len(s.data))
			out = append(out, s.data[:m]...)
			s.data = s.data[m:]
		}
	}
	return string(out)
}

func (s *source) texts() []string {
	var list []string
	for n := int(s.byte() % 4); n > 0; n-- {
		list = append(list, s.text())
	}
	return list
}

func (s *source) change() changeset.Change {
	return changeset.Change{
		Status: changeset.Status(s.pick("AMDRCTU*\x00\n x")[0]), Path: s.text(), OldPath: s.text(), Note: s.text(),
		Added: int(s.uint64()), Deleted: int(s.byte()), Counted: s.byte()&1 == 0, Files: int(s.byte()),
		Certainty: []changeset.Certainty{changeset.Shown, changeset.Likely, changeset.Possible, "", "odd"}[s.byte()%5],
	}
}

func (s *source) pick(from string) string { i := int(s.byte()) % len(from); return from[i : i+1] }

func (s *source) changes() (l changeset.List) {
	for n := int(s.byte() % 4); n > 0; n-- {
		c := s.change()
		c.Blob = s.text()
		l.Items = append(l.Items, c)
	}
	l.Unread = s.text()
	return l
}

func (s *source) elsewhere() (l changeset.List) {
	l = s.changes()
	for i := range l.Items {
		c := &l.Items[i]
		if c.Tree = []string{"", ".", s.text()}[s.byte()%3]; s.byte()&1 == 0 {
			c.Path = changeset.PathInTree(c.Tree, c.Path)
		}
	}
	return l
}

func (s *source) fact() memory.Fact {
	return memory.Fact{
		ID: s.text(), Type: memory.FactType(s.text()), Importance: math.Float64frombits(s.uint64()), Tags: s.texts(),
		Key: s.text(), Supersedes: s.text(), Source: s.text(), Commit: s.text(), Text: s.text(),
		Category: s.text(), Namespace: s.text(), SupersededBy: s.text(), Confidence: math.Float64frombits(s.uint64()),
		Struck: s.byte()&1 == 1, Created: s.time(), Updated: s.time(), Expires: s.time(), Merged: s.origins(),
		Agent: s.text(), Session: s.text(), Said: s.text(), Edited: s.text(), Reason: s.text(), Paths: s.texts(),
	}
}

func (s *source) origins() (list []memory.Origin) {
	for n := int(s.byte() % 4); n > 0; n-- {
		list = append(list, memory.Origin{ID: s.text(), Source: s.text(), Commit: s.text(), Created: s.time()})
	}
	return list
}

func (s *source) time() time.Time {
	return time.Unix(int64(s.uint64()>>28), 5).In(time.FixedZone("x", int(int16(s.uint64()))*3))
}

func (s *source) entry() memory.Entry {
	kinds := []memory.Kind{memory.KindRun, memory.KindCommit, memory.KindNote, "", "other kind", memory.KindSession}
	e := memory.Entry{
		Kind: kinds[int(s.byte())%len(kinds)], ID: s.text(), Title: s.text(), Task: s.text(), Summary: s.text(),
		Agent: s.text(), Model: s.text(), Session: s.text(), Branch: s.text(), Worktree: s.text(), Base: s.text(),
		Time: s.time(),
	}
	for n := int(s.byte() % 4); n > 0; n-- {
		e.Commits = append(e.Commits, changeset.Commit{ID: s.text(), Subject: s.text()})
	}
	for n := int(s.byte() % 4); n > 0; n-- {
		e.PossibleCommits = append(e.PossibleCommits, changeset.Commit{ID: s.text(), Subject: s.text()})
	}
	e.Patch, e.Errors, e.Denials, e.Remarks = s.texts(), s.texts(), s.texts(), s.texts()
	e.Changes, e.Uncommitted, e.Meanwhile, e.Elsewhere = s.changes(), s.changes(), s.changes(), s.elsewhere()
	if s.byte()&1 == 0 {
		e.Result = &memory.Result{
			Outcome: memory.Outcome(s.text()), Success: s.byte()&1 == 0, ExitCode: int(s.uint64()), Duration: time.Duration(s.uint64()),
			Turns: int(s.uint64()), CostUSD: math.Float64frombits(s.uint64()),
		}
		if s.byte()&1 == 0 {
			e.Result.Undone, e.Result.RevertedBy = s.time(), []string{"", s.text(), "0123456789abcdef0123456789abcdef01234567"}[int(s.byte())%3]
		}
	}
	for n := int(s.byte() % 4); n > 0; n-- {
		e.Facts = append(e.Facts, s.fact())
	}
	e.Extra = s.text()
	e.Pinned = s.byte()&1 == 1
	e.Runs, e.Then, e.Checks = s.texts(), s.texts(), s.texts()
	return e
}

package memory

import (
	"encoding/binary"
	"math"
	"time"
)

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

// nasty are the pieces that structure is made of.
var nasty = []string{
	"\n", "\n\n", " ", "  ", "\t", "\r", "\r\n", "## 2026-11-21 14:32 · x", "### Memories", "### Summary", "---", "- ", "-", "* ",
	"<!-- ", "-->", "<!-- agentflow v=1 kind=run -->", "<!-- id=1 type=semantic -->", "```", "~~~~", "```go", "`", "\\", "\\x41", "\\x",
	"x41", "None", "**Denied**: ", "**Note**: ", "**Task**: ", "**Commit**: ", "could not read: ", "(+1 −2)", " (", ")", " ← ", "3 files",
	"~~", "~", "\x00", "\x1b[31m", "\xff", "\u2028", "\u202e", "\U000E0041", "\uFEFF", "é", "漢字", "=", "===", "#", "####### ", "<script>", "<b>", "%2D", "--", ",", "\"", "word", "(possibly)", " (possibly", "possibly", "<details>", "->", ">",
}

func (s *source) text() string {
	var out []byte
	for n := int(s.byte() % 8); n > 0; n-- {
		if k := s.byte(); k < 200 {
			out = append(out, nasty[int(k)%len(nasty)]...)
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

func (s *source) change() Change {
	return Change{
		Status: Status(s.pick("AMDRCTU*\x00\n x")[0]), Path: s.text(), OldPath: s.text(), Note: s.text(),
		Added: int(s.uint64()), Deleted: int(s.byte()), Counted: s.byte()&1 == 0, Files: int(s.byte()),
		Certainty: []Certainty{Shown, Likely, Possible, "", "odd"}[s.byte()%5],
	}
}

func (s *source) pick(from string) string { i := int(s.byte()) % len(from); return from[i : i+1] }

func (s *source) changes() (l ChangeList) {
	for n := int(s.byte() % 4); n > 0; n-- {
		c := s.change()
		c.Blob = s.text()
		l.Items = append(l.Items, c)
	}
	l.Unread = s.text()
	return l
}

func (s *source) fact() Fact {
	return Fact{
		ID: s.text(), Type: FactType(s.text()), Importance: math.Float64frombits(s.uint64()), Tags: s.texts(),
		Key: s.text(), Supersedes: s.text(), Source: s.text(), Commit: s.text(), Text: s.text(),
		Category: s.text(), Namespace: s.text(), SupersededBy: s.text(), Confidence: math.Float64frombits(s.uint64()),
		Struck: s.byte()&1 == 1, Created: s.time(), Updated: s.time(), Expires: s.time(), Merged: s.origins(),
	}
}

func (s *source) origins() (list []Origin) {
	for n := int(s.byte() % 4); n > 0; n-- {
		list = append(list, Origin{s.text(), s.text(), s.text(), s.time()})
	}
	return list
}

func (s *source) time() time.Time {
	return time.Unix(int64(s.uint64()>>28), 5).In(time.FixedZone("x", int(int16(s.uint64()))*3))
}

func (s *source) entry() Entry {
	kinds := []Kind{KindRun, KindCommit, KindNote, "", "other kind"}
	e := Entry{
		Kind: kinds[int(s.byte())%len(kinds)], ID: s.text(), Title: s.text(), Task: s.text(), Summary: s.text(),
		Agent: s.text(), Model: s.text(), Session: s.text(), Branch: s.text(), Worktree: s.text(), Base: s.text(),
		Time: s.time(),
	}
	for n := int(s.byte() % 4); n > 0; n-- {
		e.Commits = append(e.Commits, Commit{s.text(), s.text()})
	}
	for n := int(s.byte() % 4); n > 0; n-- {
		e.PossibleCommits = append(e.PossibleCommits, Commit{s.text(), s.text()})
	}
	e.Patch, e.Errors, e.Denials, e.Remarks = s.texts(), s.texts(), s.texts(), s.texts()
	e.Changes, e.Uncommitted, e.Meanwhile = s.changes(), s.changes(), s.changes()
	if s.byte()&1 == 0 {
		e.Result = &Result{
			Outcome: Outcome(s.text()), Success: s.byte()&1 == 0, ExitCode: int(s.uint64()), Duration: time.Duration(s.uint64()),
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
	e.Runs = s.texts()
	return e
}

package objects

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// Commit is what the walk needs of a commit.
type Commit struct {
	ID      git.ID
	tree    git.ID
	Parents []git.ID
	Time    int64  // committer's, Unix seconds
	Author  string // name, mail, time
	Subject string

	// Set for commits of a run that stand for older ones.
	Amends git.ID  // the commit from before that this one replaces
	CopyOf *Commit // the commit from before that this one was rebased from
}

// Marks of a commit in a walk.
const (
	markNew = 1 << iota // reachable from an end tip
	markOld             // reachable from a start tip
)

// walk paints the history between two sets of tips.
type walk struct {
	objects *Reader
	shallow map[git.ID]bool
	commits map[git.ID]*Commit
	marks   map[git.ID]uint8
	queue   timeQueue
	queued  map[git.ID]bool
	fresh   int // commits in the queue that are not known to be old
}

// slop is how many commits known to be old are looked at after the last one
// that may be new, against clocks that ran backwards (git's own is 5).
const slop = 16

// NewCommits returns the commits reachable from the end tips and not from the
// start tips, children first. Start tips that are gone are passed over.
func (o *Reader) NewCommits(ctx context.Context, start, end []git.ID) ([]*Commit, error) {
	start = uniqueIDs(start)
	var ahead []git.ID
	for _, id := range uniqueIDs(end) {
		if _, known := slices.BinarySearch(start, id); !known {
			ahead = append(ahead, id)
		}
	}
	if len(ahead) == 0 {
		return nil, nil
	}
	w := &walk{objects: o, shallow: map[git.ID]bool{}, commits: map[git.ID]*Commit{}, marks: map[git.ID]uint8{}, queued: map[git.ID]bool{}}
	grafts, err := o.Store.Shallow()
	if err != nil {
		return nil, err
	}
	for _, id := range grafts {
		w.shallow[id] = true
	}
	for _, id := range start {
		if c, ok := o.peel(id); ok {
			_ = w.add(c, markOld) // a tip that is gone bounds nothing
		}
	}
	for _, id := range ahead {
		if err := w.add(id, markNew); err != nil {
			return nil, err
		}
	}
	return w.run(ctx)
}

func (w *walk) add(id git.ID, mark uint8) error {
	before, known := w.marks[id]
	if before|mark == before && known {
		return nil
	}
	c, err := w.load(id)
	if err != nil {
		return err
	}
	w.marks[id] = before | mark
	if !w.queued[id] {
		w.queued[id] = true
		heap.Push(&w.queue, c)
		before = markOld // it was not among the fresh ones
	}
	if wasFresh, isFresh := before&markOld == 0, w.marks[id]&markOld == 0; isFresh && !wasFresh {
		w.fresh++
	} else if wasFresh && !isFresh {
		w.fresh--
	}
	return nil
}

func (w *walk) load(id git.ID) (*Commit, error) {
	if c, ok := w.commits[id]; ok {
		return c, nil
	}
	c, err := w.objects.Commit(id)
	if err == nil {
		w.commits[id] = c
	}
	return c, err
}

func (w *walk) run(ctx context.Context) ([]*Commit, error) {
	var order []*Commit
	left := slop
	for w.queue.Len() > 0 && left > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := heap.Pop(&w.queue).(*Commit)
		w.queued[c.ID] = false
		marks := w.marks[c.ID]
		if marks&markOld == 0 {
			order = append(order, c)
			w.fresh--
			left = slop
		} else if w.fresh == 0 {
			left--
		}
		if w.shallow[c.ID] {
			continue
		}
		for _, p := range c.Parents {
			err := w.add(p, marks)
			if err != nil && (marks&markOld == 0 || !isMissing(err)) {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(order, func(c *Commit) bool { return w.marks[c.ID]&markOld != 0 }), nil
}

// timeQueue yields the youngest commit first.
type timeQueue []*Commit

func (q timeQueue) Len() int           { return len(q) }
func (q timeQueue) Less(i, j int) bool { return q[i].Time > q[j].Time }
func (q timeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *timeQueue) Push(c any) { *q = append(*q, c.(*Commit)) }

// Pop is for container/heap.
func (q *timeQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func uniqueIDs(ids []git.ID) []git.ID {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id git.ID) bool { return id == "" })
	slices.Sort(ids)
	return slices.Compact(ids)
}

func ByID(commits []*Commit) map[git.ID]*Commit {
	byID := make(map[git.ID]*Commit, len(commits))
	for _, c := range commits {
		byID[c.ID] = c
	}
	return byID
}

// Ancestors marks, within commits, those reachable from the tips.
func Ancestors(commits map[git.ID]*Commit, tips []git.ID) map[git.ID]bool {
	seen := map[git.ID]bool{}
	stack := slices.Clone(tips)
	for len(stack) > 0 {
		id := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		c, ok := commits[id]
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		stack = append(stack, c.Parents...)
	}
	return seen
}

// OldestFirst orders commits so that parents stand before their children;
// else older ones first.
func OldestFirst(commits []*Commit) []*Commit {
	byID := ByID(commits)
	sorted := slices.Clone(commits)
	slices.SortStableFunc(sorted, func(a, b *Commit) int { return int(a.Time - b.Time) })
	done := map[git.ID]bool{}
	out := make([]*Commit, 0, len(sorted))
	for _, c := range sorted {
		out = appendAfterParents(c, byID, done, out)
	}
	return out
}

func appendAfterParents(first *Commit, byID map[git.ID]*Commit, done map[git.ID]bool, out []*Commit) []*Commit {
	stack := []*Commit{first}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		ready := true
		for _, p := range c.Parents {
			if parent, ok := byID[p]; ok && !done[p] {
				stack = append(stack, parent)
				ready = false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		if !done[c.ID] {
			done[c.ID] = true
			out = append(out, c)
		}
	}
	return out
}

// errDamaged is an object that does not follow git's format.
var errDamaged = errors.New("it is damaged")

// parseCommit reads a commit object: header lines, a blank one, the message.
func parseCommit(id git.ID, raw []byte) (*Commit, error) {
	header, message, _ := strings.Cut(string(raw), "\n\n")
	c := &Commit{ID: id, Subject: subject(message)}
	whole := false
	for line := range strings.SplitSeq(header, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "tree":
			c.tree, whole = git.ParseID(value)
		case "parent":
			p, ok := git.ParseID(value)
			if !ok {
				return nil, errDamaged
			}
			c.Parents = append(c.Parents, p)
		case "author":
			c.Author = value
		case "committer":
			c.Time = commitTime(value)
		}
	}
	if !whole {
		return nil, errDamaged
	}
	return c, nil
}

// commitTime reads the seconds of "Name <mail> SECONDS ZONE"; those that
// cannot be read count as zero, as git has it.
func commitTime(line string) int64 {
	fields := strings.Fields(line[strings.LastIndexByte(line, '>')+1:])
	if len(fields) == 0 {
		return 0
	}
	seconds, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return seconds
}

// parseTag reads what an annotated tag names.
func parseTag(raw []byte) (git.ID, error) {
	line, _, _ := strings.Cut(string(raw), "\n")
	value, ok := strings.CutPrefix(line, "object ")
	id, whole := git.ParseID(value)
	if !ok || !whole {
		return "", errDamaged
	}
	return id, nil
}

// subject is the first line of a commit message, as git log --format=%s gives
// it: the lines of the first paragraph joined.
func subject(message string) string {
	message = strings.TrimLeft(message, "\r\n\t ")
	for i, line := range strings.Split(message, "\n") {
		if strings.TrimSpace(line) == "" {
			return git.OneLine(strings.Join(strings.Split(message, "\n")[:i], " "))
		}
	}
	return git.OneLine(message)
}

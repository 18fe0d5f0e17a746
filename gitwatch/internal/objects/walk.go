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

// Commit holds the parts of a commit that the walk needs.
type Commit struct {
	ID      git.ID
	tree    git.ID
	Parents []git.ID
	Time    int64  // committer's, Unix seconds
	Author  string // name, mail, time
	Subject string
	Body    string // its message after the subject, at most maxBody bytes

	// Set for commits of a run that replace older ones.
	Amends git.ID  // the commit from before the run that this one replaces
	CopyOf *Commit // the commit from before the run that this one was rebased from
}

// walk marks the history between two sets of tips.
type walk struct {
	objects *Reader
	shallow map[git.ID]bool
	commits map[git.ID]*walkCommit
	queue   timeQueue
	fresh   int // commits in the queue that are not known to be old
}

type walkCommit struct {
	*Commit
	old    bool // it is reachable from a start tip
	queued bool
}

// slop limits the old commits examined after the last one that may be new, in case clocks ran
// backwards (git's is 5).
const slop = 16

// NewCommits returns the commits reachable from the end tips and not from the start tips, children
// first. It skips start tips that are gone.
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
	w := &walk{objects: o, shallow: map[git.ID]bool{}, commits: map[git.ID]*walkCommit{}}
	grafts, err := o.Store.Shallow()
	if err != nil {
		return nil, err
	}
	for _, id := range grafts {
		w.shallow[id] = true
	}
	for _, id := range start {
		if c, ok := o.peel(id); ok {
			_ = w.add(c, true) // a tip that is gone bounds nothing
		}
	}
	for _, id := range ahead {
		if err := w.add(id, false); err != nil {
			return nil, err
		}
	}
	return w.run(ctx)
}

func (w *walk) add(id git.ID, old bool) error {
	c := w.commits[id]
	if c == nil {
		read, err := w.objects.Commit(id)
		if err != nil {
			return err
		}
		c = &walkCommit{Commit: read}
		w.commits[id] = c
	} else if c.old || !old {
		return nil
	}
	switch {
	case !c.queued && !old:
		w.fresh++
	case c.queued && old:
		w.fresh--
	}
	c.old = old
	if !c.queued {
		c.queued = true
		heap.Push(&w.queue, c)
	}
	return nil
}

func (w *walk) run(ctx context.Context) ([]*Commit, error) {
	var order []*Commit
	left := slop
	for w.queue.Len() > 0 && left > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := heap.Pop(&w.queue).(*walkCommit)
		c.queued = false
		if !c.old {
			order = append(order, c.Commit)
			w.fresh--
			left = slop
		} else if w.fresh == 0 {
			left--
		}
		if w.shallow[c.ID] {
			continue
		}
		for _, p := range c.Parents {
			if err := w.add(p, c.old); err != nil && (!c.old || !isMissing(err)) {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(order, func(c *Commit) bool { return w.commits[c.ID].old }), nil
}

// timeQueue yields the youngest commit first.
type timeQueue []*walkCommit

func (q timeQueue) Len() int           { return len(q) }
func (q timeQueue) Less(i, j int) bool { return q[i].Time > q[j].Time }
func (q timeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

func (q *timeQueue) Push(c any) { *q = append(*q, c.(*walkCommit)) }

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

// ByID maps commits by their ids.
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

// OldestFirst orders commits by time, but parents before their children.
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

func appendAfterParents(c *Commit, byID map[git.ID]*Commit, done map[git.ID]bool, out []*Commit) []*Commit {
	if done[c.ID] {
		return out
	}
	done[c.ID] = true
	for _, p := range c.Parents {
		if parent, ok := byID[p]; ok {
			out = appendAfterParents(parent, byID, done, out)
		}
	}
	return append(out, c)
}

var errDamaged = errors.New("it is damaged")

// parseCommit reads a commit object: header lines, a blank line, the message.
func parseCommit(id git.ID, raw []byte) (*Commit, error) {
	header, message, _ := strings.Cut(string(raw), "\n\n")
	c := &Commit{ID: id}
	c.Subject, c.Body = parts(message)
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

// commitTime reads the seconds of "Name <mail> SECONDS ZONE". If they cannot be read it returns 0,
// as git does.
func commitTime(line string) int64 {
	fields := strings.Fields(line[strings.LastIndexByte(line, '>')+1:])
	if len(fields) == 0 {
		return 0
	}
	seconds, _ := strconv.ParseInt(fields[0], 10, 64)
	return seconds
}

func parseTag(raw []byte) (git.ID, error) {
	line, _, _ := strings.Cut(string(raw), "\n")
	value, ok := strings.CutPrefix(line, "object ")
	id, whole := git.ParseID(value)
	if !ok || !whole {
		return "", errDamaged
	}
	return id, nil
}

// maxBody bounds the part of a commit's message that is kept, in bytes. A message may be a whole
// log.
const maxBody = 8 << 10

// parts returns the subject of a commit message as git log --format=%s prints it (the lines of the
// first paragraph joined), and the text after it.
func parts(message string) (subject, body string) {
	lines := strings.Split(strings.TrimLeft(message, "\r\n\t "), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines, body = lines[:i], strings.TrimSpace(strings.Join(lines[i:], "\n"))
			break
		}
	}
	return git.OneLine(strings.Join(lines, " ")), strings.ToValidUTF8(body[:min(len(body), maxBody)], "")
}

package gitwatch

import (
	"container/heap"
	"context"
	"slices"

	"agentflow/gitwatch/internal/git"
)

// commitInfo is what the walk needs of a commit.
type commitInfo struct {
	id      git.ID
	tree    git.ID
	parents []git.ID
	time    int64  // committer's, Unix seconds
	author  string // name, mail, time
	subject string

	// Set for commits of a run that stand for older ones.
	amends git.ID      // the commit from before that this one replaces
	copies *commitInfo // the commit from before that this one was rebased from
}

// Marks of a commit in a walk.
const (
	markNew = 1 << iota // reachable from an end tip
	markOld             // reachable from a start tip
)

// walk paints the history between two sets of tips.
type walk struct {
	objects *objects
	shallow map[git.ID]bool
	commits map[git.ID]*commitInfo
	marks   map[git.ID]uint8
	queue   timeQueue
	queued  map[git.ID]bool
	fresh   int // commits in the queue that are not known to be old
}

// slop is how many commits known to be old are looked at after the last one
// that may be new, against clocks that ran backwards (git's own is 5).
const slop = 16

// newCommits returns the commits reachable from the end tips and not from the
// start tips, children first. Start tips that are gone are passed over.
func (o *objects) newCommits(ctx context.Context, start, end []git.ID) ([]*commitInfo, error) {
	start = uniqueHashes(start)
	var ahead []git.ID
	for _, id := range uniqueHashes(end) {
		if _, known := slices.BinarySearch(start, id); !known {
			ahead = append(ahead, id)
		}
	}
	if len(ahead) == 0 {
		return nil, nil
	}
	w := &walk{objects: o, shallow: map[git.ID]bool{}, commits: map[git.ID]*commitInfo{}, marks: map[git.ID]uint8{}, queued: map[git.ID]bool{}}
	grafts, err := o.store.shallow()
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

func (w *walk) load(id git.ID) (*commitInfo, error) {
	if c, ok := w.commits[id]; ok {
		return c, nil
	}
	c, err := w.objects.commitInfo(id)
	if err == nil {
		w.commits[id] = c
	}
	return c, err
}

func (w *walk) run(ctx context.Context) ([]*commitInfo, error) {
	var order []*commitInfo
	left := slop
	for w.queue.Len() > 0 && left > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := heap.Pop(&w.queue).(*commitInfo)
		w.queued[c.id] = false
		marks := w.marks[c.id]
		if marks&markOld == 0 {
			order = append(order, c)
			w.fresh--
			left = slop
		} else if w.fresh == 0 {
			left--
		}
		if w.shallow[c.id] {
			continue
		}
		for _, p := range c.parents {
			err := w.add(p, marks)
			if err != nil && (marks&markOld == 0 || !isMissing(err)) {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(order, func(c *commitInfo) bool { return w.marks[c.id]&markOld != 0 }), nil
}

// timeQueue yields the youngest commit first.
type timeQueue []*commitInfo

func (q timeQueue) Len() int           { return len(q) }
func (q timeQueue) Less(i, j int) bool { return q[i].time > q[j].time }
func (q timeQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *timeQueue) Push(c any) { *q = append(*q, c.(*commitInfo)) }

// Pop is for container/heap.
func (q *timeQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

func uniqueHashes(ids []git.ID) []git.ID {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id git.ID) bool { return id == "" })
	slices.Sort(ids)
	return slices.Compact(ids)
}

func byHash(commits []*commitInfo) map[git.ID]*commitInfo {
	byID := make(map[git.ID]*commitInfo, len(commits))
	for _, c := range commits {
		byID[c.id] = c
	}
	return byID
}

// ancestors marks, within commits, those reachable from the tips.
func ancestors(commits map[git.ID]*commitInfo, tips []git.ID) map[git.ID]bool {
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
		stack = append(stack, c.parents...)
	}
	return seen
}

// oldestFirst orders commits so that parents stand before their children;
// else older ones first.
func oldestFirst(commits []*commitInfo) []*commitInfo {
	byID := byHash(commits)
	sorted := slices.Clone(commits)
	slices.SortStableFunc(sorted, func(a, b *commitInfo) int { return int(a.time - b.time) })
	done := map[git.ID]bool{}
	out := make([]*commitInfo, 0, len(sorted))
	for _, c := range sorted {
		out = visit(c, byID, done, out)
	}
	return out
}

func visit(first *commitInfo, byID map[git.ID]*commitInfo, done map[git.ID]bool, out []*commitInfo) []*commitInfo {
	stack := []*commitInfo{first}
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		ready := true
		for _, p := range c.parents {
			if parent, ok := byID[p]; ok && !done[p] {
				stack = append(stack, parent)
				ready = false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		if !done[c.id] {
			done[c.id] = true
			out = append(out, c)
		}
	}
	return out
}

package gitwatch

import (
	"container/heap"
	"context"
	"fmt"
	"sync"
)

// Bounds of Reachable: how many commits it looks at in all, and how far a
// commit may stand before its parent by clocks that disagree, in seconds.
const (
	maxReach  = 10_000
	clockSkew = 24 * 60 * 60
)

// Reachable returns a function that says whether a commit, by its full id, is
// reachable from HEAD. It reads history only as far back as the commits it is
// asked about, and at most 10,000 commits in all; what it cannot tell (past
// that bound, damaged or shallow history, ctx ended, no full id) it calls
// reachable. The function may be called by several goroutines.
func (r *Repo) Reachable(ctx context.Context) (func(commit string) bool, error) {
	store := r.store(ctx)
	defer store.close()
	_, head, err := store.head()
	if err != nil {
		return nil, fmt.Errorf("read HEAD of %s: %w", r.asked, err)
	}
	grafts, err := store.shallow()
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", r.asked, err)
	}
	a := &ancestry{objects: newObjects(store), seen: map[oid]bool{}, unknown: len(grafts) > 0}
	a.push(head)
	return func(commit string) bool {
		id, ok := parseID(commit)
		return !ok || a.holds(ctx, id)
	}, nil
}

// ancestry is HEAD's history, read from the youngest commit back as far as it
// was needed.
type ancestry struct {
	mu      sync.Mutex
	objects *objects
	seen    map[oid]bool
	queue   timeQueue
	unknown bool // part of the history cannot be read
}

func (a *ancestry) push(id oid) {
	if id == "" || a.seen[id] {
		return
	}
	a.seen[id] = true
	c, err := a.objects.commitInfo(id)
	if err != nil {
		a.unknown = true
		return
	}
	heap.Push(&a.queue, c)
}

func (a *ancestry) holds(ctx context.Context, id oid) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.objects.close()
	if a.seen[id] {
		return true
	}
	c, err := a.objects.commitInfo(id)
	if err != nil {
		return a.unknown || !isMissing(err)
	}
	for len(a.queue) > 0 && a.queue[0].time >= c.time-clockSkew {
		if len(a.seen) >= maxReach || ctx.Err() != nil {
			return true
		}
		next := heap.Pop(&a.queue).(*commitInfo)
		for _, p := range next.parents {
			a.push(p)
		}
		if a.seen[id] {
			return true
		}
	}
	return a.unknown
}

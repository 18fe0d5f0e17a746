package app

import (
	"slices"

	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/reflog"
)

// noted is what hooks and reflogs tell of commits that may get entries.
type noted struct {
	ids      []string            // full ids, each once
	origins  map[string][]string // of commits: those that they were made of, by amend or rebase
	replaced map[string]bool     // commits that others were made of
	trees    map[string]string   // of commits: the linked work tree they were made in
	rewrites []reflog.Rewrite
	seen     map[string]bool
}

func (n *noted) add(id string) {
	if !n.seen[id] {
		n.seen[id] = true
		n.ids = append(n.ids, id)
	}
}

// gather puts together what events and reflogs tell. origins is what earlier
// events told of rewrites.
func gather(events []hook.Event, a reflog.Arrivals, origins map[string][]string) noted {
	n := noted{origins: origins, replaced: map[string]bool{}, trees: map[string]string{}, seen: map[string]bool{}}
	for _, id := range a.Made {
		n.add(id)
	}
	n.rewrites = append(n.rewrites, a.Amended...)
	for _, e := range events {
		n.add(e.New)
		if e.Linked != "" {
			n.trees[e.New] = e.Linked
		}
		if e.Kind == hook.KindRewrite && e.Old != e.New {
			n.rewrites = append(n.rewrites, reflog.Rewrite{Old: e.Old, New: e.New})
		}
	}
	for _, w := range n.rewrites {
		n.origins[w.New] = append(n.origins[w.New], w.Old)
		n.replaced[w.Old] = true
	}
	return n
}

// leaveOut takes out the commits of runs that were to leave no entry.
func (n *noted) leaveOut(unrecorded func(run string) bool, events []hook.Event) {
	asked, out := map[string]bool{"": false}, map[string]bool{}
	for _, e := range events {
		if _, ok := asked[e.Run]; !ok {
			asked[e.Run] = unrecorded(e.Run)
		}
		out[e.New] = out[e.New] || asked[e.Run]
	}
	n.ids = slices.DeleteFunc(n.ids, func(id string) bool { return out[id] })
}

// newest are the commits that nothing was made of since.
func (n noted) newest() []string {
	return slices.DeleteFunc(slices.Clone(n.ids), func(id string) bool { return n.replaced[id] })
}

// known says whether a commit is settled, or all that it was made of is. What
// several commits were squashed into holds more than each of them.
func (n noted) known(id string, settled func(string) bool, on map[string]bool) bool {
	if settled(id) {
		return true
	}
	on[id] = true
	from := n.origins[id]
	all := len(from) > 0
	for _, old := range from {
		all = all && !on[old] && n.known(old, settled, on)
	}
	delete(on, id)
	return all
}

// roots are all commits that those of the note were made of, however long
// ago.
func (n noted) roots() []string {
	seen := map[string]bool{}
	todo := append([]string(nil), n.ids...)
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, old := range n.origins[id] {
			if !seen[old] {
				seen[old] = true
				todo = append(todo, old)
			}
		}
	}
	out := make([]string, 0, len(seen))
	for id := range seen {
		out = append(out, id)
	}
	return out
}

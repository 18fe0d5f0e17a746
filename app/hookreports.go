package app

import (
	"slices"

	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/reflog"
)

// reportedCommits are commits that hooks and reflogs tell of, and that may get
// entries.
type reportedCommits struct {
	ids      []string            // full ids, each once
	origins  map[string][]string // of commits: those that they were made of, by amend or rebase
	replaced map[string]bool     // commits that others were made of
	trees    map[string]string   // of commits: the linked work tree they were made in
	rewrites []reflog.Rewrite
	seen     map[string]bool
}

func (r *reportedCommits) add(id string) {
	if !r.seen[id] {
		r.seen[id] = true
		r.ids = append(r.ids, id)
	}
}

// gather puts together the commits of events and reflogs. origins are the
// rewrites of earlier events.
func gather(events []hook.Event, a reflog.Arrivals, origins map[string][]string) reportedCommits {
	r := reportedCommits{origins: origins, replaced: map[string]bool{}, trees: map[string]string{}, seen: map[string]bool{}}
	for _, id := range a.Made {
		r.add(id)
	}
	r.rewrites = append(r.rewrites, a.Amended...)
	for _, e := range events {
		r.add(e.New)
		if e.Linked != "" {
			r.trees[e.New] = e.Linked
		}
		if e.Kind == hook.KindRewrite && e.Old != e.New {
			r.rewrites = append(r.rewrites, reflog.Rewrite{Old: e.Old, New: e.New})
		}
	}
	for _, w := range r.rewrites {
		r.origins[w.New] = append(r.origins[w.New], w.Old)
		r.replaced[w.Old] = true
	}
	return r
}

// leaveOut takes out the commits of runs that were to leave no entry.
func (r *reportedCommits) leaveOut(unrecorded func(run string) bool, events []hook.Event) {
	runs, out := map[string]bool{"": false}, map[string]bool{}
	for _, e := range events {
		if _, ok := runs[e.Run]; !ok {
			runs[e.Run] = unrecorded(e.Run)
		}
		out[e.New] = out[e.New] || runs[e.Run]
	}
	r.ids = slices.DeleteFunc(r.ids, func(id string) bool { return out[id] })
}

// newest are the commits that nothing was made of since.
func (r reportedCommits) newest() []string {
	return slices.DeleteFunc(slices.Clone(r.ids), func(id string) bool { return r.replaced[id] })
}

// settled says whether a commit is done with, or every commit that it was made
// of: a commit that several were squashed into holds more than each of them.
func (r reportedCommits) settled(id string, done func(id string) bool) bool {
	return r.settledBeside(id, done, map[string]bool{})
}

// settledBeside is settled; path are the commits that the question came
// through, since rewrites may lead back to where they began.
func (r reportedCommits) settledBeside(id string, done func(string) bool, path map[string]bool) bool {
	if done(id) {
		return true
	}
	path[id] = true
	from := r.origins[id]
	all := len(from) > 0
	for _, old := range from {
		all = all && !path[old] && r.settledBeside(old, done, path)
	}
	delete(path, id)
	return all
}

// roots are all commits that the reported ones were made of, however long
// ago.
func (r reportedCommits) roots() []string {
	seen := map[string]bool{}
	todo := slices.Clone(r.ids)
	var roots []string
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, old := range r.origins[id] {
			if !seen[old] {
				seen[old] = true
				todo, roots = append(todo, old), append(roots, old)
			}
		}
	}
	return roots
}

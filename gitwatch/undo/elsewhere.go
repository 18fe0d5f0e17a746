package undo

import (
	"fmt"
	"slices"
	"strings"
)

// leaveElsewhere plans nothing for a change that another person committed, stashed or discarded. If
// the change can still be taken back, the plan says how.
func (u *Plan) leaveElsewhere(p *pathPlan) {
	p.work, p.index.to, p.head.to = p.now.File, p.index.from, p.head.from
	place := p.elsewhere
	if len(place.Commits) == 0 || p.head.from.Same(p.edit.before) && !place.Stash {
		return
	}
	ids := make([]string, len(place.Commits))
	for i, id := range slices.Backward(place.Commits) {
		ids[len(ids)-1-i] = id[:min(len(id), 7)]
	}
	newestFirst := strings.Join(ids, " ")
	verb, hint := "committed it", fmt.Sprintf("'git revert %s' takes it back", newestFirst)
	switch {
	case place.Stash:
		verb, hint = "stashed it", fmt.Sprintf("'git stash show -p %s' shows it", newestFirst)
	case place.Part:
		verb = "committed a part of it"
	}
	u.leaveAsIs(p, fmt.Sprintf("another person %s as %s: %s", verb, newestFirst, hint))
	u.elsewhere = append(u.elsewhere, hint)
}

// refuseElsewhere refuses a plan that has nothing to do because another person committed or stashed
// the run's changes.
func (u *Plan) refuseElsewhere() {
	if len(u.elsewhere) > 0 && u.Done() {
		u.Refused, u.Stays, u.Hint = u.Stays, nil, u.elsewhere[0]
	}
}

package undo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// leaveElsewhere plans nothing for a change that another person committed, stashed or discarded. If
// the change can still be taken back, the plan says how.
func (u *Plan) leaveElsewhere(ctx context.Context, p *pathPlan) {
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
	u.leaveAsIs(p, fmt.Sprintf("%s %s as %s: %s", u.tree.authorOf(ctx, ids), verb, newestFirst, hint))
	u.elsewhere = append(u.elsewhere, hint)
}

// refuseElsewhere refuses a plan that has nothing to do because another person committed or stashed
// the run's changes.
func (u *Plan) refuseElsewhere() {
	if len(u.elsewhere) > 0 && u.Done() {
		u.Refused, u.Stays, u.Hint = u.Stays, nil, u.elsewhere[0]
	}
}

// authorOf returns "you" if git's settings name the author of all the commits, by any address that .mailmap knows.
func (t workTree) authorOf(ctx context.Context, ids []string) string {
	own, err := git.Text(ctx, string(t), "config", "user.email")
	if err != nil || own == "" {
		return anotherPerson
	}
	if mapped, err := git.Text(ctx, string(t), "check-mailmap", "<"+own+">"); err == nil {
		own = strings.Trim(mapped[strings.LastIndexByte(mapped, '<')+1:], "<>")
	}
	authors, err := git.Text(ctx, string(t), append([]string{"-c", "log.showSignature=false", "log", "--no-walk", "--format=%aE"}, ids...)...)
	if err != nil || slices.ContainsFunc(strings.Fields(authors), func(a string) bool { return !strings.EqualFold(a, own) }) {
		return anotherPerson
	}
	return "you"
}

const anotherPerson = "another person"

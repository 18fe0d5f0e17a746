package app

import (
	"cmp"
	"strings"

	"agentflow/internal/config"
)

// RemembersHere reports whether the settings let sessions in the current repository be remembered. It returns true
// outside of a repository, and for settings that cannot be read, which doctor reports.
func RemembersHere(o *Operation) bool {
	place, dirs, err := o.Place()
	root := cmp.Or(place.Worktree, place.Root)
	if err != nil || root == "" {
		return true
	}
	settings, _, err := config.Load(o.Layers(place, dirs)) // opening memory warns of problems
	return err != nil || settings.Session.Remembers(root, dirs.Home)
}

// howToBegin returns a hint how to start a memory in a repository without one.
func howToBegin(o *Operation) string {
	agents := o.Topics.Remembering(o)
	switch {
	case len(agents) == 0:
		return "'agentflow run TASK' remembers its run, 'agentflow connect' the sessions of your agents; 'agentflow backfill' takes in the commits of this repository, 'agentflow init' makes an empty memory"
	case !RemembersHere(o):
		return "'agentflow connect --here' remembers sessions with " + strings.Join(agents, " and ") + " in this repository too; 'agentflow backfill' takes in its commits, 'agentflow run TASK' remembers its run"
	}
	return "your next session with " + strings.Join(agents, " or ") + " here is remembered; 'agentflow backfill' takes in the commits of this repository, 'agentflow remember TEXT' keeps a fact"
}

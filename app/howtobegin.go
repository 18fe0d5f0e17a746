package app

import (
	"cmp"
	"strings"

	"agentflow/internal/config"
)

// howToBegin returns a hint how to start a memory in a repository without one.
func howToBegin(o *Operation, place config.Place, dirs config.Dirs) string {
	agents := o.Topics.Remembering(o)
	settings, err := o.Load(place, dirs)
	switch {
	case len(agents) == 0 || err != nil:
		return "'agentflow run TASK' remembers its run, 'agentflow connect' the sessions of your agents; 'agentflow backfill' takes in the commits of this repository, 'agentflow init' makes an empty memory"
	case !settings.Session.Remembers(cmp.Or(place.Worktree, place.Root), dirs.Home):
		return "'agentflow connect --here' remembers sessions with " + strings.Join(agents, " and ") + " in this repository too; 'agentflow backfill' takes in its commits, 'agentflow run TASK' remembers its run"
	}
	return "your next session with " + strings.Join(agents, " or ") + " here is remembered; 'agentflow backfill' takes in the commits of this repository, 'agentflow remember TEXT' keeps a fact"
}

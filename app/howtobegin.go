package app

import (
	"cmp"
	"slices"
	"strings"

	"agentflow/config"
	"agentflow/connect"
)

// howToBegin returns a hint how to start a memory in a repository without one.
func howToBegin(o *operation, place config.Place, dirs config.Dirs) string {
	agents := o.topics.remembering(o)
	settings, err := o.load(place, dirs)
	switch {
	case len(agents) == 0 || err != nil:
		return "'agentflow run TASK' remembers its run, 'agentflow connect' the sessions of your agents; 'agentflow init' makes an empty memory"
	case !settings.Session.Remembers(cmp.Or(place.Worktree, place.Root), dirs.Home):
		return "'agentflow connect --here' remembers sessions with " + strings.Join(agents, " and ") + " in this repository too; 'agentflow run TASK' remembers its run"
	}
	return "your next session with " + strings.Join(agents, " or ") + " here is remembered; 'agentflow backfill' takes in the commits of this repository, 'agentflow remember TEXT' keeps a fact"
}

// remembering lists the agents that are connected so that memory records their sessions.
func remembering(o *operation) []string {
	c, err := newConnector(o)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(connect.Agents), func(agent string) bool {
		way := c.wayOf(agent)
		return way != "plugin" && way != "hooks"
	})
}

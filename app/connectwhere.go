package app

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"agentflow/config"
	"agentflow/connect"
)

// ConnectAgents lists the agents that can be connected.
var ConnectAgents = connect.Agents

// SessionsWhere selects the repositories in which sessions of agents are remembered.
type SessionsWhere string

// The values of SessionsWhere.
const (
	SessionsAsBefore SessionsWhere = ""      // as the settings say
	SessionsEvery    SessionsWhere = "every" // in every repository
	SessionsHere     SessionsWhere = "here"  // in this repository, and in those that are already listed
)

// RememberSessionsResult describes the settings after the change.
type RememberSessionsResult struct {
	File     string // the user's settings file, if it was changed
	Words    string // where sessions are remembered
	Degraded []string
}

// RememberSessions changes the user's own settings so that sessions are remembered where the caller
// says. Errors are as for SetConfig.
func RememberSessions(ctx context.Context, m *Memory, where SessionsWhere) (result RememberSessionsResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	if where == SessionsAsBefore {
		return result, nil
	}
	place, dirs, err := placeOrNone(o)
	if err != nil {
		return result, err
	}
	if where == SessionsEvery {
		result.Words = "every repository"
		return result, setSession(ctx, m, &result, "session.where", "every")
	}
	root := cmp.Or(place.Worktree, place.Root)
	if root == "" {
		return result, config.ErrNoPlace
	}
	settings, err := o.load(place, dirs)
	if err != nil {
		return result, err
	}
	if listed := settings.Session.Repositories; !slices.Contains(listed, root) {
		list, err := json.Marshal(append(slices.Clone(listed), root)) // a JSON list is a TOML list too
		if err == nil {
			err = setSession(ctx, m, &result, "session.repositories", string(list))
		}
		if err != nil {
			return result, err
		}
	}
	result.Words = strings.Join(append(slices.DeleteFunc(slices.Clone(settings.Session.Repositories), func(s string) bool { return s == root }), root), ", ")
	return result, setSession(ctx, m, &result, "session.where", "listed")
}

func setSession(ctx context.Context, m *Memory, result *RememberSessionsResult, key, value string) error {
	set, err := SetConfig(ctx, m, SetConfigRequest{Key: key, Value: &value})
	result.File = set.File
	return err
}

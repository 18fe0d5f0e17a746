package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"agentflow/app"
	appconnect "agentflow/app/connect"
	"agentflow/internal/config"
)

// RememberSessions changes the user's own settings so that sessions are remembered where the caller
// says. Errors are as for SetConfig.
func RememberSessions(ctx context.Context, m *app.Memory, where appconnect.SessionsWhere) (result appconnect.RememberSessionsResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	if where == appconnect.SessionsAsBefore {
		return result, nil
	}
	place, dirs, err := appconnect.PlaceOrNone(o)
	if err != nil {
		return result, err
	}
	if where == appconnect.SessionsEvery {
		result.Words = "every repository"
		return result, setSession(ctx, m, &result, "session.where", "every")
	}
	root := cmp.Or(place.Worktree, place.Root)
	if root == "" {
		return result, config.ErrNoPlace
	}
	settings, err := o.Load(place, dirs)
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

// RemembersHere is app.RemembersHere for a door.
func RemembersHere(ctx context.Context, m *app.Memory) (here bool) {
	o := m.Begin(ctx)
	var degraded []string
	var err error
	defer o.End(&degraded, &err)
	return app.RemembersHere(o)
}

func setSession(ctx context.Context, m *app.Memory, result *appconnect.RememberSessionsResult, key, value string) error {
	set, err := SetConfig(ctx, m, SetConfigRequest{Key: key, Value: &value})
	result.File = set.File
	return err
}

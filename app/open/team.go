package open

import (
	"context"
	"errors"
	"fmt"

	"agentflow/app"
	appteam "agentflow/app/team"
	"agentflow/gitwatch/memref"
	"agentflow/internal/tempfolder"
	"agentflow/internal/writeturns"
)

// OpenTeam opens the team of the user's settings. Errors are of KindUsage, or of
// KindUnavailable if the database fails.
func OpenTeam(ctx context.Context, env app.Env) (t *appteam.Team, err error) {
	settings, err := appteam.UserSettings(env)
	if err != nil {
		return nil, err
	}
	remotes, err := appteam.TeamRemotes(settings.Team.Remotes)
	if err != nil {
		return nil, err
	}
	t = &appteam.Team{Settings: settings.Team, LookTime: appteam.LookTime}
	t.Ctx, t.End = context.WithCancelCause(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
			t = nil
		}
	}()
	if t.Records, err = appteam.OpenRecords(ctx, env, settings); err != nil {
		return t, err
	}
	key, err := t.Records.Key(ctx)
	if err == nil {
		t.Seat, err = t.Records.Sit(ctx)
	}
	if err != nil {
		return t, appteam.Unavailable(err)
	}
	if t.Folder, err = tempfolder.New("", "agentflow-team-"); err != nil {
		return t, err
	}
	env.Vars = append(env.Vars[:len(env.Vars):len(env.Vars)], "XDG_DATA_HOME="+t.Folder.Path("own"), "XDG_STATE_HOME="+t.Folder.Path("state"))
	for _, r := range remotes {
		repo, err := memref.Init(ctx, t.Folder.Path("repositories", r.Name))
		if err != nil {
			return t, fmt.Errorf("making a repository for the memory of %s: %w", r.Name, err)
		}
		m, err := Open(ctx, repo.Dir, env)
		if err != nil {
			return t, err
		}
		m.Policy.Team = true
		m.Team = &app.Teamwork{Repository: r.Name, Remote: r.Address, Index: fmt.Sprintf("team/%s/%d", r.Name, t.Seat.Number), Key: key, Records: t.Records, WriteTime: appteam.WriteTime}
		m.Team.Conceal(r.Address, repo.Dir, t.Folder.Dir)
		m.Team.Turns = &writeturns.Queue{Run: func(ctx context.Context, waiting []*writeturns.Waiter) error { return appteam.Turn(ctx, m, waiting) }, Ctx: t.Ctx}
		t.Repositories = append(t.Repositories, app.Repository{Name: r.Name, Memory: m})
	}
	return t, nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentflow/config"
	"agentflow/gitwatch/memref"
	"agentflow/internal/tempfolder"
	"agentflow/team"
)

// followTime is the time between two reads of a remote.
const followTime = 3 * time.Second

// manyRemotes is how many remotes are read at the same time, not counting the slow ones.
const manyRemotes = 4

// Limits for waiting on a remote. A read or write that exceeds its limit continues, and counts when it is done.
const (
	lookTime  = 10 * time.Second // for a look, and for all of them at the start
	writeTime = 30 * time.Second // for a write
)

// errSlow means that a wait reached one of these limits.
var errSlow = &Error{Kind: KindUnavailable, Err: errors.New("the remote does not answer in time, or another server writes for a long time"), Hint: "ask again"}

// Team is the state of a team's server: the memories of repositories, which follow their
// remotes, and the known callers. Nothing of it outlives the process: the remotes have the
// memory, the database has the rights and the audit. It is safe for concurrent use.
type Team struct {
	Repositories []Repository // in the order of the settings
	Settings     config.Team

	records *team.Records
	seat    *team.Seat
	folder  *tempfolder.Folder
	ctx     context.Context // ends with the Team
	end     context.CancelCauseFunc

	lookTime time.Duration
}

// OpenTeam opens the team of the user's settings. Errors are of KindUsage, or of
// KindUnavailable if the database fails.
func OpenTeam(ctx context.Context, env Env) (t *Team, err error) {
	settings, err := userSettings(env)
	if err != nil {
		return nil, err
	}
	remotes, err := teamRemotes(settings.Team.Remotes)
	if err != nil {
		return nil, err
	}
	t = &Team{Settings: settings.Team, lookTime: lookTime}
	t.ctx, t.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
			t = nil
		}
	}()
	if t.records, err = openRecords(ctx, env, settings); err != nil {
		return t, err
	}
	key, err := t.records.Key(ctx)
	if err == nil {
		t.seat, err = t.records.Sit(ctx)
	}
	if err != nil {
		return t, unavailable(err)
	}
	if t.folder, err = tempfolder.New("", "agentflow-team-"); err != nil {
		return t, err
	}
	env.Vars = append(env.Vars[:len(env.Vars):len(env.Vars)], "XDG_DATA_HOME="+t.folder.Path("own"), "XDG_STATE_HOME="+t.folder.Path("state"))
	for _, r := range remotes {
		repo, err := memref.Init(ctx, t.folder.Path("repositories", r.name))
		if err != nil {
			return t, fmt.Errorf("making a repository for the memory of %s: %w", r.name, err)
		}
		m, err := Open(ctx, repo.Dir, env)
		if err != nil {
			return t, err
		}
		m.team = &teamwork{repository: r.name, remote: r.address, index: fmt.Sprintf("team/%s/%d", r.name, t.seat.Number), key: key, records: t.records, writeTime: writeTime,
			places: newPlaces(r.name, r.address, repo.Dir, t.folder.Dir)}
		m.team.turns = &writeTurns{run: func(ctx context.Context, waiting []*waiter) error { return turn(ctx, m, waiting) }, ctx: t.ctx}
		t.Repositories = append(t.Repositories, Repository{r.name, m})
	}
	return t, nil
}

// errEnding means that the server ends.
var errEnding = errors.New("the server ends")

// Close ends all use, and releases the server's seat. The caller ends Follow first.
func (t *Team) Close() error {
	t.end(errEnding)
	var err error
	for _, r := range t.Repositories {
		r.Memory.team.turns.await()
		err = errors.Join(err, r.Memory.Close())
	}
	if t.seat != nil {
		t.seat.Leave(t.ctx)
	}
	if t.records != nil {
		t.records.Close()
	}
	if t.folder != nil {
		err = errors.Join(err, t.folder.Remove())
	}
	return err
}

// Ready brings all memories up to date for the first time. It warns about remotes that cannot
// be read or take long; Follow asks them again.
func (t *Team) Ready(ctx context.Context, warn func(format string, args ...any)) {
	look, cancel := context.WithTimeoutCause(ctx, t.lookTime, errSlow)
	defer cancel()
	var beside sync.WaitGroup
	free := make(chan struct{}, manyRemotes)
	for _, r := range t.Repositories {
		beside.Go(func() {
			err := error(errSlow)
			select {
			case free <- struct{}{}:
				err = refresh(look, r.Memory)
				<-free
			case <-look.Done():
			}
			r.Memory.team.tellRefused(r.Name, warn)
			if err != nil && ctx.Err() == nil {
				warn("%s: %v", r.Name, err)
			}
		})
	}
	beside.Wait()
}

// Follow keeps the memories in step with their remotes until ctx ends, which is its normal
// end. It calls warn once for each remote that cannot be read, for each refused clone folder,
// and when the database does not answer.
func (t *Team) Follow(ctx context.Context, warn func(format string, args ...any)) {
	var beside sync.WaitGroup
	free := make(chan struct{}, manyRemotes)
	for _, r := range t.Repositories {
		beside.Go(func() { followRemote(ctx, r, t.lookTime, free, warn) })
	}
	t.seat.Keep(ctx, func(err error) { warn("%v: %v", errNoDatabase, err) })
	beside.Wait()
}

// followRemote keeps one memory in step with its remote. It waits for a place in free, unless the
// remote is slow, so that slow remotes do not delay others.
func followRemote(ctx context.Context, r Repository, most time.Duration, free chan struct{}, warn func(format string, args ...any)) {
	told := ""
	var err error
	for range ticks(ctx, followTime) {
		err = lookAtRemote(ctx, r, most, free, errors.Is(err, errSlow))
		if ctx.Err() != nil {
			return
		}
		r.Memory.team.tellRefused(r.Name, warn)
		switch {
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			warn("%s: %v", r.Name, err)
		}
	}
}

// lookAtRemote brings the memory up to its remote's state, and waits at most as long as most.
func lookAtRemote(ctx context.Context, r Repository, most time.Duration, free chan struct{}, slow bool) error {
	if !slow {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-free }()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, errSlow)
	defer cancel()
	return refresh(ctx, r.Memory)
}

// userSettings returns the user's own settings, without those of a repository.
func userSettings(env Env) (*config.Config, error) {
	o := (&Memory{env: env}).silent()
	dirs, err := o.dirs()
	if err != nil {
		return nil, &Error{Kind: KindUsage, Err: err}
	}
	settings, _, err := config.Load(o.layers(config.Place{}, dirs))
	return settings, err
}

// openRecords opens the database of the settings.
func openRecords(ctx context.Context, env Env, settings *config.Config) (*team.Records, error) {
	name := settings.Index.DSNEnv
	dsn := env.get(name)
	if dsn == "" && env.get("PGHOST") == "" && env.get("PGSERVICE") == "" {
		return nil, &Error{Kind: KindUsage, Err: errors.New("a server of a team needs a PostgreSQL database"),
			Hint: fmt.Sprintf("set %s, which dsn_env in [index] names, to its DSN", name)}
	}
	records, err := team.Open(ctx, dsn)
	if err != nil {
		return nil, &Error{Kind: KindUnavailable, Err: err, Hint: fmt.Sprintf("see that PostgreSQL runs, and that %s names a database which you may make schemas in", name)}
	}
	return records, nil
}

// unavailable returns the error for a failed query of the records.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Kind: KindUnavailable, Err: fmt.Errorf("%w: %w", errNoDatabase, err), Hint: "ask again"}
}

// Package team keeps the memories of a team's server in step with their remotes (Ready, Follow), finds the caller of a
// token or a login (Caller, LoggedIn), and manages tokens (AddToken, RevokeToken) and the audit (ListChanges). OpenTeam
// of package app/open opens the memories.
//
// Each remote has a repository in a temporary folder. Its memory is the folder of the team's key on the shared ref.
// Its index is in PostgreSQL, under the name of the repository and of the server's seat, a number that an advisory
// lock holds. A server that starts again finds the index of one that ended.
//
// The truth is only on the remote, so a write is a turn. All writers that wait for the repository share the next
// turn. It takes a lock in the database, so that one server writes at a time. An exchange brings memory to the state
// of the remote, including writes of another server with the same key. Then the writers write, the audit is noted,
// and another exchange pushes under git's lease, which decides if another server was faster. Then the writers are
// answered. A turn that fails answers all of them with "ask again", which is safe, because an existing item is not
// written twice. Nothing goes to the remote without a note in the audit. A turn without writers is one exchange: a
// server follows its remotes this way, every 3 s. The database holds only hashes of tokens.
//
// A remote that does not answer is waited for 10 s at the start and by a look, and 30 s by a write. Its git continues
// separately and takes no place of other remotes. A folder that an exchange refuses is reported once.
package team

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/internal/config"
	"agentflow/internal/team"
	"agentflow/internal/tempfolder"
)

// followTime separates two reads of a remote.
const followTime = 3 * time.Second

// manyRemotes limits the remotes read at the same time, not counting the slow ones.
const manyRemotes = 4

// Limits for waiting on a remote. A read or write that exceeds its limit continues, and counts when it is done.
const (
	LookTime  = 10 * time.Second // for a look, and for all of them at the start
	WriteTime = 30 * time.Second // for a write
)

// Team is the state of a team's server: the memories of repositories, which follow their
// remotes, and the known callers. Nothing of it outlives the process: the remotes have the
// memory, the database has the rights and the audit. It is safe for concurrent use.
type Team struct {
	Repositories []app.Repository // in the order of the settings
	Settings     config.Team

	Records *team.Records
	Seat    *team.Seat
	Folder  *tempfolder.Folder
	Ctx     context.Context // ends with the Team
	End     context.CancelCauseFunc

	LookTime time.Duration
}

// errEnding means that the server ends.
var errEnding = errors.New("the server ends")

// Close ends all use, and releases the server's seat. The caller ends Follow first.
func (t *Team) Close() error {
	t.End(errEnding)
	var err error
	for _, r := range t.Repositories {
		r.Memory.Team.Turns.Await()
		err = errors.Join(err, r.Memory.Close())
	}
	if t.Seat != nil {
		t.Seat.Leave(t.Ctx)
	}
	if t.Records != nil {
		t.Records.Close()
	}
	if t.Folder != nil {
		err = errors.Join(err, t.Folder.Remove())
	}
	return err
}

// Ready brings all memories up to date for the first time. It warns about remotes that cannot
// be read or take long; Follow asks them again.
func (t *Team) Ready(ctx context.Context, warn func(format string, args ...any)) {
	look, cancel := context.WithTimeoutCause(ctx, t.LookTime, app.ErrSlow)
	defer cancel()
	var beside sync.WaitGroup
	free := make(chan struct{}, manyRemotes)
	for _, r := range t.Repositories {
		beside.Go(func() {
			err := error(app.ErrSlow)
			select {
			case free <- struct{}{}:
				err = refresh(look, r.Memory)
				<-free
			case <-look.Done():
			}
			r.Memory.Team.TellRefused(r.Name, warn)
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
		beside.Go(func() { followRemote(ctx, r, t.LookTime, free, warn) })
	}
	t.Seat.Keep(ctx, func(err error) { warn("%v: %v", errNoDatabase, err) })
	beside.Wait()
}

// followRemote keeps one memory in step with its remote. It waits for a place in free, unless the
// remote is slow, so that slow remotes do not delay others.
func followRemote(ctx context.Context, r app.Repository, most time.Duration, free chan struct{}, warn func(format string, args ...any)) {
	told := ""
	var err error
	for range app.Ticks(ctx, followTime) {
		err = lookAtRemote(ctx, r, most, free, errors.Is(err, app.ErrSlow))
		if ctx.Err() != nil {
			return
		}
		r.Memory.Team.TellRefused(r.Name, warn)
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
func lookAtRemote(ctx context.Context, r app.Repository, most time.Duration, free chan struct{}, slow bool) error {
	if !slow {
		select {
		case free <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-free }()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, most, app.ErrSlow)
	defer cancel()
	return refresh(ctx, r.Memory)
}

// UserSettings returns the user's own settings, without those of a repository.
func UserSettings(env app.Env) (*config.Config, error) {
	o := (&app.Memory{Env: env}).Silent()
	dirs, err := o.Dirs()
	if err != nil {
		return nil, &app.Error{Kind: app.KindUsage, Err: err}
	}
	settings, _, err := config.Load(o.Layers(config.Place{}, dirs))
	return settings, err
}

// OpenRecords opens the database of the settings.
func OpenRecords(ctx context.Context, env app.Env, settings *config.Config) (*team.Records, error) {
	name := settings.Index.DSNEnv
	dsn := env.Get(name)
	if dsn == "" && env.Get("PGHOST") == "" && env.Get("PGSERVICE") == "" {
		return nil, &app.Error{Kind: app.KindUsage, Err: errors.New("a server of a team needs a PostgreSQL database"),
			Hint: fmt.Sprintf("set %s, which dsn_env in [index] names, to its DSN", name)}
	}
	records, err := team.Open(ctx, dsn)
	if err != nil {
		return nil, &app.Error{Kind: app.KindUnavailable, Err: err, Hint: fmt.Sprintf("see that PostgreSQL runs, and that %s names a database which you may make schemas in", name)}
	}
	return records, nil
}

// Unavailable returns the error for a failed query of the records.
func Unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("%w: %w", errNoDatabase, err), Hint: "ask again"}
}

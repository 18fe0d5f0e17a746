package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agentflow/config"
	"agentflow/gitwatch/memref"
	"agentflow/share"
	"agentflow/share/exchange"
	"agentflow/team"
)

// followTime is the time between two looks at a remote.
const followTime = 3 * time.Second

// manyRemotes is how many remotes are looked at side by side.
const manyRemotes = 4

// Team is what a server of a team serves: the memories of repositories, which follow their
// remotes, and who may ask. Nothing of it outlives the process: truth is in the remotes,
// rights and the audit are in the database. It is safe for concurrent use.
type Team struct {
	Repositories []TeamRepository // in the order of the settings
	Settings     config.Team

	records *team.Records
	seat    *team.Seat
	dir     string // of this process alone
	ctx     context.Context
	end     context.CancelCauseFunc
}

// TeamRepository is one of the repositories, with the name that requests have for it.
type TeamRepository struct {
	Name   string
	Memory *Memory
}

// OpenTeam opens what the user's settings say. Errors are of KindUsage and of
// KindUnavailable: the database or, where none can be asked, the remotes.
func OpenTeam(ctx context.Context, env Env) (t *Team, err error) {
	settings, err := userSettings(env)
	if err != nil {
		return nil, err
	}
	names, err := remoteNames(settings.Team.Remotes)
	if err != nil {
		return nil, err
	}
	t = &Team{Settings: settings.Team}
	t.ctx, t.end = context.WithCancelCause(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	if t.records, err = openRecords(ctx, env, settings); err != nil {
		return t, err
	}
	if t.seat, err = t.records.Sit(ctx); err != nil {
		return t, &Error{Kind: KindUnavailable, Err: err}
	}
	if t.dir, err = os.MkdirTemp("", "agentflow-team-"); err != nil {
		return t, err
	}
	env.Vars = append(env.Vars[:len(env.Vars):len(env.Vars)], "XDG_DATA_HOME="+filepath.Join(t.dir, "own"))
	for i, remote := range settings.Team.Remotes {
		m, err := t.open(ctx, env, names[i], remote)
		if err != nil {
			return t, err
		}
		t.Repositories = append(t.Repositories, TeamRepository{names[i], m})
	}
	return t, nil
}

// open makes the memory of a repository, which is empty yet.
func (t *Team) open(ctx context.Context, env Env, name, remote string) (*Memory, error) {
	repo, err := memref.Init(ctx, filepath.Join(t.dir, "repositories", name))
	if err != nil {
		return nil, fmt.Errorf("making a repository for the memory of %s: %w", name, err)
	}
	m, err := Open(ctx, repo.Dir, env)
	if err != nil {
		return nil, err
	}
	m.team = &teamwork{repository: name, index: fmt.Sprintf("team/%s/%d", name, t.seat.Number), seat: t.seat, records: t.records,
		lost: func() { t.end(team.ErrLost) }}
	m.team.exchanges = &rounds{run: func() error { return m.exchange(t.ctx) }}
	ref := exchange.Ref
	if err := repo.Fetch(ctx, remote, exchange.Branch, "refs/agentflow/fetched"); err == nil {
		ref = exchange.Branch // which 'agentflow share --branch' made
	}
	s, err := m.silent().openToShare(ctx)
	if err == nil {
		err = s.setSharing(&sharing{remote, ref, share.All})
	}
	return m, err
}

// Close ends all use, and gives the server's place free.
func (t *Team) Close() error {
	t.end(nil)
	var err error
	for _, r := range t.Repositories {
		err = errors.Join(err, r.Memory.Close())
	}
	if t.records != nil {
		t.records.Close()
	}
	if t.dir != "" {
		err = errors.Join(err, os.RemoveAll(t.dir))
	}
	return err
}

// Follow keeps the memories as the remotes have them until ctx ends, which is its normal
// end. warn hears, once, why one cannot be asked. The error is of KindUnavailable: another
// server has taken the place of this one, which has to end.
func (t *Team) Follow(ctx context.Context, warn func(format string, args ...any)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.ctx, func() { cancel(context.Cause(t.ctx)) })()
	var beside sync.WaitGroup
	turns := make(chan struct{}, manyRemotes)
	for _, r := range t.Repositories {
		beside.Go(func() { r.follow(ctx, turns, warn) })
	}
	err := t.seat.Keep(ctx)
	cancel(err)
	beside.Wait()
	if err = cmp.Or(err, context.Cause(ctx)); errors.Is(err, team.ErrLost) {
		return &Error{Kind: KindUnavailable, Err: err, Hint: "start it again: it takes another place"}
	}
	return nil
}

// follow keeps one memory as its remote has it.
func (r TeamRepository) follow(ctx context.Context, turns chan struct{}, warn func(format string, args ...any)) {
	told := ""
	tick := time.NewTicker(followTime)
	defer tick.Stop()
	for {
		select {
		case turns <- struct{}{}:
		case <-ctx.Done():
			return
		}
		err := r.Memory.team.exchanges.wait(ctx)
		<-turns
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			told = ""
		case err.Error() != told:
			told = err.Error()
			warn("%s: %v", r.Name, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Ready brings all memories up to date for the first time. A remote that cannot be asked
// is told of, and followed.
func (t *Team) Ready(ctx context.Context, warn func(format string, args ...any)) {
	for _, r := range t.Repositories {
		if err := r.Memory.team.exchanges.wait(ctx); err != nil {
			warn("%s: %v", r.Name, err)
		}
	}
}

// userSettings are the user's own: no repository has a say in them.
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
		return nil, &Error{Kind: KindUnavailable, Err: err}
	}
	return records, nil
}

// remoteNames names remotes as their repositories are called.
func remoteNames(remotes []string) (names []string, err error) {
	if len(remotes) == 0 {
		return nil, &Error{Kind: KindUsage, Err: errors.New("no remotes are set whose memory is to be served"), Hint: "'agentflow config set team.remotes git@example.com:team/shop.git' sets one"}
	}
	taken := map[string]string{}
	for _, remote := range remotes {
		name := remoteName(remote)
		if name == "" {
			return nil, usagef("team.remotes: %q names no repository", remote)
		}
		if other, ok := taken[name]; ok {
			return nil, usagef("team.remotes: %q and %q would both be %q", other, remote, name)
		}
		taken[name] = remote
		names = append(names, name)
	}
	return names, nil
}

// remoteName is the last part of an address, without .git.
func remoteName(remote string) string {
	if u, err := url.Parse(remote); err == nil && u.Host != "" {
		remote = u.Path
	}
	remote = strings.TrimRight(filepath.ToSlash(remote), "/")
	name := strings.TrimSuffix(path.Base(remote[strings.LastIndexByte(remote, ':')+1:]), ".git")
	if strings.Trim(name, ".") == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return ""
	}
	return name
}

// unavailable is the error of a question to the records.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &Error{Kind: KindUnavailable, Err: fmt.Errorf("the team's database does not answer: %w", err), Hint: "ask again"}
}

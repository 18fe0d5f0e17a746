package team

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/internal/lists"
	"agentflow/internal/team"
)

// LoginLife limits the life of a page's login.
const LoginLife = 12 * time.Hour

// ErrUnknownCaller means that a token or a login is unknown, was revoked or has expired.
var ErrUnknownCaller = errors.New("the token is not known, or has expired")

// Caller returns the person that a secret token belongs to. The error matches
// ErrUnknownCaller, or is of KindUnavailable.
func (t *Team) Caller(ctx context.Context, secret string) (app.Caller, error) {
	return knownCaller(t.Records.Find(ctx, secret))
}

// LoggedIn returns the person that a login cookie belongs to. Errors are as for Caller.
func (t *Team) LoggedIn(ctx context.Context, value string) (app.Caller, error) {
	return knownCaller(t.Records.LoggedIn(ctx, value))
}

// LogIn begins a login of the page, for LoginLife; errors are as for Caller.
func (t *Team) LogIn(ctx context.Context, secret string) (value string, err error) {
	value, err = t.Records.LogIn(ctx, secret, LoginLife)
	_, err = knownCaller(team.Token{}, err)
	return value, err
}

// LogOut ends a login.
func (t *Team) LogOut(ctx context.Context, value string) error {
	return withoutPlace(Unavailable(t.Records.LogOut(ctx, value)))
}

func knownCaller(token team.Token, err error) (app.Caller, error) {
	if errors.Is(err, team.ErrUnknown) {
		return app.Caller{}, ErrUnknownCaller
	}
	return CallerOf(token), withoutPlace(Unavailable(err))
}

// withoutPlace returns an error of the database for callers who may have no token. It hides
// the place of the database and the server's user name there.
func withoutPlace(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &app.Error{Kind: app.KindUnavailable, Err: errNoDatabase, Hint: "ask again; the server's log says why"}
}

var errNoDatabase = errors.New("the team's database does not answer")

// TokenRequest describes a new token.
type TokenRequest struct {
	Name         string
	Repositories []string // by their names on the server; empty: all
	Writes       bool
	Expires      string // a time (RFC 3339), a date or a duration from now such as 90d; empty: never
}

// AddToken makes a token of the user's team and returns it; it is stored nowhere else. Errors
// are of KindUsage, KindRefused (the name already has a token) and KindUnavailable.
func AddToken(ctx context.Context, env app.Env, req TokenRequest) (secret string, err error) {
	if err := team.CheckName(req.Name); err != nil {
		return "", app.Usagef("%w", err)
	}
	settings, err := UserSettings(env)
	if err != nil {
		return "", err
	}
	remotes, err := TeamRemotes(settings.Team.Remotes)
	if err != nil {
		return "", err
	}
	expires, err := fact.ParseExpiry(req.Expires, time.Now())
	if err == nil && req.Expires != "" && !expires.After(time.Now()) {
		err = app.Usagef("%q is past", req.Expires)
	}
	if err != nil {
		return "", app.Usagef("expires: %w", err)
	}
	names := lists.Mapped(remotes, func(r teamRemote) string { return r.Name })
	for _, r := range req.Repositories {
		if !slices.Contains(names, r) {
			return "", app.Usagef("the server has no repository %q, but %q", r, names)
		}
	}
	err = withRecords(ctx, env, func(records *team.Records) error {
		secret, err = records.Add(ctx, team.Token{Name: req.Name, Repositories: req.Repositories, Writes: req.Writes, Expires: expires})
		return err
	})
	if errors.Is(err, team.ErrTaken) {
		err = &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%q has a token", req.Name), Hint: "'agentflow serve token revoke' takes it back"}
	}
	return secret, err
}

// ListTokens returns the tokens of the user's team, by name, without their secrets.
func ListTokens(ctx context.Context, env app.Env) (list []api.Token, err error) {
	err = withRecords(ctx, env, func(records *team.Records) error {
		tokens, err := records.Tokens(ctx)
		list = lists.Mapped(tokens, func(t team.Token) api.Token {
			return api.Token{Name: t.Name, Repositories: lists.Filled(t.Repositories), Writes: t.Writes, Created: t.Created, Expires: t.Expires}
		})
		return err
	})
	return list, err
}

// RevokeToken revokes a token and its logins at once. KindNotFound means that no token
// has that name.
func RevokeToken(ctx context.Context, env app.Env, name string) error {
	err := withRecords(ctx, env, func(records *team.Records) error { return records.Revoke(ctx, name) })
	if errors.Is(err, team.ErrNone) {
		err = &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("%q has no token", name), Hint: "'agentflow serve token list' lists them"}
	}
	return err
}

// ListChanges returns the last changes that people made through the servers of the user's
// team, the newest first.
func ListChanges(ctx context.Context, env app.Env, limit int) (list []api.TeamChange, err error) {
	err = withRecords(ctx, env, func(records *team.Records) error {
		changes, err := records.Changes(ctx, limit)
		list = lists.Mapped(changes, func(c team.Change) api.TeamChange { return api.TeamChange(c) })
		return err
	})
	return list, err
}

// withRecords runs do with the database of the user's team.
func withRecords(ctx context.Context, env app.Env, do func(*team.Records) error) error {
	settings, err := UserSettings(env)
	if err != nil {
		return err
	}
	records, err := OpenRecords(ctx, env, settings)
	if err != nil {
		return err
	}
	defer records.Close()
	if err = do(records); errors.Is(err, team.ErrTaken) || errors.Is(err, team.ErrNone) {
		return err
	}
	return Unavailable(err)
}

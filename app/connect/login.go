package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/builtin"
	"agentflow/executor"
	"agentflow/internal/safefile"
)

// claudeKeys name the variables that log Claude Code in, or that select another provider with a
// separate login.
var claudeKeys = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"}

// claudeHasKey returns the name of the variable that logs Claude Code in, or "" if none is set.
func claudeHasKey(o *app.Operation) string {
	for _, name := range claudeKeys {
		if o.Getenv(name) != "" {
			return name
		}
	}
	return ""
}

// claudeHasCredentials reports whether Claude Code keeps a login in a file. On a Mac the login may be in the keychain
// instead.
func claudeHasCredentials(s *app.Repo) bool {
	folder := s.Getenv("CLAUDE_CONFIG_DIR")
	if folder == "" {
		folder = filepath.Join(s.Dirs.Home, ".claude")
	}
	info, err := os.Stat(filepath.Join(folder, ".credentials.json"))
	return err == nil && info.Size() > 0
}

// ErrNoLogin reports that Claude Code is not logged in.
var ErrNoLogin = errors.New("claude is not logged in")

// claudeLogin asks Claude Code whether and how it is logged in. This takes half a second and uses no network. The error
// is ErrNoLogin if it is not logged in, and another one if the program does not answer.
func claudeLogin(ctx context.Context, o *app.Operation, program string) (by string, err error) {
	out, err := OutputOf(ctx, AskLogin, WithUser(o.Environ), program, "auth", "status")
	var status claudeStatus
	switch {
	case json.Unmarshal(out, &status) != nil || status.LoggedIn == nil:
		return "", errors.Join(errors.New("'claude auth status' does not say whether it is logged in"), err, ctx.Err())
	case !*status.LoggedIn:
		return "", ErrNoLogin
	}
	return status.by(), nil
}

// claudeStatus is the output of 'claude auth status' as of version 2.1.197. The output of a claude.ai login also has
// its address and organisation.
type claudeStatus struct {
	LoggedIn         *bool
	AuthMethod       string // none, api_key, oauth_token, claude.ai, third_party
	APIProvider      string // firstParty, bedrock, …
	APIKeySource     string // for api_key: the name of the variable
	SubscriptionType string // for claude.ai
}

// by describes the login of Claude Code: ", by api key of ANTHROPIC_API_KEY". It is empty for a version that does not
// report the method.
func (s claudeStatus) by() string {
	switch {
	case s.APIProvider != "" && s.APIProvider != "firstParty":
		return ", through " + s.APIProvider
	case s.AuthMethod == "":
		return ""
	}
	by := ", by " + strings.ReplaceAll(s.AuthMethod, "_", " ")
	if s.APIKeySource != "" {
		by += " of " + s.APIKeySource
	}
	if s.SubscriptionType != "" {
		by += ", " + s.SubscriptionType
	}
	return by
}

// AskLogin limits Claude Code's time to report whether it is logged in.
const AskLogin = 15 * time.Second

// CheckLogin returns the doctor's check of the login of Claude Code.
func CheckLogin(ctx context.Context, o *app.Operation, program string) api.Check {
	key := claudeHasKey(o)
	by, err := claudeLogin(ctx, o, program)
	switch {
	case err == nil:
		return api.Passed("login", "claude says that it is logged in"+by)
	case key != "":
		return api.Passed("login", key+" is set")
	case errors.Is(err, ErrNoLogin):
		return Failed("login", err.Error(), builtin.Agents[0].Login)
	}
	return api.Warned("login", err.Error(), builtin.Agents[0].Login)
}

// OutputOf returns the output of a program that ends within limit. It does not wait for processes that the program
// leaves running.
func OutputOf(ctx context.Context, limit time.Duration, environ []string, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.WaitDelay = executor.Environ(environ), time.Second
	out, err := cmd.Output()
	if over := ctx.Err(); over != nil {
		err = fmt.Errorf("no answer within %v: %w", limit, over)
	}
	return out, err
}

// Ready returns an error if an agent cannot run unattended. An agent without a login would fail for a reason that no
// person sees, or wait for a login.
func Ready(ctx context.Context, s *app.Repo, agent string) error {
	argv := []string{agent}
	if named, ok := s.Settings.Agents[agent]; ok {
		argv = named.Argv
	} else if _, known := builtin.Named(s.Settings, agent); !known {
		return fmt.Errorf("agent %s cannot run by itself: only claude, codex, gemini, opencode and those named in the settings can", agent)
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("looking for agent %s: %w", agent, err)
	}
	if agent != "claude" || claudeHasKey(s.Operation) != "" {
		return nil
	}
	if home := s.Dirs.Home; home != "" && !safefile.IsDir(home) {
		return fmt.Errorf("claude has no key in its environment, and HOME is %s, which is no folder to find a login in", home)
	}
	if claudeHasCredentials(s) {
		return nil
	}
	_, err = claudeLogin(ctx, s.Operation, program)
	return err
}

// WithUser adds the variables HOME, USER and LOGNAME to an environment without them. Agents find their login by them,
// and cron, containers and other programs that start jobs may omit them. If the system does not know the user, WithUser
// returns the environment as it is.
func WithUser(environ []string) []string {
	if runtime.GOOS == "windows" {
		return environ // Windows sets its user variables itself
	}
	who, err := user.Current()
	if err != nil {
		return environ
	}
	out := slices.Clone(environ)
	for _, v := range []Variable{{"HOME", who.HomeDir}, {"USER", who.Username}, {"LOGNAME", who.Username}} {
		if v.Value != "" && (app.Env{Vars: environ}).Get(v.Name) == "" {
			out = append(out, v.Name+"="+v.Value) // the last value counts
		}
	}
	return out
}

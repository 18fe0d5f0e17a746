package app

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

	"agentflow/api"
	"agentflow/executor"
)

// claudeKeys are the variables by which Claude Code is logged in, or told to
// use another provider, whose login is its own affair.
var claudeKeys = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"}

// claudeHasKey names the variable that logs Claude Code in; empty when there
// is none.
func (o *operation) claudeHasKey() string {
	for _, name := range claudeKeys {
		if o.getenv(name) != "" {
			return name
		}
	}
	return ""
}

// claudeHasCredentials says whether Claude Code keeps a login in a file. On a
// Mac it may be in the keychain instead.
func (s *openMemory) claudeHasCredentials() bool {
	folder := s.getenv("CLAUDE_CONFIG_DIR")
	if folder == "" {
		folder = filepath.Join(s.dirs.Home, ".claude")
	}
	info, err := os.Stat(filepath.Join(folder, ".credentials.json"))
	return err == nil && info.Size() > 0
}

// errNoLogin is the answer of Claude Code when nobody is logged in.
var errNoLogin = errors.New("claude is not logged in")

// claudeLogin asks Claude Code whether it is logged in, which takes half a
// second and no network, and says by what: errNoLogin when it is not, another error
// when it does not say.
func (o *operation) claudeLogin(ctx context.Context, program string) (by string, err error) {
	out, err := outputOf(ctx, askLogin, withUser(o.environ), program, "auth", "status")
	var status claudeStatus
	switch {
	case json.Unmarshal(out, &status) != nil || status.LoggedIn == nil:
		return "", errors.Join(errors.New("'claude auth status' does not say whether it is logged in"), err, ctx.Err())
	case !*status.LoggedIn:
		return "", errNoLogin
	}
	return status.by(), nil
}

// claudeStatus is what 'claude auth status' prints, as of version 2.1.197; it
// also has the address and the organisation of a login at claude.ai.
type claudeStatus struct {
	LoggedIn         *bool
	AuthMethod       string // none, api_key, oauth_token, claude.ai, third_party
	APIProvider      string // firstParty, bedrock, …
	APIKeySource     string // the variable, of api_key
	SubscriptionType string // of claude.ai
}

// by says by what Claude Code is logged in: ", by api key of ANTHROPIC_API_KEY". It
// is empty for a version that does not tell.
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

// askLogin is how long Claude Code may take to say whether it is logged in.
const askLogin = 15 * time.Second

// checkLogin is the doctor's line about the login of Claude Code.
func (o *operation) checkLogin(ctx context.Context, program string) api.Check {
	key := o.claudeHasKey()
	by, err := o.claudeLogin(ctx, program)
	switch {
	case err == nil:
		return passed("login", "claude says that it is logged in"+by)
	case key != "":
		return passed("login", key+" is set")
	case errors.Is(err, errNoLogin):
		return failed("login", err.Error(), builtIns[0].login)
	}
	return warned("login", err.Error(), builtIns[0].login)
}

// outputOf is the output of a program that ends within limit. Processes that it
// leaves running are not waited for.
func outputOf(ctx context.Context, limit time.Duration, environ []string, program string, args ...string) ([]byte, error) {
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

// ready says why an agent cannot run with nobody there: one that has no login
// would fail for a reason that nobody sees, or wait for a login.
func (s *openMemory) ready(ctx context.Context, agent string) error {
	argv := []string{agent}
	if named, ok := s.settings.Agents[agent]; ok {
		argv = named.Argv
	} else if _, known := builtInNamed(s.settings, agent); !known {
		return fmt.Errorf("agent %s cannot run by itself: only claude, codex, gemini, opencode and those named in the settings can", agent)
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("looking for agent %s: %w", agent, err)
	}
	if agent != "claude" || s.claudeHasKey() != "" {
		return nil
	}
	if home := s.dirs.Home; home != "" && !isDir(home) {
		return fmt.Errorf("claude has no key in its environment, and HOME is %s, which is no folder to find a login in", home)
	}
	if s.claudeHasCredentials() {
		return nil
	}
	_, err = s.claudeLogin(ctx, program)
	return err
}

// withUser is an environment with the variables that say whose it is: what
// starts jobs, cron and containers among them, may leave these out, and agents
// find their login by them. Where the system does not know the user either
// they stay out.
func withUser(environ []string) []string {
	if runtime.GOOS == "windows" {
		return environ // it sets its own
	}
	who, err := user.Current()
	if err != nil {
		return environ
	}
	out := slices.Clone(environ)
	for _, v := range []variable{{"HOME", who.HomeDir}, {"USER", who.Username}, {"LOGNAME", who.Username}} {
		if v.Value != "" && (Env{Vars: environ}).get(v.Name) == "" {
			out = append(out, v.Name+"="+v.Value) // the last one counts
		}
	}
	return out
}

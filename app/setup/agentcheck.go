package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/builtin"
	"agentflow/app/connect"
	"agentflow/internal/config"
)

// checkOthers returns the doctor's lines about the installed agents other than the agent of the
// settings: their versions and logins. It asks all of them at the same time, because some take
// seconds.
func checkOthers(ctx context.Context, o *app.Operation, settings *config.Config) []api.Check {
	var checks []api.Check
	var all sync.WaitGroup
	for _, name := range builtin.Installed() {
		b, known := builtin.Named(settings, name)
		if !known || name == settings.Agent {
			continue
		}
		checks = append(checks, api.Check{}, api.Check{})
		at := len(checks) - 2
		all.Go(func() {
			version, login := checkBuiltIn(ctx, o, b)
			version.Name, login.Name = name, name+" login"
			// A problem with an agent that the settings do not name is at most a warning.
			checks[at], checks[at+1] = atMostWarned(version), atMostWarned(login)
		})
	}
	all.Wait()
	return checks
}

func atMostWarned(c api.Check) api.Check {
	if c.Grade == api.GradeFail {
		c.Grade = api.GradeWarn
	}
	return c
}

// checkBuiltIn asks an installed agent for its version, and checks whether it is logged in. It uses
// no network.
func checkBuiltIn(ctx context.Context, o *app.Operation, b builtin.Agent) (version, login api.Check) {
	path, err := exec.LookPath(b.Name)
	if err != nil {
		return connect.Failed("agent", b.Name+": "+err.Error(), b.InstallHint()), api.Check{}
	}
	out, err := connect.OutputOf(ctx, askVersion, o.Environ, path, "--version")
	if err != nil {
		return connect.Failed("agent", path+" --version: "+err.Error(), b.InstallHint()), api.Check{}
	}
	version = api.Passed("agent", path+", "+strings.TrimSpace(string(out)))
	if b.Name == "claude" {
		return version, connect.CheckLogin(ctx, o, path)
	}
	if by := loggedInBy(ctx, o, b, path); by != "" {
		return version, api.Passed("login", b.Name+": "+by)
	}
	return version, api.Warned("login", b.Name+": no login and no key was found; its settings may name others", b.Login)
}

// loggedInBy describes the login that an agent uses. It returns the empty string if it finds none
// without asking the agent's servers.
func loggedInBy(ctx context.Context, o *app.Operation, b builtin.Agent, path string) string {
	home := o.Getenv("HOME")
	switch b.Name {
	case "codex":
		if _, err := connect.OutputOf(ctx, connect.AskLogin, o.Environ, path, "login", "status"); err == nil { // it prints to standard error
			return "says that it is logged in"
		}
	case "gemini":
		if fileHolds(filepath.Join(home, ".gemini", "oauth_creds.json")) {
			return "logged in with Google"
		}
	case "opencode":
		data := cmp.Or(o.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
		if providers := keysOf(filepath.Join(data, "opencode", "auth.json")); len(providers) > 0 {
			return "logged in to " + strings.Join(providers, ", ")
		}
	}
	for _, variable := range b.Variables().Login {
		if o.Getenv(variable) != "" {
			return variable + " is set"
		}
	}
	return ""
}

func fileHolds(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Size() > 2
}

// keysOf returns the sorted keys of the JSON object in a file.
func keysOf(name string) []string {
	data, err := os.ReadFile(name)
	var object map[string]json.RawMessage
	if err != nil || json.Unmarshal(data, &object) != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(object))
}

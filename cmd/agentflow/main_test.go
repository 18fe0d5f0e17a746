package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
	"agentflow/internal/testing/scriptedagent"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(tests{labtest.Main{M: m}}, map[string]func(){
		"agentflow":         main,
		"agentflow-offline": runOffline,
		"ask":               ask,
		"rejudge":           rejudge,
		"scriptedagent":     func() { os.Exit(scriptedagent.Main()) },
	})
}

// tests are those of this package, which share a PostgreSQL.
type tests struct{ labtest.Main }

func (t tests) Run() int { return pgtest.Run(t.Main) }

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup:               hermetic,
		Condition:           condition,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"database": database},
	})
}

// hermetic gives a script a separate home and a git that reads only the script's
// settings.
func hermetic(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	config := filepath.Join(home, ".gitconfig")
	text := "[user]\n\tname = A Tester\n\temail = tester@example.org\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[maintenance]\n\tauto = false\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	env.Setenv("GIT_CONFIG_GLOBAL", config)
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("TZ", "UTC")
	env.Setenv("NO_COLOR", "1")
	env.Setenv("GORACE", os.Getenv("GORACE"))
	git, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	env.Setenv("REAL_GIT", git)
	deploy, err := filepath.Abs("../../deploy")
	env.Setenv("DEPLOY", deploy)
	return err
}

// condition reports whether postgres is available. It starts the server that the tests share.
func condition(name string) (bool, error) {
	if name != "postgres" {
		return false, fmt.Errorf("there is no condition %q", name)
	}
	_, err := pgtest.Shared(context.Background())
	if pgtest.IsMissing(err) {
		return false, nil
	}
	return err == nil, err
}

// database is a command of scripts: it sets AGENTFLOW_DSN to an empty database.
func database(ts *testscript.TestScript, _ bool, _ []string) {
	dsn, err := pgtest.Shared(context.Background())
	ts.Check(err)
	ts.Setenv("AGENTFLOW_DSN", dsn)
}

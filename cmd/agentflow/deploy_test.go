package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/config"
)

// teamFiles returns the files for setting up a team's server, by their paths.
func teamFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"docs/team.md": documents(t)["docs/team.md"]}
	for _, name := range []string{"Containerfile", "agentflow-team.service", "agentflow-team.env.example"} {
		text, err := os.ReadFile(filepath.Join("../../deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		files["deploy/"+name] = string(text)
	}
	return files
}

var typedCommand = regexp.MustCompile("agentflow ((?:share|sync|config|serve|doctor|run|recall|forget|connect|mcp)[^\n`']*)")

// TestTeamCommands: the commands, flags and settings exist.
func TestTeamCommands(t *testing.T) {
	var settings []string
	for _, s := range config.Settings() {
		settings = append(settings, s.Key)
	}
	found := 0
	for file, text := range teamFiles(t) {
		for _, m := range typedCommand.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			cmd, rest, err := tree(t).Find(words)
			if err != nil || !cmd.HasParent() || len(rest) > 0 && cmd.HasSubCommands() && cmd.Name() != "serve" && cmd.Name() != "config" {
				t.Errorf("%s: there is no command 'agentflow %s'", file, m[1])
				continue
			}
			found++
			for _, word := range rest {
				if name, ok := strings.CutPrefix(word, "--"); ok && cmd.Flags().Lookup(strings.Trim(name, ".,:)")) == nil {
					t.Errorf("%s: '%s' has no flag %s", file, cmd.CommandPath(), word)
				}
			}
			if (cmd.Name() == "set" || cmd.Name() == "unset") && !slices.Contains(settings, rest[0]) {
				t.Errorf("%s sets %s, which is no setting", file, rest[0])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d commands were found", found)
	}
}

// TestTeamDeployment: the files that start a team's server agree with each other, and with
// the page that names them.
func TestTeamDeployment(t *testing.T) {
	files := teamFiles(t)
	page, unit, env, container := files["docs/team.md"], files["deploy/agentflow-team.service"], files["deploy/agentflow-team.env.example"], files["deploy/Containerfile"]
	one := func(text, pattern string) string {
		t.Helper()
		m := regexp.MustCompile("(?m)" + pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("nothing is as %s", pattern)
		}
		return m[1]
	}
	dsn := one(env, `^([A-Z_]+)=`)
	if dsn != config.Defaults().Index.DSNEnv || !strings.Contains(page, dsn+"=") {
		t.Errorf("the DSN is in %s, and read from %s", dsn, config.Defaults().Index.DSNEnv)
	}
	for what, text := range map[string]string{"the environment": one(unit, `^EnvironmentFile=(.*)$`), "the program": strings.TrimSuffix(one(unit, `^ExecStart=(\S+) serve --team`), "/agentflow"), "the unit": one(unit, `In (/[a-z/]+)\.$`), "the user": "useradd --system --create-home --home-dir /var/lib/agentflow --shell /bin/bash " + one(unit, `^User=(.*)$`)} {
		if !strings.Contains(page, text) {
			t.Errorf("docs/team.md does not say that %s is %s", what, text)
		}
	}
	if !strings.Contains(env, one(unit, `^EnvironmentFile=(.*)$`)) {
		t.Error("the example is for another file")
	}
	port := one(container, `"--addr", "0\.0\.0\.0:(\d+)"`)
	if checked := one(container, `http://127\.0\.0\.1:(\d+)/alive`); checked != port || one(container, `EXPOSE (\d+)`) != port || !strings.Contains(page, "0.0.0.0:"+port) {
		t.Errorf("it listens on port %s, and is checked on %s", port, checked)
	}
	if gomod, err := os.ReadFile("../../go.mod"); err != nil || !strings.Contains(one(string(gomod), `^go (\S+)$`), one(container, `golang:(\S+)`)) {
		t.Errorf("the container builds with another Go than go.mod has: %v", err)
	}
	for _, hardening := range []string{"ProtectSystem=strict", "PrivateTmp=yes", "NoNewPrivileges=yes", "Restart=always"} {
		if !strings.Contains(unit, "\n"+hardening+"\n") {
			t.Errorf("the unit lacks %s", hardening)
		}
	}
}

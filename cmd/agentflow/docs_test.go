package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/help"
	"agentflow/internal/testing/docs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func documents(t *testing.T) map[string]string {
	t.Helper()
	all, err := docs.All("../..")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func tree(t *testing.T) *cobra.Command {
	t.Helper()
	c := &cli.Env{Voice: cli.Voice{Out: io.Discard, Err: io.Discard}}
	root := command(c)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("run")
	return root
}

// commands lists every command that can be run, by its path below agentflow.
func commands(cmd *cobra.Command, prefix string) []string {
	var out []string
	for _, sub := range cmd.Commands() {
		if sub.Hidden || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		name := strings.TrimSpace(prefix + " " + sub.Name())
		if below := commands(sub, name); sub.Name() != "completion" && len(below) > 0 {
			out = append(out, below...)
			if slices.Contains([]string{"memory", "eval", "hook", "schedule", "worktree", "token"}, sub.Name()) {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

func TestUsageNamesEveryCommand(t *testing.T) {
	text := documents(t)["docs/usage.md"]
	table := text[strings.Index(text, "| command |"):strings.Index(text, "## Exit codes")]
	var named []string
	for _, line := range strings.Split(table, "\n")[2:] {
		cell := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cell) < 2 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z ]+)").FindAllStringSubmatch(cell[1], -1) {
			if name := strings.TrimSpace(m[1]); name != "" && !slices.Contains(named, name) { // serve, and serve --team
				named = append(named, name)
			}
		}
	}
	have := slices.DeleteFunc(commands(tree(t), ""), func(v string) bool { return v == "help" })
	slices.Sort(named)
	slices.Sort(have)
	if !slices.Equal(named, have) {
		t.Errorf("docs/usage.md names %q\nthe program has %q", named, have)
	}
}

// ofOthers are flags of other programs, such as those of agents: --allowedTools is the
// Claude CLI's.
var ofOthers = []string{"allowed", "skip-trust", "scope", "trust", "transport", "header", "system", "create-home", "home-dir", "shell", "owner", "schema", "separate-git-dir"}

func TestDocumentedFlagsExist(t *testing.T) {
	known := map[string]bool{"json": true}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(tree(t))
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("--([a-z][a-z-]+)").FindAllStringSubmatch(text, -1) {
			if !known[m[1]] && !slices.Contains(ofOthers, m[1]) {
				t.Errorf("%s names --%s, which no command has", name, m[1])
			}
		}
	}
}

func TestUsageExitCodes(t *testing.T) {
	text := documents(t)["docs/usage.md"]
	table := text[strings.Index(text, "| exit code"):]
	table = table[:strings.Index(table, "\n\n")]
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([0-9, ]+) \|`).FindAllStringSubmatch(table, -1) {
		named = append(named, strings.Split(m[1], ", ")...)
	}
	var have []string
	for _, m := range help.ExitMeanings {
		for _, code := range m.Codes {
			have = append(have, fmt.Sprint(code))
		}
	}
	if !slices.Equal(named, have) {
		t.Errorf("docs/usage.md has %v, the program %v", named, have)
	}
}

func TestEveryCommandHelps(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || !strings.HasPrefix(cmd.Use, cmd.Name()) {
			t.Errorf("%s has no short help", cmd.CommandPath())
		}
		cmd.InitDefaultHelpFlag()
		for line := range strings.Lines(cmd.Long + "\n" + cmd.UsageString()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > help.HelpWidth {
				t.Errorf("the help of %s has a line of %d characters: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(tree(t))
}

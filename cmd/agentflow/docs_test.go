package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/config"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func tree(t *testing.T) *cobra.Command {
	t.Helper()
	c := &cli{voice: voice{out: io.Discard, err: io.Discard}}
	root := c.command()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("run")
	return root
}

// verbs lists every command that can be run, by its path below agentflow.
func verbs(cmd *cobra.Command, prefix string) []string {
	var out []string
	for _, sub := range cmd.Commands() {
		name := strings.TrimSpace(prefix + " " + sub.Name())
		if below := verbs(sub, name); sub.Name() != "completion" && len(below) > 0 {
			out = append(out, below...)
			if slices.Contains([]string{"memory", "eval", "hook", "schedule"}, sub.Name()) {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

func TestReadmeNamesEveryVerb(t *testing.T) {
	text := readme(t)
	table := text[strings.Index(text, "| verb |"):strings.Index(text, "| exit code")]
	var named []string
	for _, line := range strings.Split(table, "\n")[2:] {
		cell := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cell) < 2 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z ]+)").FindAllStringSubmatch(cell[1], -1) {
			if verb := strings.TrimSpace(m[1]); verb != "" {
				named = append(named, verb)
			}
		}
	}
	have := slices.DeleteFunc(verbs(tree(t), ""), func(v string) bool { return v == "help" })
	slices.Sort(named)
	slices.Sort(have)
	if !slices.Equal(named, have) {
		t.Errorf("README names %q\nthe program has %q", named, have)
	}
}

func TestReadmeFlagsExist(t *testing.T) {
	known := map[string]bool{"json": true}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(tree(t))
	for _, m := range regexp.MustCompile("--([a-z][a-z-]+)").FindAllStringSubmatch(readme(t), -1) {
		if !known[m[1]] {
			t.Errorf("README names --%s, which no verb has", m[1])
		}
	}
}

// What a repository may set is said in the README and in the file that init
// writes.
func TestRepositorySettingsAreNamed(t *testing.T) {
	text := readme(t)
	text = text[strings.Index(text, "`.agentflow/config.toml` (only "):]
	var named []string
	for _, m := range regexp.MustCompile(`\[(\w+)\]`).FindAllStringSubmatch(text[:strings.Index(text, ", unless you `trust` it)")], -1) {
		named = append(named, m[1])
	}
	have := config.RepositorySections()
	if slices.Sort(named); !slices.Equal(named, slices.Sorted(slices.Values(have))) {
		t.Errorf("README names %q, a repository may set %q", named, have)
	}
	for _, section := range have {
		if !strings.Contains(app.FirstConfig(), "["+section+"]") {
			t.Errorf("the first config.toml does not name [%s]", section)
		}
	}
}

func TestReadmeExitCodes(t *testing.T) {
	text := readme(t)
	table := text[strings.Index(text, "| exit code"):]
	table = table[:strings.Index(table, "\n\n")]
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([0-9, ]+) \|`).FindAllStringSubmatch(table, -1) {
		named = append(named, strings.Split(m[1], ", ")...)
	}
	var have []string
	for _, code := range []int{exitOK, exitError, exitUsage, exitAgent, exitNotRecorded, exitLocked, exitNoPlace, exitTimeout, exitNotStarted, exitInterrupted, exitTerminated} {
		have = append(have, fmt.Sprint(code))
	}
	if !slices.Equal(named, have) {
		t.Errorf("README has %v, the program %v", named, have)
	}
}

func TestReadmeSettingsAreUnderstood(t *testing.T) {
	text := readme(t)
	text = text[strings.Index(text, "## Settings"):]
	for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(text, -1) {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(m[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, problems, err := config.Load(config.Layers{UserFile: file}); err != nil || len(problems) > 0 {
			t.Errorf("%v %v", problems, err)
		}
	}
}

func TestEveryVerbHelps(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Short == "" || !strings.HasPrefix(cmd.Use, cmd.Name()) {
			t.Errorf("%s has no short help", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(tree(t))
}

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

// document is a document by its path from the module's folder.
func document(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// documents are the README and everything in docs, by name.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	all := map[string]string{"README.md": document(t, "README.md")}
	for _, name := range names {
		name = filepath.Join("docs", filepath.Base(name))
		all[name] = document(t, name)
	}
	return all
}

func TestReadmeIsShort(t *testing.T) {
	if n := len(document(t, "README.md")); n > 8<<10 {
		t.Errorf("README.md has %d bytes, more than 8 KB", n)
	}
}

// TestLinksLead follows the links between the documents.
func TestLinksLead(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		for _, m := range regexp.MustCompile(`\]\(([^)# ]*)(#[^) ]+)?\)`).FindAllStringSubmatch(text, -1) {
			to := name
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(name), m[1])
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("%s links to %s: %v", name, to, err)
			} else if m[2] != "" && !slices.Contains(anchors(all[to]), m[2][1:]) {
				t.Errorf("%s links to %s%s, a heading that is not there", name, to, m[2])
			}
		}
	}
}

// anchors are the headings of a document as links name them.
func anchors(text string) []string {
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
		list = append(list, regexp.MustCompile(`[^a-z0-9_-]`).ReplaceAllString(name, ""))
	}
	return list
}

func tree(t *testing.T) *cobra.Command {
	t.Helper()
	c := &cli{voice: voice{out: io.Discard, err: io.Discard}}
	root := c.command()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd("run")
	return root
}

// commands lists every command that can be run, by its path below agentflow.
func commands(cmd *cobra.Command, prefix string) []string {
	var out []string
	for _, sub := range cmd.Commands() {
		if sub.Hidden {
			continue
		}
		name := strings.TrimSpace(prefix + " " + sub.Name())
		if below := commands(sub, name); sub.Name() != "completion" && len(below) > 0 {
			out = append(out, below...)
			if slices.Contains([]string{"memory", "eval", "hook", "schedule"}, sub.Name()) {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

func TestUsageNamesEveryCommand(t *testing.T) {
	text := document(t, "docs/usage.md")
	table := text[strings.Index(text, "| command |"):strings.Index(text, "## Exit codes")]
	var named []string
	for _, line := range strings.Split(table, "\n")[2:] {
		cell := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
		if len(cell) < 2 {
			continue
		}
		for _, m := range regexp.MustCompile("`([a-z ]+)").FindAllStringSubmatch(cell[1], -1) {
			if name := strings.TrimSpace(m[1]); name != "" {
				named = append(named, name)
			}
		}
	}
	have := slices.DeleteFunc(commands(tree(t), ""), func(v string) bool { return slices.Contains([]string{"help", "exit-codes", "environment"}, v) })
	slices.Sort(named)
	slices.Sort(have)
	if !slices.Equal(named, have) {
		t.Errorf("docs/usage.md names %q\nthe program has %q", named, have)
	}
}

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
			if !known[m[1]] && m[1] != "allowed" { // --allowedTools is the Claude CLI's
				t.Errorf("%s names --%s, which no command has", name, m[1])
			}
		}
	}
}

// What a repository may set is said in the file that init writes.
func TestRepositorySettingsAreNamed(t *testing.T) {
	for _, section := range config.RepositorySections() {
		if !strings.Contains(app.FirstConfig(), "["+section+"]") {
			t.Errorf("the first config.toml does not name [%s]", section)
		}
	}
}

func TestUsageExitCodes(t *testing.T) {
	text := document(t, "docs/usage.md")
	table := text[strings.Index(text, "| exit code"):]
	table = table[:strings.Index(table, "\n\n")]
	var named []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([0-9, ]+) \|`).FindAllStringSubmatch(table, -1) {
		named = append(named, strings.Split(m[1], ", ")...)
	}
	var have []string
	for _, m := range exitMeanings {
		for _, code := range m.codes {
			have = append(have, fmt.Sprint(code))
		}
	}
	if !slices.Equal(named, have) {
		t.Errorf("docs/usage.md has %v, the program %v", named, have)
	}
}

func TestDocumentedSettingsAreUnderstood(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(text, -1) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(m[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, problems, err := config.Load(config.Layers{UserFile: file}); err != nil || len(problems) > 0 {
				t.Errorf("%s: %v %v", name, problems, err)
			}
		}
	}
}

func TestEveryCommandHelps(t *testing.T) {
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

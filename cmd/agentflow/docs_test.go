package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/config"
	"agentflow/executor"
	"agentflow/memory"
	"agentflow/prompt"
	"agentflow/uses"

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
	a := &app{voice: voice{out: io.Discard, err: io.Discard}, getenv: func(string) string { return "" }}
	root := a.command()
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
		if !strings.Contains(firstConfig(), "["+section+"]") {
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

// fields are the names of a value's JSON object, in order.
func fields(t *testing.T, value any) []string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(data)))
	var out []string
	depth, key := 0, true
	for {
		token, err := dec.Token()
		if err != nil {
			return out
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			key = true
			continue
		}
		if depth == 1 && key {
			out = append(out, token.(string))
		}
		if depth == 1 {
			key = !key
		}
	}
}

// words are the field names of a documented list, what stands in brackets
// left out.
func documented(text, from, to string) []string {
	text = text[strings.Index(text, from)+len(from):]
	text = text[:strings.Index(text, to)]
	text = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]|\{[^}]*\}`).ReplaceAllString(text, "")
	return strings.Fields(text)
}

func TestReadmeJSONFields(t *testing.T) {
	entry := memory.Entry{Result: &memory.Result{Undone: time.Now()}}
	object := newRunObject(entry, "")
	object.Hits = []memory.Hit{{}}
	object.Recalled = []executor.Shown{{}}
	text := readme(t)
	named := documented(text, "without `hits`: `", "`; `recalled`")
	if have := fields(t, object); !slices.Equal(named, have) {
		t.Errorf("a run object\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "A hit, in `search --json`: `", "`.")
	hit := memory.Hit{EntryID: "x", Source: "x", Namespace: "x", Gone: true, Undone: true, FromRepository: true, Explain: &memory.Explain{}}
	if have := fields(t, hit); !slices.Equal(named, have) {
		t.Errorf("a hit\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`recall --json`: `", "`; with")
	if have := fields(t, recallObject(prompt.Output{}, false)); !slices.Equal(named, have) {
		t.Errorf("what is recalled\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "as `memory list --json` lists them: `", "`, what is empty")
	now := time.Now()
	fact := memory.Fact{ID: "x", Text: "Name: x", Key: "x", Category: "x", Namespace: "x", Confidence: 1, Created: now, Updated: now, Expires: now, Struck: true,
		SupersededBy: "x", Supersedes: "x", Merged: []memory.Origin{{ID: "x"}}, Source: "x", Commit: "x", Tags: []string{"pinned"}}
	if have := fields(t, kept{Fact: fact, stored: stored{File: "x"}, StartLine: 1, used: uses.Use{Get: 1}}.object()); !slices.Equal(named, have) {
		t.Errorf("a memory\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`memory similar --json`: `", "`. `memory stats")
	if have := fields(t, similarObject{}); !slices.Equal(named, have) {
		t.Errorf("what is similar\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`memory stats --json`:\n`", "`, with")
	if have := fields(t, statsObject{}); !slices.Equal(named, have) {
		t.Errorf("stats\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "What `index --json`\nprints: `", "`; `backfill")
	if have := fields(t, indexReport{}); !slices.Equal(named, have) {
		t.Errorf("an index report\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`backfill --json`: `", "`, `entries`")
	if have := fields(t, backfillReport{Entries: []memoryEntry{{}}}); !slices.Equal(named, have) {
		t.Errorf("a backfill report\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`diff --json`: `", "`, `swept`")
	if have := fields(t, diffObject{}); !slices.Equal(named, have) {
		t.Errorf("a diff\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "`undo --json`: `", "`, `aside`")
	if have := fields(t, undoObject{}); !slices.Equal(named, have) {
		t.Errorf("an undo\nREADME  %v\nprogram %v", named, have)
	}
	named = documented(text, "and `index` is `", "`: ")
	if have := fields(t, indexObject{}); !slices.Equal(named, have) {
		t.Errorf("the index in a status\nREADME  %v\nprogram %v", named, have)
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

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestKilledVerbsAreWhole ends the verbs that change memory with SIGKILL at
// random moments: once the next command has run, the files are as before or as
// after, never between. AGENTFLOW_VERB_KILLS sets how often each;
// AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledVerbsAreWhole(t *testing.T) {
	kills := number(t, "AGENTFLOW_VERB_KILLS", 8)
	seed := uint64(number(t, "AGENTFLOW_SEED", int(time.Now().UnixNano()%1_000_000)))
	t.Logf("%d kills of each, seed %d", kills, seed)
	l := newLab(t, "")
	l.fillMemory()
	export := filepath.Join(l.home, "export.jsonl")
	l.write(export, l.agentflow(l.repo, "memory", "export"))
	empty := filepath.Join(l.home, "empty")
	copyTree(t, l.repo, empty)
	if err := os.RemoveAll(filepath.Join(empty, ".agentflow")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(empty, ".git/agentflow")); err != nil {
		t.Fatal(err)
	}
	l.agentflow(empty, "remember", "What was there before.")
	editor := filepath.Join(l.home, "editor")
	l.write(editor, "#!/bin/sh\nsed -i 's/^Fact 3 .*/Edited by hand./' \"$1\"\n")
	if err := os.Chmod(editor, 0o700); err != nil {
		t.Fatal(err)
	}
	l.env = append(l.env, "EDITOR="+editor, "VISUAL=")
	for name, verb := range map[string]struct {
		template string
		args     []string
	}{
		"consolidate": {l.repo, []string{"consolidate"}},
		"forget":      {l.repo, []string{"forget", "--tag", "many", "--yes"}},
		"edit":        {l.repo, []string{"memory", "edit", factID(3)}},
		"import":      {empty, []string{"memory", "import", export}},
	} {
		t.Run(name, func(t *testing.T) {
			in := *l
			in.t = t
			in.killVerb(verb.template, verb.args, kills, rand.New(rand.NewPCG(seed, 2)))
		})
	}
}

// killVerb kills a verb in fresh copies of a repository.
func (l *lab) killVerb(template string, verb []string, kills int, random *rand.Rand) {
	l.t.Helper()
	root := l.t.TempDir()
	before := l.memoryFiles(template)
	whole := filepath.Join(root, "whole")
	copyTree(l.t, template, whole)
	l.agentflow(whole, "status")
	start := time.Now()
	l.agentflow(whole, verb...)
	took := time.Since(start) * 5 / 4
	after := l.memoryFiles(whole)
	if maps.Equal(before, after) {
		l.t.Fatal("the verb changes nothing")
	}
	seen := map[string]int{}
	for i := range kills {
		repo := filepath.Join(root, fmt.Sprint("round-", i))
		copyTree(l.t, template, repo)
		l.agentflow(repo, "status")
		cmd := l.command(repo, verb...)
		if err := cmd.Start(); err != nil {
			l.t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { _ = cmd.Process.Kill() })
		ended := cmd.Wait() == nil
		timer.Stop()
		next := l.command(repo, "status")
		var said bytes.Buffer
		next.Stdout, next.Stderr = &said, &said
		if err := next.Run(); err != nil {
			l.t.Fatalf("the next command: %v\n%s", err, &said)
		}
		now := l.memoryFiles(repo)
		completed := strings.Contains(said.String(), "completed a change of memory that was interrupted (")
		switch {
		case maps.Equal(now, after) && completed:
			seen["completed"]++
		case maps.Equal(now, after):
			seen["after"]++
		case maps.Equal(now, before) && !ended && !completed:
			seen["before"]++
		default:
			l.t.Fatalf("round %d (ended %v): memory is neither as before nor as after, or the wrong thing was said:\n%s\n%s", i, ended, &said, differing(now, before, after))
		}
		if err := os.RemoveAll(repo); err != nil {
			l.t.Fatal(err)
		}
	}
	l.t.Logf("a whole %s takes %v; outcomes: %v", verb[0], took.Round(time.Millisecond), seen)
}

// differing are the files that are neither as before nor as after, whole.
func differing(now, before, after map[string]string) string {
	var b strings.Builder
	for name, text := range now {
		if text != before[name] || text != after[name] {
			fmt.Fprintf(&b, "%s (as before %v, as after %v):\n%s\n", name, text == before[name], text == after[name], text)
		}
	}
	return b.String()
}

// fillMemory writes a memory in which every verb has something to do: old
// days, facts that say the same, two values of a key, facts of one tag.
func (l *lab) fillMemory() {
	l.t.Helper()
	for day := range 4 {
		when := time.Date(2026, 8, 3+day, 10, 0, 0, 0, time.UTC)
		var b bytes.Buffer
		fmt.Fprintf(&b, "# %s\n", when.Format(time.DateOnly))
		for n := range 10 {
			i := day*10 + n
			f := memory.Fact{ID: factID(i), Type: memory.Semantic, Importance: float64(i%10) / 10, Source: "hand", Created: when, Tags: []string{[]string{"many", "few"}[i%2]}}
			switch {
			case i%5 == 4:
				f.Text = fmt.Sprintf("The Build Of Part %d uses make.", i/10)
			case i%7 == 6:
				f.Key, f.Text = "port", fmt.Sprintf("The server listens on port %d", 8000+i)
			default:
				f.Text = fmt.Sprintf("Fact %d is about thing%d and nothing else.", i, i)
			}
			e := memory.Entry{ID: strings.Replace(factID(i), "-7000-", "-7001-", 1), Kind: memory.KindNote, Time: when.Add(time.Duration(n) * time.Minute), Facts: []memory.Fact{f}}
			b.WriteString("\n")
			b.Write(markdown.Format(e))
		}
		l.write(filepath.Join(l.repo, ".agentflow/memory", when.Format(time.DateOnly)+".md"), b.String())
	}
	l.write(filepath.Join(l.repo, ".agentflow/memory/MEMORY.md"), "# Memory\n\nBy hand.\n")
	l.agentflow(l.repo, "status")
}

func factID(i int) string { return fmt.Sprintf("0198%04x-0000-7000-8000-%012x", i, i*7919+1) }

func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

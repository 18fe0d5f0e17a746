package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestKilledCommandsAreWhole ends the commands that change memory with SIGKILL
// at random moments: once the next command has run, the files are as before or
// as after, never between. AGENTFLOW_COMMAND_KILLS sets how often each;
// AGENTFLOW_SEED repeats a sequence of moments.
func TestKilledCommandsAreWhole(t *testing.T) {
	kills := number(t, "AGENTFLOW_COMMAND_KILLS", 8)
	seed := seed(t)
	l := newLab(t, "")
	l.fillMemory()
	export := filepath.Join(l.Home, "export.jsonl")
	l.Write(export, l.Agentflow("memory", "export"))
	l.Env = append(l.Env, "EDITOR="+l.Program("../home/editor", `sed -i 's/^Fact 3 .*/Edited by hand./' "$1"`), "VISUAL=")
	empty := l.copied(filepath.Join(l.Home, "empty"))
	empty.Remove(".agentflow")
	empty.Remove(".git/agentflow")
	empty.Agentflow("remember", "What was there before.")
	consolidated := l.copied(filepath.Join(l.Home, "consolidated"))
	consolidated.Agentflow("consolidate")
	old := l.copied(filepath.Join(l.Home, "old"))
	old.Write(".agentflow/memory/2026-11-20.md", "# 2026-11-20\n\n"+string(markdown.Format(memory.Entry{
		ID: "01a1fe4e-9bd8-7031-b233-000000000001", Kind: memory.KindRun, Time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), Title: "Fix it", Task: "Fix it", Summary: "Fixed.",
	})))
	remembered := l.copied(filepath.Join(l.Home, "remembered"))
	remembered.Agentflow("remember", "--supersedes", factID(1), "What came later.")
	forgotten := l.copied(filepath.Join(l.Home, "forgotten"))
	forgotten.Agentflow("forget", "--tag", "few", "--yes")
	for name, command := range map[string]struct {
		template *lab
		args     []string
	}{
		"consolidate":      {l, []string{"consolidate"}},
		"forget":           {l, []string{"forget", "--tag", "many", "--yes"}},
		"edit":             {l, []string{"memory", "edit", factID(3)}},
		"import":           {empty, []string{"memory", "import", export}},
		"upgrade":          {old, []string{"memory", "upgrade"}},
		"undo":             {consolidated, []string{"memory", "undo", "--yes"}},
		"undo of remember": {remembered, []string{"memory", "undo", "--yes"}},
		"undo of forget":   {forgotten, []string{"memory", "undo", "--yes"}},
	} {
		t.Run(name, func(t *testing.T) {
			command.template.of(t).killCommand(command.args, kills, rand.New(rand.NewPCG(seed, 2)))
		})
	}
}

// killCommand kills a command in fresh copies of the repository.
func (l *lab) killCommand(args []string, kills int, random *rand.Rand) {
	l.T.Helper()
	root := l.T.TempDir()
	before := l.memoryFiles()
	whole := l.copied(filepath.Join(root, "whole"))
	whole.Agentflow("status")
	start := time.Now()
	whole.Agentflow(args...)
	took := time.Since(start) * 5 / 4
	after := whole.memoryFiles()
	if maps.Equal(before, after) {
		l.T.Fatal("the command changes nothing")
	}
	seen := map[string]int{}
	for i := range kills {
		round := l.copied(filepath.Join(root, fmt.Sprint("round-", i)))
		round.Agentflow("status")
		hit := round.killed(upTo(random, took), args...)
		next := round.Command("status")
		var said bytes.Buffer
		next.Stdout, next.Stderr = &said, &said
		if err := next.Run(); err != nil {
			l.T.Fatalf("the next command: %v\n%s", err, &said)
		}
		now := round.memoryFiles()
		completed := strings.Contains(said.String(), "completed a change of memory that was interrupted (")
		switch {
		case maps.Equal(now, after) && completed:
			seen["completed"]++
		case maps.Equal(now, after):
			seen["after"]++
		case maps.Equal(now, before) && hit && !completed:
			seen["before"]++
		default:
			l.T.Fatalf("round %d (killed %v): memory is neither as before nor as after, or the wrong thing was said:\n%s\n%s", i, hit, &said, differing(now, before, after))
		}
		round.Remove("")
	}
	l.T.Logf("a whole %s takes %v; outcomes: %v", args[0], took.Round(time.Millisecond), seen)
}

// differing returns the files with neither the whole text from before nor the one from after.
func differing(now, before, after map[string]string) string {
	var b strings.Builder
	for name, text := range now {
		if text != before[name] || text != after[name] {
			fmt.Fprintf(&b, "%s (as before %v, as after %v):\n%s\n", name, text == before[name], text == after[name], text)
		}
	}
	return b.String()
}

// fillMemory writes a memory with work for every command: old
// days, duplicate facts, two values of a key, facts of one tag.
func (l *lab) fillMemory() {
	l.T.Helper()
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
		l.Write(filepath.Join(".agentflow/memory", when.Format(time.DateOnly)+".md"), b.String())
	}
	l.Write(".agentflow/memory/MEMORY.md", "# Memory\n\nBy hand.\n")
	l.Agentflow("status")
}

func factID(i int) string { return fmt.Sprintf("0198%04x-0000-7000-8000-%012x", i, i*7919+1) }

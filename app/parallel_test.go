package app

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/command"
	"agentflow/gitwatch/worktree"
	"agentflow/memory"
)

func TestTasksOfAFile(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"# only a comment\n\n  \n", nil},
		{"one\n\n# no\n  two  \r\nthree", []string{"one", "two", "three"}},
		{"\ufeffone\n", []string{"one"}},
		{"---\n---\n \n---", nil},
		{"one\nmore\n---\n# A heading\n\ntwo\n--- \nthree", []string{"one\nmore", "# A heading\n\ntwo", "three"}},
		{"---\none\n  --- indented\n----\n---\n", []string{"one\n  --- indented\n----"}},
	} {
		if got := splitTasks(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}

func FuzzTasksOfAFile(f *testing.F) {
	f.Add("one\n# two\n---\nthree\n")
	f.Add("a\r\nb\n---")
	f.Fuzz(func(t *testing.T, text string) {
		list := splitTasks(text)
		for _, task := range list {
			if strings.TrimSpace(task) == "" || !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), task) {
				t.Errorf("task %q of %q", task, text)
			}
		}
		if len(list) > 1 {
			if again := splitTasks(strings.Join(list, "\n---\n")); !slices.Equal(again, list) {
				t.Errorf("%q, divided again %q", list, again)
			}
		}
	})
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the flaky login test!":     "fix-the-flaky-login-test",
		"Löse das Café-Problem":         "lose-das-cafe-problem",
		"日本語":                           "run",
		"  --  ":                        "run",
		"../../etc/passwd.lock":         "etc-passwd-lock",
		strings.Repeat("x", 99):         strings.Repeat("x", maxSlug),
		strings.Repeat("long word ", 9): "long-word-long-word-long-word-long-word",
	} {
		if got := slug(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("Fix it, PLEASE (soon)")
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, text string) {
		if got := slug(text); !form.MatchString(got) || len(got) > maxSlug {
			t.Errorf("%q is %q", text, got)
		}
	})
}

// TestBudgetIsNeverPassed plays batches whose runs cost what they may at most.
func TestBudgetIsNeverPassed(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		tasks, atOnce := 1+random.IntN(12), 1+random.IntN(8)
		b := budget{total: float64(1+random.IntN(500)) / 100, held: true, waiting: tasks}
		if random.IntN(2) == 0 {
			b.each = float64(1+random.IntN(100)) / 100
		}
		var running []float64
		end := func() {
			i := random.IntN(len(running))
			b.settle(running[i], running[i]*random.Float64())
			running = slices.Delete(running, i, i+1)
		}
		for begun := 0; begun < tasks; {
			limit, v := b.grant()
			switch v {
			case granted:
				if limit < cent || b.each > 0 && limit > b.each {
					t.Fatalf("seed %d: a limit of %v, each may cost %v", seed, limit, b.each)
				}
				running = append(running, limit)
				begun++
			case exhausted:
				if len(running) > 0 {
					t.Fatalf("seed %d: nothing left though %v may come back", seed, running)
				}
				begun = tasks
			}
			sum := b.spent
			for _, limit := range running {
				sum += limit
			}
			if sum > b.total+1e-6 {
				t.Fatalf("seed %d: %v of %v may be spent", seed, sum, b.total)
			}
			if len(running) > 0 && (v == wait || len(running) == atOnce) {
				end()
			}
		}
	}
}

func TestBudgetShares(t *testing.T) {
	b := budget{total: 2, held: true, waiting: 4}
	first, _ := b.grant()
	second, _ := b.grant()
	b.settle(first, 0.1)
	third, _ := b.grant()
	if first != 0.5 || second != 0.5 || third != 0.7 {
		t.Errorf("limits %v %v %v", first, second, third)
	}
	b = budget{total: 1, each: 3, waiting: 3} // an agent that holds no limit
	if limit, v := b.grant(); limit != 3 || v != granted {
		t.Errorf("%v %v", limit, v)
	}
	b.settle(3, 1.5)
	if _, v := b.grant(); v != exhausted {
		t.Errorf("verdict %v after all is spent", v)
	}
}

func TestARunThatTellsNoCostIsBilledInFull(t *testing.T) {
	for _, c := range []struct {
		outcome    memory.Outcome
		cost, want float64
	}{{memory.OutcomeOK, 0, 0}, {memory.OutcomeOK, 0.3, 0.3}, {memory.OutcomeTimeout, 0, 2}, {memory.OutcomeFailed, 0.1, 0.1}, {memory.OutcomeNotStarted, 0, 0}} {
		r := result{rec: executor.Record{Outcome: c.outcome, Entry: memory.Entry{ID: "x", Result: &memory.Result{CostUSD: c.cost}}}}
		if got := billed(&r, 2); got != c.want {
			t.Errorf("%s, $%v: billed %v, want %v", c.outcome, c.cost, got, c.want)
		}
	}
	if got := billed(&result{}, 2); got != 0 {
		t.Errorf("a run that never was is billed %v", got)
	}
}

func TestWhatKeepsAWorktree(t *testing.T) {
	keep, rm := treeOptions{keep: true}, treeOptions{rm: true}
	for _, c := range []struct {
		o    treeOptions
		left worktree.Left
		want bool
	}{
		{treeOptions{}, worktree.Left{}, false},
		{treeOptions{}, worktree.Left{Moved: true}, true},
		{treeOptions{}, worktree.Left{Uncommitted: 1}, true},
		{treeOptions{}, worktree.Left{Ignored: 1}, true},
		{keep, worktree.Left{}, true},
		{rm, worktree.Left{}, false},
		{rm, worktree.Left{Moved: true}, false},
		{rm, worktree.Left{Ignored: 1}, false},
		{rm, worktree.Left{Uncommitted: 1}, true},
		{rm, worktree.Left{Moved: true, Loose: true}, true},
	} {
		if got, _ := stays(c.o, c.left); got != c.want {
			t.Errorf("%+v %+v stays: %v", c.o, c.left, got)
		}
	}
}

func TestOverlapsNameSharedFiles(t *testing.T) {
	changed := func(paths ...string) result {
		var list memory.ChangeList
		for _, p := range paths {
			list.Items = append(list.Items, memory.Change{Path: p})
		}
		return result{rec: executor.Record{Entry: memory.Entry{Changes: list, Uncommitted: list}}}
	}
	maybe := changed("d")
	maybe.rec.Entry.Changes.Items[0].Certainty = memory.Possible
	got := overlaps([]result{changed("a", "b"), changed("c"), changed("b"), maybe, changed("d")})
	if want := []string{"b was changed by [1] [3]: merging them may conflict", "d was changed by [4] [5]: merging them may conflict"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func TestShellWords(t *testing.T) {
	for text, want := range map[string]string{"/a/b-c_1.x": "/a/b-c_1.x", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "~x": "'~x'", "$(rm)": "'$(rm)'"} {
		if got := shellWord(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestBoardDrawsBelowWhatIsSaid follows what a terminal is sent.
func TestBoardDrawsBelowWhatIsSaid(t *testing.T) {
	var out bytes.Buffer
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &board{out: &out, all: 8, limit: 5, started: start, now: func() time.Time { return start.Add(75 * time.Second) },
		size: func() (int, int) { return 60, 6 }, stop: func() {}}
	scripted, err := command.New("claude", []string{"x"}, "")
	if err != nil {
		t.Fatal(err)
	}
	var rows []*row
	for n := range 5 {
		rows = append(rows, b.begin(n, executor.Request{Task: fmt.Sprintf("Do part %d", n), Agent: scripted}))
	}
	rows[0].in(&ownTree{Linked: &worktree.Linked{Path: "/w"}})
	rows[0].event(agent.Event{Kind: agent.ToolStarted, Tool: "Edit", Detail: "/w/a.go"})
	b.spend(1.5, false)
	want := "1 of 8 done · 1 of them not well · 5 running · $1.50 of $5…\n" +
		"[1] do-part-0  claude: Edit a.go · 0s\n[2] do-part-1  making its work tree\n[3] do-part-2  making its work tree\n… and 2 more"
	b.draw()
	if got := out.String(); got != want {
		t.Errorf("drawn\n%s\nwant\n%s", got, want)
	}
	out.Reset()
	fmt.Fprintln(b, "said")
	if got, want := out.String(), "\r\x1b[A\x1b[A\x1b[A\x1b[A\x1b[Jsaid\n"; got != want {
		t.Errorf("saying something sent %q, want %q", got, want)
	}
	out.Reset()
	rows[1].Write([]byte("half "))
	rows[1].Write([]byte("a line\nrest"))
	rows[1].end()
	if got, want := out.String(), "[2] half a line\n[2] rest\n"; got != want {
		t.Errorf("standard error sent %q, want %q", got, want)
	}
}

package run

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	appworktree "agentflow/app/worktree"
	"agentflow/gitwatch/worktree"
	"agentflow/internal/slug"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Fix the flaky login test!":     "fix-the-flaky-login-test",
		"Löse das Café-Problem":         "lose-das-cafe-problem",
		"日本語":                           "run",
		"  --  ":                        "run",
		"../../etc/passwd.lock":         "etc-passwd-lock",
		strings.Repeat("x", 99):         strings.Repeat("x", slug.Max),
		strings.Repeat("long word ", 9): "long-word-long-word-long-word-long-word",
	} {
		if got := slug.Of(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	f.Add("Fix it, PLEASE (soon)")
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, text string) {
		if got := slug.Of(text); !form.MatchString(got) || len(got) > slug.Max {
			t.Errorf("%q is %q", text, got)
		}
	})
}

// TestBudgetIsNeverPassed plays batches of runs that cost up to their limits.
func TestBudgetIsNeverPassed(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		tasks, atOnce := 1+random.IntN(12), 1+random.IntN(8)
		b := budget{total: float64(1+random.IntN(500)) / 100, capped: true, waiting: tasks}
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
	b := budget{total: 2, capped: true, waiting: 4}
	first, _ := b.grant()
	second, _ := b.grant()
	b.settle(first, 0.1)
	third, _ := b.grant()
	if first != 0.5 || second != 0.5 || third != 0.7 {
		t.Errorf("limits %v %v %v", first, second, third)
	}
	b = budget{total: 1, each: 3, waiting: 3} // an agent without a spend cap
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
		if got := Billed(&api.Run{ID: "x", Outcome: c.outcome, CostUSD: c.cost}, 2); got != c.want {
			t.Errorf("%s, $%v: billed %v, want %v", c.outcome, c.cost, got, c.want)
		}
	}
	if got := Billed(&api.Run{}, 2); got != 0 {
		t.Errorf("a run that never was is billed %v", got)
	}
}

func TestWhatKeepsAWorktree(t *testing.T) {
	keep, rm := appworktree.WorktreeRequest{Keep: true}, appworktree.WorktreeRequest{Remove: true}
	for _, c := range []struct {
		o    appworktree.WorktreeRequest
		left worktree.Left
		want bool
	}{
		{appworktree.WorktreeRequest{}, worktree.Left{}, false},
		{appworktree.WorktreeRequest{}, worktree.Left{Moved: true}, true},
		{appworktree.WorktreeRequest{}, worktree.Left{Uncommitted: 1}, true},
		{appworktree.WorktreeRequest{}, worktree.Left{Ignored: 1}, true},
		{keep, worktree.Left{}, true},
		{rm, worktree.Left{}, false},
		{rm, worktree.Left{Moved: true}, false},
		{rm, worktree.Left{Ignored: 1}, false},
		{rm, worktree.Left{Uncommitted: 1}, true},
		{rm, worktree.Left{Moved: true, Loose: true}, true},
	} {
		if got, _ := appworktree.Stays(c.o, c.left); got != c.want {
			t.Errorf("%+v %+v stays: %v", c.o, c.left, got)
		}
	}
}

func TestOverlapsNameSharedFiles(t *testing.T) {
	changed := func(paths ...string) TaskResult {
		var list []api.Change
		for _, p := range paths {
			list = append(list, api.Change{Path: p})
		}
		return TaskResult{RunResult: app.RunResult{Run: api.Run{Changes: list, Uncommitted: list}}}
	}
	maybe := changed("d")
	maybe.Run.Changes[0].Certainty = changeset.Possible
	got := overlaps([]TaskResult{changed("a", "b"), changed("c"), changed("b"), maybe, changed("d")})
	if want := []Overlap{{"b", []int{0, 2}}, {"d", []int{3, 4}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

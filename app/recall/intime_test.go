package recall_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/app/setup"
	"agentflow/executor"
	"agentflow/internal/filelock"
	"agentflow/internal/gather"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// TestGathering checks that the deadline returns the parts so far, and names the late ones.
func TestGathering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		g, end := gather.New(ctx)
		defer end()
		part := func(name string, takes time.Duration, err error) func() (string, error, bool) {
			return gather.Begin(g, name, func(context.Context) (string, error) { // it ignores its context
				time.Sleep(takes)
				return name, err
			})
		}
		broken := errors.New("broken")
		quick, slow, failed, late := part("quick", 0, nil), part("slow", time.Hour, nil), part("failed", 0, broken), part("late", 92*time.Millisecond, broken)
		if v, err, ok := quick(); v != "quick" || err != nil || !ok {
			t.Errorf("%q, %v, %v", v, err, ok)
		}
		if _, err, ok := failed(); !errors.Is(err, broken) || !ok {
			t.Errorf("%v, %v", err, ok)
		}
		for _, wait := range []func() (string, error, bool){slow, late} {
			if _, err, ok := wait(); err != nil || ok {
				t.Errorf("%v, %v", err, ok)
			}
		}
		if !slices.Equal(g.Late, []string{"slow", "late"}) || ctx.Err() != nil {
			t.Errorf("late are %q, and the caller's context says %v", g.Late, ctx.Err())
		}
		time.Sleep(2 * time.Hour) // the bubble waits for its goroutines
	})
}

// TestWhatIsSlowIsLeftOut checks that a recall with a deadline returns the own memory in time, even if the other
// memories do not answer, and that this is no failure.
func TestWhatIsSlowIsLeftOut(t *testing.T) {
	silent := apptest.NewTeamDouble(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for name, c := range map[string]struct {
		spoil func(p *apptest.Place)
		late  string
	}{
		"the team's server": {func(p *apptest.Place) { p.Settings(fmt.Sprintf("[team]\nurl = %q\n", silent.URL)) }, search.TeamName},
		"an embedder": {func(p *apptest.Place) {
			p.Settings(fmt.Sprintf("[embed]\nprovider = \"ollama\"\nmodel = \"m\"\nbase_url = %q\n", silent.URL))
		}, ""},
		"the user's own memory": {func(p *apptest.Place) {
			text, global := "Tabs, never spaces.", memory.GlobalNamespace
			apptest.Must(fact.Remember(p.T.Context(), p.Memory(), fact.RememberRequest{Change: fact.Change{Text: &text, Namespace: &global}}))(p.T)
			state := apptest.Must(p.Memory().Silent().Dirs())(p.T).Global().State()
			apptest.Must(0, os.Remove(filepath.Join(state, "seen")))(p.T) // it has to read its log
			lock := apptest.Must(filelock.Acquire(p.T.Context(), filepath.Join(state, "lock"), filelock.Self("test", time.Now()), 0))(p.T)
			p.T.Cleanup(func() { _ = lock.Release() })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := apptest.NewRepository(t)
			apptest.StoredBy(t, p.Memory(), "The okapi sleeps in the pantry.")
			p.Env = append(p.Env, "AGENTFLOW_TEAM_TOKEN=aft_secret")
			c.spoil(p)
			found := recalledWithin(t, p, "pantry")
			if checks := apptest.Must(setup.Doctor(t.Context(), p.Memory()))(t).Checks; c.late != "" && !slices.ContainsFunc(checks, func(check api.Check) bool { return strings.Contains(check.Detail, c.late) }) {
				t.Errorf("it is not counted: %+v", checks)
			}
			if len(found.Degraded) > 0 || c.late != "" && !slices.Contains(found.Late, c.late) {
				t.Errorf("degraded %q, late %q", found.Degraded, found.Late)
			}
		})
	}
}

// recalledWithin recalls with longer and longer deadlines, all shorter than a team's server
// may take, until a hit has the text.
func recalledWithin(t *testing.T, p *apptest.Place, text string) (found executor.Known) {
	t.Helper()
	for limit := 300 * time.Millisecond; limit <= 2400*time.Millisecond; limit *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		s := apptest.Must(p.Memory().Silent().OpenExisting(ctx))(t)
		var err error
		found, err = recall.Gather(ctx, s, retrieval.Query{Text: "where does the okapi sleep", Limit: 5}, "")
		cancel()
		if err != nil {
			t.Fatalf("within %v: %v", limit, err)
		}
		if slices.ContainsFunc(found.Hits, func(h retrieval.Hit) bool { return strings.Contains(h.Text, text) }) {
			return found
		}
	}
	t.Fatalf("no hit has %s: %+v", text, found)
	return found
}

// TestADatabaseThatHangs checks that the facts of MEMORY.md are returned at the deadline if the database of the index
// does not answer.
func TestADatabaseThatHangs(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := apptest.NewRepository(t)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- The okapi sleeps in the pantry.\n")
	p.Env = append(p.Env, fmt.Sprintf("AGENTFLOW_DSN=postgres://u@%s/d?sslmode=disable", l.Addr()))
	p.Settings("[index]\nstore = \"postgres\"\n")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	s := apptest.Must(p.Memory().Silent().OpenExisting(ctx))(t)
	found, err := recall.Gather(ctx, s, retrieval.Query{Text: "where does the okapi sleep", Limit: 5}, "")
	if err != nil || len(found.Facts) != 1 || !slices.Equal(found.Late, []string{search.OwnName, "stated facts"}) || len(found.Degraded) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

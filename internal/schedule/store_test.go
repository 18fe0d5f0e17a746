package schedule

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/filelock"
)

func store(t *testing.T) Store {
	return Store{Dir: t.TempDir(), Notice: func(what string) { t.Errorf("noticed: %s", what) }}
}

func past(t *testing.T, s Store, name string) Past {
	t.Helper()
	state, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	return state[name]
}

func TestClaimExcludesAndKeeps(t *testing.T) {
	s, now := store(t), at(t, "2026-11-21 12:00")
	b, err := s.Claim(t.Context(), "deps", now)
	if err != nil {
		t.Fatal(err)
	}
	var held *filelock.HeldError
	if _, err := s.Claim(t.Context(), "deps", now); !errors.As(err, &held) || held.Holder.PID != os.Getpid() {
		t.Errorf("claimed twice: %v", err)
	}
	if err := b.Start(t.Context(), Start{At: now, Day: "2026-11-21", Cap: 2}); err != nil {
		t.Fatal(err)
	}
	if running, err := s.Running("deps"); !running || err != nil || past(t, s, "deps").Running == nil {
		t.Errorf("running %v, %v", running, err)
	}
	if err := b.End(t.Context(), Outcome{Started: now, Ended: now.Add(time.Minute), Result: OK, CostUSD: 0.25}); err != nil {
		t.Fatal(err)
	}
	p := past(t, s, "deps")
	if p.Running != nil || p.Spent["2026-11-21"] != 0.25 || p.Last().Result != OK || !p.Until.Equal(now) {
		t.Errorf("%+v", p)
	}
	if running, _ := s.Running("deps"); running {
		t.Error("still running")
	}
}

// A run of a killed process counts with its cost limit.
func TestAKilledRunCountsItsLimit(t *testing.T) {
	s, now := store(t), at(t, "2026-11-21 12:00")
	b, err := s.Claim(t.Context(), "deps", now)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context(), Start{At: now, Day: "2026-11-21", Cap: 2}); err != nil {
		t.Fatal(err)
	}
	if err := b.lock.Release(); err != nil { // as the system does for who is killed
		t.Fatal(err)
	}
	b, err = s.Claim(t.Context(), "deps", now.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if last := b.Past.Last(); b.Past.Spent["2026-11-21"] != 2 || last.Result != Interrupted || last.CostUSD != 2 {
		t.Errorf("%+v", b.Past)
	}
}

// Jobs of several processes write at once, and nothing is lost.
func TestStoreTakesConcurrentWriters(t *testing.T) {
	s, now := store(t), at(t, "2026-11-21 12:00")
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 5 {
				o := Outcome{Started: now, Ended: now, Result: Failed, Reason: fmt.Sprint(i, n)}
				if err := s.Note(t.Context(), fmt.Sprint("job", i%4), o); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range 4 {
		if n := len(past(t, s, fmt.Sprint("job", i)).History); n != 20 {
			t.Errorf("job%d has %d outcomes, want 20", i, n)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var p Past
	for i := range 70 {
		day := at(t, "2026-01-01 12:00").AddDate(0, 0, i)
		p.begin(Start{At: day, Day: day.Format(time.DateOnly)})
		p.end(Outcome{Started: day, Result: OK, CostUSD: 1})
	}
	if len(p.History) != keepOutcomes || len(p.Spent) != keepDays || p.Spent["2026-03-11"] != 1 || p.Last().Started.Day() != 11 {
		t.Errorf("%d outcomes, %d days, last %v", len(p.History), len(p.Spent), p.Last().Started)
	}
}

// A file of a later program is not changed.
func TestANewerFileIsNotTouched(t *testing.T) {
	s := store(t)
	text := `{"version":2,"jobs":[]}`
	if err := os.WriteFile(s.Path(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Note(t.Context(), "deps", Outcome{}); err == nil || !strings.Contains(err.Error(), "version 2, this program reads 1") {
		t.Error(err)
	}
	if data, _ := os.ReadFile(s.Path()); string(data) != text {
		t.Errorf("now %s", data)
	}
}

// A file with any content is read, replaced with a notice, or refused.
func FuzzReadPast(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", `{"version":1}`, `{"version":1,"jobs":null}`, `{"version":1,"jobs":{"a":{"spent":null,"history":null,"running":{}}}}`, `{"version":9}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := Store{Dir: t.TempDir(), Notice: func(string) {}}
		if err := os.WriteFile(s.Path(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := s.Claim(t.Context(), "a", time.Unix(1, 0))
		if err != nil {
			return
		}
		if err := errors.Join(b.Start(t.Context(), Start{Day: "x"}), b.End(t.Context(), Outcome{Result: OK, CostUSD: 1})); err != nil {
			t.Fatal(err)
		}
		if p := past(t, s, "a"); p.Last().Result != OK {
			t.Fatalf("%+v", p)
		}
	})
}

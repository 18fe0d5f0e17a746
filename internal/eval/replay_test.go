package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// spy is an index that finds the newest entries first. At each search it checks that memory
// holds exactly the allowed entries.
type spy struct {
	t       *testing.T
	dir     string
	history History
	entries []*memory.Entry // as of the last Sync
	asked   *[]string
}

func (s *spy) Sync(context.Context, string) error {
	s.entries = nil
	files, err := filepath.Glob(filepath.Join(s.dir, "*"))
	if err != nil {
		return err
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if want := "# " + strings.TrimSuffix(filepath.Base(f), ".md") + "\n\n"; !strings.HasPrefix(string(src), want) {
			s.t.Errorf("%s does not begin with its heading", f)
		}
		for _, e := range markdown.Parse(src).Entries() {
			if e.Time.Format("2006-01-02")+".md" != filepath.Base(f) {
				s.t.Errorf("an entry of %v is in %s", e.Time, f)
			}
			s.entries = append(s.entries, e)
		}
	}
	return nil
}

func (s *spy) Search(_ context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	*s.asked = append(*s.asked, q.Text)
	n := len(s.entries)
	if want := s.history.Commits[n]; q.Text != want.Subject || !q.Now.Equal(want.Time) || q.Gate || q.Limit < min(n, 100) {
		s.t.Errorf("with %d entries it is asked %+v, not for %q", n, q, want.Subject)
	}
	var hits []retrieval.Hit
	ids := map[string]bool{}
	for i, e := range slices.Backward(s.entries) {
		if want := s.history.Commits[i]; e.Task != want.Subject || !e.Time.Equal(want.Time) || ids[e.ID] {
			s.t.Errorf("entry %d is %q with id %s", i, e.Task, e.ID)
		}
		ids[e.ID] = true
		hits = append(hits, retrieval.Hit{EntryID: e.ID})
	}
	return hits, nil, nil
}

func (s *spy) Close() error { return nil }

// made returns a history in which commit i touches the files i%20 and, as a rename, i%20 again.
// Each day has ten commits.
func made(name string, n int) History {
	h := History{Name: name}
	for i := range n {
		h.Commits = append(h.Commits, Commit{
			ID: fmt.Sprintf("c%d", i), Time: time.Date(2026, 1, 1+i/10, 23, 59, i%10/4, 0, time.UTC),
			Subject: fmt.Sprintf("%s: work number %d on part %d", name, i, i%20), Body: "why",
			Files: []changeset.Change{{Status: 'M', Path: fmt.Sprintf("f%d", i%20)}, {Status: 'R', Path: fmt.Sprintf("n%d", i), OldPath: fmt.Sprintf("o%d", i%20)}},
		})
	}
	return h
}

func TestCochangeSeesNothingOfTheFuture(t *testing.T) {
	h := made("spied", 120)
	h.Commits[110].Files = []changeset.Change{{Status: 'A', Path: "fresh"}} // no target: skipped
	var asked []string
	var done []int
	got, err := Cochange(t.Context(), []History{h}, CochangeOptions{
		Open: func(_ context.Context, dir, _ string) (Index, error) {
			return &spy{t: t, dir: dir, history: h, asked: &asked}, nil
		},
		Last: 15, K: 1,
		Progress: func(n, all int) { done = append(done, n*100+all) },
	})
	if err != nil {
		t.Fatal(err)
	}
	// Commits 105 to 119, except 110. Newest first, the 20th entry is the first about the same
	// part, and its paths follow those of 19 others. The first one names three paths, but 110
	// only one.
	if want := (CochangeFigures{Queries: 14, MRR: got[0].MRR, PathsNamed: 40.0 / 14}); len(asked) != 14 || got[0] != want {
		t.Errorf("asked %d times: %+v, want %+v", len(asked), got[0], want)
	}
	if math.Abs(got[0].MRR-0.05) > 1e-12 {
		t.Errorf("MRR is %v, want 1/20", got[0].MRR)
	}
	if len(done) != 15 || done[14] != 1515 {
		t.Errorf("progress was %v", done)
	}
}

// realIndex is the product's index.
type realIndex struct {
	*index.DB
	dir string
}

func (r realIndex) Sync(ctx context.Context, _ string) error {
	_, err := r.DB.Sync(ctx, index.Source{Dir: r.dir, Prefix: memoryPrefix})
	return err
}

func (r realIndex) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	hits, err := r.DB.Search(ctx, q)
	return hits, nil, err
}

func openReal(ctx context.Context, dir, _ string) (Index, error) {
	db, err := index.Open(ctx, "", index.Options{})
	return realIndex{db, dir}, err
}

func TestCochangeIsRepeatable(t *testing.T) {
	histories := []History{made("one", 112), made("two", 108), made("three", 105)}
	var first []CochangeFigures
	for _, parallel := range []int{1, 3} {
		got, err := Cochange(t.Context(), histories, CochangeOptions{Open: openReal, Last: 10, Parallel: parallel})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%d at once: %+v\nfirst: %+v", parallel, got, first)
		}
	}
	if first[0].HitAtPaths != 1 || first[2].Queries != 5 {
		t.Errorf("the number of its part does not find a commit: %+v", first)
	}
}

var errBroken = errors.New("broken")

func TestCochangeErrors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if _, err := Cochange(t.Context(), []History{made("short", 100)}, CochangeOptions{Open: openReal}); !errors.Is(err, ErrTooShort) || !strings.Contains(err.Error(), "short") {
		t.Errorf("a short history: %v", err)
	}
	var mu sync.Mutex
	opened := 0
	open := func(ctx context.Context, dir, history string) (Index, error) {
		mu.Lock()
		defer mu.Unlock()
		if opened++; opened == 2 {
			return nil, errBroken
		}
		return openReal(ctx, dir, history)
	}
	_, err := Cochange(t.Context(), []History{made("a", 101), made("b", 101), made("c", 101)}, CochangeOptions{Open: open})
	if !errors.Is(err, errBroken) {
		t.Errorf("an index that cannot be opened: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "agentflow-eval-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

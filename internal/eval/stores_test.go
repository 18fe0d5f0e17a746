package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"agentflow/embed"
	"agentflow/index"
	"agentflow/index/postgres"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory/retrieval"

	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

// TestStoresAgree is the contract of the index's stores: SQLite and PostgreSQL return the same
// hits in the same order, with the same scores and files, for the questions of the search set
// and the last commits of histories. AGENTFLOW_HISTORIES names other histories than the set's:
// files of JSON Lines, separated by ','. If pgvector searches the vectors (see
// docs/contributing.md), it finds some that bits miss: hits after the tenth may differ, and
// earlier ones in one search of a hundred.
func TestStoresAgree(t *testing.T) {
	questions, err := ReadQuestions(searchSet + "/queries.jsonl")
	must(t, err)
	both := &twins{t: t, dsn: pgtest.Database(t)}
	_, err = Queries(t.Context(), copied(t, searchSet+"/memory"), questions, QueryOptions{Open: both.open})
	must(t, err)
	files := []string{searchSet + "/history.jsonl"}
	if named := os.Getenv("AGENTFLOW_HISTORIES"); named != "" {
		files = strings.Split(named, ",")
	}
	var histories []History
	for _, f := range files {
		h, err := ReadLog(f)
		must(t, err)
		histories = append(histories, h)
	}
	_, err = Cochange(t.Context(), histories, CochangeOptions{Open: both.open, Last: 120})
	must(t, err)
	t.Logf("%d searches with %d hits; scores of equal hits differ by %.1e at most", both.searches.Load(), both.hits.Load(), both.worst)
	may := 0
	if both.pgvector() {
		may = int(both.searches.Load() / 100)
		t.Logf("with pgvector %d differ, %d of them before the eleventh place; first in these places: %v", len(both.places), len(both.differ), both.places)
	}
	if len(both.differ) > may {
		t.Error(strings.Join(both.differ, "\n"))
	}
	if both.searches.Load() < 300 || both.hits.Load() < 1000 {
		t.Errorf("only %d searches with %d hits", both.searches.Load(), both.hits.Load())
	}
}

// copied returns a folder with a copy of another one's Markdown.
func copied(t *testing.T, from string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// twins opens an index in each store, and compares their answers.
type twins struct {
	t              *testing.T
	dsn            string
	opened         atomic.Int64
	searches, hits atomic.Int64
	worst          float64  // difference of two scores
	places         []int    // of the first hits that differ, from 1; 0: only files do
	differ         []string // how, unless pgvector may
}

// pgvector reports whether the database has the extension, which the store installs when it
// uses it.
func (w *twins) pgvector() (has bool) {
	c, err := pgx.Connect(w.t.Context(), w.dsn)
	must(w.t, err)
	defer c.Close(w.t.Context())
	must(w.t, c.QueryRow(w.t.Context(), `SELECT EXISTS(SELECT 1 FROM pg_extension WHERE extname='vector')`).Scan(&has))
	return has
}

func (w *twins) open(ctx context.Context, dir, history string) (Index, error) {
	e, err := embed.New(embed.Options{Provider: "local"})
	if err != nil {
		return nil, err
	}
	sqlite, err := index.Open(ctx, "", index.Options{Embedder: e})
	if err != nil {
		return nil, err
	}
	server := index.Server{Store: postgres.Name, DSN: w.dsn, Repository: fmt.Sprint(history, w.opened.Add(1))}
	pg, err := index.Open(ctx, "", index.Options{Embedder: e, Server: server})
	return &twin{w, dir, sqlite, pg}, err
}

type twin struct {
	*twins
	dir          string
	sqlite, both *index.DB
}

func (x *twin) Sync(ctx context.Context, _ string) error {
	for _, db := range []*index.DB{x.sqlite, x.both} {
		if _, err := db.Sync(ctx, index.Source{Dir: x.dir, Prefix: memoryPrefix}); err != nil {
			return err
		}
		if r, err := db.EmbedPending(ctx, nil); err != nil || r.Pending > 0 {
			return errors.Join(err, fmt.Errorf("%d wait for a vector", r.Pending))
		}
	}
	return nil
}

func (x *twin) Close() error { return errors.Join(x.sqlite.Close(), x.both.Close()) }

func (x *twin) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	want, err := x.sqlite.Ask(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	got, err := x.both.Ask(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	x.searches.Add(1)
	x.hits.Add(int64(len(want.Hits)))
	if place := firstDifference(want.Hits, got.Hits); place > 0 {
		x.note(place, fmt.Sprintf("%q: SQLite has\n%s\nPostgreSQL has\n%s", q.Text, described(want.Hits...), described(got.Hits...)))
		return want.Hits, want.Files, nil
	}
	for i := range want.Hits {
		x.worst = max(x.worst, math.Abs(want.Hits[i].Score-got.Hits[i].Score))
	}
	if a, b := named(want.Files), named(got.Files); a != b {
		x.note(0, fmt.Sprintf("%q: SQLite has the files\n%s\nPostgreSQL has the files\n%s", q.Text, a, b))
	}
	return want.Hits, want.Files, nil
}

func (w *twins) note(place int, what string) {
	w.places = append(w.places, place)
	if place <= 10 || !w.pgvector() {
		w.differ = append(w.differ, what)
	}
}

// firstDifference returns the place of the first different hit of two lists, from 1, or 0 if
// they are equal.
func firstDifference(a, b []retrieval.Hit) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || described(a[i]) != described(b[i]) {
			return i + 1
		}
	}
	return 0
}

// described describes hits without their rounded values.
func described(hits ...retrieval.Hit) string {
	var b strings.Builder
	for _, h := range hits {
		fmt.Fprintln(&b, h.EntryID, filepath.Base(h.Path), h.StartLine, h.EndLine, h.Heading, h.Namespace, h.Date.Unix(), h.Commits, h.Kind, len(h.Text))
	}
	return b.String()
}

// named returns files with their chances, which may differ by a rounding if sums have another
// order.
func named(files []retrieval.LikelyFile) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %.9f %s\n", f.Path, f.Chance, f.Why)
	}
	return b.String()
}

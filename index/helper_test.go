package index

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/index/postgres"
	"agentflow/index/rank"
	"agentflow/index/store"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory/retrieval"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// entry returns one entry as a file stores it.
func entry(id string, at time.Time, title, body string) string {
	return fmt.Sprintf("## %s · %s\n\n<!-- agentflow v=1 kind=run id=%s time=%s agent=command branch=main -->\n\n**Task**: %s\n\n### Summary\n%s\n\n---\n\n",
		at.Format("2006-01-02 15:04"), title, id, at.Format(time.RFC3339), title, body)
}

// notes is a memory folder with an index next to it.
type notes struct {
	t   testing.TB
	dir string
	dsn string // of this test's database, when the tests run on PostgreSQL
}

func newStore(t testing.TB) notes {
	s := notes{t: t, dir: t.TempDir()}
	if os.Getenv("AGENTFLOW_STORE") == postgres.Name {
		s.dsn = pgtest.Database(t)
	}
	return s
}

func (s notes) db() string {
	if s.dsn != "" {
		s.t.Skip("of the file that SQLite has")
	}
	return s.path()
}

func (s notes) path() string            { return filepath.Join(s.dir, "state", "index.db") }
func (s notes) source() Source          { return Source{Dir: filepath.Join(s.dir, "memory"), Prefix: "memory/"} }
func (s notes) file(name string) string { return filepath.Join(s.dir, "memory", name) }

func (s notes) put(name, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.file(name)), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.file(name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// open opens the index with a clock by which no file is too fresh for its
// listing to be trusted.
func (s notes) open(o Options) *DB {
	s.t.Helper()
	if o.Notice == nil {
		o.Notice = func(n string) { s.t.Errorf("unexpected notice: %s", n) }
	}
	if os.Getenv("AGENTFLOW_STORE") == postgres.Name {
		o.Server = Server{Store: postgres.Name, DSN: s.dsn, Repository: "one"}
	}
	d, err := Open(s.t.Context(), s.path(), o)
	if err != nil {
		s.t.Fatal(err)
	}
	d.now = func() time.Time { return time.Now().Add(time.Hour) }
	s.t.Cleanup(func() {
		if err := d.Close(); err != nil {
			s.t.Error(err)
		}
	})
	return d
}

func (s notes) sync(d *DB) SyncReport {
	s.t.Helper()
	r, err := d.Sync(s.t.Context(), s.source())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func search1(t testing.TB, d *DB, q retrieval.Query) []retrieval.Hit {
	t.Helper()
	if q.Now.IsZero() {
		q.Now = day
	}
	hits, err := d.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	return hits
}

func headings(t testing.TB, d *DB, q retrieval.Query) string {
	t.Helper()
	var out []string
	for _, h := range search1(t, d, q) {
		out = append(out, lastPart(h.Heading))
	}
	return strings.Join(out, "|")
}

func lastPart(heading string) string {
	if i := strings.LastIndex(heading, "·"); i >= 0 {
		heading = heading[i+len("·"):]
	}
	return strings.TrimSpace(heading)
}

func mustExec(t testing.TB, db *sql.DB, q string, args ...any) {
	t.Helper()
	if _, err := db.Exec(q, args...); err != nil {
		t.Fatalf("%s: %v", q, err)
	}
}

// texts returns the texts of all chunks, in the order of their numbers.
func texts(t testing.TB, d *DB) (list []string) {
	t.Helper()
	numbers, err := column[int64](t.Context(), oneConn(t, tables(t, d)), `SELECT id FROM chunks ORDER BY id`)
	must(t, err)
	looked(t, d, func(s *searcher) {
		for _, id := range numbers {
			list = append(list, s.standing(id))
		}
	})
	return list
}

// tables opens the file of an index with a second pool.
func tables(t testing.TB, d *DB) *sql.DB {
	t.Helper()
	if d.o.Server.DSN != "" {
		t.Skip("of the tables that SQLite has")
	}
	pool, err := sql.Open("sqlite", "file:"+d.path+"?_pragma=busy_timeout(60000)")
	must(t, err)
	t.Cleanup(func() { must(t, pool.Close()) })
	return pool
}

// column reads the only column of a query.
func column[T any](ctx context.Context, c *sql.Conn, query string, args ...any) (list []T, err error) {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// looked runs f with a search's view of an index.
func looked(t testing.TB, d *DB, f func(*searcher)) {
	t.Helper()
	must(t, d.view(t.Context(), func(_ store.Handle, v store.View) error {
		f(&searcher{ctx: t.Context(), view: v, db: d, sources: d.from(), Search: rank.Search{Ranking: d.o.Ranking}})
		return v.Err()
	}))
}

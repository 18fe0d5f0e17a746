package index

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

var day = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// entry is one entry as it stands in a file.
func entry(id string, at time.Time, title, body string) string {
	return fmt.Sprintf("## %s · %s\n\n<!-- agentflow v=1 kind=run id=%s time=%s agent=command branch=main -->\n\n**Task**: %s\n\n### Summary\n%s\n\n---\n\n",
		at.Format("2006-01-02 15:04"), title, id, at.Format(time.RFC3339), title, body)
}

// store is a memory folder and an index beside it.
type store struct {
	t   testing.TB
	dir string
}

func newStore(t testing.TB) store { return store{t, t.TempDir()} }

func (s store) db() string              { return filepath.Join(s.dir, "state", "index.db") }
func (s store) source() Source          { return Source{Dir: filepath.Join(s.dir, "memory"), Prefix: "memory/"} }
func (s store) file(name string) string { return filepath.Join(s.dir, "memory", name) }

func (s store) put(name, text string) {
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
func (s store) open(o Options) *DB {
	s.t.Helper()
	if o.Notice == nil {
		o.Notice = func(n string) { s.t.Errorf("unexpected notice: %s", n) }
	}
	d, err := Open(s.t.Context(), s.db(), o)
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

func (s store) sync(d *DB) SyncReport {
	s.t.Helper()
	r, err := d.Sync(s.t.Context(), s.source())
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func search1(t testing.TB, d *DB, q memory.Query) []memory.Hit {
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

func headings(t testing.TB, d *DB, q memory.Query) string {
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

// texts are those of all chunks, in the order of their numbers.
func texts(t testing.TB, d *DB) (list []string) {
	t.Helper()
	must(t, d.view(t.Context(), func(_ *handle, c *sql.Conn) error {
		s := searcher{db: d, statements: newStatements(t.Context(), c)}
		defer s.close()
		for _, id := range listOf[int64](s.statements, `SELECT id FROM chunks ORDER BY id`) {
			list = append(list, s.standing(id))
		}
		return s.err
	}))
	return list
}

package index

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"agentflow/internal/testing/pgtest"
	"agentflow/memory/retrieval"
)

// TestMain lets the test binary run as one of the other processes that tests
// start.
func TestMain(m *testing.M) {
	if job := os.Getenv("INDEX_TEST_JOB"); job != "" {
		if err := child(context.Background(), job, os.Getenv("INDEX_TEST_DIR")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(pgtest.Run(m))
}

// child runs the job of one of several processes on a store.
func child(ctx context.Context, job, dir string) error {
	s := notes{dir: dir}
	o := Options{Notice: func(n string) { fmt.Println("notice:", n) }}
	if job == "vectors" {
		o.Embedder = inline(256)
	}
	d, err := Open(ctx, s.db(), o)
	if err != nil {
		return err
	}
	if _, err := d.Sync(ctx, s.source()); err != nil {
		return err
	}
	if job == "search" {
		hits, err := d.Search(ctx, retrieval.Query{Text: "flaky login", Now: day})
		if err != nil {
			return err
		}
		fmt.Println("hits:", len(hits))
	}
	return d.Close()
}

func command(t testing.TB, job, dir string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), "INDEX_TEST_JOB="+job, "INDEX_TEST_DIR="+dir)
	return c
}

// together runs n processes at once and returns what each printed.
func together(t *testing.T, n int, job, dir string) []string {
	t.Helper()
	out := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			b, err := command(t, job, dir).CombinedOutput()
			if err != nil {
				t.Errorf("process %d: %v\n%s", i, err, b)
			}
			out[i] = string(b)
		})
	}
	wg.Wait()
	return out
}

// filled returns a store of a few hundred entries.
func filled(t testing.TB) notes {
	s := newStore(t)
	for i := range 20 {
		var b strings.Builder
		for j := range 15 {
			at := day.AddDate(0, 0, -i)
			b.WriteString(entry(fmt.Sprintf("e%d-%d", i, j), at, fmt.Sprintf("Change number%d of module%d", j, i),
				strings.Repeat(fmt.Sprintf("word%d and thing%d were touched. ", i*j, j), 20)))
		}
		s.put(fmt.Sprintf("day-%02d.md", i), b.String())
	}
	s.put("2026-11-21.md", entry("login", day, "Fix the flaky login test", "The clock was real."))
	return s
}

var damages = map[string]struct {
	do func(t *testing.T, path string)
	// said is part of the notice; "" when no notice is expected.
	said string
}{
	"absent":       {func(t *testing.T, p string) { must(t, os.Remove(p)) }, ""},
	"empty":        {func(t *testing.T, p string) { must(t, os.Truncate(p, 0)) }, ""},
	"truncated":    {func(t *testing.T, p string) { cut(t, p) }, "damaged"},
	"wrong magic":  {func(t *testing.T, p string) { overwrite(t, p, 0, []byte("no database at all")) }, "damaged"},
	"first page":   {func(t *testing.T, p string) { overwrite(t, p, 100, make([]byte, 3900)) }, "damaged"},
	"random bytes": {func(t *testing.T, p string) { scatter(t, p) }, "damaged"},
	"zeroed pages": {func(t *testing.T, p string) { overwrite(t, p, 4096, make([]byte, 20*4096)) }, "damaged"},
	"newer":        {func(t *testing.T, p string) { alter(t, p, "PRAGMA user_version=99") }, "newer version"},
	"older":        {func(t *testing.T, p string) { alter(t, p, "PRAGMA user_version=0") }, "older version"},
	"foreign":      {func(t *testing.T, p string) { alter(t, p, "PRAGMA application_id=7") }, "not an index"},
	"other chunks": {func(t *testing.T, p string) { alter(t, p, "UPDATE meta SET value='chunk=1/0' WHERE key='identity'") }, "cut differently"},
	"no table":     {func(t *testing.T, p string) { alter(t, p, "DROP TABLE df") }, "damaged"},
	"log deleted":  {func(t *testing.T, p string) { must(t, removeAll(p+"-wal", p+"-shm")) }, ""},
}

// TestDamage damages an index in every way there is and lets eight processes
// find it so at once: each finds the entry, the index agrees with the files
// afterwards, and it was said once.
func TestDamage(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			must(t, child(t.Context(), "sync", s.dir))
			damage.do(t, s.db())
			said := 0
			for i, out := range together(t, 4, "search", s.dir) {
				if !strings.Contains(out, "hits: 1\n") {
					t.Errorf("process %d said %q", i, out)
				}
				if strings.Contains(out, "notice:") {
					said++
					if damage.said == "" || !strings.Contains(out, damage.said) {
						t.Errorf("process %d said %q, want %q", i, out, damage.said)
					}
				}
			}
			if want := min(len(damage.said), 1); said != want {
				t.Errorf("said %d times, want %d", said, want)
			}
			check(t, s)
		})
	}
}

// TestDamageWhileOpen damages the file under a live handle.
func TestDamageWhileOpen(t *testing.T) {
	for _, name := range []string{"absent", "truncated", "random bytes", "zeroed pages", "wrong magic"} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			must(t, child(t.Context(), "sync", s.dir))
			d := s.open(Options{Notice: func(string) {}})
			s.sync(d)
			damages[name].do(t, s.db())
			if got := headings(t, d, retrieval.Query{Text: "flaky login"}); got != "Fix the flaky login test" {
				t.Errorf("found %q", got)
			}
			check(t, s)
		})
	}
}

// TestSwapped checks that an open handle follows a file that another process
// moved away and rebuilt.
func TestSwapped(t *testing.T) {
	s := filled(t)
	d := s.open(Options{})
	s.sync(d)
	damages["wrong magic"].do(t, s.db())
	together(t, 1, "search", s.dir)
	s.put("new.md", entry("new", day, "A zebra in the parser", "Seen."))
	together(t, 1, "search", s.dir)
	if got := headings(t, d, retrieval.Query{Text: "zebra"}); got != "A zebra in the parser" {
		t.Errorf("found %q", got)
	}
	if s.sync(d).Changed != 0 {
		t.Error("the other process had indexed it already")
	}
	check(t, s)
}

// check checks that the index agrees with the files: it must equal an index
// built afresh from them.
func check(t testing.TB, s notes) {
	t.Helper()
	d, err := Open(t.Context(), s.db(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	s.sync(d)
	fresh, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.Close()
	if _, err := fresh.Sync(t.Context(), s.source()); err != nil {
		t.Fatal(err)
	}
	got, want := dump(t, d), dump(t, fresh)
	if !bytes.Equal(got, want) {
		t.Errorf("the index does not agree with the files: %d bytes, afresh %d\n%.600s", len(got), len(want), firstDifference(got, want))
	}
	var rows string
	if err := tables(t, d).QueryRow(`PRAGMA integrity_check`).Scan(&rows); err != nil || rows != "ok" {
		t.Errorf("integrity: %s, %v", rows, err)
	}
}

// dump returns everything in an index, without row IDs and listings.
func dump(t testing.TB, d *DB) []byte {
	t.Helper()
	pool := tables(t, d)
	pool.SetMaxOpenConns(1) // which has the temporary table
	mustExec(t, pool, `CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, fts, instance)`)
	var b bytes.Buffer
	for _, q := range []string{
		`SELECT path, hex(hash), size, hex(digest) FROM files ORDER BY path`,
		`SELECT n.name, f.path FROM names n LEFT JOIN files f ON f.id=n.file ORDER BY n.name, f.path`,
		`SELECT f.path, c.ordinal, c.start, c.stop, c.key, c.entry, c.kind, c.heading, c.date, hex(c.terms), c.at, c.size, c.text FROM chunks c
			JOIN files f ON f.id=c.file ORDER BY f.path, c.start, c.ordinal`,
		`SELECT bucket, hex(counts) FROM df ORDER BY bucket`,
		`SELECT value FROM meta WHERE key='chunks'`,
		`SELECT f.path, c.start, w.term, w.col, count(*) FROM temp.words w LEFT JOIN chunks c ON c.id=w.doc LEFT JOIN files f ON f.id=c.file
			GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
	} {
		rows, err := pool.Query(q)
		if err != nil {
			t.Fatal(err)
		}
		names, err := rows.Columns()
		must(t, err)
		for rows.Next() {
			vals := make([]any, len(names))
			for i := range vals {
				vals[i] = new(any)
			}
			must(t, rows.Scan(vals...))
			for _, v := range vals {
				fmt.Fprintf(&b, "%v|", *v.(*any))
			}
			b.WriteByte('\n')
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
	}
	return b.Bytes()
}

func firstDifference(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-100)
	return fmt.Sprintf("got  …%.250s\nwant …%.250s", a[from:], b[from:])
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func cut(t *testing.T, path string) {
	info, err := os.Stat(path)
	must(t, err)
	must(t, os.Truncate(path, info.Size()/2+17))
}

func overwrite(t *testing.T, path string, at int64, b []byte) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(b, at)
	must(t, errors.Join(err, f.Close()))
}

// scatter writes a few odd bytes into every page but the first.
func scatter(t *testing.T, path string) {
	b, err := os.ReadFile(path)
	must(t, err)
	for i := 4096; i < len(b); i += 251 {
		b[i] ^= 0x5a
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteAt(b[4096:], 4096)
	must(t, errors.Join(err, f.Close()))
}

func alter(t testing.TB, path, statement string) {
	pool, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	mustExec(t, pool, statement)
	must(t, pool.Close())
}

func removeAll(paths ...string) error {
	for _, p := range paths {
		if err := os.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

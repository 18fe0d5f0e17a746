package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/index"
	"agentflow/index/postgres"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"

	"github.com/jackc/pgx/v5"
)

// notes is a folder of memory.
type notes struct {
	t   testing.TB
	dir string
}

func (n notes) source() index.Source { return index.Source{Dir: n.dir, Prefix: "memory/"} }

// add writes a file with one entry.
func (n notes) add(id, title string) {
	n.t.Helper()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	text := markdown.Format(memory.Entry{ID: id, Kind: memory.KindNote, Time: at, Title: title, Task: title})
	must(n.t, os.WriteFile(filepath.Join(n.dir, id+".md"), text, 0o600))
}

func open(t testing.TB, dsn, repository string, notice func(string)) *index.DB {
	t.Helper()
	d, err := index.Open(t.Context(), "", index.Options{Notice: notice, Server: index.Server{Store: postgres.Name, DSN: dsn, Repository: repository}})
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// found returns the sorted IDs of the entries that a search finds.
func found(t testing.TB, d *index.DB, words string) string {
	t.Helper()
	hits, err := d.Search(t.Context(), retrieval.Query{Text: words, Limit: 1000, Now: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)})
	must(t, err)
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.EntryID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func fatal(what string) { panic("unexpected notice: " + what) }

// TestAnalyzed checks that the planner has statistics right after the first
// load, and again after the index has grown much larger.
func TestAnalyzed(t *testing.T) {
	dsn := pgtest.Database(t)
	n := notes{t, t.TempDir()}
	d := open(t, dsn, "one", fatal)
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer c.Close(context.Background())
	known := 0
	for i, want := range []float32{1, 1, 5} {
		for range []int{1, 1, 3}[i] {
			n.add(fmt.Sprint("entry-", known), "The okapi")
			known++
		}
		_, err := d.Sync(t.Context(), n.source())
		must(t, err)
		var rows float32
		must(t, c.QueryRow(t.Context(), `SELECT reltuples FROM pg_class WHERE relname='chunks_1'`).Scan(&rows))
		if rows != want {
			t.Errorf("of %d entries the planner knows of %v", known, rows)
		}
	}
}

// TestRepositories checks that each index holds one memory, and that one search
// reads all of them.
func TestRepositories(t *testing.T) {
	dsn := pgtest.Database(t)
	for _, name := range []string{"one", "two"} {
		n := notes{t, t.TempDir()}
		n.add("entry-"+name, "The okapi is "+name)
		d := open(t, dsn, name, fatal)
		_, err := d.Sync(t.Context(), n.source())
		must(t, err)
		if got := found(t, d, "okapi"); got != "entry-"+name {
			t.Errorf("%s has %s", name, got)
		}
	}
	if got := found(t, open(t, dsn, "", fatal), "okapi"); got != "entry-one entry-two" {
		t.Errorf("all have %s", got)
	}
}

// TestNamespaceAlone checks that a search can be limited to the facts of one
// namespace.
func TestNamespaceAlone(t *testing.T) {
	d := open(t, pgtest.Database(t), "one", fatal)
	n := notes{t, t.TempDir()}
	n.add("entry", "The okapi is awake")
	text := markdown.FormatFact(memory.Fact{ID: "theirs", Text: "The okapi is reviewed.", Namespace: memory.TeamNamespace})
	must(t, os.WriteFile(filepath.Join(n.dir, "facts.md"), []byte(text), 0o600))
	_, err := d.Sync(t.Context(), n.source())
	must(t, err)
	q := retrieval.Query{Text: "okapi", Limit: 9, Filter: retrieval.Filter{Namespace: memory.TeamNamespace}}
	hits, err := d.Search(t.Context(), q)
	must(t, err)
	if len(hits) != 1 || hits[0].Namespace != memory.TeamNamespace {
		t.Errorf("%+v", hits)
	}
}

// TestPurgeLeavesNothing checks that no file of the database except its log
// contains a purged text.
func TestPurgeLeavesNothing(t *testing.T) {
	server := pgtest.Started(t)
	dsn, err := server.Database(t.Context())
	must(t, err)
	n := notes{t, t.TempDir()}
	n.add("kept", "The wombat is awake")
	n.add("gone", "The okapi is asleep")
	d := open(t, dsn, "one", fatal)
	_, err = d.Sync(t.Context(), n.source())
	must(t, err)
	checkpoint(t, dsn)
	if !holds(t, server, "okapi is asleep") {
		t.Fatal("the text stands nowhere: this test sees nothing")
	}
	must(t, os.Remove(filepath.Join(n.dir, "gone.md")))
	must(t, d.Purge(t.Context(), "gone"))
	checkpoint(t, dsn)
	if holds(t, server, "okapi is asleep") {
		t.Error("the text is still there")
	}
	_, err = d.Sync(t.Context(), n.source())
	must(t, err)
	if got := found(t, d, "okapi wombat"); got != "kept" {
		t.Errorf("found %s", got)
	}
}

func checkpoint(t *testing.T, dsn string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	defer c.Close(t.Context())
	_, err = c.Exec(t.Context(), "CHECKPOINT")
	must(t, err)
}

// holds reports whether a file of the server's tables contains a text.
func holds(t *testing.T, server *pgtest.Server, text string) (yes bool) {
	t.Helper()
	must(t, filepath.WalkDir(filepath.Join(server.Data(), "base"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		yes = yes || bytes.Contains(data, []byte(text))
		return err
	}))
	return yes
}

// TestDamageIsMended checks that an inconsistent index is rebuilt, and that
// this is reported once.
func TestDamageIsMended(t *testing.T) {
	for name, damage := range map[string]string{
		"postings": `UPDATE postings SET data='\x0102'`,
		"words":    `UPDATE df SET counts='\x01'`,
		"texts":    `DELETE FROM chunks`,
	} {
		t.Run(name, func(t *testing.T) {
			dsn := pgtest.Database(t)
			n := notes{t, t.TempDir()}
			n.add("entry", "The okapi is asleep")
			said := 0
			d := open(t, dsn, "one", func(string) { said++ })
			_, err := d.Sync(t.Context(), n.source())
			must(t, err)
			c, err := pgx.Connect(t.Context(), dsn)
			must(t, err)
			defer c.Close(t.Context())
			_, err = c.Exec(t.Context(), `SET search_path=agentflow; `+damage)
			must(t, err)
			if got := found(t, d, "okapi"); got != "entry" || said == 0 {
				t.Errorf("found %q, said %d times", got, said)
			}
		})
	}
}

// TestKilledServer kills the server while two processes write and one searches.
// Search results stay correct meanwhile, and after a restart everything is
// found without help.
func TestKilledServer(t *testing.T) {
	server := pgtest.Started(t)
	dsn, err := server.Database(t.Context())
	must(t, err)
	n := notes{t, t.TempDir()}
	n.add("first", "The okapi is asleep")
	dbs := make([]*index.DB, 3)
	for i := range dbs {
		dbs[i] = open(t, dsn, "one", fatal)
	}
	_, err = dbs[0].Sync(t.Context(), n.source())
	must(t, err)

	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i, d := range dbs[:2] {
		all.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				n.add(fmt.Sprintf("w%d-%d", i, k%50), fmt.Sprintf("The okapi writes %d", k))
				_, _ = d.Sync(ctx, n.source()) // fails while the server is down
			}
		})
	}
	answers := 0
	all.Go(func() {
		for ctx.Err() == nil {
			hits, err := dbs[2].Search(ctx, retrieval.Query{Text: "okapi asleep", Limit: 1})
			if err != nil {
				continue
			}
			if answers++; len(hits) != 1 || hits[0].EntryID != "first" {
				t.Errorf("a search gave %v", hits)
			}
		}
	})
	for range 5 {
		for tick, end := time.NewTicker(50*time.Millisecond), time.Now().Add(700*time.Millisecond); time.Now().Before(end); {
			<-tick.C
		}
		must(t, server.Kill())
		must(t, server.Start(t.Context()))
	}
	stop()
	all.Wait()
	_, err = dbs[0].Sync(t.Context(), n.source())
	must(t, err)
	files, err := os.ReadDir(n.dir)
	must(t, err)
	if got := strings.Fields(found(t, dbs[1], "okapi")); len(got) != len(files) || answers == 0 {
		t.Errorf("%d of %d entries are found after %d answers", len(got), len(files), answers)
	}
}

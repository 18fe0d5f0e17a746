package share_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/forget"
	"agentflow/app/open"
	"agentflow/app/search"
	"agentflow/app/share"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/bytesearch"
)

// TestPurgeReachesCopies: a purge in a copy of a clone also purges the first clone, which
// has the same key as the copy, and leaves nothing on the remote.
func TestPurgeReachesCopies(t *testing.T) {
	all, places := apptest.People(t, "Ada")
	ada, first := all[0], places[0]
	id := apptest.Tell(t, ada, "The okapi sleeps in the vault.", "")
	apptest.Tell(t, ada, "The walrus stays.", "")
	apptest.SyncAll(t, ada)
	apptest.Must(search.Search(t.Context(), ada, search.SearchRequest{Text: "okapi", Limit: 5}))(t)
	dir := filepath.Join(filepath.Dir(first.Repo), "copy")
	copyFolder(t, first.Repo, dir)
	copied := apptest.Must(open.Open(t.Context(), dir, app.Env{Vars: first.Env}))(t)
	defer copied.Close()
	apptest.Must(share.Sync(t.Context(), copied, share.SyncRequest{}))(t)
	apptest.Purge(t, copied, id)
	apptest.Must(share.Sync(t.Context(), copied, share.SyncRequest{}))(t)
	apptest.Must(share.Sync(t.Context(), ada, share.SyncRequest{}))(t)
	apptest.Must(share.Sync(t.Context(), copied, share.SyncRequest{}))(t)
	list := apptest.Must(bytesearch.Find("okapi", first.Home, first.Repo, dir))(t)
	if list = slices.DeleteFunc(list, func(path string) bool { return filepath.Dir(path) == first.Repo || filepath.Dir(path) == dir }); len(list) > 0 {
		t.Errorf("the text is in %q", list)
	}
	for _, m := range []*app.Memory{ada, copied} {
		if hits := apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: "walrus", Limit: 5}))(t); len(hits.Hits) == 0 {
			t.Error("the other fact is gone")
		}
	}
}

// TestPurgedNotesThatChangedStay: of the files that a copy of a clone purges, the first clone
// keeps the one that it has changed since. Its sync reports that once, with the way to remove it.
func TestPurgedNotesThatChangedStay(t *testing.T) {
	all, places := apptest.People(t, "Ada")
	ada, first := all[0], places[0]
	for _, name := range []string{"same", "changed"} {
		first.Write(".agentflow/memory/notes/"+name+".md", "# Okapi\n\nThe okapi sleeps in the vault.\n")
	}
	apptest.SyncAll(t, ada)
	dir := filepath.Join(filepath.Dir(first.Repo), "copy")
	copyFolder(t, first.Repo, dir)
	copied := apptest.Must(open.Open(t.Context(), dir, app.Env{Vars: first.Env}))(t)
	defer copied.Close()
	apptest.Must(share.Sync(t.Context(), copied, share.SyncRequest{}))(t)
	first.Write(".agentflow/memory/notes/changed.md", "# Okapi\n\nThe okapi has moved.\n")
	apptest.Purge(t, copied, "memory/notes/same.md")
	apptest.Purge(t, copied, "memory/notes/changed.md")
	apptest.Must(share.Sync(t.Context(), copied, share.SyncRequest{}))(t)
	for round := range 2 {
		ctx, events := apptest.Heard(t.Context())
		apptest.Must(share.Sync(ctx, ada, share.SyncRequest{}))(t)
		kept := slices.DeleteFunc(*events, func(e app.Event) bool { return !strings.Contains(e.Text, "memory/notes/changed.md") })
		if len(kept) != 2-2*round || round == 0 && (!strings.Contains(kept[0].Text, "stays here") || !strings.Contains(kept[1].Text, "forget --purge")) {
			t.Errorf("round %d: %+v", round, kept)
		}
		if got := slices.Collect(maps.Keys(apptest.Texts(t, first.Path(".agentflow/memory/notes")))); len(got) != 1 || filepath.Base(got[0]) != "changed.md" {
			t.Errorf("it has %q", got)
		}
	}
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestBackupIsBroughtUpToDate: a clone restored from a backup gets what it shared since, but
// not what it forgot or purged. The backup's own additions stay.
func TestBackupIsBroughtUpToDate(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob")
	p, bob := places[0], all[1]
	secret, forgotten := apptest.Tell(t, all[0], "The okapi sleeps in the vault.", ""), apptest.Tell(t, all[0], "The lynx is asleep.", "")
	apptest.Tell(t, all[0], "The walrus stays.", "")
	apptest.SyncAll(t, all...)
	backup := t.TempDir()
	copyFolder(t, p.Repo, backup)
	apptest.Tell(t, all[0], "The heron came later.", "")
	plan := apptest.Must(forget.PlanForget(t.Context(), all[0], forget.Request{IDs: []string{forgotten}}))(t)
	apptest.Must(forget.ApplyForget(t.Context(), all[0], plan))(t)
	apptest.Purge(t, all[0], secret)
	apptest.Must(share.Sync(t.Context(), all[0], share.SyncRequest{}))(t)
	all[0].Close()
	if err := os.RemoveAll(p.Repo); err != nil {
		t.Fatal(err)
	}
	copyFolder(t, backup, p.Repo)
	ada := p.Memory()
	apptest.Tell(t, ada, "The ibis is of the backup.", "")
	apptest.SyncAll(t, ada, bob)
	for _, m := range []*app.Memory{ada, bob} {
		for word, has := range map[string]bool{"okapi": false, "lynx": false, "walrus": true, "heron": true, "ibis": true} {
			if hits := apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: word, Limit: 5}))(t); len(hits.Hits) > 0 != has {
				t.Errorf("%s: found %v, want %v", word, !has, has)
			}
		}
	}
	if left := p.Marks("okapi"); len(left) > 0 {
		t.Errorf("the text is in %q", left)
	}
	apptest.Must(forget.Restore(t.Context(), ada, forget.RestoreRequest{IDs: []string{forgotten}}))(t)
}

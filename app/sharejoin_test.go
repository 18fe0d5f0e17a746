package app

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/testing/bytesearch"
)

// TestPurgeReachesCopies: a purge in a copy of a clone also purges the first clone, which
// has the same key as the copy, and leaves nothing on the remote.
func TestPurgeReachesCopies(t *testing.T) {
	all, places := people(t, "Ada")
	ada, first := all[0], places[0]
	id := tell(t, ada, "The okapi sleeps in the vault.", "")
	tell(t, ada, "The walrus stays.", "")
	syncAll(t, ada)
	must(Search(t.Context(), ada, SearchRequest{Text: "okapi", Limit: 5}))(t)
	dir := filepath.Join(filepath.Dir(first.Repo), "copy")
	copyFolder(t, first.Repo, dir)
	copied := must(Open(t.Context(), dir, Env{Vars: first.Env}))(t)
	defer copied.Close()
	must(Sync(t.Context(), copied, SyncRequest{}))(t)
	purge(t, copied, id)
	must(Sync(t.Context(), copied, SyncRequest{}))(t)
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	must(Sync(t.Context(), copied, SyncRequest{}))(t)
	list := must(bytesearch.Find("okapi", first.Home, first.Repo, dir))(t)
	if list = slices.DeleteFunc(list, func(path string) bool { return filepath.Dir(path) == first.Repo || filepath.Dir(path) == dir }); len(list) > 0 {
		t.Errorf("the text is in %q", list)
	}
	for _, m := range []*Memory{ada, copied} {
		if hits := must(Search(t.Context(), m, SearchRequest{Text: "walrus", Limit: 5}))(t); len(hits.Hits) == 0 {
			t.Error("the other fact is gone")
		}
	}
}

// TestPurgedNotesThatChangedStay: of the files that a copy of a clone purges, the first clone
// keeps the one that it has changed since. Its sync reports that once, with the way to remove it.
func TestPurgedNotesThatChangedStay(t *testing.T) {
	all, places := people(t, "Ada")
	ada, first := all[0], places[0]
	for _, name := range []string{"same", "changed"} {
		first.Write(".agentflow/memory/notes/"+name+".md", "# Okapi\n\nThe okapi sleeps in the vault.\n")
	}
	syncAll(t, ada)
	dir := filepath.Join(filepath.Dir(first.Repo), "copy")
	copyFolder(t, first.Repo, dir)
	copied := must(Open(t.Context(), dir, Env{Vars: first.Env}))(t)
	defer copied.Close()
	must(Sync(t.Context(), copied, SyncRequest{}))(t)
	first.Write(".agentflow/memory/notes/changed.md", "# Okapi\n\nThe okapi has moved.\n")
	purge(t, copied, "memory/notes/same.md")
	purge(t, copied, "memory/notes/changed.md")
	must(Sync(t.Context(), copied, SyncRequest{}))(t)
	for round := range 2 {
		ctx, events := heard(t.Context())
		must(Sync(ctx, ada, SyncRequest{}))(t)
		kept := slices.DeleteFunc(*events, func(e Event) bool { return !strings.Contains(e.Text, "memory/notes/changed.md") })
		if len(kept) != 2-2*round || round == 0 && (!strings.Contains(kept[0].Text, "stays here") || !strings.Contains(kept[1].Text, "forget --purge")) {
			t.Errorf("round %d: %+v", round, kept)
		}
		if got := slices.Collect(maps.Keys(texts(t, first.Path(".agentflow/memory/notes")))); len(got) != 1 || filepath.Base(got[0]) != "changed.md" {
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
	all, places := people(t, "Ada", "Bob")
	p, bob := places[0], all[1]
	secret, forgotten := tell(t, all[0], "The okapi sleeps in the vault.", ""), tell(t, all[0], "The lynx is asleep.", "")
	tell(t, all[0], "The walrus stays.", "")
	syncAll(t, all...)
	backup := t.TempDir()
	copyFolder(t, p.Repo, backup)
	tell(t, all[0], "The heron came later.", "")
	plan := must(PlanForget(t.Context(), all[0], ForgetRequest{IDs: []string{forgotten}}))(t)
	must(ApplyForget(t.Context(), all[0], plan))(t)
	purge(t, all[0], secret)
	must(Sync(t.Context(), all[0], SyncRequest{}))(t)
	all[0].Close()
	if err := os.RemoveAll(p.Repo); err != nil {
		t.Fatal(err)
	}
	copyFolder(t, backup, p.Repo)
	ada := p.memory()
	tell(t, ada, "The ibis is of the backup.", "")
	syncAll(t, ada, bob)
	for _, m := range []*Memory{ada, bob} {
		for word, has := range map[string]bool{"okapi": false, "lynx": false, "walrus": true, "heron": true, "ibis": true} {
			if hits := must(Search(t.Context(), m, SearchRequest{Text: word, Limit: 5}))(t); len(hits.Hits) > 0 != has {
				t.Errorf("%s: found %v, want %v", word, !has, has)
			}
		}
	}
	if left := p.marks("okapi"); len(left) > 0 {
		t.Errorf("the text is in %q", left)
	}
	must(Restore(t.Context(), ada, RestoreRequest{IDs: []string{forgotten}}))(t)
}

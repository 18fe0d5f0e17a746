package share_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/search"
	"agentflow/app/share"
	"agentflow/app/sharing"
	"agentflow/internal/share/exchange"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/bytesearch"
)

// TestPurgeReachesOtherClones checks that other clones do not hold the text after their next sync, neither in free
// pages of the index, nor in folders of runs, nor in git objects, loose or packed. If the process is killed after the
// exchange, the next command completes the removal.
func TestPurgeReachesOtherClones(t *testing.T) {
	for _, killed := range []bool{false, true} {
		all, places := apptest.People(t, "Ada", "Bob")
		ada, bob := all[0], all[1]
		id := apptest.Tell(t, ada, "The okapi sleeps in the vault.", "")
		apptest.Tell(t, ada, "The walrus stays.", "")
		apptest.SyncAll(t, all...)
		apptest.Must(search.Search(t.Context(), bob, search.SearchRequest{Text: "okapi", Limit: 5}))(t)
		run := apptest.RunNow(t, bob, "Look who sleeps in the vault", "true").Run
		places[1].Git("repack", "-adkq") // git's own housekeeping
		places[1].Git("prune-packed")
		has := func(p *apptest.Place) []string {
			t.Helper()
			list := apptest.Must(bytesearch.Find("okapi", p.Home, p.Repo))(t)
			return slices.DeleteFunc(list, func(path string) bool { return filepath.Dir(path) == p.Repo })
		}
		shown := filepath.Join("runs", run.ID, "prompt.md")
		if list := has(places[1]); len(list) < 4 || !slices.ContainsFunc(list, func(path string) bool { return strings.HasSuffix(path, shown) }) {
			t.Fatalf("Bob has the text in %q: this test sees nothing", has(places[1]))
		}
		apptest.Purge(t, ada, id)
		apptest.Must(share.Sync(t.Context(), ada, share.SyncRequest{}))(t)
		if killed {
			s := apptest.Must(share.OpenToShare(t.Context(), bob.Silent()))(t)
			clone := apptest.Must(share.Clone(t.Context(), s, apptest.Must(sharing.MustRead(s))(t)))(t)
			apptest.Must(clone.Exchange(t.Context(), exchange.Options{}))(t)
			if len(has(places[1])) == 0 {
				t.Fatal("nothing is left for the next command")
			}
			apptest.Must(list.List(t.Context(), bob, list.Request{}))(t)
		} else {
			apptest.Must(share.Sync(t.Context(), bob, share.SyncRequest{}))(t)
		}
		for i, name := range []string{"Ada", "Bob"} {
			if left := has(places[i]); len(left) > 0 {
				t.Errorf("killed %v: %s has it in %q", killed, name, left)
			}
			places[i].Git("fsck", "--strict")
		}
		if hits := apptest.Must(search.Search(t.Context(), bob, search.SearchRequest{Text: "walrus", Limit: 5}))(t); len(hits.Hits) == 0 {
			t.Error("the other fact is gone")
		}
	}
}

// TestPurgeSaysWhatItCannotKnow checks that the next command reports that files here may hold the text, if git
// collected the objects after a kill, before the sync could read them.
func TestPurgeSaysWhatItCannotKnow(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob")
	ada, bob := all[0], all[1]
	id := apptest.Tell(t, ada, "The okapi sleeps in the vault.", "")
	apptest.SyncAll(t, all...)
	apptest.Purge(t, ada, id)
	apptest.Must(share.Sync(t.Context(), ada, share.SyncRequest{}))(t)
	s := apptest.Must(share.OpenToShare(t.Context(), bob.Silent()))(t)
	clone := apptest.Must(share.Clone(t.Context(), s, apptest.Must(sharing.MustRead(s))(t)))(t)
	apptest.Must(clone.Exchange(t.Context(), exchange.Options{}))(t)
	places[1].Git("gc", "-q", "--prune=now")
	ctx, events := apptest.Heard(t.Context())
	apptest.Must(list.List(ctx, bob, list.Request{}))(t)
	if !slices.ContainsFunc(*events, func(e app.Event) bool { return strings.Contains(e.Text, "not known here any more") }) || clone.OwesPurge() {
		t.Errorf("owed %v, said %+v", clone.OwesPurge(), *events)
	}
}

// TestPurgeNamesKeptPacks checks that purged text stays in a pack with a keep mark, that the sync reports the command
// that removes it, and that the command works.
func TestPurgeNamesKeptPacks(t *testing.T) {
	all, places := apptest.People(t, "Ada", "Bob")
	id := apptest.Tell(t, all[0], "The okapi sleeps in the vault.", "")
	apptest.SyncAll(t, all...)
	bob := places[1]
	bob.Git("repack", "-adkq")
	bob.Git("prune-packed")
	packs := apptest.Must(filepath.Glob(bob.Path(".git/objects/pack/*.pack")))(t)
	keep := strings.TrimSuffix(packs[0], ".pack") + ".keep"
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.Purge(t, all[0], id)
	apptest.Must(share.Sync(t.Context(), all[0], share.SyncRequest{}))(t)
	ctx, events := apptest.Heard(t.Context())
	apptest.Must(share.Sync(ctx, all[1], share.SyncRequest{}))(t)
	for _, want := range []string{"stay in packs of", "git gc --prune=now", ".keep"} {
		if !slices.ContainsFunc(*events, func(e app.Event) bool { return strings.Contains(e.Text, want) }) {
			t.Errorf("%q is not said: %+v", want, *events)
		}
	}
	objects := bob.Path(".git/objects")
	if len(apptest.Must(bytesearch.Find("okapi", objects))(t)) == 0 {
		t.Fatal("nothing is left in the pack")
	}
	if err := os.Remove(keep); err != nil {
		t.Fatal(err)
	}
	bob.Git("gc", "-q", "--prune=now")
	if left := apptest.Must(bytesearch.Find("okapi", objects))(t); len(left) > 0 {
		t.Errorf("the command leaves %q", left)
	}
}

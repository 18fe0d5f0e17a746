package apptest

import (
	"os"
	"path/filepath"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
	appshare "agentflow/app/share"
	"agentflow/internal/share"
)

// People returns clones of one remote that share their memories, named after their users.
func People(t *testing.T, names ...string) (list []*app.Memory, places []*Place) {
	t.Helper()
	remote := filepath.Join(t.TempDir(), "remote.git")
	for _, name := range names {
		p := NewRepository(t)
		if len(list) == 0 {
			p.Git("init", "-q", "--bare", remote)
		}
		p.Git("config", "user.name", name)
		p.Git("remote", "add", "origin", remote)
		m := p.Memory()
		plan := Must(appshare.PlanShare(t.Context(), m, appshare.Request{What: share.All}))(t)
		Must(appshare.ApplyShare(t.Context(), m, plan))(t)
		list, places = append(list, m), append(places, p)
	}
	return list, places
}

// sync syncs all clones until each has the memory of the others.
func SyncAll(t *testing.T, list ...*app.Memory) {
	t.Helper()
	for range 2 {
		for _, m := range list {
			Must(appshare.Sync(t.Context(), m, appshare.SyncRequest{}))(t)
		}
	}
}

// Tell stores a fact and returns its id.
func Tell(t *testing.T, m *app.Memory, text, key string) string {
	t.Helper()
	return Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text, Key: &key}}))(t).Fact.ID
}

// Texts returns the texts of all files below a folder, by name.
func Texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			found[path] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

package setup_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"agentflow/app/fact"
	"agentflow/app/setup"
	"agentflow/internal/testing/apptest"
)

// A dry run of uninstall counts what goes, and writes nothing: a clone that came with a memory gets no state and no index.
func TestUninstallDryRunWritesNothing(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	for _, text := range []string{"Use tabs in every file.", "The tests need a running database."} {
		apptest.Must(fact.Remember(t.Context(), m, fact.RememberRequest{Change: apptest.Text(text)}))(t)
	}
	for _, made := range []string{".git/agentflow", ".agentflow/state"} {
		if err := os.RemoveAll(p.Path(made)); err != nil {
			t.Fatal(err)
		}
	}
	paths := func() (list []string) {
		err := filepath.WalkDir(p.Repo, func(path string, _ fs.DirEntry, err error) error {
			list = append(list, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	before := paths()
	plan := apptest.Must(setup.PlanUninstall(t.Context(), p.Memory(), setup.UninstallRequest{Memory: true, DryRun: true}))(t)
	if plan.Facts != 2 {
		t.Errorf("%d facts, want 2", plan.Facts)
	}
	if after := paths(); !slices.Equal(before, after) {
		t.Errorf("%d files before, and after:\n%q", len(before), after)
	}
}

package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/commit"
	"agentflow/app/settle"
	"agentflow/app/setup"
	"agentflow/app/trust"
	"agentflow/app/upkeep"
	"agentflow/internal/testing/apptest"
)

func TestInit(t *testing.T) {
	p := apptest.NewRepository(t)
	first, err := setup.Init(t.Context(), p.Memory())
	if err != nil || !first.Made || !first.Ignored || first.Commits != 1 || first.Root != filepath.Join(p.Repo, ".agentflow") {
		t.Errorf("%+v, %v", first, err)
	}
	again, err := setup.Init(t.Context(), p.Memory())
	if err != nil || again.Made || again.Commits != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	folder, err := setup.Init(t.Context(), apptest.NewFolder(t).Memory())
	if err != nil || !folder.Made || folder.Ignored || folder.Commits != 0 {
		t.Errorf("%+v, %v", folder, err)
	}
}

func TestConfig(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Write(".agentflow/config.toml", "[recall]\ntop = 3\n")
	m := p.Memory()
	found, err := setup.Config(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found.Values {
		if v.Key == "recall.top" && (v.Value != 3 || v.Source != filepath.Join(p.Repo, ".agentflow/config.toml")) {
			t.Errorf("%+v", v)
		}
	}
	files, err := setup.ConfigFiles(t.Context(), m)
	if err != nil || files.Repository != filepath.Join(p.Repo, ".agentflow/config.toml") || files.User == "" {
		t.Errorf("%+v, %v", files, err)
	}
	if _, err := setup.CheckConfig(t.Context(), m); err != nil {
		t.Error(err)
	}
	p.Write(".agentflow/config.toml", "[recall]\ntopp = 3\n")
	ctx, events := apptest.Heard(t.Context())
	if _, err := setup.Config(ctx, m); err != nil || len(*events) != 1 || (*events)[0].Kind != app.EventWarning {
		t.Errorf("%v, %+v", err, *events)
	}
	_, err = setup.CheckConfig(t.Context(), m)
	apptest.WantKind(t, err, app.KindUsage)
}

func TestTrust(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := trust.PlanFor(t.Context(), m, trust.Request{})
	apptest.WantKind(t, err, app.KindRefused)
	p.Write(".agentflow/config.toml", "[run]\nverify = \"true\"\n")
	plan, err := trust.PlanFor(t.Context(), m, trust.Request{})
	if err != nil || !strings.Contains(string(plan.Settings), "verify") {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write(".agentflow/config.toml", "[run]\nverify = \"false\"\n")
	_, err = trust.Apply(t.Context(), m, plan)
	apptest.WantKind(t, err, app.KindRefused)
	trusted := func() bool {
		_, err := setup.CheckConfig(t.Context(), m)
		return err == nil
	}
	if trusted() {
		t.Error("trusted as it was, not as it is")
	}
	if plan, err = trust.PlanFor(t.Context(), m, trust.Request{}); err == nil {
		_, err = trust.Apply(t.Context(), m, plan)
	}
	if err != nil || !trusted() {
		t.Errorf("not trusted: %v", err)
	}
	if _, err := trust.Revoke(t.Context(), m, trust.Request{}); err != nil || trusted() {
		t.Errorf("still trusted: %v", err)
	}
}

func TestTrustMemory(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Planted.\n")
	p.Git("add", "-Af")
	p.Git("commit", "-qm", "memory")
	m := p.Memory()
	plan, err := trust.PlanFor(t.Context(), m, trust.Request{Memory: true})
	if err != nil || len(plan.Files) != 1 || plan.Files[0].Name != "memory/MEMORY.md" || plan.Files[0].Size == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write(".agentflow/memory/notes.md", "Planted too.\n")
	p.Git("add", "-Af")
	_, err = trust.Apply(t.Context(), m, plan)
	apptest.WantKind(t, err, app.KindRefused)
	if plan, err = trust.PlanFor(t.Context(), m, trust.Request{Memory: true}); err == nil {
		_, err = trust.Apply(t.Context(), m, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	if plan, err = trust.PlanFor(t.Context(), m, trust.Request{Memory: true}); err != nil || !plan.Empty() {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestHooksAndSettle(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	if _, err := setup.Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	installed, err := commit.InstallHooks(t.Context(), m)
	if err != nil || len(installed.Hooks) != 2 || installed.Hooks[0].State != "installed" {
		t.Fatalf("%+v, %v", installed, err)
	}
	p.Write("README", "more\n")
	p.Git("commit", "-qam", "The okapi is counted")
	if settled, err := settle.Settle(t.Context(), m); err != nil || settled.Waiting || !p.Holds("The okapi is counted") {
		t.Errorf("%+v, %v", settled, err)
	}
	status, err := setup.Status(t.Context(), m, setup.StatusRequest{})
	if err != nil || status.Status.Commits != 1 || !strings.Contains(status.Hooks, "installed") {
		t.Errorf("%+v, %v", status, err)
	}
	if gone, err := commit.UninstallHooks(t.Context(), m); err != nil || len(gone.Removed) != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	if found, err := commit.Hooks(t.Context(), m); err != nil || found.Hooks[0].State != "missing" {
		t.Errorf("%+v, %v", found, err)
	}
	outside := apptest.NewFolder(t)
	outside.Write(".agentflow/memory/MEMORY.md", "")
	_, err = commit.InstallHooks(t.Context(), outside.Memory())
	apptest.WantKind(t, err, app.KindNoPlace)
}

func TestBackfillAndIndex(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := upkeep.Index(t.Context(), m, upkeep.IndexRequest{})
	apptest.WantKind(t, err, app.KindNoPlace)
	dry, err := commit.Backfill(t.Context(), m, commit.BackfillRequest{DryRun: true})
	if err != nil || dry.Recorded != 1 || len(dry.Entries) != 1 || dry.Entries[0].Title != "start" {
		t.Errorf("%+v, %v", dry, err)
	}
	if _, err := os.Stat(filepath.Join(p.Repo, ".agentflow")); err == nil {
		t.Error("a dry run made a memory")
	}
	for _, want := range []int{1, 0} {
		if done, err := commit.Backfill(t.Context(), m, commit.BackfillRequest{Last: settle.BackfillLast}); err != nil || done.Commits != 1 || done.Recorded != want || done.Held != 1-want {
			t.Errorf("%+v, %v", done, err)
		}
	}
	if later, err := commit.Backfill(t.Context(), m, commit.BackfillRequest{Since: time.Now().Add(time.Hour)}); err != nil || later.Commits != 0 {
		t.Errorf("%+v, %v", later, err)
	}
	_, err = commit.Backfill(t.Context(), m, commit.BackfillRequest{Branch: "nowhere"})
	apptest.WantKind(t, err, app.KindInternal)
	_, err = commit.Backfill(t.Context(), apptest.NewFolder(t).Memory(), commit.BackfillRequest{})
	apptest.WantKind(t, err, app.KindNoPlace)

	ctx, events := apptest.Heard(t.Context())
	indexed, err := upkeep.Index(ctx, m, upkeep.IndexRequest{Rebuild: true})
	if err != nil || indexed.Report == nil || !indexed.Report.Rebuilt || indexed.Report.Entries != 1 {
		t.Errorf("%+v, %v", indexed, err)
	}
	for _, e := range *events {
		if e.Kind != app.EventProgress {
			t.Errorf("%+v", e)
		}
	}
}

func TestUninstall(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := setup.PlanUninstall(t.Context(), m, setup.UninstallRequest{})
	apptest.WantKind(t, err, app.KindNoPlace)
	if _, err := setup.Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	plan, err := setup.PlanUninstall(t.Context(), m, setup.UninstallRequest{})
	if err != nil || len(plan.Paths) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if err := os.RemoveAll(plan.Paths[1]); err != nil {
		t.Fatal(err)
	}
	_, err = setup.ApplyUninstall(t.Context(), m, plan)
	apptest.WantKind(t, err, app.KindRefused)
	if plan, err = setup.PlanUninstall(t.Context(), m, setup.UninstallRequest{Memory: true}); err == nil {
		_, err = setup.ApplyUninstall(t.Context(), m, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".agentflow", ".git/agentflow"} {
		if _, err := os.Lstat(filepath.Join(p.Repo, path)); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

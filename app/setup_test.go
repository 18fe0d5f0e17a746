package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestInit(t *testing.T) {
	p := newRepository(t)
	first, err := p.memory().Init(t.Context())
	if err != nil || !first.Made || !first.Ignored || first.Commits != 1 || first.Root != filepath.Join(p.Repo, ".agentflow") {
		t.Errorf("%+v, %v", first, err)
	}
	again, err := p.memory().Init(t.Context())
	if err != nil || again.Made || again.Commits != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	folder, err := newFolder(t).memory().Init(t.Context())
	if err != nil || !folder.Made || folder.Ignored || folder.Commits != 0 {
		t.Errorf("%+v, %v", folder, err)
	}
}

func TestConfig(t *testing.T) {
	p := newRepository(t)
	p.Write(".agentflow/config.toml", "[recall]\ntop = 3\n")
	m := p.memory()
	found, err := m.Config(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found.Values {
		if v.Key == "recall.top" && (v.Value != 3 || v.Source != filepath.Join(p.Repo, ".agentflow/config.toml")) {
			t.Errorf("%+v", v)
		}
	}
	files, err := m.ConfigFiles(t.Context())
	if err != nil || files.Repository != filepath.Join(p.Repo, ".agentflow/config.toml") || files.User == "" {
		t.Errorf("%+v, %v", files, err)
	}
	if _, err := m.CheckConfig(t.Context()); err != nil {
		t.Error(err)
	}
	p.Write(".agentflow/config.toml", "[recall]\ntopp = 3\n")
	ctx, events := heard(t.Context())
	if _, err := m.Config(ctx); err != nil || len(*events) != 1 || (*events)[0].Kind != EventWarning {
		t.Errorf("%v, %+v", err, *events)
	}
	_, err = m.CheckConfig(t.Context())
	wantKind(t, err, KindUsage)
}

func TestTrust(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := m.PlanTrust(t.Context(), TrustRequest{})
	wantKind(t, err, KindRefused)
	p.Write(".agentflow/config.toml", "[run]\nverify = \"true\"\n")
	plan, err := m.PlanTrust(t.Context(), TrustRequest{})
	if err != nil || !strings.Contains(string(plan.Settings), "verify") {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write(".agentflow/config.toml", "[run]\nverify = \"false\"\n")
	_, err = m.ApplyTrust(t.Context(), plan)
	wantKind(t, err, KindRefused)
	trusted := func() bool {
		_, err := m.CheckConfig(t.Context())
		return err == nil
	}
	if trusted() {
		t.Error("trusted as it was, not as it is")
	}
	if plan, err = m.PlanTrust(t.Context(), TrustRequest{}); err == nil {
		_, err = m.ApplyTrust(t.Context(), plan)
	}
	if err != nil || !trusted() {
		t.Errorf("not trusted: %v", err)
	}
	if _, err := m.RevokeTrust(t.Context(), TrustRequest{}); err != nil || trusted() {
		t.Errorf("still trusted: %v", err)
	}
}

func TestTrustMemory(t *testing.T) {
	p := newRepository(t)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Planted.\n")
	p.Git("add", "-Af")
	p.Git("commit", "-qm", "memory")
	m := p.memory()
	plan, err := m.PlanTrust(t.Context(), TrustRequest{Memory: true})
	if err != nil || len(plan.Files) != 1 || plan.Files[0].Name != "memory/MEMORY.md" || plan.Files[0].Size == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write(".agentflow/memory/notes.md", "Planted too.\n")
	p.Git("add", "-Af")
	_, err = m.ApplyTrust(t.Context(), plan)
	wantKind(t, err, KindRefused)
	if plan, err = m.PlanTrust(t.Context(), TrustRequest{Memory: true}); err == nil {
		_, err = m.ApplyTrust(t.Context(), plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	if plan, err = m.PlanTrust(t.Context(), TrustRequest{Memory: true}); err != nil || !plan.Empty() {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestHooksAndSettle(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	if _, err := m.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	installed, err := m.InstallHooks(t.Context())
	if err != nil || len(installed.Hooks) != 2 || installed.Hooks[0].State != "installed" {
		t.Fatalf("%+v, %v", installed, err)
	}
	p.Write("README", "more\n")
	p.Git("commit", "-qam", "The okapi is counted")
	if settled, err := m.Settle(t.Context()); err != nil || settled.Waiting || !p.holds("The okapi is counted") {
		t.Errorf("%+v, %v", settled, err)
	}
	status, err := m.Status(t.Context(), StatusRequest{})
	if err != nil || status.Status.Commits != 1 || !strings.Contains(status.Hooks, "installed") {
		t.Errorf("%+v, %v", status, err)
	}
	if gone, err := m.UninstallHooks(t.Context()); err != nil || len(gone.Removed) != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	if found, err := m.Hooks(t.Context()); err != nil || found.Hooks[0].State != "missing" {
		t.Errorf("%+v, %v", found, err)
	}
	outside := newFolder(t)
	outside.Write(".agentflow/memory/MEMORY.md", "")
	_, err = outside.memory().InstallHooks(t.Context())
	wantKind(t, err, KindNoPlace)
}

func TestBackfillAndIndex(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := m.Index(t.Context(), IndexRequest{})
	wantKind(t, err, KindNoPlace)
	dry, err := m.Backfill(t.Context(), BackfillRequest{DryRun: true})
	if err != nil || dry.Recorded != 1 || len(dry.Entries) != 1 || dry.Entries[0].Title != "start" {
		t.Errorf("%+v, %v", dry, err)
	}
	if _, err := os.Stat(filepath.Join(p.Repo, ".agentflow")); err == nil {
		t.Error("a dry run made a memory")
	}
	for _, want := range []int{1, 0} {
		if done, err := m.Backfill(t.Context(), BackfillRequest{Last: BackfillLast}); err != nil || done.Commits != 1 || done.Recorded != want || done.Held != 1-want {
			t.Errorf("%+v, %v", done, err)
		}
	}
	if later, err := m.Backfill(t.Context(), BackfillRequest{Since: time.Now().Add(time.Hour)}); err != nil || later.Commits != 0 {
		t.Errorf("%+v, %v", later, err)
	}
	_, err = m.Backfill(t.Context(), BackfillRequest{Branch: "nowhere"})
	wantKind(t, err, KindInternal)
	_, err = newFolder(t).memory().Backfill(t.Context(), BackfillRequest{})
	wantKind(t, err, KindNoPlace)

	ctx, events := heard(t.Context())
	indexed, err := m.Index(ctx, IndexRequest{Rebuild: true})
	if err != nil || indexed.Report == nil || !indexed.Report.Rebuilt || indexed.Report.Entries != 1 {
		t.Errorf("%+v, %v", indexed, err)
	}
	for _, e := range *events {
		if e.Kind != EventProgress {
			t.Errorf("%+v", e)
		}
	}
}

func TestUninstall(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := m.PlanUninstall(t.Context(), UninstallRequest{})
	wantKind(t, err, KindNoPlace)
	if _, err := m.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	plan, err := m.PlanUninstall(t.Context(), UninstallRequest{})
	if err != nil || len(plan.Paths) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if err := os.RemoveAll(plan.Paths[1]); err != nil {
		t.Fatal(err)
	}
	_, err = m.ApplyUninstall(t.Context(), plan)
	wantKind(t, err, KindRefused)
	if plan, err = m.PlanUninstall(t.Context(), UninstallRequest{Memory: true}); err == nil {
		_, err = m.ApplyUninstall(t.Context(), plan)
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

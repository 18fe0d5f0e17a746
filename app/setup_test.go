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
	first, err := Init(t.Context(), p.memory())
	if err != nil || !first.Made || !first.Ignored || first.Commits != 1 || first.Root != filepath.Join(p.Repo, ".agentflow") {
		t.Errorf("%+v, %v", first, err)
	}
	again, err := Init(t.Context(), p.memory())
	if err != nil || again.Made || again.Commits != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	folder, err := Init(t.Context(), newFolder(t).memory())
	if err != nil || !folder.Made || folder.Ignored || folder.Commits != 0 {
		t.Errorf("%+v, %v", folder, err)
	}
}

func TestConfig(t *testing.T) {
	p := newRepository(t)
	p.Write(".agentflow/config.toml", "[recall]\ntop = 3\n")
	m := p.memory()
	found, err := Config(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found.Values {
		if v.Key == "recall.top" && (v.Value != 3 || v.Source != filepath.Join(p.Repo, ".agentflow/config.toml")) {
			t.Errorf("%+v", v)
		}
	}
	files, err := ConfigFiles(t.Context(), m)
	if err != nil || files.Repository != filepath.Join(p.Repo, ".agentflow/config.toml") || files.User == "" {
		t.Errorf("%+v, %v", files, err)
	}
	if _, err := CheckConfig(t.Context(), m); err != nil {
		t.Error(err)
	}
	p.Write(".agentflow/config.toml", "[recall]\ntopp = 3\n")
	ctx, events := heard(t.Context())
	if _, err := Config(ctx, m); err != nil || len(*events) != 1 || (*events)[0].Kind != EventWarning {
		t.Errorf("%v, %+v", err, *events)
	}
	_, err = CheckConfig(t.Context(), m)
	wantKind(t, err, KindUsage)
}

func TestTrust(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := PlanTrust(t.Context(), m, TrustRequest{})
	wantKind(t, err, KindRefused)
	p.Write(".agentflow/config.toml", "[run]\nverify = \"true\"\n")
	plan, err := PlanTrust(t.Context(), m, TrustRequest{})
	if err != nil || !strings.Contains(string(plan.Settings), "verify") {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write(".agentflow/config.toml", "[run]\nverify = \"false\"\n")
	_, err = ApplyTrust(t.Context(), m, plan)
	wantKind(t, err, KindRefused)
	trusted := func() bool {
		_, err := CheckConfig(t.Context(), m)
		return err == nil
	}
	if trusted() {
		t.Error("trusted as it was, not as it is")
	}
	if plan, err = PlanTrust(t.Context(), m, TrustRequest{}); err == nil {
		_, err = ApplyTrust(t.Context(), m, plan)
	}
	if err != nil || !trusted() {
		t.Errorf("not trusted: %v", err)
	}
	if _, err := RevokeTrust(t.Context(), m, TrustRequest{}); err != nil || trusted() {
		t.Errorf("still trusted: %v", err)
	}
}

func TestTrustMemory(t *testing.T) {
	p := newRepository(t)
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- Planted.\n")
	p.Git("add", "-Af")
	p.Git("commit", "-qm", "memory")
	m := p.memory()
	plan, err := PlanTrust(t.Context(), m, TrustRequest{Memory: true})
	if err != nil || len(plan.Files) != 1 || plan.Files[0].Name != "memory/MEMORY.md" || plan.Files[0].Size == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	p.Write(".agentflow/memory/notes.md", "Planted too.\n")
	p.Git("add", "-Af")
	_, err = ApplyTrust(t.Context(), m, plan)
	wantKind(t, err, KindRefused)
	if plan, err = PlanTrust(t.Context(), m, TrustRequest{Memory: true}); err == nil {
		_, err = ApplyTrust(t.Context(), m, plan)
	}
	if err != nil {
		t.Fatal(err)
	}
	if plan, err = PlanTrust(t.Context(), m, TrustRequest{Memory: true}); err != nil || !plan.Empty() {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestHooksAndSettle(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	if _, err := Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	installed, err := InstallHooks(t.Context(), m)
	if err != nil || len(installed.Hooks) != 2 || installed.Hooks[0].State != "installed" {
		t.Fatalf("%+v, %v", installed, err)
	}
	p.Write("README", "more\n")
	p.Git("commit", "-qam", "The okapi is counted")
	if settled, err := Settle(t.Context(), m); err != nil || settled.Waiting || !p.holds("The okapi is counted") {
		t.Errorf("%+v, %v", settled, err)
	}
	status, err := Status(t.Context(), m, StatusRequest{})
	if err != nil || status.Status.Commits != 1 || !strings.Contains(status.Hooks, "installed") {
		t.Errorf("%+v, %v", status, err)
	}
	if gone, err := UninstallHooks(t.Context(), m); err != nil || len(gone.Removed) != 2 {
		t.Errorf("%+v, %v", gone, err)
	}
	if found, err := Hooks(t.Context(), m); err != nil || found.Hooks[0].State != "missing" {
		t.Errorf("%+v, %v", found, err)
	}
	outside := newFolder(t)
	outside.Write(".agentflow/memory/MEMORY.md", "")
	_, err = InstallHooks(t.Context(), outside.memory())
	wantKind(t, err, KindNoPlace)
}

func TestBackfillAndIndex(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := Index(t.Context(), m, IndexRequest{})
	wantKind(t, err, KindNoPlace)
	dry, err := Backfill(t.Context(), m, BackfillRequest{DryRun: true})
	if err != nil || dry.Recorded != 1 || len(dry.Entries) != 1 || dry.Entries[0].Title != "start" {
		t.Errorf("%+v, %v", dry, err)
	}
	if _, err := os.Stat(filepath.Join(p.Repo, ".agentflow")); err == nil {
		t.Error("a dry run made a memory")
	}
	for _, want := range []int{1, 0} {
		if done, err := Backfill(t.Context(), m, BackfillRequest{Last: BackfillLast}); err != nil || done.Commits != 1 || done.Recorded != want || done.Held != 1-want {
			t.Errorf("%+v, %v", done, err)
		}
	}
	if later, err := Backfill(t.Context(), m, BackfillRequest{Since: time.Now().Add(time.Hour)}); err != nil || later.Commits != 0 {
		t.Errorf("%+v, %v", later, err)
	}
	_, err = Backfill(t.Context(), m, BackfillRequest{Branch: "nowhere"})
	wantKind(t, err, KindInternal)
	_, err = Backfill(t.Context(), newFolder(t).memory(), BackfillRequest{})
	wantKind(t, err, KindNoPlace)

	ctx, events := heard(t.Context())
	indexed, err := Index(ctx, m, IndexRequest{Rebuild: true})
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
	_, err := PlanUninstall(t.Context(), m, UninstallRequest{})
	wantKind(t, err, KindNoPlace)
	if _, err := Init(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	plan, err := PlanUninstall(t.Context(), m, UninstallRequest{})
	if err != nil || len(plan.Paths) != 2 {
		t.Fatalf("%+v, %v", plan, err)
	}
	if err := os.RemoveAll(plan.Paths[1]); err != nil {
		t.Fatal(err)
	}
	_, err = ApplyUninstall(t.Context(), m, plan)
	wantKind(t, err, KindRefused)
	if plan, err = PlanUninstall(t.Context(), m, UninstallRequest{Memory: true}); err == nil {
		_, err = ApplyUninstall(t.Context(), m, plan)
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

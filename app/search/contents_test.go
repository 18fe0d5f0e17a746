package search_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app/daemon"
	"agentflow/app/run"
	"agentflow/app/session"
	"agentflow/app/setup"
	"agentflow/app/upkeep"
	"agentflow/index/contents"
	"agentflow/index/stems"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/words"
)

// known returns the files that contain a word, from the index at db.
func known(t *testing.T, db, word string) []string {
	t.Helper()
	store := contents.OpenStore(db)
	defer store.Close()
	found, err := store.Find(t.Context(), []uint32{stems.Hash(words.Stem(strings.ToLower(word)))})
	if err != nil {
		t.Fatal(err)
	}
	return found.Paths
}

// TestContents checks that 'index' reads the files of each work tree separately, without the files
// that the settings exclude. The switch and uninstall remove the index.
func TestContents(t *testing.T) {
	p := apptest.NewRepository(t)
	p.Write("auth/session.go", "func ParseExpiry() {}\n")
	p.Write("secret/key.go", "func ParseExpiry() {}\n")
	p.Git("add", "-A")
	p.Git("commit", "-qm", "auth")
	p.Git("worktree", "add", "-q", "../linked", "-b", "other")
	apptest.Must(setup.Init(t.Context(), p.Memory()))(t)
	p.Write(".agentflow/config.toml", "[index]\nignore = [\"secret/\"]\n")

	report := apptest.Must(upkeep.Index(t.Context(), p.Memory(), upkeep.IndexRequest{}))(t).Report
	db := p.Path(".git/agentflow/contents.db")
	if c := report.Contents; c == nil || c.Path != db || c.Files == 0 || c.Bytes == 0 {
		t.Fatalf("%+v", c)
	}
	if got := known(t, db, "ParseExpiry"); len(got) != 1 || got[0] != "auth/session.go" {
		t.Errorf("found in %q", got)
	}
	linked := &apptest.Place{Lab: p.In(filepath.Join(filepath.Dir(p.Repo), "linked"))}
	linked.Write("auth/session.go", "func RenamedExpiry() {}\n")
	for range 2 {
		apptest.Must(upkeep.Index(t.Context(), linked.Memory(), upkeep.IndexRequest{}))(t)
	}
	other := p.Path(".git/worktrees/linked/agentflow/contents.db")
	if len(known(t, other, "RenamedExpiry")) != 1 || len(known(t, db, "RenamedExpiry")) != 0 {
		t.Error("work trees do not have each their own")
	}

	status := apptest.Must(setup.Status(t.Context(), p.Memory(), setup.StatusRequest{}))(t).Status
	if status.Contents == nil || status.Contents.Files != report.Contents.Files {
		t.Errorf("status: %+v", status.Contents)
	}
	checked := false
	for _, c := range apptest.Must(setup.Doctor(t.Context(), p.Memory()))(t).Checks {
		checked = checked || c.Name == "contents" && strings.HasPrefix(c.Detail, "names of ")
	}
	if !checked {
		t.Error("doctor does not say how many files are known")
	}

	apptest.Must(upkeep.Index(t.Context(), p.Memory(), upkeep.IndexRequest{Rebuild: true}))(t)
	if got := known(t, db, "ParseExpiry"); len(got) != 1 {
		t.Errorf("rebuilt: found in %q", got)
	}
	p.Write(".agentflow/config.toml", "[index]\ncontents = false\n")
	if c := apptest.Must(upkeep.Index(t.Context(), p.Memory(), upkeep.IndexRequest{}))(t).Report.Contents; c != nil {
		t.Errorf("switched off: %+v", c)
	}
	if _, err := os.Stat(db); err == nil {
		t.Error("the switch left the file")
	}
	plan := apptest.Must(setup.PlanUninstall(t.Context(), p.Memory(), setup.UninstallRequest{}))(t)
	apptest.Must(setup.ApplyUninstall(t.Context(), p.Memory(), plan))(t)
	if _, err := os.Stat(filepath.Dir(other)); err == nil {
		t.Error("uninstall left the file of a linked work tree")
	}
}

// TestContentsBesideAnAgent checks that files are read while the agent of a run works. The agent
// here works until the reading has begun.
func TestContentsBesideAnAgent(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.Must(setup.Init(t.Context(), p.Memory()))(t)
	began := time.Now()
	req := apptest.ShellAgent("wait", "until test -s .git/agentflow/contents.db; do sleep 0.02; done")
	req.Timeout = "60s"
	result := apptest.Must(run.Run(t.Context(), p.Memory(), req))(t)
	if result.Run.Outcome != "ok" || time.Since(began) < upkeep.ContentsAfter {
		t.Errorf("%+v in %v", result.Run, time.Since(began))
	}
}

// TestContentsOfASession checks that the worker after a turn reads a piece.
func TestContentsOfASession(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.Must(setup.Init(t.Context(), p.Memory()))(t)
	p.Write("s.jsonl", "")
	for _, moment := range []session.Moment{session.SessionStarted, session.SessionStopped} {
		ev := session.Event{Agent: "claude", Session: "s", Transcript: p.Path("s.jsonl"), Moment: moment, At: time.Now()}
		apptest.Must(session.Hook(t.Context(), p.Memory(), ev))(t)
		apptest.Must(session.Work(t.Context(), p.Memory(), ev))(t)
	}
	if len(known(t, p.Path(".git/agentflow/contents.db"), "start")) == 0 {
		t.Error("nothing was read")
	}
}

// TestContentsOfAWatch checks that a watcher reads the files.
func TestContentsOfAWatch(t *testing.T) {
	p := apptest.NewRepository(t)
	apptest.Must(setup.Init(t.Context(), p.Memory()))(t)
	m := p.Memory()
	ctx, end := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() {
		_, err := daemon.Watch(ctx, m, daemon.WatchRequest{})
		over <- err
	}()
	labtest.Await(t, "the files were read", func() bool { return len(known(t, p.Path(".git/agentflow/contents.db"), "start")) > 0 })
	end()
	if err := <-over; err != nil {
		t.Error(err)
	}
}

//go:build unix

package team_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app/share"
	"agentflow/app/team"
	"agentflow/gitwatch/memref"
	"agentflow/internal/testing/apptest"
)

// TestTeamRemoteFloods: a remote that sends more than 1 GiB is not read for a while, and
// the server keeps its memory.
func TestTeamRemoteFloods(t *testing.T) {
	w := newTeam(t, "shop")
	r := w.server().Repositories[0]
	ada := w.caller(w.server(), team.TokenRequest{Name: "Ada", Writes: true})
	apptest.StoredBy(t, asCaller(t, r, ada), "The okapi is asleep.")
	bob := w.clone("shop", "Bob")
	apptest.StoredBy(t, bob, "The wombat is awake.")
	apptest.Must(share.Sync(t.Context(), bob, share.SyncRequest{}))(t)
	bin, asked := t.TempDir(), filepath.Join(t.TempDir(), "asked")
	script := "#!/bin/sh\ncase \" $* \" in\n*' fetch '*) echo >>" + asked + "; truncate -s 2G objects/pack/tmp_pack_1; exec sleep 5;;\nesac\nexec " + apptest.Must(exec.LookPath("git"))(t) + " \"$@\"\n"
	apptest.Must(0, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))(t)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	for range 3 {
		if err := team.Refresh(t.Context(), r.Memory); !errors.Is(err, memref.ErrTooMuch) {
			t.Errorf("the flood: %v", err)
		}
	}
	if times, _ := os.ReadFile(asked); strings.Count(string(times), "\n") != 1 {
		t.Errorf("the remote was asked %d times", strings.Count(string(times), "\n"))
	}
	if !sees(t, r.Memory.For(ada), "okapi", "asleep") {
		t.Error("what the server had is gone")
	}
	t.Setenv("PATH", strings.TrimPrefix(os.Getenv("PATH"), bin+":"))
	r.Memory.Team.Rest = time.Now()
	if !sees(t, asCaller(t, r, ada), "wombat", "awake") {
		t.Error("the remote is not asked any more")
	}
}

package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/memorytool"
)

// hang makes the remote of a repository one that never answers.
func (w *teamPlace) hang(server *Team, n int) {
	w.T.Helper()
	ssh := filepath.Join(w.T.TempDir(), "ssh")
	must(0, os.WriteFile(ssh, []byte("#!/bin/sh\nexec cat\n"), 0o700))(w.T)
	w.T.Setenv("GIT_SSH_COMMAND", ssh)
	server.Repositories[n].Memory.team.remote = "memory.example.com:team/shop.git"
}

// TestTeamRemoteHangs: a remote that hangs, or is away, holds up neither the start, nor the
// other repositories, nor the end.
func TestTeamRemoteHangs(t *testing.T) {
	w := newTeam(t, "shop", "bank", "barn")
	server := must(OpenTeam(t.Context(), Env{Vars: w.Env}))(t)
	closed := false
	t.Cleanup(func() {
		if !closed {
			server.Close()
		}
	})
	w.hang(server, 0)
	must(0, os.Rename(w.remotes["barn"], w.remotes["barn"]+".away"))(t)
	server.lookTime = time.Second
	shop, bank := server.Repositories[0], server.Repositories[1]
	shop.Memory.team.writeTime = time.Second
	var said warnings
	start := time.Now()
	server.Ready(t.Context(), said.add)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the start took %s", took)
	}
	lines := strings.Join(said.take(), "\n")
	if !strings.Contains(lines, "barn: ") || !strings.Contains(lines, "shop: the remote does not answer in time") || strings.Contains(lines, "bank") {
		t.Errorf("it warns of\n%s", lines)
	}
	eve := w.caller(server, TokenRequest{Name: "Eve", Writes: true})
	_, err := Remember(t.Context(), shop.Memory.For(eve), RememberRequest{FactChange: FactChange{Text: new("Lost.")}})
	wantKind(t, err, KindUnavailable)
	_, err = Remember(t.Context(), server.Repositories[2].Memory.For(eve), RememberRequest{FactChange: FactChange{Text: new("Lost.")}})
	wantKind(t, err, KindUnavailable)
	if strings.Contains(err.Error(), w.remotes["barn"]) {
		t.Errorf("the error names the server's files: %v", err)
	}
	follow, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { server.Follow(follow, said.add); close(over) }()
	ada := w.clone("bank", "Ada")
	storedBy(t, ada, "The ledger is green.")
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	labtest.Await(t, "another repository to be followed", func() bool { return sees(t, bank.Memory, "which colour has the ledger", "green") })
	storedBy(t, bank.Memory.For(eve), "The wombat digs at night.")
	start = time.Now()
	stop()
	<-over
	closed = true
	must(0, server.Close())(t)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the end took %s", took)
	} else {
		t.Logf("the end took %s", took)
	}
	if list := must(ListChanges(t.Context(), Env{Vars: w.Env}, 10))(t); len(list) != 1 || list[0].Repository != "bank" {
		t.Errorf("the audit has %+v", list)
	}
}

// TestTeamAgentsLimit: the changes of agents are counted by caller.
func TestTeamAgentsLimit(t *testing.T) {
	w := newTeam(t, "shop")
	server := w.server()
	eve, bob := w.caller(server, TokenRequest{Name: "Eve", Writes: true}), w.caller(server, TokenRequest{Name: "Bob", Writes: true})
	shop := server.Repositories[0]
	for range MaxAgentWritesAnHour {
		shop.Memory.For(eve).agents.take(time.Now())
	}
	store := func(c Caller) error {
		_, err := NewAgentSession(shop.Memory.For(c), Agent{Name: "robot"}).Remember(t.Context(), RememberRequest{FactChange: FactChange{Text: new("Rule of " + c.Name + ".")}})
		return err
	}
	if err := store(eve); err == nil || !strings.Contains(err.Error(), "within an hour") {
		t.Errorf("an agent of Eve's: %v", err)
	}
	if err := store(bob); err != nil {
		t.Errorf("an agent of Bob's: %v", err)
	}
	_, err := NewAgentSession(shop.Memory.For(bob), Agent{Name: "robot"}).MemoryTool(t.Context(), memorytool.Command{Command: memorytool.View, Path: "/memories"})
	wantKind(t, err, KindRefused)
}

package team_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/app/open"
	"agentflow/app/share"
	"agentflow/app/team"
	"agentflow/internal/agentlimit"
	"agentflow/internal/memorytool"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
)

// hang makes the remote of a repository one that never answers.
func (w *teamPlace) hang(server *team.Team, n int) {
	w.T.Helper()
	ssh := filepath.Join(w.T.TempDir(), "ssh")
	apptest.Must(0, os.WriteFile(ssh, []byte("#!/bin/sh\nexec cat\n"), 0o700))(w.T)
	w.T.Setenv("GIT_SSH_COMMAND", ssh)
	server.Repositories[n].Memory.Team.Remote = "memory.example.com:team/shop.git"
}

// TestTeamRemoteHangs: a remote that hangs, or is away, holds up neither the start, nor the
// other repositories, nor the end.
func TestTeamRemoteHangs(t *testing.T) {
	w := newTeam(t, "shop", "bank", "barn")
	server := apptest.Must(open.OpenTeam(t.Context(), app.Env{Vars: w.Env}))(t)
	closed := false
	t.Cleanup(func() {
		if !closed {
			server.Close()
		}
	})
	w.hang(server, 0)
	apptest.Must(0, os.Rename(w.remotes["barn"], w.remotes["barn"]+".away"))(t)
	server.LookTime = time.Second
	shop, bank := server.Repositories[0], server.Repositories[1]
	shop.Memory.Team.WriteTime = time.Second
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
	eve := w.caller(server, team.TokenRequest{Name: "Eve", Writes: true})
	_, err := fact.Remember(t.Context(), shop.Memory.For(eve), fact.RememberRequest{Change: fact.Change{Text: new("Lost.")}})
	apptest.WantKind(t, err, app.KindUnavailable)
	_, err = fact.Remember(t.Context(), server.Repositories[2].Memory.For(eve), fact.RememberRequest{Change: fact.Change{Text: new("Lost.")}})
	apptest.WantKind(t, err, app.KindUnavailable)
	if strings.Contains(err.Error(), w.remotes["barn"]) {
		t.Errorf("the error names the server's files: %v", err)
	}
	follow, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { server.Follow(follow, said.add); close(over) }()
	ada := w.clone("bank", "Ada")
	apptest.StoredBy(t, ada, "The ledger is green.")
	apptest.Must(share.Sync(t.Context(), ada, share.SyncRequest{}))(t)
	labtest.Await(t, "another repository to be followed", func() bool { return sees(t, bank.Memory, "which colour has the ledger", "green") })
	apptest.StoredBy(t, bank.Memory.For(eve), "The wombat digs at night.")
	start = time.Now()
	stop()
	<-over
	closed = true
	apptest.Must(0, server.Close())(t)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the end took %s", took)
	} else {
		t.Logf("the end took %s", took)
	}
	if list := apptest.Must(team.ListChanges(t.Context(), app.Env{Vars: w.Env}, 10))(t); len(list) != 1 || list[0].Repository != "bank" {
		t.Errorf("the audit has %+v", list)
	}
}

// TestTeamAgentsLimit: the changes of agents are counted by caller.
func TestTeamAgentsLimit(t *testing.T) {
	w := newTeam(t, "shop")
	server := w.server()
	eve, bob := w.caller(server, team.TokenRequest{Name: "Eve", Writes: true}), w.caller(server, team.TokenRequest{Name: "Bob", Writes: true})
	shop := server.Repositories[0]
	for range agentlimit.PerHour {
		shop.Memory.For(eve).Agents.Take(time.Now())
	}
	store := func(c app.Caller) error {
		_, err := agent.NewAgentSession(shop.Memory.For(c), fact.Agent{Name: "robot"}).Remember(t.Context(), fact.RememberRequest{Change: fact.Change{Text: new("Rule of " + c.Name + ".")}})
		return err
	}
	if err := store(eve); err == nil || !strings.Contains(err.Error(), "within an hour") {
		t.Errorf("an agent of Eve's: %v", err)
	}
	if err := store(bob); err != nil {
		t.Errorf("an agent of Bob's: %v", err)
	}
	_, err := agent.NewAgentSession(shop.Memory.For(bob), fact.Agent{Name: "robot"}).MemoryTool(t.Context(), memorytool.Command{Command: memorytool.View, Path: "/memories"})
	apptest.WantKind(t, err, app.KindRefused)
}

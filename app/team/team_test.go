package team_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	appforget "agentflow/app/forget"
	applist "agentflow/app/list"
	"agentflow/app/open"
	"agentflow/app/recall"
	"agentflow/app/search"
	"agentflow/app/serving"
	"agentflow/app/setup"
	appshare "agentflow/app/share"
	"agentflow/app/team"
	"agentflow/internal/share"
	"agentflow/internal/testing/apptest"
	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory/retrieval"
)

// teamPlace is a team: a remote for each repository, a database, and a home of its servers.
type teamPlace struct {
	*apptest.Place
	remotes map[string]string
}

func newTeam(t *testing.T, repositories ...string) *teamPlace {
	t.Helper()
	return newTeamOn(t, pgtest.Database(t), repositories...)
}

// newTeamOn is newTeam with a database.
func newTeamOn(t *testing.T, dsn string, repositories ...string) *teamPlace {
	t.Helper()
	w := &teamPlace{Place: apptest.NewFolder(t), remotes: map[string]string{}}
	w.Env = append(w.Env, "AGENTFLOW_DSN="+dsn)
	var list []string
	for _, name := range repositories {
		w.remotes[name] = filepath.Join(t.TempDir(), name+".git")
		w.git("", "init", "-q", "--bare", w.remotes[name])
		list = append(list, fmt.Sprintf("%q", w.remotes[name]))
	}
	w.Settings("[team]\nremotes = [" + strings.Join(list, ", ") + "]\n")
	return w
}

func (w *teamPlace) git(dir string, args ...string) string {
	w.T.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.Env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.T.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

// server starts a server of the team, without a network listener.
func (w *teamPlace) server() *team.Team {
	w.T.Helper()
	t := apptest.Must(open.OpenTeam(w.T.Context(), app.Env{Vars: w.Env}))(w.T)
	w.T.Cleanup(func() { t.Close() })
	t.Ready(w.T.Context(), w.T.Errorf)
	return t
}

// clone returns a colleague's clone of a repository, which shares its memory.
func (w *teamPlace) clone(name, author string) *app.Memory {
	w.T.Helper()
	p := apptest.NewFolder(w.T)
	w.git("", "clone", "-q", w.remotes[name], p.Repo)
	w.git(p.Repo, "config", "user.name", author)
	m := p.Memory()
	apptest.Must(appshare.ApplyShare(w.T.Context(), m, apptest.Must(appshare.PlanShare(w.T.Context(), m, appshare.Request{What: share.Entries}))(w.T)))(w.T)
	return m
}

// caller makes a token, and returns its owner.
func (w *teamPlace) caller(t *team.Team, req team.TokenRequest) app.Caller {
	w.T.Helper()
	secret := apptest.Must(team.AddToken(w.T.Context(), app.Env{Vars: w.Env}, req))(w.T)
	return apptest.Must(t.Caller(w.T.Context(), secret))(w.T)
}

// sees reports whether the best hit for some words contains a text.
func sees(t *testing.T, m *app.Memory, words, text string) bool {
	t.Helper()
	hits := apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: words, Limit: 5}))(t).Hits
	return len(hits) > 0 && strings.Contains(hits[0].Text, text)
}

func asCaller(t *testing.T, r app.Repository, c app.Caller) *app.Memory {
	t.Helper()
	apptest.Must(0, team.Refresh(t.Context(), r.Memory))(t)
	return r.Memory.For(c)
}

// TestTeamServers: a write through one server of a team is on the remote when the server
// answers. The other servers can change, remove and restore it.
func TestTeamServers(t *testing.T) {
	w := newTeam(t, "shop")
	ada := w.clone("shop", "Ada")
	apptest.StoredBy(t, ada, "The okapi sleeps in the pantry.")
	apptest.Must(appshare.Sync(t.Context(), ada, appshare.SyncRequest{}))(t)
	first, second := w.server(), w.server()
	one, two := first.Repositories[0], second.Repositories[0]
	eve := w.caller(first, team.TokenRequest{Name: "Eve", Writes: true})

	hits := apptest.Must(search.Search(t.Context(), two.Memory, search.SearchRequest{Text: "where does the okapi sleep", Limit: 5}))(t).Hits
	if len(hits) == 0 || hits[0].Author != "Ada" {
		t.Fatalf("what a clone shares: %+v", hits)
	}
	id := apptest.StoredBy(t, asCaller(t, one, eve), "The wombat digs at night.")
	apptest.Must(appshare.Sync(t.Context(), ada, appshare.SyncRequest{}))(t)
	hits = apptest.Must(search.Search(t.Context(), ada, search.SearchRequest{Text: "when does the wombat dig", Limit: 5}))(t).Hits
	if len(hits) == 0 || hits[0].Author != app.TeamAuthor || hits[0].Person != "Eve" {
		t.Fatalf("what was written through the server, in a clone: %+v", hits)
	}

	edited := apptest.Must(fact.Edit(t.Context(), asCaller(t, two, eve), fact.EditRequest{ID: id, Change: fact.Change{Text: new("The wombat digs at noon.")}}))(t)
	if !edited.Changed || !sees(t, asCaller(t, one, eve), "when does the wombat dig", "noon") {
		t.Errorf("an edit by another server: %+v", edited)
	}
	forget := func(m *app.Memory) {
		t.Helper()
		plan := apptest.Must(appforget.PlanForget(t.Context(), m, appforget.Request{IDs: []string{id}}))(t)
		apptest.Must(appforget.ApplyForget(t.Context(), m, plan))(t)
	}
	forget(asCaller(t, one, eve))
	if sees(t, asCaller(t, two, eve), "when does the wombat dig", "noon") {
		t.Error("another server still finds what was forgotten")
	}
	apptest.Must(appforget.Restore(t.Context(), asCaller(t, two, eve), appforget.RestoreRequest{IDs: []string{id}}))(t)
	if !sees(t, asCaller(t, one, eve), "when does the wombat dig", "noon") {
		t.Error("what another server brought back is not found")
	}
	forget(asCaller(t, two, eve))

	var done []string
	for _, c := range apptest.Must(team.ListChanges(t.Context(), app.Env{Vars: w.Env}, 10))(t) {
		if c.Name != "Eve" || c.Repository != "shop" || !slices.Contains(c.IDs, id) {
			t.Errorf("%+v", c)
		}
		done = append(done, c.Operation)
	}
	if want := []string{"forget", "memory restore", "forget", "memory edit", "remember"}; !slices.Equal(done, want) {
		t.Errorf("the audit has %q", done)
	}
}

// TestTeamLists: a team's server lists the shared items of all people, also by person. A clone does
// so on request.
func TestTeamLists(t *testing.T) {
	w := newTeam(t, "shop")
	ada, bob := w.clone("shop", "Ada"), w.clone("shop", "Bob")
	for m, text := range map[*app.Memory]string{ada: "The okapi sleeps.", bob: "The wombat digs."} {
		apptest.StoredBy(t, m, text)
		apptest.Must(appshare.Sync(t.Context(), m, appshare.SyncRequest{}))(t)
	}
	apptest.Must(appshare.Sync(t.Context(), ada, appshare.SyncRequest{}))(t)
	server := w.server()
	eve := asCaller(t, server.Repositories[0], w.caller(server, team.TokenRequest{Name: "Eve", Writes: true}))
	apptest.StoredBy(t, eve, "The heron waits.")

	entries := func(m *app.Memory, req applist.LogRequest) (titles []string) {
		t.Helper()
		req.All = true
		for {
			res := apptest.Must(applist.Log(t.Context(), m, req))(t)
			titles = append(titles, res.Titles...)
			if req.Cursor = res.Next; res.Next == "" {
				slices.Sort(titles)
				return titles
			}
		}
	}
	facts := func(m *app.Memory, req applist.Request) (texts []string) {
		t.Helper()
		for _, f := range apptest.Must(applist.List(t.Context(), m, req))(t).Facts {
			texts = append(texts, f.Text)
		}
		slices.Sort(texts)
		return texts
	}
	all := []string{"The heron waits.", "The okapi sleeps.", "The wombat digs."}
	for name, c := range map[string]struct{ have, want []string }{
		"entries of the server":                {entries(eve, applist.LogRequest{}), all},
		"entries of the server, by pages":      {entries(eve, applist.LogRequest{Limit: 1}), all},
		"entries that Bob shares":              {entries(eve, applist.LogRequest{Author: "Bob"}), all[2:]},
		"entries that Eve stored":              {entries(eve, applist.LogRequest{Author: "Eve"}), all[:1]},
		"facts of the server":                  {facts(eve, applist.Request{}), all},
		"facts that Ada shares":                {facts(eve, applist.Request{Author: "Ada"}), all[1:2]},
		"facts that Eve stored":                {facts(eve, applist.Request{Author: "Eve"}), all[:1]},
		"entries of a clone":                   {entries(ada, applist.LogRequest{}), all[1:2]},
		"entries of a clone and of the others": {entries(ada, applist.LogRequest{Shared: true}), all[1:]},
		"facts of a clone":                     {facts(ada, applist.Request{}), all[1:2]},
		"facts of a clone and of the others":   {facts(ada, applist.Request{Shared: true}), all[1:]},
	} {
		if !slices.Equal(c.have, c.want) {
			t.Errorf("%s: %q", name, c.have)
		}
	}
	if s := apptest.Must(applist.Stats(t.Context(), eve))(t); s.Live != 3 {
		t.Errorf("%d facts are counted", s.Live)
	}
	if s := apptest.Must(setup.Status(t.Context(), eve, setup.StatusRequest{}))(t); s.Status.Notes != 3 {
		t.Errorf("%d notes are counted", s.Status.Notes)
	}
	id := apptest.Must(applist.List(t.Context(), bob, applist.Request{}))(t).Facts[0].ID
	if f := apptest.Must(applist.Show(t.Context(), eve, applist.ShowRequest{Ref: id}))(t); f.Fact == nil || f.Fact.Author != "Bob" {
		t.Errorf("what Bob shares, by its id: %+v", f)
	}
	_, err := appforget.PlanForget(t.Context(), eve, appforget.Request{IDs: []string{id}})
	if apptest.WantKind(t, err, app.KindRefused); !strings.Contains(err.Error(), `"Bob" shares it`) {
		t.Errorf("forgetting what Bob shares: %v", err)
	}
	for _, c := range apptest.Must(search.Search(t.Context(), eve, search.SearchRequest{Text: "heron okapi wombat", Author: "Bob", Limit: 5}))(t).Hits {
		if c.Author != "Bob" {
			t.Errorf("a search for what Bob shares finds %+v", c)
		}
	}
}

// TestTeamForAll: a fact in the team's namespace is found through every repository, by each
// caller with access to the repository that holds it.
func TestTeamForAll(t *testing.T) {
	w := newTeam(t, "shop", "bank")
	server := w.server()
	eve, bob := w.caller(server, team.TokenRequest{Name: "Eve", Writes: true}), w.caller(server, team.TokenRequest{Name: "Bob", Repositories: []string{"shop"}})
	as := func(c app.Caller, name string) *app.Memory {
		t.Helper()
		list := serving.Visible(serving.WithCaller(t.Context(), c), server.Repositories)
		return list[slices.IndexFunc(list, func(r app.Repository) bool { return r.Name == name })].Memory
	}
	ada := w.clone("bank", "Ada")
	apptest.Must(fact.Remember(t.Context(), ada, fact.RememberRequest{Change: fact.Change{Text: new("All of us deploy on Tuesdays."), Namespace: new("team")}}))(t)
	apptest.StoredBy(t, ada, "The bank alone deploys on Fridays.")
	apptest.Must(appshare.Sync(t.Context(), ada, appshare.SyncRequest{}))(t)
	apptest.StoredBy(t, as(eve, "shop"), "The shop opens at nine.")
	for _, r := range server.Repositories {
		apptest.Must(0, team.Refresh(t.Context(), r.Memory))(t)
	}
	found := func(m *app.Memory, words string) (texts []string) {
		t.Helper()
		for _, h := range apptest.Must(search.Search(t.Context(), m, search.SearchRequest{Text: words, Limit: 9}))(t).Hits {
			texts = append(texts, h.Repository+": "+h.Text)
		}
		return texts
	}
	holds := func(list []string, repository, text string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(s, repository+": ") && strings.Contains(s, text) })
	}
	list := found(as(eve, "shop"), "when do we deploy")
	if !holds(list, "bank", "Tuesdays") || holds(list, "bank", "Fridays") {
		t.Errorf("in the shop Eve finds %q", list)
	}
	if list := found(as(bob, "shop"), "when do we deploy"); holds(list, "bank", "Tuesdays") {
		t.Errorf("Bob, who may not ask the bank, finds %q", list)
	}
	if list := found(as(eve, "bank"), "when do we deploy"); !holds(list, "", "Tuesdays") || !holds(list, "", "Fridays") {
		t.Errorf("in the bank Eve finds %q", list)
	}
	wide := serving.All(serving.Visible(serving.WithCaller(t.Context(), eve), server.Repositories))
	if list := found(wide, "when do we deploy"); !holds(list, "bank", "Tuesdays") || !holds(list, "bank", "Fridays") {
		t.Errorf("in all repositories Eve finds %q", list)
	}
	hits := apptest.Must(search.Search(t.Context(), as(eve, "shop"), search.SearchRequest{Text: "when do we deploy", Limit: 9}))(t).Hits
	i := slices.IndexFunc(hits, func(h retrieval.Hit) bool { return strings.Contains(h.Text, "Tuesdays") })
	if p := apptest.Must(applist.Passage(t.Context(), as(eve, "shop"), applist.PassageRequest{File: hits[i].Path, From: hits[i].StartLine, To: hits[i].EndLine}))(t); !strings.Contains(p.Text, "Tuesdays") {
		t.Errorf("the passage of the hit: %q", p.Text)
	}
}

// TestTeamRights: a token for reading never writes. A token that was revoked or has
// expired gives no access.
func TestTeamRights(t *testing.T) {
	w := newTeam(t, "shop", "bank")
	server := w.server()
	writer, reader := w.caller(server, team.TokenRequest{Name: "Ada", Writes: true}), w.caller(server, team.TokenRequest{Name: "Bob", Repositories: []string{"bank"}})
	if reader.May("shop") || !reader.May("bank") || !writer.May("shop") {
		t.Error("rights of repositories")
	}
	id := apptest.StoredBy(t, asCaller(t, server.Repositories[1], writer), "The ledger is green.")
	m := asCaller(t, server.Repositories[1], reader)
	for name, write := range map[string]func() error{
		"remember": func() error {
			_, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("No.")}})
			return err
		},
		"edit": func() error {
			_, err := fact.Edit(t.Context(), m, fact.EditRequest{ID: id, Change: fact.Change{Text: new("No.")}})
			return err
		},
		"pin": func() error {
			_, err := fact.Pin(t.Context(), m, fact.PinRequest{IDs: []string{id}, Pinned: true})
			return err
		},
		"forget": func() error {
			plan, err := appforget.PlanForget(t.Context(), m, appforget.Request{IDs: []string{id}})
			if err == nil {
				_, err = appforget.ApplyForget(t.Context(), m, plan)
			}
			return err
		},
		"restore": func() error {
			_, err := appforget.Restore(t.Context(), m, appforget.RestoreRequest{IDs: []string{id}})
			return err
		},
		"judge": func() error {
			_, err := recall.Judge(t.Context(), m, recall.JudgeRequest{Hits: []string{"last:1"}})
			return err
		},
	} {
		err := write()
		if err == nil || app.AsError(err).Kind != app.KindRefused || !strings.Contains(err.Error(), "may only read") {
			t.Errorf("%s with a token for reading: %v", name, err)
		}
	}
	if !sees(t, m, "which colour has the ledger", "green") {
		t.Error("a token for reading does not read")
	}

	env := app.Env{Vars: w.Env}
	secret := apptest.Must(team.AddToken(t.Context(), env, team.TokenRequest{Name: "brief", Expires: "1h"}))(t)
	apptest.Must(server.Caller(t.Context(), secret))(t)
	cookie := apptest.Must(server.LogIn(t.Context(), secret))(t)
	apptest.Must(server.LoggedIn(t.Context(), cookie))(t)
	apptest.Must(0, team.RevokeToken(t.Context(), env, "brief"))(t)
	if _, err := server.Caller(t.Context(), secret); err != team.ErrUnknownCaller {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := server.LoggedIn(t.Context(), cookie); err != team.ErrUnknownCaller {
		t.Errorf("the login of a revoked token: %v", err)
	}
	soon := apptest.Must(team.AddToken(t.Context(), env, team.TokenRequest{Name: "soon", Expires: time.Now().Add(time.Second).Format(time.RFC3339Nano)}))(t)
	labtest.Await(t, "the token to expire", func() bool { _, err := server.Caller(t.Context(), soon); return err == team.ErrUnknownCaller })
	_, err := team.AddToken(t.Context(), env, team.TokenRequest{Name: "soon"})
	apptest.WantKind(t, err, app.KindRefused)
	_, err = team.AddToken(t.Context(), env, team.TokenRequest{Name: "past", Expires: "2020-01-01"})
	apptest.WantKind(t, err, app.KindUsage)
	_, err = team.AddToken(t.Context(), env, team.TokenRequest{Name: "x", Repositories: []string{"nowhere"}})
	apptest.WantKind(t, err, app.KindUsage)
	apptest.WantKind(t, team.RevokeToken(t.Context(), env, "nobody"), app.KindNotFound)
}

// TestTeamCrowd: many callers write through two servers at once, and a clone between them.
// Afterwards every memory has each item once.
func TestTeamCrowd(t *testing.T) {
	w := newTeam(t, "shop")
	ada := w.clone("shop", "Ada")
	servers := []*team.Team{w.server(), w.server()}
	eve := w.caller(servers[0], team.TokenRequest{Name: "Eve", Writes: true})
	const each = 6
	var all sync.WaitGroup
	for i, s := range servers {
		for n := range each {
			all.Go(func() {
				text := fmt.Sprintf("Rule %d of server %d holds.", n, i)
				_, err := fact.Remember(t.Context(), s.Repositories[0].Memory.For(eve), fact.RememberRequest{Change: fact.Change{Text: &text}})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	for n := range 3 {
		apptest.StoredBy(t, ada, fmt.Sprintf("Clone rule %d holds.", n))
		apptest.Must(appshare.Sync(t.Context(), ada, appshare.SyncRequest{}))(t)
	}
	all.Wait()
	for i, s := range servers {
		m := asCaller(t, s.Repositories[0], eve)
		list := apptest.Must(applist.List(t.Context(), m, applist.Request{Limit: 100, State: applist.AllFacts}))(t)
		if list.Total != 2*each+3 {
			t.Errorf("server %d holds %d facts", i, list.Total)
		}
		if !sees(t, m, "clone rule 2", "Clone rule 2") {
			t.Errorf("server %d does not find what the clone shares", i)
		}
	}
}

// TestTeamDatabaseAway: while the database is away, nothing is written and nothing is lost.
// When the database is back, the same server works again.
func TestTeamDatabaseAway(t *testing.T) {
	database := pgtest.Started(t)
	w := newTeamOn(t, apptest.Must(database.Database(t.Context()))(t), "shop")
	server := w.server()
	secret := apptest.Must(team.AddToken(t.Context(), app.Env{Vars: w.Env}, team.TokenRequest{Name: "Eve", Writes: true}))(t)
	eve := apptest.Must(server.Caller(t.Context(), secret))(t)
	m := asCaller(t, server.Repositories[0], eve)
	apptest.StoredBy(t, m, "The lamp is lit.")
	apptest.Must(0, database.Kill())(t)
	_, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: new("The lamp is out.")}})
	apptest.WantKind(t, err, app.KindUnavailable)
	_, err = server.Caller(t.Context(), secret)
	apptest.WantKind(t, err, app.KindUnavailable)
	if tree := w.git(w.remotes["shop"], "log", "-p", "--all"); strings.Contains(tree, "lamp is out") {
		t.Error("something was written without a note in the audit")
	}
	apptest.Must(0, database.Start(t.Context()))(t)
	labtest.Await(t, "the database", func() bool { _, err := server.Caller(t.Context(), secret); return err == nil })
	apptest.StoredBy(t, m, "The lamp is out.")
	if !sees(t, m, "is the lamp out", "out") {
		t.Error("what was written after the database came back is not found")
	}
}

package app

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/internal/testing/pgtest"
	"agentflow/memory"
	"agentflow/share"
)

// teamPlace is a team: a remote for each repository, a database, and a home of its servers.
type teamPlace struct {
	*place
	remotes map[string]string
}

func newTeam(t *testing.T, repositories ...string) *teamPlace {
	t.Helper()
	return newTeamOn(t, pgtest.Database(t), repositories...)
}

// newTeamOn is newTeam with a database.
func newTeamOn(t *testing.T, dsn string, repositories ...string) *teamPlace {
	t.Helper()
	w := &teamPlace{place: newFolder(t), remotes: map[string]string{}}
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
func (w *teamPlace) server() *Team {
	w.T.Helper()
	t := must(OpenTeam(w.T.Context(), Env{Vars: w.Env}))(w.T)
	w.T.Cleanup(func() { t.Close() })
	t.Ready(w.T.Context(), w.T.Errorf)
	return t
}

// clone returns a colleague's clone of a repository, which shares its memory.
func (w *teamPlace) clone(name, author string) *Memory {
	w.T.Helper()
	p := newFolder(w.T)
	w.git("", "clone", "-q", w.remotes[name], p.Repo)
	w.git(p.Repo, "config", "user.name", author)
	m := p.memory()
	must(ApplyShare(w.T.Context(), m, must(PlanShare(w.T.Context(), m, ShareRequest{What: share.Entries}))(w.T)))(w.T)
	return m
}

// caller makes a token, and returns its owner.
func (w *teamPlace) caller(t *Team, req TokenRequest) Caller {
	w.T.Helper()
	secret := must(AddToken(w.T.Context(), Env{Vars: w.Env}, req))(w.T)
	return must(t.Caller(w.T.Context(), secret))(w.T)
}

func storedBy(t *testing.T, m *Memory, text string) (id string) {
	t.Helper()
	return must(Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: &text}}))(t).Fact.ID
}

// sees reports whether the best hit for some words contains a text.
func sees(t *testing.T, m *Memory, words, text string) bool {
	t.Helper()
	hits := must(Search(t.Context(), m, SearchRequest{Text: words, Limit: 5}))(t).Hits
	return len(hits) > 0 && strings.Contains(hits[0].Text, text)
}

func asCaller(t *testing.T, r Repository, c Caller) *Memory {
	t.Helper()
	must(0, refresh(t.Context(), r.Memory))(t)
	return r.Memory.For(c)
}

// TestTeamServers: a write through one server of a team is on the remote when the server
// answers. The other servers can change, remove and restore it.
func TestTeamServers(t *testing.T) {
	w := newTeam(t, "shop")
	ada := w.clone("shop", "Ada")
	storedBy(t, ada, "The okapi sleeps in the pantry.")
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	first, second := w.server(), w.server()
	one, two := first.Repositories[0], second.Repositories[0]
	eve := w.caller(first, TokenRequest{Name: "Eve", Writes: true})

	hits := must(Search(t.Context(), two.Memory, SearchRequest{Text: "where does the okapi sleep", Limit: 5}))(t).Hits
	if len(hits) == 0 || hits[0].Author != "Ada" {
		t.Fatalf("what a clone shares: %+v", hits)
	}
	id := storedBy(t, asCaller(t, one, eve), "The wombat digs at night.")
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	hits = must(Search(t.Context(), ada, SearchRequest{Text: "when does the wombat dig", Limit: 5}))(t).Hits
	if len(hits) == 0 || hits[0].Author != TeamAuthor || hits[0].Person != "Eve" {
		t.Fatalf("what was written through the server, in a clone: %+v", hits)
	}

	edited := must(Edit(t.Context(), asCaller(t, two, eve), EditRequest{ID: id, FactChange: FactChange{Text: new("The wombat digs at noon.")}}))(t)
	if !edited.Changed || !sees(t, asCaller(t, one, eve), "when does the wombat dig", "noon") {
		t.Errorf("an edit by another server: %+v", edited)
	}
	forget := func(m *Memory) {
		t.Helper()
		plan := must(PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}}))(t)
		must(ApplyForget(t.Context(), m, plan))(t)
	}
	forget(asCaller(t, one, eve))
	if sees(t, asCaller(t, two, eve), "when does the wombat dig", "noon") {
		t.Error("another server still finds what was forgotten")
	}
	must(Restore(t.Context(), asCaller(t, two, eve), RestoreRequest{IDs: []string{id}}))(t)
	if !sees(t, asCaller(t, one, eve), "when does the wombat dig", "noon") {
		t.Error("what another server brought back is not found")
	}
	forget(asCaller(t, two, eve))

	var done []string
	for _, c := range must(ListChanges(t.Context(), Env{Vars: w.Env}, 10))(t) {
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
	for m, text := range map[*Memory]string{ada: "The okapi sleeps.", bob: "The wombat digs."} {
		storedBy(t, m, text)
		must(Sync(t.Context(), m, SyncRequest{}))(t)
	}
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	server := w.server()
	eve := asCaller(t, server.Repositories[0], w.caller(server, TokenRequest{Name: "Eve", Writes: true}))
	storedBy(t, eve, "The heron waits.")

	entries := func(m *Memory, req LogRequest) (titles []string) {
		t.Helper()
		req.All = true
		for {
			res := must(Log(t.Context(), m, req))(t)
			titles = append(titles, res.Titles...)
			if req.Cursor = res.Next; res.Next == "" {
				slices.Sort(titles)
				return titles
			}
		}
	}
	facts := func(m *Memory, req ListRequest) (texts []string) {
		t.Helper()
		for _, f := range must(List(t.Context(), m, req))(t).Facts {
			texts = append(texts, f.Text)
		}
		slices.Sort(texts)
		return texts
	}
	all := []string{"The heron waits.", "The okapi sleeps.", "The wombat digs."}
	for name, c := range map[string]struct{ have, want []string }{
		"entries of the server":                {entries(eve, LogRequest{}), all},
		"entries of the server, by pages":      {entries(eve, LogRequest{Limit: 1}), all},
		"entries that Bob shares":              {entries(eve, LogRequest{Author: "Bob"}), all[2:]},
		"entries that Eve stored":              {entries(eve, LogRequest{Author: "Eve"}), all[:1]},
		"facts of the server":                  {facts(eve, ListRequest{}), all},
		"facts that Ada shares":                {facts(eve, ListRequest{Author: "Ada"}), all[1:2]},
		"facts that Eve stored":                {facts(eve, ListRequest{Author: "Eve"}), all[:1]},
		"entries of a clone":                   {entries(ada, LogRequest{}), all[1:2]},
		"entries of a clone and of the others": {entries(ada, LogRequest{Shared: true}), all[1:]},
		"facts of a clone":                     {facts(ada, ListRequest{}), all[1:2]},
		"facts of a clone and of the others":   {facts(ada, ListRequest{Shared: true}), all[1:]},
	} {
		if !slices.Equal(c.have, c.want) {
			t.Errorf("%s: %q", name, c.have)
		}
	}
	if s := must(Stats(t.Context(), eve))(t); s.Live != 3 {
		t.Errorf("%d facts are counted", s.Live)
	}
	if s := must(Status(t.Context(), eve, StatusRequest{}))(t); s.Status.Notes != 3 {
		t.Errorf("%d notes are counted", s.Status.Notes)
	}
	id := must(List(t.Context(), bob, ListRequest{}))(t).Facts[0].ID
	if f := must(Show(t.Context(), eve, ShowRequest{Ref: id}))(t); f.Fact == nil || f.Fact.Author != "Bob" {
		t.Errorf("what Bob shares, by its id: %+v", f)
	}
	_, err := PlanForget(t.Context(), eve, ForgetRequest{IDs: []string{id}})
	if wantKind(t, err, KindRefused); !strings.Contains(err.Error(), `"Bob" shares it`) {
		t.Errorf("forgetting what Bob shares: %v", err)
	}
	for _, c := range must(Search(t.Context(), eve, SearchRequest{Text: "heron okapi wombat", Author: "Bob", Limit: 5}))(t).Hits {
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
	eve, bob := w.caller(server, TokenRequest{Name: "Eve", Writes: true}), w.caller(server, TokenRequest{Name: "Bob", Repositories: []string{"shop"}})
	as := func(c Caller, name string) *Memory {
		t.Helper()
		list := Visible(WithCaller(t.Context(), c), server.Repositories)
		return list[slices.IndexFunc(list, func(r Repository) bool { return r.Name == name })].Memory
	}
	ada := w.clone("bank", "Ada")
	must(Remember(t.Context(), ada, RememberRequest{FactChange: FactChange{Text: new("All of us deploy on Tuesdays."), Namespace: new("team")}}))(t)
	storedBy(t, ada, "The bank alone deploys on Fridays.")
	must(Sync(t.Context(), ada, SyncRequest{}))(t)
	storedBy(t, as(eve, "shop"), "The shop opens at nine.")
	for _, r := range server.Repositories {
		must(0, refresh(t.Context(), r.Memory))(t)
	}
	found := func(m *Memory, words string) (texts []string) {
		t.Helper()
		for _, h := range must(Search(t.Context(), m, SearchRequest{Text: words, Limit: 9}))(t).Hits {
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
	wide := All(Visible(WithCaller(t.Context(), eve), server.Repositories))
	if list := found(wide, "when do we deploy"); !holds(list, "bank", "Tuesdays") || !holds(list, "bank", "Fridays") {
		t.Errorf("in all repositories Eve finds %q", list)
	}
	hits := must(Search(t.Context(), as(eve, "shop"), SearchRequest{Text: "when do we deploy", Limit: 9}))(t).Hits
	i := slices.IndexFunc(hits, func(h memory.Hit) bool { return strings.Contains(h.Text, "Tuesdays") })
	if p := must(Passage(t.Context(), as(eve, "shop"), PassageRequest{File: hits[i].Path, From: hits[i].StartLine, To: hits[i].EndLine}))(t); !strings.Contains(p.Text, "Tuesdays") {
		t.Errorf("the passage of the hit: %q", p.Text)
	}
}

// TestTeamRights: a token for reading never writes. A token that was revoked or has
// expired gives no access.
func TestTeamRights(t *testing.T) {
	w := newTeam(t, "shop", "bank")
	server := w.server()
	writer, reader := w.caller(server, TokenRequest{Name: "Ada", Writes: true}), w.caller(server, TokenRequest{Name: "Bob", Repositories: []string{"bank"}})
	if reader.May("shop") || !reader.May("bank") || !writer.May("shop") {
		t.Error("rights of repositories")
	}
	id := storedBy(t, asCaller(t, server.Repositories[1], writer), "The ledger is green.")
	m := asCaller(t, server.Repositories[1], reader)
	for name, write := range map[string]func() error{
		"remember": func() error {
			_, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: new("No.")}})
			return err
		},
		"edit": func() error {
			_, err := Edit(t.Context(), m, EditRequest{ID: id, FactChange: FactChange{Text: new("No.")}})
			return err
		},
		"pin": func() error { _, err := Pin(t.Context(), m, PinRequest{IDs: []string{id}, Pinned: true}); return err },
		"forget": func() error {
			plan, err := PlanForget(t.Context(), m, ForgetRequest{IDs: []string{id}})
			if err == nil {
				_, err = ApplyForget(t.Context(), m, plan)
			}
			return err
		},
		"restore": func() error { _, err := Restore(t.Context(), m, RestoreRequest{IDs: []string{id}}); return err },
		"judge":   func() error { _, err := Judge(t.Context(), m, JudgeRequest{Hits: []string{"last:1"}}); return err },
	} {
		err := write()
		if err == nil || AsError(err).Kind != KindRefused || !strings.Contains(err.Error(), "for reading alone") {
			t.Errorf("%s with a token for reading: %v", name, err)
		}
	}
	if !sees(t, m, "which colour has the ledger", "green") {
		t.Error("a token for reading does not read")
	}

	env := Env{Vars: w.Env}
	secret := must(AddToken(t.Context(), env, TokenRequest{Name: "brief", Expires: "1h"}))(t)
	must(server.Caller(t.Context(), secret))(t)
	cookie := must(server.LogIn(t.Context(), secret))(t)
	must(server.LoggedIn(t.Context(), cookie))(t)
	must(0, RevokeToken(t.Context(), env, "brief"))(t)
	if _, err := server.Caller(t.Context(), secret); err != ErrUnknownCaller {
		t.Errorf("a revoked token: %v", err)
	}
	if _, err := server.LoggedIn(t.Context(), cookie); err != ErrUnknownCaller {
		t.Errorf("the login of a revoked token: %v", err)
	}
	soon := must(AddToken(t.Context(), env, TokenRequest{Name: "soon", Expires: time.Now().Add(time.Second).Format(time.RFC3339Nano)}))(t)
	labtest.Await(t, "the token to expire", func() bool { _, err := server.Caller(t.Context(), soon); return err == ErrUnknownCaller })
	_, err := AddToken(t.Context(), env, TokenRequest{Name: "soon"})
	wantKind(t, err, KindRefused)
	_, err = AddToken(t.Context(), env, TokenRequest{Name: "past", Expires: "2020-01-01"})
	wantKind(t, err, KindUsage)
	_, err = AddToken(t.Context(), env, TokenRequest{Name: "x", Repositories: []string{"nowhere"}})
	wantKind(t, err, KindUsage)
	wantKind(t, RevokeToken(t.Context(), env, "nobody"), KindNotFound)
}

// TestTeamCrowd: many callers write through two servers at once, and a clone between them.
// Afterwards every memory has each item once.
func TestTeamCrowd(t *testing.T) {
	w := newTeam(t, "shop")
	ada := w.clone("shop", "Ada")
	servers := []*Team{w.server(), w.server()}
	eve := w.caller(servers[0], TokenRequest{Name: "Eve", Writes: true})
	const each = 6
	var all sync.WaitGroup
	for i, s := range servers {
		for n := range each {
			all.Go(func() {
				text := fmt.Sprintf("Rule %d of server %d holds.", n, i)
				_, err := Remember(t.Context(), s.Repositories[0].Memory.For(eve), RememberRequest{FactChange: FactChange{Text: &text}})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
	for n := range 3 {
		storedBy(t, ada, fmt.Sprintf("Clone rule %d holds.", n))
		must(Sync(t.Context(), ada, SyncRequest{}))(t)
	}
	all.Wait()
	for i, s := range servers {
		m := asCaller(t, s.Repositories[0], eve)
		list := must(List(t.Context(), m, ListRequest{Limit: 100, State: AllFacts}))(t)
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
	w := newTeamOn(t, must(database.Database(t.Context()))(t), "shop")
	server := w.server()
	secret := must(AddToken(t.Context(), Env{Vars: w.Env}, TokenRequest{Name: "Eve", Writes: true}))(t)
	eve := must(server.Caller(t.Context(), secret))(t)
	m := asCaller(t, server.Repositories[0], eve)
	storedBy(t, m, "The lamp is lit.")
	must(0, database.Kill())(t)
	_, err := Remember(t.Context(), m, RememberRequest{FactChange: FactChange{Text: new("The lamp is out.")}})
	wantKind(t, err, KindUnavailable)
	_, err = server.Caller(t.Context(), secret)
	wantKind(t, err, KindUnavailable)
	if tree := w.git(w.remotes["shop"], "log", "-p", "--all"); strings.Contains(tree, "lamp is out") {
		t.Error("something was written without a note in the audit")
	}
	must(0, database.Start(t.Context()))(t)
	labtest.Await(t, "the database", func() bool { _, err := server.Caller(t.Context(), secret); return err == nil })
	storedBy(t, m, "The lamp is out.")
	if !sees(t, m, "is the lamp out", "out") {
		t.Error("what was written after the database came back is not found")
	}
}

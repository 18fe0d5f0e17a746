package list_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/list"
	"agentflow/app/recall"
	"agentflow/internal/testing/apptest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

var mend = memory.Entry{ID: "01938f6e-0000-7000-8000-00000000aaaa", Kind: memory.KindRun, Agent: "command", Title: "Mend the clock", Task: "Mend the clock", Time: apptest.Noon, Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true}, Changes: changeset.List{Items: []changeset.Change{{Status: 'M', Path: "login/clock.go"}}}}

func TestLog(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	none, err := list.Log(t.Context(), m, list.LogRequest{})
	if err != nil || none.Runs == nil || len(none.Runs) != 0 {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.WriteEntries("2026-11-20", mend, apptest.Paint, apptest.Note)
	p.Write("login/x", "") // the folder that the request may name
	for name, c := range map[string]struct {
		req  list.LogRequest
		want string
	}{
		"runs":  {list.LogRequest{}, "Paint the door, Mend the clock"},
		"one":   {list.LogRequest{Limit: 1}, "Paint the door"},
		"all":   {list.LogRequest{All: true}, "Paint dries slowly., Paint the door, Mend the clock"},
		"since": {list.LogRequest{Since: apptest.Paint.Time}, "Paint the door"},
		"until": {list.LogRequest{Until: apptest.Paint.Time}, "Mend the clock"},
		"path":  {list.LogRequest{Paths: []string{"login"}}, "Mend the clock"},
		"none":  {list.LogRequest{Paths: []string{"README"}}, ""},
	} {
		res, err := list.Log(t.Context(), m, c.req)
		if err != nil || strings.Join(res.Titles, ", ") != c.want || len(res.Runs) != len(res.Titles) || res.Runs == nil {
			t.Errorf("%s: %v, %v", name, res.Titles, err)
		}
	}
	_, err = list.Log(t.Context(), m, list.LogRequest{Paths: []string{".."}})
	apptest.WantKind(t, err, app.KindUsage)
}

func TestShow(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := list.Show(t.Context(), m, list.ShowRequest{Ref: "last"})
	apptest.WantKind(t, err, app.KindNoPlace)

	p.WriteEntries("2026-11-20", mend, apptest.Paint, apptest.Note)
	res, err := list.Show(t.Context(), m, list.ShowRequest{Ref: "last"})
	if err != nil || res.Run.ID != apptest.Paint.ID || res.Fact != nil || !strings.Contains(res.Markdown, "Paint the door") || res.NotRecalled == "" || !strings.HasPrefix(res.Place, "memory/2026-11-20.md:") {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = list.Show(t.Context(), m, list.ShowRequest{Ref: "dddd"})
	if err != nil || res.Run.ID != apptest.Note.ID || res.Fact.Text != "Paint dries slowly." || res.Fact.State != "live" {
		t.Errorf("a fact in an entry: %+v, %v", res, err)
	}
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- ~~Doors are red.~~ <!-- id=01938f6e-0000-7000-8000-00000000eeee type=semantic key=door by=01938f6e-0000-7000-8000-00000000dddd -->\n")
	res, err = list.Show(t.Context(), m, list.ShowRequest{Ref: "eeee"})
	if err != nil || res.Run != nil || res.Fact.State != "struck" || res.Fact.Titles[res.Fact.SupersededBy] != "Paint dries slowly." || res.Fact.Place != "memory/MEMORY.md:3" {
		t.Errorf("a struck fact: %+v, %v", res, err)
	}
	_, err = list.Show(t.Context(), m, list.ShowRequest{Ref: "ffff"})
	apptest.WantKind(t, err, app.KindNotFound)
	_, err = list.Show(t.Context(), m, list.ShowRequest{Ref: "x"})
	apptest.WantKind(t, err, app.KindNotFound)
	p.WriteEntries("2026-11-21", memory.Entry{ID: "01938f6e-0000-7000-8000-00000001dddd", Kind: memory.KindRun, Title: "x", Task: "x", Time: apptest.Noon})
	_, err = list.Show(t.Context(), m, list.ShowRequest{Ref: "dddd"})
	apptest.WantKind(t, err, app.KindUsage)
}

func TestJudge(t *testing.T) {
	p := apptest.NewRepository(t)
	m := p.Memory()
	_, err := recall.Judge(t.Context(), m, recall.JudgeRequest{Hits: []string{"last:1"}})
	apptest.WantKind(t, err, app.KindNoPlace)

	p.WriteEntries("2026-11-20", mend, apptest.Note)
	for ref, want := range map[string]app.Kind{"last:0": app.KindUsage, "last": app.KindUsage, "cccc:1": app.KindUsage, "ffff:1": app.KindNotFound, "last:1": app.KindRefused} {
		res, err := recall.Judge(t.Context(), m, recall.JudgeRequest{Hits: []string{ref}})
		apptest.WantKind(t, err, want)
		if len(res.Judged) != 0 {
			t.Errorf("%s: %v", ref, res.Judged)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Repo, ".agentflow/memory", memory.FeedbackFile)); err == nil {
		t.Error("something was noted")
	}
}

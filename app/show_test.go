package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// writeEntries makes the memory of one day.
func (p *place) writeEntries(day string, entries ...memory.Entry) {
	text := "# " + day + "\n"
	for _, e := range entries {
		text += "\n" + string(markdown.Format(e))
	}
	p.Write(".agentflow/memory/"+day+".md", text)
}

var (
	noon  = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	mend  = memory.Entry{ID: "01938f6e-0000-7000-8000-00000000aaaa", Kind: memory.KindRun, Agent: "command", Title: "Mend the clock", Task: "Mend the clock", Time: noon, Result: &memory.Result{Outcome: memory.OutcomeOK, Success: true}, Changes: memory.ChangeList{Items: []memory.Change{{Status: 'M', Path: "login/clock.go"}}}}
	paint = memory.Entry{ID: "01938f6e-0000-7000-8000-00000000bbbb", Kind: memory.KindRun, Agent: "command", Title: "Paint the door", Task: "Paint the door", Time: noon.Add(time.Hour), Result: &memory.Result{Outcome: memory.OutcomeFailed}}
	note  = memory.Entry{ID: "01938f6e-0000-7000-8000-00000000cccc", Kind: memory.KindNote, Time: noon.Add(2 * time.Hour), Facts: []memory.Fact{{ID: "01938f6e-0000-7000-8000-00000000dddd", Type: memory.Semantic, Text: "Paint dries slowly."}}}
)

func TestLog(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	none, err := Log(t.Context(), m, LogRequest{})
	if err != nil || none.Runs == nil || len(none.Runs) != 0 {
		t.Errorf("without memory: %+v, %v", none, err)
	}

	p.writeEntries("2026-11-20", mend, paint, note)
	p.Write("login/x", "") // the folder that the request may name
	for name, c := range map[string]struct {
		req  LogRequest
		want string
	}{
		"runs":  {LogRequest{}, "Paint the door, Mend the clock"},
		"one":   {LogRequest{Limit: 1}, "Paint the door"},
		"all":   {LogRequest{All: true}, "Paint dries slowly., Paint the door, Mend the clock"},
		"since": {LogRequest{Since: paint.Time}, "Paint the door"},
		"until": {LogRequest{Until: paint.Time}, "Mend the clock"},
		"path":  {LogRequest{Paths: []string{"login"}}, "Mend the clock"},
		"none":  {LogRequest{Paths: []string{"README"}}, ""},
	} {
		res, err := Log(t.Context(), m, c.req)
		if err != nil || strings.Join(res.Titles, ", ") != c.want || len(res.Runs) != len(res.Titles) || res.Runs == nil {
			t.Errorf("%s: %v, %v", name, res.Titles, err)
		}
	}
	_, err = Log(t.Context(), m, LogRequest{Paths: []string{".."}})
	wantKind(t, err, KindUsage)
}

func TestShow(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := Show(t.Context(), m, ShowRequest{Ref: "last"})
	wantKind(t, err, KindNoPlace)

	p.writeEntries("2026-11-20", mend, paint, note)
	res, err := Show(t.Context(), m, ShowRequest{Ref: "last"})
	if err != nil || res.Run.ID != paint.ID || res.Fact != nil || !strings.Contains(res.Markdown, "Paint the door") || res.NotRecalled == "" || !strings.HasPrefix(res.Place, "memory/2026-11-20.md:") {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = Show(t.Context(), m, ShowRequest{Ref: "dddd"})
	if err != nil || res.Run.ID != note.ID || res.Fact.Text != "Paint dries slowly." || res.Fact.State != "live" {
		t.Errorf("a fact in an entry: %+v, %v", res, err)
	}
	p.Write(".agentflow/memory/MEMORY.md", "# Memory\n\n- ~~Doors are red.~~ <!-- id=01938f6e-0000-7000-8000-00000000eeee type=semantic key=door by=01938f6e-0000-7000-8000-00000000dddd -->\n")
	res, err = Show(t.Context(), m, ShowRequest{Ref: "eeee"})
	if err != nil || res.Run != nil || res.Fact.State != "struck" || res.Fact.Titles[res.Fact.SupersededBy] != "Paint dries slowly." || res.Fact.Place != "memory/MEMORY.md:3" {
		t.Errorf("a struck fact: %+v, %v", res, err)
	}
	_, err = Show(t.Context(), m, ShowRequest{Ref: "ffff"})
	wantKind(t, err, KindNotFound)
	_, err = Show(t.Context(), m, ShowRequest{Ref: "x"})
	wantKind(t, err, KindNotFound)
	p.writeEntries("2026-11-21", memory.Entry{ID: "01938f6e-0000-7000-8000-00000001dddd", Kind: memory.KindRun, Title: "x", Task: "x", Time: noon})
	_, err = Show(t.Context(), m, ShowRequest{Ref: "dddd"})
	wantKind(t, err, KindUsage)
}

func TestJudge(t *testing.T) {
	p := newRepository(t)
	m := p.memory()
	_, err := Judge(t.Context(), m, JudgeRequest{Hits: []string{"last:1"}})
	wantKind(t, err, KindNoPlace)

	p.writeEntries("2026-11-20", mend, note)
	for ref, want := range map[string]Kind{"last:0": KindUsage, "last": KindUsage, "cccc:1": KindUsage, "ffff:1": KindNotFound, "last:1": KindRefused} {
		res, err := Judge(t.Context(), m, JudgeRequest{Hits: []string{ref}})
		wantKind(t, err, want)
		if len(res.Judged) != 0 {
			t.Errorf("%s: %v", ref, res.Judged)
		}
	}
	if _, err := os.Stat(filepath.Join(p.Repo, ".agentflow/memory", memory.FeedbackFile)); err == nil {
		t.Error("something was noted")
	}
}

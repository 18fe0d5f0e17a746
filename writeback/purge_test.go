package writeback

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"agentflow/memory"
)

// TestPurgeLeavesNoTrace plants a text everywhere we keep things, purges it,
// and reads every byte that is left.
func TestPurgeLeavesNoTrace(t *testing.T) {
	const secret = `The "master" password is <hunter2>`
	p := newPlace(t)
	e := entry(1)
	e.Session = "session-1"
	e.Task, e.Summary = "Rotate it\n"+secret, secret
	p.record(e)
	p.record(entry(2))
	p.write("2026-11-21.md", p.read("2026-11-21.md")+"my words\n")
	p.recover()
	quoted, err := json.Marshal(map[string]string{"text": "they said: " + secret})
	if err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(p.State, "runs")
	for name, text := range map[string]string{
		e.ID + "/prompt.md": secret, e.ID + "/journal.json": "{}", e.ID + "/undone/d/secret.txt": secret,
		"other/prompt.md": "recalled:\n> " + secret + "\n", "other/events.jsonl": string(quoted) + "\n",
		"third/prompt.md": "nothing of it\n",
	} {
		path := filepath.Join(runs, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	report, err := p.open().Purge(t.Context(), []string{e.ID}, Traces{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Elsewhere) > 0 || !slices.Equal(report.Sessions, []string{"session-1"}) || len(report.Cleaned) < 6 {
		t.Errorf("report %+v", report)
	}
	p.wantNowhere("hunter2")
	if _, err := os.Lstat(filepath.Join(runs, e.ID)); err == nil {
		t.Error("the run's folder stays")
	}
	if data, _ := os.ReadFile(filepath.Join(runs, "other", "events.jsonl")); !json.Valid(data) {
		t.Errorf("events.jsonl is no JSON any more: %s", data)
	}
	if data, _ := os.ReadFile(filepath.Join(runs, "third", "prompt.md")); string(data) != "nothing of it\n" {
		t.Errorf("another prompt was changed: %s", data)
	}
	p.wantOnce(entry(2))
	if _, err := p.open().Restore(t.Context(), []string{e.ID}); !errors.Is(err, ErrForgotten) {
		t.Errorf("restoring: %v", err)
	}
	if _, degraded, err := p.open().Record(t.Context(), e); err != nil || len(degraded) != 1 {
		t.Errorf("recording it again: degraded %q, error %v", degraded, err)
	}
	if strings.Contains(p.read("2026-11-21.md"), "hunter2") {
		t.Error("it is back in Markdown")
	}
}

// TestPurgeLeavesOthersTasks: a purge of an entry finds its cut title in JSON, and leaves the prompt of
// another run that begins as the title does.
func TestPurgeLeavesOthersTasks(t *testing.T) {
	const same = `Let the "tokenizer" split identifiers at capital letters, and the lexer all `
	p := newPlace(t)
	e := entry(1)
	e.Task = same + "numbers at underscores"
	e.Title = memory.Title(e.Task)
	p.record(e)
	title, err := json.Marshal(e.Title)
	if err != nil {
		t.Fatal(err)
	}
	others := same + "names at dots\n"
	prompt, proposals := filepath.Join(p.State, "runs", "other", "prompt.md"), filepath.Join(p.State, "proposals.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(prompt), 0o700), os.WriteFile(prompt, []byte(others), 0o600), os.WriteFile(proposals, title, 0o600)); err != nil {
		t.Fatal(err)
	}
	report, err := p.open().Purge(t.Context(), []string{e.ID}, Traces{})
	if err != nil || !slices.Contains(report.Cleaned, proposals) {
		t.Errorf("report %+v, error %v", report, err)
	}
	if text, err := os.ReadFile(prompt); err != nil || string(text) != others {
		t.Errorf("another prompt was changed: %s, %v", text, err)
	}
}

// TestPurgeFactTakesJudgements: a judgement that goes by a purged fact leaves
// with it, shortened or forgotten ones too; another's stays.
func TestPurgeFactTakesJudgements(t *testing.T) {
	p := newPlace(t)
	s := p.open()
	fact := memory.Fact{ID: "0199aaaa-bbbb-7ccc-8ddd-aaaaaaaaaaaa", Text: `The "master" password is hunter2 ` + strings.Repeat("and so on ", 100)}
	note := memory.Entry{ID: entry(1).ID, Kind: memory.KindNote, Time: day, Facts: []memory.Fact{fact}}
	p.record(note)
	for n := 2; n < 4; n++ {
		j, _, err := s.Judge(t.Context(), memory.Judgement{Task: "Log in", Entry: note.ID, Title: fact.Text, Run: entry(n).ID})
		if err == nil && n == 3 {
			_, err = s.Forget(t.Context(), j.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.Judge(t.Context(), judgement(9)); err != nil {
		t.Fatal(err)
	}
	if report, err := s.Purge(t.Context(), []string{fact.ID}, Traces{}); err != nil || len(report.Elsewhere) > 0 {
		t.Fatalf("report %+v, error %v", report, err)
	}
	p.wantNowhere("hunter2")
	p.wantJudged(judgement(9))
}

// TestPurgeNamesCopies: a copy in somebody else's words stays, and is named.
func TestPurgeNamesCopies(t *testing.T) {
	p := newPlace(t)
	p.record(entry(1))
	p.write("MEMORY.md", "# Memory\n\n- Summary of run 1. It matters.\n")
	if _, err := p.open().Forget(t.Context(), entry(1).ID); err != nil {
		t.Fatal(err)
	}
	report, err := p.open().Purge(t.Context(), []string{entry(1).ID}, Traces{})
	if err != nil || len(report.Elsewhere) != 1 || report.Elsewhere[0] != "MEMORY.md:3" {
		t.Fatalf("report %+v, error %v", report, err)
	}
	if _, err := p.open().Purge(t.Context(), []string{"no-such-id"}, Traces{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

// TestPurgeFact takes one fact out of an entry that stays.
func TestPurgeFact(t *testing.T) {
	p := newPlace(t)
	e := entry(1)
	e.Facts = []memory.Fact{{ID: entry(50).ID, Type: memory.Semantic, Importance: 0.5, Text: "the key is under the mat"}}
	p.record(e)
	if _, err := p.open().Purge(t.Context(), []string{entry(50).ID}, Traces{}); err != nil {
		t.Fatal(err)
	}
	p.wantNowhere("under the mat")
	if !strings.Contains(p.read("2026-11-21.md"), e.ID) {
		t.Error("its entry is gone too")
	}
}

func (p *place) wantNowhere(text string) {
	p.t.Helper()
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			p.t.Errorf("%s still holds it:\n%s", path, data)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestPurgeOfManyIsOne: everything that one purge names is removed together, wherever it is
// interrupted, and the log is rewritten once for all of it.
func TestPurgeOfManyIsOne(t *testing.T) {
	for step := 1; ; step++ {
		p := newPlace(t)
		ids := []string{entry(1).ID, entry(2).ID, entry(3).ID}
		for n := range 4 {
			e := entry(n + 1)
			e.Time = day.AddDate(0, 0, -n)
			p.record(e)
		}
		left, checkpoints := step, 0
		p.Sys = counting{faults{left: &left, err: syscall.ENOSPC, under: p.root}, filepath.Join(p.State, "checkpoint"), &checkpoints}
		_, err := p.open().Purge(t.Context(), ids, Traces{})
		p.Sys = nil
		if checkpoints > 1 {
			t.Fatalf("%d checkpoints for one purge", checkpoints)
		}
		p.recover()
		standing := 0
		for n := range 3 {
			if strings.Contains(p.read(memory.DayFile(day.AddDate(0, 0, -n))), ids[n]) {
				standing++
			}
		}
		if standing != 0 && (err == nil || standing != 3) {
			t.Fatalf("step %d: %d of 3 stand, error %v", step, standing, err)
		}
		if standing == 0 {
			p.wantNowhere("Task number 2")
		}
		if left > 0 {
			return
		}
	}
}

// counting counts how often a file is replaced.
type counting struct {
	faults
	path  string
	times *int
}

func (c counting) Rename(from, to string) error {
	if to == c.path {
		*c.times++
	}
	return c.faults.Rename(from, to)
}

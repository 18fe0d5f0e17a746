package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/invisible"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// version is that of the lines written here.
const version = 1

// The kinds of lines that are no kinds of entries.
const (
	kindFact  = "fact"
	kindEntry = "entry"
)

// lineHead is what every line begins with.
type lineHead struct {
	V    int    `json:"v"`              // version of the format: 1
	Kind string `json:"kind"`           // fact, run, commit or note
	File string `json:"file,omitempty"` // relative to the memory folder, where it stood
}

// factLine is a fact on a line of its own, as memory export writes it. Fields
// have the meaning of those of a Fact.
type factLine struct {
	lineHead
	Day string `json:"day,omitempty"` // of the file it stood in, where that is one of a day
	factFields
	Markdown string `json:"markdown,omitempty"` // the fact as it stood, where the fields cannot say all; it counts then
}

// entryLine is an entry: a line of what memory export writes. Fields have the
// meaning of those of a Run.
type entryLine struct {
	lineHead
	ID          string          `json:"id,omitempty"`
	Time        time.Time       `json:"time,omitzero"`
	Title       string          `json:"title,omitempty"`
	Agent       string          `json:"agent,omitempty"`
	Model       string          `json:"model,omitempty"`
	Session     string          `json:"session,omitempty"` // of the agent
	Branch      string          `json:"branch,omitempty"`
	Worktree    string          `json:"worktree,omitempty"`
	Base        string          `json:"base,omitempty"` // the commit that it began at
	Commits     []memory.Commit `json:"commits,omitempty"`
	Patch       []string        `json:"patch,omitempty"` // patch ids of its commits
	Possible    []memory.Commit `json:"possible_commits,omitempty"`
	Runs        []string        `json:"runs,omitempty"`
	Pinned      bool            `json:"pinned,omitempty"`
	Task        string          `json:"task,omitempty"` // the prompt of the run
	Changes     changeList      `json:"changes,omitzero"`
	Uncommitted changeList      `json:"uncommitted,omitzero"`
	Meanwhile   changeList      `json:"meanwhile,omitzero"`
	Result      *result         `json:"result,omitempty"`
	Summary     string          `json:"summary,omitempty"`
	Errors      []string        `json:"errors,omitempty"`
	Denials     []string        `json:"denials,omitempty"`
	Facts       []factFields    `json:"facts,omitempty"`
	Remarks     []string        `json:"remarks,omitempty"`
	Markdown    string          `json:"markdown,omitempty"` // as of ExportedFactLine
}

// encodeEntry is the line of an entry that stands as raw.
func encodeEntry(file string, e memory.Entry, raw []byte) ([]byte, error) {
	extra := e.Extra
	e = e.Normal()
	l := entryLine{
		lineHead: lineHead{version, entryKind(e.Kind), file}, ID: e.ID, Time: e.Time, Title: e.Title,
		Agent: e.Agent, Model: e.Model, Session: e.Session, Branch: e.Branch, Worktree: e.Worktree, Base: e.Base,
		Commits: e.Commits, Patch: e.Patch, Possible: e.PossibleCommits, Runs: e.Runs, Pinned: e.Pinned, Task: e.Task,
		Changes: changeListOf(e.Changes), Uncommitted: changeListOf(e.Uncommitted), Meanwhile: changeListOf(e.Meanwhile),
		Result: resultOf(e.Result), Summary: e.Summary, Errors: e.Errors, Denials: e.Denials, Facts: factsOf(e.Facts), Remarks: e.Remarks,
	}
	text, err := encode(l)
	if err != nil {
		return nil, fmt.Errorf("writing entry %s as JSON: %w", e.ID, err)
	}
	back, err := decodeEntry(text)
	same := err == nil && bytes.Equal(markdown.Format(*back.Entry), markdown.Format(e))
	if same && extra == "" {
		return text, nil
	}
	l.Markdown = asText(raw, markdown.Format(e))
	return encode(l)
}

func entryKind(k memory.Kind) string {
	switch k {
	case memory.KindRun, memory.KindCommit, memory.KindNote:
		return string(k)
	}
	return kindEntry
}

// decodeEntry is the reverse of encodeEntry.
func decodeEntry(text []byte) (Item, error) {
	var l entryLine
	if err := json.Unmarshal(text, &l); err != nil {
		return Item{}, err
	}
	if l.Markdown != "" {
		e, ok := onlyEntry([]byte(l.Markdown))
		if !ok {
			return Item{}, errors.New("its markdown is no entry")
		}
		return Item{Entry: e, Raw: []byte(l.Markdown)}, nil
	}
	e := memory.Entry{
		ID: l.ID, Kind: memory.Kind(l.Kind), Time: l.Time, Title: l.Title,
		Agent: l.Agent, Model: l.Model, Session: l.Session, Branch: l.Branch, Worktree: l.Worktree, Base: l.Base,
		Commits: l.Commits, Patch: l.Patch, PossibleCommits: l.Possible, Runs: l.Runs, Pinned: l.Pinned, Task: l.Task,
		Changes: l.Changes.list(), Uncommitted: l.Uncommitted.list(), Meanwhile: l.Meanwhile.list(),
		Summary: l.Summary, Errors: l.Errors, Denials: l.Denials, Remarks: l.Remarks,
	}
	for _, f := range l.Facts {
		e.Facts = append(e.Facts, f.fact())
	}
	var err error
	if e.Result, err = l.Result.result(); err != nil {
		return Item{}, err
	}
	e = e.Normal()
	return Item{Entry: &e}, nil
}

// encodeFact is the line of a fact; day is zero for one of MEMORY.md.
func encodeFact(file string, f memory.Fact, day time.Time) ([]byte, error) {
	l := factLine{lineHead: lineHead{version, kindFact, file}, factFields: fieldsOf(f)}
	if !day.IsZero() {
		l.Day = day.Format(time.DateOnly)
	}
	text, err := encode(l)
	if err != nil {
		return nil, fmt.Errorf("writing fact %s as JSON: %w", f.ID, err)
	}
	if back, err := decodeFact(text); err == nil && markdown.FormatFact(back.Fact) == markdown.FormatFact(f) {
		return text, nil
	}
	l.Markdown = markdown.FormatFact(f)
	return encode(l)
}

// decodeFact is the reverse of encodeFact.
func decodeFact(text []byte) (Item, error) {
	var l factLine
	if err := json.Unmarshal(text, &l); err != nil {
		return Item{}, err
	}
	it := Item{Fact: l.fact().Normal(), Faded: l.File == memory.FadedFile}
	if l.Day != "" {
		day, err := time.Parse(time.DateOnly, l.Day)
		if err != nil {
			return it, fmt.Errorf("day: want a date such as 2026-11-21, have %q", l.Day)
		}
		it.Day = day
	}
	if l.Markdown == "" {
		return it, nil
	}
	notes := markdown.Parse([]byte(l.Markdown)).Notes("")
	switch {
	case len(notes) != 1:
		return it, errors.New("its markdown is no fact")
	case notes[0].Fact != nil:
		it.Fact = *notes[0].Fact
	}
	return it, nil
}

// encode is one line with its newline; HTML characters stay as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return invisible.EscapeJSON(b.Bytes()), err
}

package transfer

import (
	"fmt"
	"time"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// factFields are those of a fact, in the order of its comment.
type factFields struct {
	ID           string    `json:"id,omitempty"`
	Type         string    `json:"type,omitempty"`
	Importance   float64   `json:"importance,omitempty"`
	Confidence   float64   `json:"confidence,omitempty"`
	Tags         []string  `json:"tags,omitempty"`
	Category     string    `json:"category,omitempty"`
	Key          string    `json:"key,omitempty"`
	Namespace    string    `json:"namespace,omitempty"`
	Supersedes   string    `json:"supersedes,omitempty"`
	Struck       bool      `json:"struck,omitempty"`
	SupersededBy string    `json:"superseded_by,omitempty"`
	Merged       []origin  `json:"merged,omitempty"`
	Source       string    `json:"source,omitempty"`
	Commit       string    `json:"commit,omitempty"`
	Created      time.Time `json:"created,omitzero"`
	Updated      time.Time `json:"updated,omitzero"`
	Expires      time.Time `json:"expires,omitzero"`
	Text         string    `json:"text"`
}

type origin struct {
	ID      string    `json:"id,omitempty"`
	Source  string    `json:"source,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Created time.Time `json:"created,omitzero"`
}

func fieldsOf(f memory.Fact) factFields {
	f = f.Normal()
	out := factFields{
		ID: f.ID, Type: string(f.Type), Importance: f.Importance, Confidence: f.Confidence, Tags: f.Tags, Category: f.Category,
		Key: f.Key, Namespace: f.Namespace, Supersedes: f.Supersedes, Struck: f.Struck, SupersededBy: f.SupersededBy,
		Source: f.Source, Commit: f.Commit, Created: f.Created, Updated: f.Updated, Expires: f.Expires, Text: f.Text,
	}
	for _, o := range f.Merged {
		out.Merged = append(out.Merged, origin(o))
	}
	return out
}

func factsOf(facts []memory.Fact) []factFields {
	var out []factFields
	for _, f := range facts {
		out = append(out, fieldsOf(f))
	}
	return out
}

func (f factFields) fact() memory.Fact {
	out := memory.Fact{
		ID: f.ID, Type: memory.FactType(f.Type), Importance: f.Importance, Confidence: f.Confidence, Tags: f.Tags, Category: f.Category,
		Key: f.Key, Namespace: f.Namespace, Supersedes: f.Supersedes, Struck: f.Struck, SupersededBy: f.SupersededBy,
		Source: f.Source, Commit: f.Commit, Created: f.Created, Updated: f.Updated, Expires: f.Expires, Text: f.Text,
	}
	for _, o := range f.Merged {
		out.Merged = append(out.Merged, memory.Origin(o))
	}
	return out
}

type changeList struct {
	Items  []change `json:"items,omitempty"`  // the changes
	Unread string   `json:"unread,omitempty"` // why git could not be read
}

// IsZero is for omitzero.
func (l changeList) IsZero() bool { return len(l.Items) == 0 && l.Unread == "" }

type change struct {
	Status  string `json:"status"`
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"`
	Added   int    `json:"added,omitempty"`
	Deleted int    `json:"deleted,omitempty"`
	Counted bool   `json:"counted,omitempty"` // added and deleted are known
	Files   int    `json:"files,omitempty"`
	Note    string `json:"note,omitempty"`
	Blob    string `json:"blob,omitempty"` // id of the contents in git

	Certainty memory.Certainty `json:"certainty,omitempty"`
}

func changeListOf(l memory.ChangeList) changeList {
	out := changeList{Unread: l.Unread}
	for _, c := range l.Items {
		out.Items = append(out.Items, change{string([]byte{byte(c.Status)}), c.Path, c.OldPath, c.Added, c.Deleted, c.Counted, c.Files, c.Note, c.Blob, c.Certainty})
	}
	return out
}

func (l changeList) list() memory.ChangeList {
	out := memory.ChangeList{Unread: l.Unread}
	for _, c := range l.Items {
		var status memory.Status
		if c.Status != "" {
			status = memory.Status(c.Status[0])
		}
		out.Items = append(out.Items, memory.Change{Status: status, Path: c.Path, OldPath: c.OldPath,
			Added: c.Added, Deleted: c.Deleted, Counted: c.Counted, Files: c.Files, Note: c.Note, Blob: c.Blob, Certainty: c.Certainty})
	}
	return out
}

type result struct {
	Outcome  string  `json:"outcome,omitempty"`  // ok, failed, timeout, interrupted or not_started
	Success  bool    `json:"success"`            // the run reached what was asked
	ExitCode int     `json:"exit_code"`          // of the agent
	Duration string  `json:"duration"`           // such as 1m2s
	Turns    int     `json:"turns,omitempty"`    // of the agent
	CostUSD  float64 `json:"cost_usd,omitempty"` // US dollars

	Undone     time.Time `json:"undone,omitzero"`       // when the run was taken back
	RevertedBy string    `json:"reverted_by,omitempty"` // the commit that took it back
}

func resultOf(r *memory.Result) *result {
	if r == nil {
		return nil
	}
	return &result{string(r.Outcome), r.Success, r.ExitCode, r.Duration.String(), r.Turns, r.CostUSD, r.Undone, r.RevertedBy}
}

func (r *result) result() (*memory.Result, error) {
	if r == nil {
		return nil, nil
	}
	took, err := time.ParseDuration(r.Duration)
	if err != nil {
		return nil, fmt.Errorf("duration: %w", err)
	}
	return &memory.Result{Outcome: memory.Outcome(r.Outcome), Success: r.Success, ExitCode: r.ExitCode, Duration: took, Turns: r.Turns, CostUSD: r.CostUSD,
		Undone: r.Undone, RevertedBy: r.RevertedBy}, nil
}

// asText is raw where JSON can hold it, else the form of it that it can.
func asText(raw, formatted []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string(formatted)
}

// onlyEntry is the one entry that text is.
func onlyEntry(text []byte) (*memory.Entry, bool) {
	blocks := markdown.Parse(text).Blocks
	if len(blocks) != 1 || blocks[0].Entry == nil {
		return nil, false
	}
	return blocks[0].Entry, true
}

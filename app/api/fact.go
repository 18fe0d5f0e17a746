package api

import (
	"time"

	"agentflow/memory"
)

// Fact is one fact of memory. Fields behind text are absent when they are empty.
type Fact struct {
	ID           string          `json:"id"`                      // the fact's id, a UUID; it is empty for a fact that a person wrote without one
	Type         memory.FactType `json:"type"`                    // semantic, episodic or procedural
	Importance   float64         `json:"importance"`              // a number from 0 to 1
	Tags         []string        `json:"tags"`                    // its tags, in the order they were given
	Text         string          `json:"text"`                    // the fact itself; it may have several lines
	Under        []string        `json:"under,omitempty"`         // in a person's text: the headings, introducing lines and parent items above it, the outermost first; without them text may mean something else
	Parts        *memory.Parts   `json:"parts,omitempty"`         // what the lines of text say, where it is made of named parts
	Key          string          `json:"key,omitempty"`           // what the fact is about: of two facts with one key the newer holds
	Category     string          `json:"category,omitempty"`      // what it belongs to
	Namespace    string          `json:"namespace,omitempty"`     // where it holds: branch/NAME, run/ID, team or global; it is absent for the whole project
	Paths        []string        `json:"paths,omitempty"`         // patterns of the files that it is about, relative to the work tree; absent for one that is shown for all
	Confidence   float64         `json:"confidence,omitempty"`    // how sure it is, from 0 to 1; absent when nobody said
	Created      time.Time       `json:"created,omitzero"`        // when it was remembered
	Updated      time.Time       `json:"updated,omitzero"`        // when it was last changed; absent when it never was
	Expires      time.Time       `json:"expires,omitzero"`        // when it stops being true; absent when it does not
	Struck       bool            `json:"struck,omitempty"`        // it holds no longer: it is struck through in the Markdown
	SupersededBy string          `json:"superseded_by,omitempty"` // the id of the fact that replaced it
	Supersedes   string          `json:"supersedes,omitempty"`    // the id of the fact that it replaced
	Merged       []Origin        `json:"merged,omitempty"`        // the facts that were merged into it
	Source       string          `json:"source,omitempty"`        // the id of the run it comes from, "hand" for one that a person told, "agent" for one that an agent stored outside of a run, or what it was imported from
	Agent        string          `json:"agent,omitempty"`         // the agent that stored it through a tool, as it names itself; absent when none did
	Session      string          `json:"session,omitempty"`       // the id of that agent's session, where it is known
	Person       string          `json:"person,omitempty"`        // who stored it through a team's server, as the server knows them; absent when nobody did
	Author       string          `json:"author,omitempty"`        // who shares it; absent for the user's own
	Edited       string          `json:"edited,omitempty"`        // "hand" where a person changed by command what somebody else had stored; no agent changes it then
	Reason       string          `json:"reason,omitempty"`        // why it is worth knowing: what the model says that found it, or the sentence that proposed it; absent where there is neither
	Commit       string          `json:"commit,omitempty"`        // the hash of the commit that was checked out then
	File         string          `json:"file,omitempty"`          // the Markdown file that holds it, relative to the .agentflow folder; "global:…" in the user's own memory
	Line         int             `json:"line,omitempty"`          // the first of its lines in File, counted from 1
	Pinned       bool            `json:"pinned,omitempty"`        // the fact, or its entry, does not age
	Uses         *Uses           `json:"uses,omitempty"`          // how often it was of use; only of memory list --sort uses
}

// Origin is a fact that was merged into another.
type Origin struct {
	ID      string    `json:"id"`               // the id that the fact had
	Source  string    `json:"source,omitempty"` // the id of the run it comes from, "hand" for one that a person told, or what it was imported from
	Commit  string    `json:"commit,omitempty"` // the hash of the commit that was checked out then
	Created time.Time `json:"created,omitzero"` // when it was remembered
}

// Uses counts how often a fact was of use.
type Uses struct {
	Prompt int       `json:"prompt"`        // how often it was put in front of a run
	Search int       `json:"search"`        // how often a search found it
	Get    int       `json:"get"`           // how often somebody looked at it
	Last   time.Time `json:"last,omitzero"` // when it was last of use
}

// NewFact returns f as a JSON object, without the file and line that hold it.
func NewFact(f memory.Fact) Fact {
	o := Fact{
		ID: f.ID, Type: f.Type, Importance: f.Importance, Tags: filled(f.Tags), Text: f.Text, Under: f.Under,
		Key: f.Key, Category: f.Category, Namespace: f.Namespace, Paths: f.Paths, Confidence: f.Confidence,
		Created: f.Created, Updated: f.Updated, Expires: f.Expires,
		Struck: f.Struck, SupersededBy: f.SupersededBy, Supersedes: f.Supersedes,
		Source: f.Source, Agent: f.Agent, Session: f.Session, Person: f.Person, Edited: f.Edited, Reason: f.Reason, Commit: f.Commit, Pinned: f.Pinned(),
	}
	if p := memory.PartsOf(f.Text); p.Text != f.Text {
		o.Parts = &p
	}
	for _, m := range f.Merged {
		o.Merged = append(o.Merged, Origin(m))
	}
	return o
}

// Whole returns the text preceded by the lines in Under, for a place that does not show them.
func (f Fact) Whole() string { return memory.Fact{Text: f.Text, Under: f.Under}.Whole() }

// NewFacts returns facts as JSON objects. The list is never nil.
func NewFacts(facts []memory.Fact) []Fact {
	list := []Fact{}
	for _, f := range facts {
		list = append(list, NewFact(f))
	}
	return list
}

// Contradiction is a group of facts that hold, are in one namespace, and have the same key
// or are about the same thing: of those at most one is probably right.
type Contradiction struct {
	Key       string   `json:"key"`                 // what they are about; empty for two facts that have not one key
	Words     []string `json:"words,omitempty"`     // that two facts without one key have in common
	Namespace string   `json:"namespace,omitempty"` // where they hold; absent for the whole project
	Facts     []Fact   `json:"facts"`               // the newest first, two or more; those of others say who shares them
	More      int      `json:"more,omitempty"`      // counts the facts that are left out
}

// Remembered is what became of a fact that was to be remembered.
type Remembered struct {
	Fact
	Existing bool        `json:"existing"`           // memory held the fact already: nothing was written
	SameKey  []string    `json:"same_key,omitempty"` // the ids of the other facts that hold in its namespace and have its key, those too that others share and that say otherwise
	Close    []CloseFact `json:"close,omitempty"`    // the facts that hold in its namespace and are about the same thing, the closest first; at most three
}

// CloseFact is a fact that is about the same thing as another one.
type CloseFact struct {
	ID    string   `json:"id"`             // the fact's id
	Text  string   `json:"text"`           // the fact itself
	Words []string `json:"words"`          // that both have
	File  string   `json:"file,omitempty"` // the Markdown file that holds it, relative to the .agentflow folder
	Line  int      `json:"line,omitempty"` // the first of its lines in File, counted from 1
}

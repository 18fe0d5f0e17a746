package api

import (
	"time"

	"agentflow/memory"
)

// Fact is one fact of memory. Fields behind text are absent when they are empty.
type Fact struct {
	// ID is the fact's id, a UUID. It is empty for a fact that a person wrote without one.
	ID string `json:"id"`
	// Type is semantic, episodic or procedural.
	Type memory.FactType `json:"type"`
	// Importance is a number from 0 to 1.
	Importance float64 `json:"importance"`
	// Tags are its tags, in the order they were given.
	Tags []string `json:"tags"`
	// Text is the fact itself; it may have several lines.
	Text string `json:"text"`
	// Parts are what the lines of text say, where it is made of named parts.
	Parts *memory.Parts `json:"parts,omitempty"`
	// Key says what the fact is about: of two facts with one key the newer holds.
	Key string `json:"key,omitempty"`
	// Category is what it belongs to.
	Category string `json:"category,omitempty"`
	// Namespace says where it holds: branch/NAME, run/ID or global. It is absent for the whole project.
	Namespace string `json:"namespace,omitempty"`
	// Confidence says how sure it is, from 0 to 1; absent when nobody said.
	Confidence float64 `json:"confidence,omitempty"`
	// Created is when it was remembered.
	Created time.Time `json:"created,omitzero"`
	// Updated is when it was last changed; absent when it never was.
	Updated time.Time `json:"updated,omitzero"`
	// Expires is when it stops being true; absent when it does not.
	Expires time.Time `json:"expires,omitzero"`
	// Struck says that it holds no longer: it is struck through in the Markdown.
	Struck bool `json:"struck,omitempty"`
	// SupersededBy is the id of the fact that replaced it.
	SupersededBy string `json:"superseded_by,omitempty"`
	// Supersedes is the id of the fact that it replaced.
	Supersedes string `json:"supersedes,omitempty"`
	// Merged are the facts that were merged into it.
	Merged []Origin `json:"merged,omitempty"`
	// Source is the id of the run it comes from, "hand" for one that a person told, or what it was imported from.
	Source string `json:"source,omitempty"`
	// Commit is the hash of the commit that was checked out then.
	Commit string `json:"commit,omitempty"`
	// File is the Markdown file it stands in, relative to the .agentflow folder.
	File string `json:"file,omitempty"`
	// Line is the first of its lines in File, counted from 1.
	Line int `json:"line,omitempty"`
	// Pinned says that the fact, or its entry, does not age.
	Pinned bool `json:"pinned,omitempty"`
	// Uses says how often it was of use; only of memory list --sort uses.
	Uses *Uses `json:"uses,omitempty"`
}

// Origin is a fact that was merged into another.
type Origin struct {
	// ID is the id that the fact had.
	ID string `json:"id"`
	// Source is the id of the run it comes from, "hand" for one that a person told, or what it was imported from.
	Source string `json:"source,omitempty"`
	// Commit is the hash of the commit that was checked out then.
	Commit string `json:"commit,omitempty"`
	// Created is when it was remembered.
	Created time.Time `json:"created,omitzero"`
}

// Uses counts how often a fact was of use.
type Uses struct {
	// Prompt is how often it was put in front of a run.
	Prompt int `json:"prompt"`
	// Search is how often a search found it.
	Search int `json:"search"`
	// Get is how often somebody looked at it.
	Get int `json:"get"`
	// Last is when it was last of use.
	Last time.Time `json:"last,omitzero"`
}

// NewFact is f as JSON, without the place where it stands.
func NewFact(f memory.Fact) Fact {
	o := Fact{
		ID: f.ID, Type: f.Type, Importance: f.Importance, Tags: filled(f.Tags), Text: f.Text,
		Key: f.Key, Category: f.Category, Namespace: f.Namespace, Confidence: f.Confidence,
		Created: f.Created, Updated: f.Updated, Expires: f.Expires,
		Struck: f.Struck, SupersededBy: f.SupersededBy, Supersedes: f.Supersedes,
		Source: f.Source, Commit: f.Commit, Pinned: f.Pinned(),
	}
	if p := memory.PartsOf(f.Text); p.Text != f.Text {
		o.Parts = &p
	}
	for _, m := range f.Merged {
		o.Merged = append(o.Merged, Origin(m))
	}
	return o
}

// NewFacts are facts as JSON; never nil.
func NewFacts(facts []memory.Fact) []Fact {
	list := []Fact{}
	for _, f := range facts {
		list = append(list, NewFact(f))
	}
	return list
}

// Remembered is what became of a fact that was to be remembered.
type Remembered struct {
	Fact
	// Existing says that memory held the fact already: nothing was written.
	Existing bool `json:"existing"`
	// SameKey are the ids of the other facts that hold in its namespace and have its key.
	SameKey []string `json:"same_key,omitempty"`
}

package app

import (
	"time"

	"agentflow/memory"
)

// memoryObject is a fact as JSON. Fields are documented in the README and
// stay as they are; those that say nothing are left out behind text.
type memoryObject struct {
	ID           string          `json:"id"`
	Type         memory.FactType `json:"type"`
	Importance   float64         `json:"importance"`
	Tags         []string        `json:"tags"`
	Text         string          `json:"text"`
	Parts        *memory.Parts   `json:"parts,omitempty"`
	Key          string          `json:"key,omitempty"`
	Category     string          `json:"category,omitempty"`
	Namespace    string          `json:"namespace,omitempty"` // none is the project's
	Confidence   float64         `json:"confidence,omitempty"`
	Created      time.Time       `json:"created,omitzero"`
	Updated      time.Time       `json:"updated,omitzero"`
	Expires      time.Time       `json:"expires,omitzero"`
	Struck       bool            `json:"struck,omitempty"`
	SupersededBy string          `json:"superseded_by,omitempty"`
	Supersedes   string          `json:"supersedes,omitempty"`
	Merged       []originObject  `json:"merged,omitempty"`
	Source       string          `json:"source,omitempty"`
	Commit       string          `json:"commit,omitempty"`
	File         string          `json:"file,omitempty"` // relative to the .agentflow folder
	Line         int             `json:"line,omitempty"`
	Pinned       bool            `json:"pinned,omitempty"`
	Uses         *usesObject     `json:"uses,omitempty"` // of memory list --sort uses
}

// originObject is a fact that was merged into another.
type originObject struct {
	ID      string    `json:"id"`
	Source  string    `json:"source,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Created time.Time `json:"created,omitzero"`
}

func newMemoryObject(f memory.Fact) memoryObject {
	o := memoryObject{
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
		o.Merged = append(o.Merged, originObject(m))
	}
	return o
}

// object is the fact with where it stands. One that a person wrote is as old
// as its entry.
func (k kept) object() memoryObject {
	o := newMemoryObject(k.Fact)
	o.Created, o.File, o.Line, o.Pinned = k.created(), k.File, k.StartLine, k.pinned()
	o.Namespace = k.Namespace
	if u := k.used; u.Count() > 0 {
		o.Uses = &usesObject{u.Prompt, u.Search, u.Get, u.Last}
	}
	return o
}

func memoryObjects(facts []memory.Fact) []memoryObject {
	out := []memoryObject{}
	for _, f := range facts {
		out = append(out, newMemoryObject(f))
	}
	return out
}

package recall

import "agentflow/app/api"

// ShowResult is all that memory knows about an entry or a fact.
type ShowResult struct {
	Run      *api.Run // the entry; nil of a fact in text that is no entry
	Markdown string   // the entry as stored
	Place    string   // the location of the entry or the fact: memory/2026-11-21.md:3-9, see Locator
	Author   string   // who shares it; empty: it is the user's own
	Fact     *Fact    // nil when the reference names an entry
	// Recalled names Run.Recalled for people. It is empty if the items that memory put in
	// front of the run are no longer known. NotRecalled then says why.
	Recalled      []string
	RecalledFacts []string // the same of Run.Facts
	NotRecalled   string
	Degraded      []string // what did not work, a line each; never nil
}

// Fact is a fact with all that memory knows about it.
type Fact struct {
	api.Fact
	State      string            // live, struck or expired; followed by ", pinned" if it is pinned
	Attributes []Attribute       // that it has, named as the flags that set them
	Titles     map[string]string // of other facts, by the ids that it names
	Place      string            // its location: memory/MEMORY.md:3-4
}

// Attribute is a property of a fact that a person can set, other than its text.
type Attribute struct{ Name, Value string }

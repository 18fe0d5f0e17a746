package api

import (
	"time"

	"agentflow/memory"
)

// Similar is something that is like a fact or an entry.
type Similar struct {
	ID         string          `json:"id"`         // the fact's id, else the entry's; empty for hand-written text
	Type       memory.FactType `json:"type"`       // semantic, episodic or procedural; empty when it is no fact
	Similarity float64         `json:"similarity"` // a number from 0 to 1: by vectors where there are, else by the words that both share
	Relation   string          `json:"relation"`   // what the two facts are to each other, such as "says the same"; empty where nobody can tell
	Text       string          `json:"text"`       // the fact, or the passage of the entry
	Namespace  string          `json:"namespace"`  // where a fact holds; empty for the whole project
	File       string          `json:"file"`       // the Markdown file that holds it, relative to the .agentflow folder
	Line       int             `json:"line"`       // the first of its lines in File, counted from 1
}

// Stats counts the facts of a repository's memory and of the user's own.
type Stats struct {
	Live       int            `json:"live"`       // how many facts hold. Pinned, types, namespaces, categories, tags, sources and ages count among them
	Struck     int            `json:"struck"`     // how many are struck through
	Expired    int            `json:"expired"`    // how many have expired
	Pinned     int            `json:"pinned"`     // how many do not age
	Types      map[string]int `json:"types"`      // counts facts by type; "none" has those without one
	Namespaces map[string]int `json:"namespaces"` // counts facts by namespace: project, branch/NAME, run/ID, team or global
	Categories map[string]int `json:"categories"` // counts the facts that have a category
	Tags       map[string]int `json:"tags"`       // counts facts by tag; a fact counts for each of its tags
	Sources    map[string]int `json:"sources"`    // counts facts by source; "run" has those of all runs and sessions
	Ages       map[string]int `json:"ages"`       // counts facts by how long ago they were remembered: day, week, month, year, older or unknown
	Files      int            `json:"files"`      // how many Markdown files the repository's memory has
	Bytes      int64          `json:"bytes"`      // how large they are together
	MemoryMD   MemoryFileSize `json:"memory_md"`  // how full MEMORY.md is
	Used       int            `json:"used"`       // how many facts and entries were ever of use
	Uses       []UseCount     `json:"uses"`       // the ten that were used most
}

// MemoryFileSize is how large MEMORY.md is, and how much of it agents load.
type MemoryFileSize struct {
	Lines       int `json:"lines"`        // how many lines it has
	Bytes       int `json:"bytes"`        // how large it is
	LoadedLines int `json:"loaded_lines"` // how many lines agents load at most
	LoadedBytes int `json:"loaded_bytes"` // how many bytes agents load at most
}

// UseCount is how often a fact or an entry was of use.
type UseCount struct {
	ID     string    `json:"id"`     // the fact's or the entry's
	Count  int       `json:"count"`  // the sum of the three below
	Prompt int       `json:"prompt"` // how often it was put in front of a run
	Search int       `json:"search"` // how often a search found it
	Get    int       `json:"get"`    // how often somebody looked at it
	Last   time.Time `json:"last"`   // when it was last of use
	Text   string    `json:"text"`   // the fact, or the entry's title; empty when memory holds it no longer
}

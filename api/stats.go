package api

import (
	"time"

	"agentflow/memory"
)

// Similar is something that is like a fact or an entry.
type Similar struct {
	// ID is the fact's id, else the entry's; empty for hand-written text.
	ID string `json:"id"`
	// Type is semantic, episodic or procedural; empty when it is no fact.
	Type memory.FactType `json:"type"`
	// Similarity is a number from 0 to 1: by vectors where there are, else by the words that both share.
	Similarity float64 `json:"similarity"`
	// Relation says what the two facts are to each other, such as "says the same"; empty where nobody can tell.
	Relation string `json:"relation"`
	// Text is the fact, or the passage of the entry.
	Text string `json:"text"`
	// Namespace says where a fact holds; empty for the whole project.
	Namespace string `json:"namespace"`
	// File is the Markdown file it stands in, relative to the .agentflow folder.
	File string `json:"file"`
	// Line is the first of its lines in File, counted from 1.
	Line int `json:"line"`
}

// Stats counts the facts of a repository's memory and of the user's own.
type Stats struct {
	// Live is how many facts hold. Pinned, types, namespaces, categories, tags, sources and ages count among them.
	Live int `json:"live"`
	// Struck is how many are struck through.
	Struck int `json:"struck"`
	// Expired is how many have expired.
	Expired int `json:"expired"`
	// Pinned is how many do not age.
	Pinned int `json:"pinned"`
	// Types counts facts by type; "none" has those without one.
	Types map[string]int `json:"types"`
	// Namespaces counts facts by namespace: project, branch/NAME, run/ID or global.
	Namespaces map[string]int `json:"namespaces"`
	// Categories counts the facts that have a category.
	Categories map[string]int `json:"categories"`
	// Tags counts facts by tag; a fact counts for each of its tags.
	Tags map[string]int `json:"tags"`
	// Sources counts facts by source; "run" has those of all runs.
	Sources map[string]int `json:"sources"`
	// Ages counts facts by how long ago they were remembered: day, week, month, year, older or unknown.
	Ages map[string]int `json:"ages"`
	// Files is how many Markdown files the repository's memory has.
	Files int `json:"files"`
	// Bytes is how large they are together.
	Bytes int64 `json:"bytes"`
	// MemoryMD says how full MEMORY.md is.
	MemoryMD MemoryFileSize `json:"memory_md"`
	// Used is how many facts and entries were ever of use.
	Used int `json:"used"`
	// Uses are the ten that were used most.
	Uses []UseCount `json:"uses"`
}

// MemoryFileSize is how large MEMORY.md is, and how much of it agents load.
type MemoryFileSize struct {
	// Lines is how many lines it has.
	Lines int `json:"lines"`
	// Bytes is how large it is.
	Bytes int `json:"bytes"`
	// LoadedLines is how many lines agents load at most.
	LoadedLines int `json:"loaded_lines"`
	// LoadedBytes is how many bytes agents load at most.
	LoadedBytes int `json:"loaded_bytes"`
}

// UseCount is how often a fact or an entry was of use.
type UseCount struct {
	// ID is the fact's or the entry's.
	ID string `json:"id"`
	// Count is the sum of the three below.
	Count int `json:"count"`
	// Prompt is how often it was put in front of a run.
	Prompt int `json:"prompt"`
	// Search is how often a search found it.
	Search int `json:"search"`
	// Get is how often somebody looked at it.
	Get int `json:"get"`
	// Last is when it was last of use.
	Last time.Time `json:"last"`
	// Text is the fact, or the entry's title; empty when memory holds it no longer.
	Text string `json:"text"`
}

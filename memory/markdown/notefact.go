package markdown

import (
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// NoteFact returns the id of the only fact in a note, given the Markdown of the note. It returns ""
// if the note holds several facts, or one without an id. People and agents name the note by it.
func NoteFact(text string) string {
	facts := Parse([]byte(text)).Facts()
	if len(facts) != 1 {
		return ""
	}
	return facts[0].ID
}

// NamedHit returns a hit in the form shown to people and agents: a note gets the id of its fact.
func NamedHit(h retrieval.Hit) retrieval.Hit {
	if h.Kind == memory.KindNote {
		if id := NoteFact(h.Text); id != "" {
			h.EntryID = id
		}
	}
	return h
}

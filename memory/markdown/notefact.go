package markdown

import "agentflow/memory"

// NoteFact returns the id of the fact that a note holds, of which text is the Markdown; empty
// if the note holds several, or one without an id. People and agents name the note by it.
func NoteFact(text string) string {
	facts := Parse([]byte(text)).Facts()
	if len(facts) != 1 {
		return ""
	}
	return facts[0].ID
}

// NamedHit returns a hit as doors name it: a note by the id of its fact.
func NamedHit(h memory.Hit) memory.Hit {
	if h.Kind == memory.KindNote {
		if id := NoteFact(h.Text); id != "" {
			h.EntryID = id
		}
	}
	return h
}

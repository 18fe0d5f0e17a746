package purge

import "agentflow/memory"

// TitleOf returns the entry's title, or the fact of a note.
func TitleOf(e *memory.Entry) string {
	if e.Kind == memory.KindNote && len(e.Facts) > 0 {
		return memory.Title(e.Facts[0].Text)
	}
	return e.Title
}

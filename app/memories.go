package app

import (
	"agentflow/internal/config"
)

// NoteMemory adds the memory to the user's list. It ignores errors, because only Memories needs the list.
func NoteMemory(o *Operation, place config.Place, dirs config.Dirs) {
	_ = dirs.Known().Note(place.Root)
}

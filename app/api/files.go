package api

import "time"

// MemoryFile is one Markdown file of memory.
type MemoryFile struct {
	Name      string    `json:"name"`                // as hits name it: memory/2026-11-21.md; global:memory/MEMORY.md of the user's own memory
	Size      int64     `json:"size"`                // in bytes
	Modified  time.Time `json:"modified"`            // when it was last written
	Untrusted bool      `json:"untrusted,omitempty"` // it came with the repository and nobody accepted it

	// Of a file below notes/ that an agent changed with the memory tool:
	Agent   string `json:"agent,omitempty"`   // who changed it last, as it names itself
	Session string `json:"session,omitempty"` // id of its session
	Run     string `json:"run,omitempty"`     // id of the run that it worked for
}

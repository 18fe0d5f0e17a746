package api

import "time"

// KnownMemory is one of the memories of this user.
type KnownMemory struct {
	Root    string     `json:"root"`              // the .agentflow folder, absolute; the user's own memory: its data folder
	Global  bool       `json:"global"`            // it is the user's own, which counts in every repository
	Files   int        `json:"files"`             // of Markdown
	Bytes   int64      `json:"bytes"`             // of these files
	Hooks   bool       `json:"hooks,omitempty"`   // git's hooks of it are installed
	Changed *time.Time `json:"changed,omitempty"` // when the last of them was written; absent: there is none
}

package api

import "time"

// Connection is an agent whose own sessions can be remembered.
type Connection struct {
	Agent     string     `json:"agent"`            // claude, codex, gemini or opencode
	Installed string     `json:"installed"`        // the agent's program; empty: it was not found
	Way       string     `json:"way"`              // plugin, hooks (lines in settings) or tools (the tools of memory alone); empty: it is not connected
	Program   string     `json:"program"`          // the agentflow that it runs; empty: it is not connected
	State     string     `json:"state"`            // connected, not connected, partly (something of it is missing), missing (its agentflow is not there), other (it runs another agentflow than this one) or off (the agent's settings switch hooks or tools off)
	Seen      *time.Time `json:"seen,omitempty"`   // when a hook of it was last run; absent: never, or it has none
	Off       string     `json:"off,omitempty"`    // the setting that switches hooks or tools off, and its file; absent: none does
	Remedy    string     `json:"remedy,omitempty"` // what switches them on again
	Files     []string   `json:"files"`            // settings files, and the folder of the plugin
}

// ConnectFile is a settings file that is, or would be, changed.
type ConnectFile struct {
	Agent  string   `json:"agent"`  // whose it is
	Path   string   `json:"path"`   // absolute
	Action string   `json:"action"` // create, change, remove or leave
	About  string   `json:"about"`  // what is put in or taken out, in a few words
	Diff   []string `json:"diff"`   // of a unified diff: lines with - or +, and "@@ -LINE,COUNT +LINE,COUNT @@" before each place
	Why    string   `json:"why"`    // of leave: why it cannot be changed
}

// ConnectChange is what connect or disconnect does, or would do.
type ConnectChange struct {
	Files    []ConnectFile `json:"files"`    // that are written, in this order
	Commands []string      `json:"commands"` // of the agent itself, which are run
	Notes    []string      `json:"notes"`    // what the user has to do or know
	Applied  bool          `json:"applied"`  // it was done
}

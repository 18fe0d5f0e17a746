// Package toolcalls collects the evidence of an agent's tool calls about the files they wrote: when
// each call ran, which files it names as written, and the state of those files before and after it.
//
// Guarantees: a command names a file only if it writes to it. A file that it only reads, and that
// others change in the meantime, is not attributed to the run.
//
// Not guaranteed: if a file changes twice during one shell command that writes it, the second
// change cannot be attributed.
//
// Claude's session file has no text before an edit if that is longer than 10,000 characters.
// Replay then applies the edits to the known text before the call. If they lead to the text now,
// the texts in between are known.
package toolcalls

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/ctime"
)

// Call is one tool call of an agent that may have changed files.
type Call struct {
	Began time.Time `json:"began"`          // not later than its first change of a file
	Ended time.Time `json:"ended,omitzero"` // zero if its end was not seen
	// Wrote lists the files that the agent's file tool reports it wrote.
	Wrote []Write `json:"wrote,omitempty"`
	// Names lists the words that its command or output names as written: paths that are absolute,
	// relative to the work tree, or begin with Anywhere, and shell patterns.
	Names []string `json:"names,omitempty"`
	// Saw holds the states of files of Wrote and Names when the call began, and Left their states
	// when it had ended.
	Saw  []FileState `json:"saw,omitempty"`
	Left []FileState `json:"left,omitempty"`
	// Background says that it left a process running, which may write until
	// the run ends.
	Background bool `json:"background,omitempty"`
	// Git says that its command runs git.
	Git bool `json:"git,omitempty"`
}

// Write is a file that an agent's file tool wrote.
type Write struct {
	Path string `json:"path"` // absolute, or relative to the work tree
	// Before and After are the TextIDs of the text that the tool found and left. They are empty if
	// the tool does not report it, and NoText for a file that did not exist.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Private says that the file is for the agent's own use, such as its plans.
	Private bool `json:"private,omitempty"`
	// Call is the id of the call. Edit is the change by it, for Replay; nil: it is unknown. At is
	// when the tool had written; zero: it is unknown. They are never stored.
	Call string    `json:"-"`
	Edit *Edit     `json:"-"`
	At   time.Time `json:"-"`
}

// FileState is the state of a file at one moment. ChangedAt is its ctime. It is zero for a file
// that did not exist.
type FileState struct {
	Path      string    `json:"path"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

// Look returns the states of files, given by names that are absolute or relative to dir. It leaves
// out patterns, folders, and files with an unknown state.
func Look(dir string, names []string) []FileState {
	var seen []FileState
	for _, name := range names[:min(len(names), maxNames)] {
		if strings.ContainsAny(name, "*?[") {
			continue
		}
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(dir, name)
		}
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			seen = append(seen, FileState{Path: name})
		case err == nil && !info.IsDir():
			if at, ok := ctime.Of(info); ok {
				seen = append(seen, FileState{Path: name, ChangedAt: at.UTC()})
			}
		}
	}
	return seen
}

// NoText replaces the TextID of a missing file.
const NoText = "none"

// TextID identifies a text as an agent's file tools see it: without a byte order mark, and
// with all line ends alike. It is the first 16 bytes of the SHA-256, in hex.
func TextID(content []byte) string {
	sum := sha256.Sum256(plainBytes(content))
	return hex.EncodeToString(sum[:16])
}

// plain returns a text as TextID sees it.
func plain(content []byte) string { return string(plainBytes(content)) }

func plainBytes(content []byte) []byte {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
}

// Evidence is everything about a run that is not in the repository.
type Evidence struct {
	Dir       string    // the run's folder, with refs.log and before/
	Started   time.Time // commits older than this are not the run's
	Ended     time.Time // zero for a recovered run
	Shared    bool      // another run was active in this work tree at the same time
	Untraced  bool      // git was not asked for a trace: its reflog shows the moves of calls that may have run git
	Recovered bool      // found by a later command: only refs.log and Calls count
	Home      string    // the user's home folder; empty if unknown
	// Keep reports whether contents may be copied into Dir for a later look at the run. It must
	// return false for contents with a secret. If Keep is nil, nothing is copied.
	Keep func(content []byte) bool

	LastSeen time.Time // of a recovered run, the last sign that it was running

	// Tells says that the agent reports its tool calls, so that every change outside of them was
	// made by others. Otherwise the whole run counts as one call that names nothing.
	Tells bool
	// Calls are the run's tool calls that may have changed files, in any order.
	Calls []Call
	// Others are the calls of the other runs that were active in this work
	// tree at the same time.
	Others []Call
	// AskOthers returns Others and Shared. It is nil if they are set. It is called after the work
	// tree was looked at, because by then another run has reported everything it wrote before.
	AskOthers func() (all []Call, shared bool)
	// OwnTree says that the work tree was made for this run.
	OwnTree bool
}

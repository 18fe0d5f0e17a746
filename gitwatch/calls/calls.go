// Package calls holds the evidence of an agent's tool calls about the files they wrote:
// when each call ran, which files it names as written, and the state of those before and
// after it.
//
// Guarantees: a command names a file only when it writes to it: a file that it only
// reads, and somebody else changes meanwhile, is not the run's.
//
// Not guaranteed: of two changes of one file within one shell command that
// writes it, nobody knows whose the second is.
package calls

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
	Ended time.Time `json:"ended,omitzero"` // zero when nobody saw its end
	// Wrote are the files that the agent's own file tool says it wrote.
	Wrote []Write `json:"wrote,omitempty"`
	// Names are the words that its command, or what it printed, names as
	// written: paths that are absolute, relative to the work tree, or begin
	// with Anywhere; shell patterns too.
	Names []string `json:"names,omitempty"`
	// Saw are the states of files of Wrote and Names when the call began, and Left
	// their states when it had ended.
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
	// Before and After are the TextIDs of what the tool found and left: empty
	// when the tool does not tell, NoText for a file that was not there.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Private says that the agent keeps the file for itself, as it does its plans.
	Private bool `json:"private,omitempty"`
}

// FileState is a file at one moment. ChangedAt is its ctime; the zero time is a
// file that was not there.
type FileState struct {
	Path      string    `json:"path"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

// Look returns the states of files, whose names are absolute or relative to dir. It leaves
// out patterns, folders, and files whose state is unknown.
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

// NoText is the TextID of a file that is not there.
const NoText = "none"

// TextID identifies a text as an agent's file tools see it: without a byte order mark, and
// with all line ends alike. It is the first 16 bytes of the SHA-256, in hex.
func TextID(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// Evidence is everything about a run that does not stand in the repository.
type Evidence struct {
	Dir       string    // the run's folder, with refs.log and before/
	Started   time.Time // commits older than this are not the run's
	Ended     time.Time // zero for a recovered run
	Shared    bool      // another run was active in this work tree at the same time
	Untraced  bool      // git was not asked for a trace: its reflog tells what the calls that run git may have done
	Recovered bool      // found by a later command: only refs.log and Calls count
	Home      string    // the user's home folder; empty when unknown
	// Keep says whether contents may be copied into Dir for a later look at the run: contents
	// with a secret must not. Nil copies nothing.
	Keep func(content []byte) bool

	LastSeen time.Time // of a recovered run, the last sign that it was on

	// Tells says that the agent reports its tool calls, so that somebody else made
	// every change outside of them. Otherwise the whole run counts as one call
	// that names nothing.
	Tells bool
	// Calls are the run's tool calls that may have changed files, in any order.
	Calls []Call
	// Others are the calls of the other runs that were active in this work
	// tree at the same time.
	Others []Call
	// AskOthers gives Others and Shared; nil where they are set. It is asked once the work
	// tree was looked at: what another run wrote before that, it has told of by then.
	AskOthers func() (all []Call, shared bool)
	// OwnTree says that the work tree was made for this run.
	OwnTree bool
}

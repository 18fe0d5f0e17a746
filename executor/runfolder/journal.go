package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
)

// JournalVersion increases when a reader of the old form would misread the new one.
const JournalVersion = 1

// Stage is how far a run has come, according to its journal.
type Stage string

const (
	StageBegun    Stage = "begun"    // the agent may have been started
	StageEnded    Stage = "ended"    // the agent's outcome is known
	StageRecorded Stage = "recorded" // the entry is in memory, or the request excluded it
)

// Journal is journal.json. With the folder's events.jsonl, stderr.log and refs.log it holds
// everything that another process needs to finish a run. Its texts are redacted.
type Journal struct {
	Version  int            `json:"version"`
	ID       string         `json:"id"`
	Stage    Stage          `json:"stage"`
	Agent    string         `json:"agent"`
	Title    string         `json:"title"`
	Task     string         `json:"task"`
	WorkTree string         `json:"work_tree"`
	MainTree bool           `json:"main_tree,omitempty"` // as Deps.MainTree
	Dir      string         `json:"dir"`                 // the folder in which the agent runs
	Started  time.Time      `json:"started"`
	PID      int            `json:"pid"`
	NoRecord bool           `json:"no_record,omitempty"`
	Resumed  bool           `json:"resumed,omitempty"`  // it continues the session of an earlier run
	ByAgent  bool           `json:"by_agent,omitempty"` // an agent's shell started it, so an agent wrote the task
	Raw      bool           `json:"raw,omitempty"`      // as agent.Command.Raw
	OwnTree  bool           `json:"own_tree,omitempty"` // as Deps.OwnTree
	Segment  *Segment       `json:"segment,omitempty"`  // set for a part of a session, which no process of ours runs
	Prompt   string         `json:"prompt_sha256"`
	Hits     []RecalledItem `json:"hits,omitempty"`  // the entries in the prompt, in its order
	Facts    []RecalledItem `json:"facts,omitempty"` // of MEMORY.md and of the last days, which come before Hits in the prompt
	Degraded []string       `json:"degraded,omitempty"`
	Ended    time.Time      `json:"ended,omitzero"`
	End      *Ending        `json:"end,omitempty"` // from stageEnded on
	// Before is the Workspace's snapshot. It is the last field because it is large: of a
	// truncated journal, the part before the damage can be read.
	Before json.RawMessage `json:"before,omitempty"`
}

// Ending describes how a run's agent ended.
type Ending struct {
	Reason   Reason        `json:"reason,omitempty"`   // why we ended it; empty: it ended by itself
	Limit    time.Duration `json:"limit_ns,omitempty"` // the limit that a timeout or silence exceeded
	NotBegun string        `json:"not_started,omitempty"`
	ExitCode int           `json:"exit_code"`
	Signal   string        `json:"signal,omitempty"`
	Verify   *Verdict      `json:"verify,omitempty"`
	Remarks  []string      `json:"remarks,omitempty"`
	// Result is the agent's result, if its events could not be written completely.
	Result *agent.Event `json:"result,omitempty"`
	// LeftRunning says that the agent left processes running, which we ended.
	LeftRunning bool `json:"left_running,omitempty"`
}

// Segment holds the additional fields of the journal of a part of a session.
type Segment struct {
	Session    string `json:"session"`    // the agent's id of the session
	Transcript string `json:"transcript"` // the agent's file of the session
	// Trace is the file in which git logs the references that the session moves. This part's
	// lines begin at TraceFrom and end at TraceTo, in bytes. TraceTo is 0 until the part ends.
	Trace     string `json:"trace,omitempty"`
	TraceFrom int64  `json:"trace_from,omitempty"`
	TraceTo   int64  `json:"trace_to,omitempty"`
	// Asked is the hash of the prompt with which the segment began; empty: none. The agent may
	// have stored that prompt long before its hook ran.
	Asked string `json:"asked_sha256,omitempty"`
	// From is how far the part before this one read the agent's files.
	From *Reading `json:"read_before,omitempty"`
	// Resumed says that the session had ended before, so it may have done more since then than
	// AgentFlow has read.
	Resumed bool `json:"resumed,omitempty"`
}

// Reason is why we ended a run's agent.
type Reason string

const (
	ReasonTimeout     Reason = "timeout"
	ReasonIdle        Reason = "idle"
	ReasonInterrupted Reason = "interrupted"
	ReasonTerminated  Reason = "terminated"
)

// Verdict is the result of --verify.
type Verdict struct {
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Error   string `json:"error,omitempty"` // how it ended, and the end of its output

	Began time.Time `json:"began,omitzero"`
	Ended time.Time `json:"ended,omitzero"`
}

// Names in a run's folder.
const (
	JournalFile = "journal.json"
	LockFile    = "lock"
	PromptFile  = "prompt.md"
	EventsFile  = "events.jsonl"
	StderrFile  = "stderr.log"
	RefsFile    = "refs.log"
)

// Write replaces the journal in a run's folder.
func (j *Journal) Write(d Disk, dir string) error {
	data, err := j.Encode()
	if err == nil {
		err = atomicfile.WriteTo(d, filepath.Join(dir, JournalFile), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the run's journal: %w", err)
	}
	return nil
}

// Encode returns the journal's JSON. Before is JSON already, and so large that checking it
// again would delay the agent.
func (j *Journal) Encode() ([]byte, error) {
	rest := *j
	rest.Before = nil
	data, err := json.Marshal(rest)
	if err != nil || len(j.Before) == 0 {
		return data, err
	}
	return slices.Concat(data[:len(data)-1], []byte(`,"before":`), j.Before, []byte("}")), nil
}

// MaxJournal limits a journal that is read, in bytes.
const MaxJournal = 256 << 20

// ReadJournal reads a run's journal. For a damaged journal it returns an error together with
// the readable part. The error for a missing one is fs.ErrNotExist.
func ReadJournal(dir string) (Journal, error) {
	name := filepath.Join(dir, JournalFile)
	data, err := safefile.Read(name, safefile.NoLink, MaxJournal)
	if errors.Is(err, fs.ErrNotExist) {
		return Journal{}, err
	}
	var j Journal
	if err == nil {
		j, err = ParseJournal(data)
	}
	if err != nil {
		err = fmt.Errorf("read the run's journal %s: %w", name, err)
	}
	return j, err
}

// journalHead covers the version, id and stage at a journal's beginning,
// in bytes.
const journalHead = 128

// IsRecorded reports whether a run's journal has reached its last stage. Then there is nothing
// left to do, and the rest of the journal need not be read. It reads only the head, because
// every command calls it for every run folder.
func IsRecorded(dir string) bool {
	f, err := safefile.Open(filepath.Join(dir, JournalFile), safefile.NoLink)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, journalHead)
	n, _ := f.ReadAt(head, 0)
	return bytes.HasPrefix(head[:n], recordedHead(filepath.Base(dir)))
}

// recordedHead returns the beginning of a recorded run's journal.
func recordedHead(id string) []byte {
	return fmt.Appendf(nil, `{"version":%d,"id":%q,"stage":%q,`, JournalVersion, id, StageRecorded)
}

// ParseJournal reads as much as possible: of a damaged journal, the fields before the damage.
func ParseJournal(data []byte) (Journal, error) {
	var j Journal
	err := json.Unmarshal(data, &j)
	switch {
	case err != nil:
		j = salvage(data)
	case j.Version != JournalVersion:
		err = fmt.Errorf("version %d, and this program reads %d", j.Version, JournalVersion)
	case j.ID == "" || j.Started.IsZero():
		err = errors.New("no id or start time in it")
	case j.Stage != StageBegun && j.Stage != StageEnded && j.Stage != StageRecorded:
		err = fmt.Errorf("unknown stage %q", j.Stage)
	}
	return j, err
}

// salvage reads the fields before the damage in a journal, one by one, so that a field of a
// wrong type does not affect the others.
func salvage(data []byte) (j Journal) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return j
	}
	for dec.More() {
		name, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		one, err := json.Marshal(map[string]json.RawMessage{fmt.Sprint(name): value})
		if trial := j; err == nil && json.Unmarshal(one, &trial) == nil {
			j = trial
		}
	}
	return j
}

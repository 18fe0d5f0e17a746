// Package memory defines the parts of AgentFlow's memory: entries and facts. It is pure: no clock, no
// files, no writes. Package memory/changeset defines what an entry says about changed files,
// memory/retrieval what finds entries, memory/markdown how they are written in Markdown, and
// memory/chunk how files are cut for the index.
//
// Only the methods of Fact decide who may change a fact: ByPerson (a person wrote, edited or
// pinned it), ByTool (an agent stored it through a tool, and no person took it over),
// OpenToAgents (an agent may change it). A fact keeps its id, its source and the ids of merged
// facts wherever it moves. A fact that no longer holds stays in Markdown, struck or with its
// date, and leaves the index. Fact.Under has the lines above a person's fact that it depends on;
// Fact.Whole adds them to its text wherever it is shown elsewhere.
package memory

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"agentflow/memory/changeset"
)

// Kind says what an entry records.
type Kind string

// The kinds of entries.
const (
	KindRun     Kind = "run"     // one wrapped agent run
	KindSession Kind = "session" // some turns of an agent's session that AgentFlow did not start
	KindCommit  Kind = "commit"  // a commit that no agent made
	KindNote    Kind = "note"    // a fact stored with remember
)

// Kinds lists all kinds of entries.
var Kinds = []Kind{KindRun, KindSession, KindCommit, KindNote}

// ByAgent reports whether such an entry records the work of an agent.
func (k Kind) ByAgent() bool { return k == KindRun || k == KindSession }

// Outcome says how a run ended.
type Outcome string

// The outcomes of a run.
const (
	OutcomeOK          Outcome = "ok"
	OutcomeFailed      Outcome = "failed"
	OutcomeTimeout     Outcome = "timeout"
	OutcomeInterrupted Outcome = "interrupted"
	OutcomeNotStarted  Outcome = "not_started"
	OutcomeDiscussed   Outcome = "discussed" // it succeeded without changes: it decided or explained something
)

// Entry is one dated record of memory: what a run did, what a commit
// changed, or what somebody asked to remember. Any string may hold any
// bytes: Format escapes them so that Parse gives back the same Entry. Its JSON
// is that of an export.
type Entry struct {
	ID       string             `json:"id,omitempty"`       // UUIDv7; a run's id is its entry's id
	Kind     Kind               `json:"kind,omitempty"`     // see Kind
	Time     time.Time          `json:"time,omitzero"`      // when the run started; whole seconds, offset kept
	Title    string             `json:"title,omitempty"`    // the heading, cut to 80 runes: the task's first line, or what was done if that names no topic
	Agent    string             `json:"agent,omitempty"`    // "claude", "command" or a configured name
	Model    string             `json:"model,omitempty"`    // as the agent reported it
	Session  string             `json:"session,omitempty"`  // the agent's session id, for --resume
	Branch   string             `json:"branch,omitempty"`   // short branch name at the start; empty when detached
	Worktree string             `json:"worktree,omitempty"` // name of the linked worktree; empty in the main one
	Base     string             `json:"base,omitempty"`     // full id of HEAD at the start; empty when unborn
	Commits  []changeset.Commit `json:"commits,omitempty"`  // the run's commits, oldest first
	Patch    []string           `json:"patch,omitempty"`    // patch ids of Commits in their order, "" where there is none; after them that of what several did together
	Runs     []string           `json:"runs,omitempty"`     // for a commit: ids of the runs whose uncommitted edits it holds
	Pinned   bool               `json:"pinned,omitempty"`   // does not age: set with pin

	Task        string         `json:"task,omitempty"`       // the prompt of a run, the first of a session, the message of a commit
	Then        []string       `json:"then,omitempty"`       // the later prompts of a session that ask for more: see LaterPrompts
	Changes     changeset.List `json:"changes,omitzero"`     // net effect of Commits
	Uncommitted changeset.List `json:"uncommitted,omitzero"` // net work-tree edits of the run
	// PossibleCommits are commits that the run may have made: no trace tells
	// who made them. Their paths stand in Changes as Possible.
	PossibleCommits []changeset.Commit `json:"possible_commits,omitempty"`
	Meanwhile       changeset.List     `json:"meanwhile,omitzero"` // what else moved, or cannot be told apart
	Elsewhere       changeset.List     `json:"elsewhere,omitzero"` // what the agent's file tools wrote outside of the run's working tree

	Result  *Result  `json:"result,omitempty"`  // of a run
	Summary string   `json:"summary,omitempty"` // what the agent says that it did, and why; of a new entry at most 120 words
	Errors  []string `json:"errors,omitempty"`  // why a run did not end well
	Denials []string `json:"denials,omitempty"` // actions the permission mode refused
	Checks  []string `json:"checks,omitempty"`  // tests and linters that ran, and how they ended: "go test ./... passed"
	Facts   []Fact   `json:"facts,omitempty"`   // what it asked to remember
	Remarks []string `json:"remarks,omitempty"` // one line each: "pulled 3 commits", "ended 2 processes: …"

	// Extra is text a person put inside the entry that is none of the
	// fields above, in the order it stands. Format never writes it: an entry
	// read from a file keeps its own bytes (see Document).
	Extra string `json:"-"`
}

// Result is how a run went.
type Result struct {
	Outcome  Outcome       `json:"outcome,omitempty"`  // ok, failed, timeout, interrupted, not_started or discussed
	Success  bool          `json:"success"`            // the run reached what was asked
	ExitCode int           `json:"exit_code"`          // the agent's
	Duration time.Duration `json:"duration"`           // such as 1m2s in JSON
	Turns    int           `json:"turns,omitempty"`    // 0 when the agent does not count them
	CostUSD  float64       `json:"cost_usd,omitempty"` // 0 when the agent does not report it

	Undone     time.Time `json:"undone,omitzero"`       // when it was taken back; zero: it stands
	RevertedBy string    `json:"reverted_by,omitempty"` // full id of the commit that took its commits back, where one did
}

// plainResult is a Result without methods.
type plainResult Result

// MarshalJSON writes the duration as text.
func (r Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		plainResult
		Duration string `json:"duration"`
	}{plainResult(r), r.Duration.String()})
}

// UnmarshalJSON reads the form that MarshalJSON writes.
func (r *Result) UnmarshalJSON(text []byte) error {
	line := struct {
		*plainResult
		Duration string `json:"duration"`
	}{plainResult: (*plainResult)(r)}
	err := json.Unmarshal(text, &line)
	if err == nil {
		r.Duration, err = time.ParseDuration(line.Duration)
	}
	return err
}

// MaxSummary is the maximum number of runes that an entry keeps of an agent's last words.
const MaxSummary = 1200

// Dollars rounds a cost to a millionth of a dollar, without the digits that additions leave behind.
func Dollars(cost float64) float64 { return math.Round(cost*1e6) / 1e6 }

// Price formats a cost for people, in cents. It does not round less than half a cent to nothing.
func Price(cost float64) string {
	if cost > 0 && cost < 0.005 {
		return "under $0.01"
	}
	return fmt.Sprintf("$%.2f", cost)
}

// IsUndone reports whether the entry is that of a run that was undone.
func (e *Entry) IsUndone() bool { return e.Result != nil && !e.Result.Undone.IsZero() }

// Normal returns the entry as Format writes it and Parse reads it. It differs
// from e only in values that a file cannot hold:
//   - Empty slices are nil.
//   - The time has whole seconds and a zone that is only an offset in whole
//     minutes. A year outside 0 to 9999 gives the zero time.
//   - Numbers without a meaning are 0: the line counts of an uncounted change,
//     and the file count of a path that is not a folder.
//   - Importance is between 0 and 1. A cost that is not finite is 0.
//   - Each path that a run changed has a certainty, Possible if it is unknown. No
//     other path has one.
//   - A path of Elsewhere is never Likely. Only such a path has a tree.
//   - Only a session has later prompts.
//   - Blobs of Meanwhile and Elsewhere, and Extra, are empty.
//
// e is not changed.
func (e Entry) Normal() Entry {
	e.Time = FileTime(e.Time)
	e.Commits = cloned(e.Commits)
	e.PossibleCommits = cloned(e.PossibleCommits)
	e.Patch = cloned(e.Patch)
	e.Runs = cloned(e.Runs)
	if e.Then = cloned(e.Then); e.Kind != KindSession {
		e.Then = nil
	}
	run := e.Kind.ByAgent()
	e.Changes, e.Uncommitted, e.Meanwhile = e.Changes.Normal(run), e.Uncommitted.Normal(run), e.Meanwhile.Normal(false)
	e.Elsewhere = e.Elsewhere.NormalElsewhere(run)
	for i := range e.Meanwhile.Items {
		e.Meanwhile.Items[i].Blob = ""
	}
	if e.Result != nil {
		r := e.Result.Normal()
		e.Result = &r
	}
	e.Errors = cloned(e.Errors)
	e.Denials = cloned(e.Denials)
	e.Remarks = cloned(e.Remarks)
	e.Checks = cloned(slices.DeleteFunc(slices.Clone(e.Checks), func(s string) bool { return s == "" }))
	e.Facts = cloned(e.Facts)
	for i, f := range e.Facts {
		e.Facts[i] = f.Normal()
	}
	e.Extra = ""
	return e
}

// Normal returns the result as Format writes it: see Entry.Normal. RevertedBy must be the id of a
// commit, and is kept only for a run that was undone.
func (r Result) Normal() Result {
	if math.IsNaN(r.CostUSD) || math.IsInf(r.CostUSD, 0) {
		r.CostUSD = 0
	}
	if r.Undone = FileTime(r.Undone); r.Undone.IsZero() || len(r.RevertedBy) < 7 || strings.Trim(r.RevertedBy, "0123456789abcdefABCDEF") != "" {
		r.RevertedBy = ""
	}
	return r
}

func cloned[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return slices.Clone(s)
}

// FileTime returns t as files hold it: see Entry.Normal.
func FileTime(t time.Time) time.Time {
	_, offset := t.Zone()
	offset -= offset % 60
	t = t.Truncate(time.Second)
	if offset == 0 || offset <= -24*3600 || offset >= 24*3600 {
		t = t.UTC()
	} else {
		t = t.In(time.FixedZone("", offset))
	}
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}

// Idle reports whether the entry is that of a run in which nothing happened: the agent could not be
// started, was not logged in, only asked for permissions that were denied, or changed nothing and
// said nothing. Such an entry is of no use to the next run.
func (e *Entry) Idle() bool {
	r := e.Result
	if !e.Kind.ByAgent() || r == nil || len(e.Commits)+len(e.PossibleCommits)+len(e.Facts) > 0 || e.Changes.Some() || e.Uncommitted.Some() || e.Elsewhere.Some() {
		return false
	}
	switch {
	case r.Success:
		return strings.TrimSpace(e.Summary) == "" && len(e.Errors) == 0
	case r.Outcome == OutcomeNotStarted:
		return true
	case r.Outcome != OutcomeFailed:
		return false
	case len(e.Denials) > 0:
		return r.Turns <= len(e.Denials)+1
	}
	// For an agent without a session, its work is unknown.
	return e.Session != "" && r.Turns <= 2 && r.CostUSD == 0 && e.saidErrors()
}

// saidErrors reports whether the agent's words are only its error.
func (e *Entry) saidErrors() bool {
	said := strings.TrimSpace(e.Summary)
	return said == "" || slices.ContainsFunc(e.Errors, func(err string) bool { return strings.Contains(err, said) || err != "" && strings.Contains(said, err) })
}

// TakenAs returns the short ids of the commits of other persons that hold only changes of the entry.
func (e Entry) TakenAs() (ids []string) {
	for _, remark := range e.Remarks {
		text, ok := strings.CutPrefix(remark, changeset.NoteTakenAs)
		if id, _, found := strings.Cut(text, ":"); ok && found && len(id) == changeset.ShortTaken {
			ids = append(ids, id)
		}
	}
	return ids
}

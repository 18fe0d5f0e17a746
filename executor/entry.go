package executor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory"
	"agentflow/memory/changeset"

	"github.com/google/uuid"
)

// compare asks the Workspace for the run's changes. It returns a usable list even after an
// error.
func (r *Begun) compare(ctx context.Context, recovered bool) changeset.Set {
	if r.deps.Work == nil {
		return changeset.Set{}
	}
	j := r.journal
	ev := toolcalls.Evidence{
		Dir: r.folder.Dir, Started: j.Started, Ended: j.Ended, Recovered: recovered,
		Tells: !j.Raw, Calls: r.ownCalls(), OwnTree: j.OwnTree, Home: r.deps.Home,
	}
	if j.Segment != nil {
		ev.Untraced = j.Segment.Trace == ""
	}
	if r.traceIsCut() {
		ev.Untraced = true
		r.degrade("git's trace of references grew too large and was cut: commits count as possible ones")
	}
	if r.Dir != "" && !j.NoRecord {
		ev.Keep = keeps(r.deps.Redact)
	}
	if recovered {
		ev.Ended, ev.LastSeen = time.Time{}, r.summary.Last
	}
	set, err := within(ctx, compareLimit, func(ctx context.Context) (changeset.Set, error) {
		ev.AskOthers = func() ([]toolcalls.Call, bool) { return othersHeard(ctx, r.deps, r.ID, j) }
		return r.deps.Work.Compare(ctx, j.Before, ev), nil
	})
	if err != nil {
		r.degrade(fmt.Sprintf("what the run changed is not known: %v", err))
		return changeset.Set{}.AllUnread(err.Error())
	}
	return set
}

// keeps returns a function that reports whether contents may stay in the run's folder: it stores
// no content that holds a secret.
func keeps(redact func(string) string) func(content []byte) bool {
	return func(content []byte) bool { return redact(string(content)) == string(content) }
}

// entry builds the run's entry, and returns why the run did not end well.
func (r *Begun) entry(set changeset.Set, recovered bool) (memory.Entry, agent.Cause) {
	j, t := &r.journal, r.summary
	end := runfolder.Ending{Reason: runfolder.ReasonInterrupted, ExitCode: -1}
	if j.End != nil {
		end = *j.End
	}
	changed := len(set.Changes.Items)+len(set.Uncommitted.Items)+len(set.Elsewhere.Items)+len(set.Commits) > 0
	outcome, why, errs := outcomeOf(end, t, changed)
	if j.End == nil {
		why, errs = "", []string{"AgentFlow ended before the run did"}
	}
	set = withoutIgnored(set, r.deps.Ignore)
	began := j.Started
	if now := r.deps.Now(); began.After(now) { // the clock was set back
		began = now
	}
	redact := r.deps.Redact
	e := memory.Entry{
		ID: j.ID, Kind: memory.KindRun, Time: began.Truncate(time.Second), Title: j.Title, Task: j.Task,
		Agent: j.Agent, Model: t.Model, Session: t.Session,
		Branch: set.Branch, Worktree: set.Worktree, Base: set.Base, Patch: set.Patch,
		Commits: commits(set.Commits, redact), PossibleCommits: commits(set.PossibleCommits, redact),
		Changes:     listed(set.Changes, redact),
		Uncommitted: listed(set.Uncommitted, redact),
		Meanwhile:   listed(set.Meanwhile, redact),
		Elsewhere:   listed(set.Elsewhere, redact),
		Result: &memory.Result{
			Outcome: outcome, Success: outcome == memory.OutcomeOK, ExitCode: end.ExitCode,
			Duration: r.duration(), Turns: t.Turns, CostUSD: t.Cost,
		},
		Summary: t.Answer(r.deps.Plain, commits(set.Commits, redact), messages(set, redact), summary.Paths(set)), Denials: once(t.Denials),
		Checks:  t.Checks.Lines(r.journal.WorkTree, r.journal.Dir),
		Remarks: r.remarks(set, end, recovered),
	}
	if j.Segment != nil {
		r.asSession(&e)
	}
	e.Errors = errorsOf(outcome, errs, r.stderr)
	found, _ := t.Memories()
	e.Facts = withOrigin(found, e)
	return e, why
}

// listed returns the part of a list that an entry holds, redacted, because the name of a file
// may be a secret.
func listed(l changeset.List, redact func(string) string) changeset.List {
	l.Items = changeset.Fold(l.Items, changeset.MaxChanges)
	return l.Redacted(redact)
}

func commits(list []changeset.Commit, redact func(string) string) []changeset.Commit {
	out := make([]changeset.Commit, 0, len(list))
	for _, c := range list {
		c.Subject = bounded.RedactBounded(redact, c.Subject, maxRemark)
		out = append(out, c)
	}
	return out
}

// messages returns the redacted messages that the agent wrote for its commits.
func messages(set changeset.Set, redact func(string) string) (out []string) {
	for _, text := range set.Messages {
		out = append(out, redact(text))
	}
	return out
}

func (r *Begun) remarks(set changeset.Set, end runfolder.Ending, recovered bool) []string {
	var out []string
	switch {
	case recovered && r.journal.End == nil:
		out = append(out, "recovered by a later command: AgentFlow ended before the run did")
	case recovered:
		out = append(out, "recorded by a later command")
	}
	for _, line := range set.Remarks {
		out = append(out, bounded.RedactBounded(r.deps.Redact, line, maxRemark))
	}
	_, cut := r.summary.Memories()
	return slices.Concat(out, r.summary.LeftRemark(), end.Remarks, r.found, cut)
}

// errorsOf adds the end of standard error if the run failed by itself. If the run succeeded it
// adds the lines of standard error that look like errors.
func errorsOf(outcome memory.Outcome, errs []string, stderr string) []string {
	var out []string
	for _, text := range errs {
		if text = strings.TrimSpace(agent.ClipBytes(text, maxError)); text != "" {
			out = append(out, text)
		}
	}
	switch outcome {
	case memory.OutcomeOK:
		out = append(out, errorLines(stderr)...)
	case memory.OutcomeFailed, memory.OutcomeTimeout:
		text := strings.TrimSpace(bounded.LastLines(stderr, maxStderr))
		if text != "" && !slices.ContainsFunc(out, func(line string) bool { return strings.Contains(line, text) }) {
			out = append(out, bounded.ClipTail(text, maxError))
		}
	}
	return out
}

// withOrigin returns the facts that the agent asked to remember, with their origin.
func withOrigin(found []memory.Fact, e memory.Entry) []memory.Fact {
	commit := e.Base
	if n := len(e.Commits); n > 0 {
		commit = e.Commits[n-1].ID
	}
	facts := slices.Clone(found)
	for i := range facts {
		f := &facts[i]
		if f.ID == "" {
			f.ID = uuid.Must(uuid.NewV7()).String()
		}
		f.Source, f.Commit = e.ID, commit
		if f.Namespace == memory.BranchNamespace {
			f.Namespace = memory.ProjectNamespace // the run was on no branch
			if e.Branch != "" {
				f.Namespace = memory.BranchNamespace + e.Branch
			}
		}
	}
	return facts
}

// withoutIgnored removes the paths that must not enter memory, and adds a remark with their
// number.
func withoutIgnored(set changeset.Set, ignore func(path string) bool) changeset.Set {
	if ignore == nil {
		return set
	}
	left := map[string]bool{}
	keep := func(l changeset.List) changeset.List {
		l.Items = slices.DeleteFunc(slices.Clone(l.Items), func(c changeset.Change) bool {
			gone := ignore(c.InTree()) || c.OldPath != "" && ignore(c.OldPath)
			left[c.Path] = left[c.Path] || gone
			return gone
		})
		return l
	}
	set.Changes, set.Uncommitted, set.Meanwhile, set.Elsewhere = keep(set.Changes), keep(set.Uncommitted), keep(set.Meanwhile), keep(set.Elsewhere)
	n := 0
	for _, gone := range left {
		if gone {
			n++
		}
	}
	switch {
	case n == 1:
		set.Remarks = append(slices.Clip(set.Remarks), "left out 1 path that [index] ignore names")
	case n > 1:
		set.Remarks = append(slices.Clip(set.Remarks), fmt.Sprintf("left out %d paths that [index] ignore names", n))
	}
	return set
}

// once returns the texts without repetitions, in their order.
func once(list []string) (out []string) {
	for _, text := range list {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

package executor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/gitwatch/reftrace"
	"agentflow/internal/safefile"
	"agentflow/memory"
)

// Finish compares the repository with its snapshot, builds the run's entry and records it. It
// continues when ctx is cancelled, so that an interrupted run is recorded too. It unlocks the
// run's folder.
func (r *Begun) Finish(ctx context.Context) Record {
	return r.finish(context.WithoutCancel(ctx), false)
}

func (r *Begun) finish(ctx context.Context, recovered bool) Record {
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseFinish})
	changes := r.compare(ctx, recovered)
	entry, why := r.entry(changes, recovered)
	if r.journal.Segment != nil && r.saysNothing(ctx, &entry) {
		r.abandon()
		return Record{Entry: entry, Outcome: entry.Result.Outcome}
	}
	if r.journal.Segment != nil {
		entry.Title, entry.Summary = summary.Title(entry)
	}
	rec := Record{
		Entry: entry, Hits: r.hits, Outcome: entry.Result.Outcome, ExitCode: entry.Result.ExitCode, Dir: r.Dir,
		Cause: why, Reason: r.reason(entry),
	}
	if end := r.journal.End; end != nil {
		rec.Signal, rec.Terminated = end.Signal, end.Reason == runfolder.ReasonTerminated
	}
	rec.MemoryPath, rec.RecordError = r.record(ctx, entry)
	switch {
	case rec.RecordError == nil:
		r.settle()
	case !recovered:
		r.keepForLater()
	}
	if err := r.Close(); err != nil {
		r.degrade(err.Error())
	}
	if r.Dir != "" {
		prune(r.deps.RunsDir)
	}
	rec.Degraded = r.journal.Degraded
	r.report(rec)
	return rec
}

// settle marks the run as recorded. It removes the snapshot from the journal, so that reading
// many journals stays cheap.
func (r *Begun) settle() {
	r.redactRefs()
	r.dropCopies()
	r.journal.Stage, r.journal.Before = runfolder.StageRecorded, nil
	_ = os.Remove(r.folder.File(reserveFile)) // the journal has the ending, or the folder is removed
	if r.journal.Ended.IsZero() {
		r.journal.Ended = r.journal.Started.Add(r.duration())
	}
	if !r.save() && r.Dir != "" {
		// Otherwise later commands would find and record the run again.
		os.RemoveAll(r.Dir)
	}
}

// redactRefs redacts the file that git wrote, which has the subject of every commit, and
// removes lines that report no moved reference. Compare has read the original.
func (r *Begun) redactRefs() {
	f, err := safefile.Open(r.folder.File(runfolder.RefsFile), safefile.NoLink)
	if r.Dir == "" || err != nil {
		return
	}
	defer f.Close()
	var text strings.Builder
	if err := reftrace.Copy(&text, f, 0, sizeOf(f.Name())); err != nil {
		r.degrade(fmt.Sprintf("read the run's %s: %v", runfolder.RefsFile, err))
	}
	r.write(runfolder.RefsFile, bounded.RedactBounded(r.deps.Redact, text.String(), maxRefs))
}

// dropCopies removes the unredacted copies of the user's files that the Workspace made for
// Compare.
func (r *Begun) dropCopies() {
	if r.Dir == "" {
		return
	}
	items, err := os.ReadDir(r.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.degrade(fmt.Sprintf("look for copies of files in the run's folder: %v", err))
	}
	for _, item := range items {
		if !item.IsDir() && !strings.HasPrefix(item.Name(), copiesPrefix) {
			continue
		}
		if err := os.RemoveAll(r.folder.File(item.Name())); err != nil {
			r.degrade(fmt.Sprintf("remove copies of files from the run's folder: %v", err))
		}
	}
}

// copiesPrefix begins the names of files that only Compare needs.
const copiesPrefix = "before"

// maxRefs limits the stored part of a run's refs.log, in bytes.
const maxRefs = 256 << 10

// keepForLater saves the ending of a run that is not recorded, for a later command. It removes
// a folder without a journal, which is the result of failed writes: a later command would take
// the run for an interrupted one.
func (r *Begun) keepForLater() {
	if r.Dir == "" || r.save() {
		return
	}
	if _, err := runfolder.ReadJournal(r.Dir); err != nil {
		os.RemoveAll(r.Dir)
	}
}

// record puts the entry into memory, unless the request excludes that or it was done before.
func (r *Begun) record(ctx context.Context, entry memory.Entry) (string, error) {
	if r.journal.NoRecord || r.journal.Stage == runfolder.StageRecorded {
		return "", nil
	}
	if r.deps.Record == nil {
		return "", errNoRecorder
	}
	type answer struct {
		path     string
		degraded []string
	}
	got, err := within(ctx, recordLimit, func(ctx context.Context) (answer, error) {
		path, degraded, err := r.deps.Record.Record(ctx, entry)
		return answer{path, degraded}, err
	})
	for _, line := range got.degraded {
		r.degrade(line)
	}
	if err != nil {
		r.degrade(fmt.Sprintf("the run is not recorded: %v", err))
	}
	return got.path, err
}

// errNoRecorder leaves a run to be recorded by a later command that has a Recorder.
var errNoRecorder = errors.New("nothing to record with")

// report sends the entry's remarks and facts to the sink.
func (r *Begun) report(rec Record) {
	for _, line := range rec.Entry.Remarks {
		r.deps.Sink(agent.Event{Kind: EventRemark, Text: line})
	}
	if rec.RecordError == nil && rec.MemoryPath != "" {
		for _, f := range rec.Entry.Facts {
			r.deps.Sink(agent.Event{Kind: EventSaved, Text: f.Text})
		}
	}
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseDone})
}

// reason returns a line for people about a run that did not end well. It is empty for an
// interrupt, and if the agent's standard error, which they saw, already has the line.
func (r *Begun) reason(e memory.Entry) string {
	if out := e.Result.Outcome; out == memory.OutcomeOK || out == memory.OutcomeInterrupted || len(e.Errors) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(e.Errors[0], "\n")
	if strings.Contains(r.stderr, line) {
		return ""
	}
	if res := r.summary.Result; res != nil && res.Failed && strings.HasPrefix(strings.TrimSpace(res.Text), line) {
		return e.Agent + ": " + line
	}
	return line
}

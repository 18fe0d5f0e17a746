package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/executor/agent"

	"github.com/google/uuid"

	"agentflow/internal/repofile"
	"agentflow/memory"
)

// Finish works out what the run changed, builds its entry and records it. It
// goes on when ctx is cancelled: an interrupted run is recorded too. The
// run's folder is let go.
func (r *Begun) Finish(ctx context.Context) Record {
	return r.finish(context.WithoutCancel(ctx), false)
}

// Finish does the same for the run in dir, from what is on disk, when no
// process holds it; it may be called in another process than Begin. The error
// is ErrRecorded for a run that was finished already, a *filelock.HeldError
// for one that goes on, and fs.ErrNotExist for none.
func Finish(ctx context.Context, deps Deps, dir string) (Record, error) {
	r, err := load(ctx, deps.withDefaults(), dir)
	if err != nil {
		return Record{}, fmt.Errorf("finish the run in %s: %w", dir, err)
	}
	if r.journal.Stage == stageRecorded {
		return Record{}, errors.Join(fmt.Errorf("finish the run in %s: %w", dir, ErrRecorded), r.Close())
	}
	return r.finish(context.WithoutCancel(ctx), r.journal.Stage == stageBegun), nil
}

// ErrRecorded says that a run has been finished before.
var ErrRecorded = errors.New("it is recorded already")

// takeWait is how long the lock of a run that another process left is waited
// for: no longer than it takes to ask whether it is held.
const takeWait = 4 * time.Millisecond

// load takes up a run that another process left, and its lock. A damaged
// journal comes back as far as it can be read, with a remark.
func load(ctx context.Context, deps Deps, dir string) (*Begun, error) {
	lock, err := lockFolder(ctx, dir, takeWait, deps.Now())
	if err != nil {
		return nil, err
	}
	r := &Begun{ID: filepath.Base(dir), Dir: dir, deps: deps, folder: folder{dir: dir, lock: lock}}
	r.journal, err = readJournal(dir)
	if err != nil {
		// The journal is written before the agent starts and the events are
		// opened: without both there was no agent.
		if _, noEvents := os.Stat(r.folder.file(eventsFile)); errors.Is(err, fs.ErrNotExist) && noEvents != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.repair(err)
	}
	if other := r.journal.WorkTree; other != "" && other != deps.WorkTree {
		if r.deps.Work = nil; deps.WorkAt != nil {
			r.deps.Work = deps.WorkAt(context.WithoutCancel(ctx), other) // its changes are recorded for good
		}
	}
	r.takeEnding()
	r.stored = r.read(promptFile)
	r.tally = &tally{extract: r.extractor(), streams: r.journal.Raw}
	r.readEvents()
	if end := r.journal.End; end != nil && end.Result != nil && r.tally.result == nil {
		r.tally.add(*end.Result)
	}
	r.stderr = r.read(stderrFile)
	return r, nil
}

// repair makes a damaged journal one that can be finished with.
func (r *Begun) repair(damage error) {
	j := &r.journal
	j.Version = journalVersion
	j.ID = r.ID
	if j.Stage != stageRecorded && j.Stage != stageEnded {
		j.Stage = stageBegun
	}
	if j.Stage == stageEnded && j.End == nil {
		j.Stage = stageBegun
	}
	if j.Started.IsZero() {
		j.Started = startOf(r.ID, r.Dir)
	}
	if j.Task == "" {
		j.Task, j.Title = unknownTask, unknownTask
	}
	r.degrade(damage.Error())
}

// startOf is when a run was begun, by its id (a UUIDv7 starts with the time)
// or else by its folder.
func startOf(id, dir string) time.Time {
	if u, err := uuid.Parse(id); err == nil && u.Version() == 7 {
		return time.Unix(u.Time().UnixTime())
	}
	if info, err := os.Stat(dir); err == nil {
		return info.ModTime()
	}
	return time.Time{}
}

// unknownTask is the task of a run whose journal does not give it any more.
const unknownTask = "(the task could not be read)"

func (r *Begun) read(name string) string {
	data, err := repofile.Read(r.folder.file(name), repofile.NoLink, maxJournal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.degrade(fmt.Sprintf("read the run's %s: %v", name, err))
	}
	return string(data)
}

func (r *Begun) readEvents() {
	f, err := repofile.Open(r.folder.file(eventsFile), repofile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		defer f.Close()
		_, err = readEvents(f, r.tally.add)
	}
	if err != nil {
		r.degrade(err.Error())
	}
}

func (r *Begun) extractor() func(said []string, quoted string) ([]memory.Fact, []string) {
	if r.deps.Extract == nil {
		return nil
	}
	return func(said []string, quoted string) ([]memory.Fact, []string) {
		return r.deps.Extract(said, r.stored+quoted, r.journal.Started)
	}
}

func (r *Begun) finish(ctx context.Context, recovered bool) Record {
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseFinish})
	changes := r.compare(ctx, recovered)
	entry := r.entry(changes, recovered)
	rec := Record{
		Entry: entry, Hits: r.hits, Outcome: entry.Result.Outcome, ExitCode: entry.Result.ExitCode, Dir: r.Dir,
		Reason: r.reason(entry),
	}
	if end := r.journal.End; end != nil {
		rec.Cause = end.cause(r.tally, rec.Outcome)
		rec.Signal, rec.Terminated = end.Signal, end.Reason == reasonTerminated
	}
	rec.MemoryPath, rec.RecordError = r.record(ctx, entry)
	switch {
	case rec.RecordError == nil:
		r.settle()
	case !recovered:
		r.leave()
	}
	if err := r.Close(); err != nil {
		r.degrade(err.Error())
	}
	if r.Dir != "" {
		prune(r.deps.RunsDir)
	}
	rec.Degraded = r.journal.Degraded
	r.tell(rec)
	return rec
}

// settle marks the run as done with. What only Compare needed leaves the
// journal, so that looking through many runs stays cheap.
func (r *Begun) settle() {
	r.redactRefs()
	r.dropCopies()
	r.journal.Stage, r.journal.Before = stageRecorded, nil
	_ = os.Remove(r.folder.file(reserveFile)) // the journal tells, or the folder goes
	if r.journal.Ended.IsZero() {
		r.journal.Ended = r.journal.Started.Add(r.duration())
	}
	if !r.save() && r.Dir != "" {
		// It would be found, and recorded, again and again.
		os.RemoveAll(r.Dir)
	}
}

// redactRefs takes the secrets out of the file that git wrote, with the
// subject of every commit; Compare has read it as it was.
func (r *Begun) redactRefs() {
	path := r.folder.file(refsFile)
	if info, err := os.Lstat(path); r.Dir == "" || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return
	}
	text, err := readHead(path, maxRefs+sieveAhead)
	if err != nil {
		r.degrade(fmt.Sprintf("read the run's %s: %v", refsFile, err))
	}
	r.write(refsFile, redactBounded(r.deps.Redact, text, maxRefs))
}

// dropCopies removes what the Workspace put there for Compare: copies of the
// user's files, secrets and all.
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
		if err := os.RemoveAll(r.folder.file(item.Name())); err != nil {
			r.degrade(fmt.Sprintf("remove copies of files from the run's folder: %v", err))
		}
	}
}

// copiesPrefix is what names of files begin with that only Compare needs.
const copiesPrefix = "before"

// maxRefs bounds, in bytes, what is kept of a run's refs.log.
const maxRefs = 256 << 10

func readHead(path string, max int64) (string, error) {
	f, err := repofile.Open(path, repofile.NoLink)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, max))
	return string(data), err
}

// leave makes the folder of a run that is not recorded tell a later command
// how it went. One that holds no journal, as nothing could be written, tells
// nothing: what would be made of it, a run that was cut short, is not true.
func (r *Begun) leave() {
	if r.Dir == "" || r.save() {
		return
	}
	if _, err := readJournal(r.Dir); err != nil {
		os.RemoveAll(r.Dir)
	}
}

// record puts the entry into memory, unless that is not wanted or was done.
func (r *Begun) record(ctx context.Context, entry memory.Entry) (string, error) {
	if r.journal.NoRecord || r.journal.Stage == stageRecorded {
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

// errNoRecorder leaves a run that is to be recorded for a command that can.
var errNoRecorder = errors.New("nothing to record with")

// tell says what was remembered.
func (r *Begun) tell(rec Record) {
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

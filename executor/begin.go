package executor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/memory"
	"agentflow/memory/retrieval"

	"github.com/google/uuid"
)

// snapshotLimit limits the delay of a run by its work tree's snapshot. compareLimit limits the
// search for its changes at the end, and recordLimit the recording of its entry.
const (
	snapshotLimit = 30 * time.Second
	compareLimit  = 60 * time.Second
	recordLimit   = 60 * time.Second
)

// Begun is a run that was begun. Its methods must not be called concurrently: Execute and
// Finish, or Close instead of either.
type Begun struct {
	ID     string
	Dir    string // the run's folder; empty if it has none
	Prompt string // the agent's prompt

	deps    Deps
	req     Request
	command agent.Command
	hits    []retrieval.Hit
	folder  runfolder.Folder
	journal runfolder.Journal
	summary *summary.Summary
	stderr  string // the end of standard error, redacted; set by Execute
	reserve reserve
	// stored is the redacted prompt, for Extract.
	stored string
	token  string   // proves to our tools that an agent belongs to this run; empty: there is none
	found  []string // remarks of the recovery

	mu sync.Mutex // guards journal.Degraded, to which the agent's output may add
}

// Begin prepares everything for the agent: recall and prompt, the run's folder with its lock,
// the snapshot, the journal. If one of these fails, the run continues without it. Begin returns
// an error only for a run that must not start: inside another one (*NestedError), interrupted
// already, or with a request that its agent does not support.
func Begin(ctx context.Context, deps Deps, req Request) (*Begun, error) {
	deps, req = deps.withDefaults(), req.withDefaults()
	if err := refuseNested(deps.Env, deps.RunsDir); err != nil {
		return nil, err
	}
	prepared := prepare(ctx, deps, req)
	command, err := req.Agent.Command(agent.Request{
		Prompt: prepared.Prompt, Model: req.Model, Permission: req.Permission, AllowedTools: req.AllowedTools,
		Args: req.Args, Resume: req.Resume, MaxCostUSD: req.MaxCostUSD, Tools: req.Tools,
		Writable: req.Writable, Environ: deps.Env,
	})
	if err != nil {
		return nil, fmt.Errorf("start a run: %w", err)
	}
	id, err := idOf(req)
	if err != nil {
		return nil, fmt.Errorf("start a run: make its id: %w", err)
	}
	deps.Prepared(prepared)
	deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseBegin})
	r := &Begun{ID: id, Prompt: prepared.Prompt, deps: deps, req: req, command: command, hits: prepared.Hits}
	r.journal = r.newJournal(prepared)
	for _, line := range slices.Concat(prepared.Degraded, command.Notes) {
		r.degrade(line)
	}
	r.open(ctx)
	if ctx.Err() != nil {
		err := context.Cause(ctx)
		r.abandon()
		return nil, fmt.Errorf("start a run: %w", err)
	}
	return r, nil
}

// idOf returns the id of the request, or a new one. The id becomes part of a path.
func idOf(req Request) (string, error) {
	if req.ID != "" {
		return req.ID, uuid.Validate(req.ID)
	}
	id, err := uuid.NewV7()
	return id.String(), err
}

func (r *Begun) newJournal(p Prepared) runfolder.Journal {
	hash := sha256.Sum256([]byte(p.Prompt))
	task := bounded.RedactBounded(r.deps.Redact, r.req.Task, agent.MaxMessage)
	j := runfolder.Journal{
		Version: runfolder.JournalVersion, ID: r.ID, Stage: runfolder.StageBegun, Agent: r.req.Agent.Name(),
		Title: memory.Title(task), Task: task, WorkTree: r.deps.WorkTree, MainTree: r.deps.MainTree && !r.deps.OwnTree, Dir: r.deps.Dir,
		Started: r.deps.Now().Truncate(time.Millisecond), PID: os.Getpid(), NoRecord: r.req.NoRecord || r.deps.Record == nil, Raw: r.command.Raw,
		OwnTree: r.deps.OwnTree, Resumed: r.req.Resume != "", ByAgent: byAgent(r.deps.Env),
		Prompt: hex.EncodeToString(hash[:]),
	}
	for _, hit := range p.Hits {
		j.Hits = append(j.Hits, runfolder.RecalledItem{
			ID: hit.EntryID, Source: hit.Source, Path: hit.Path, Line: hit.StartLine, Title: bounded.RedactBounded(r.deps.Redact, hit.Heading, maxRemark),
		})
	}
	for _, f := range p.Facts {
		j.Facts = append(j.Facts, runfolder.RecalledItem{ID: f.ID, Path: f.Path, Line: f.Line})
	}
	return j
}

// open makes the folder and its files. A run without a folder keeps its state in memory, and
// uses a temporary folder for the files that git and the snapshot need.
func (r *Begun) open(ctx context.Context) {
	r.stored = bounded.RedactBounded(r.deps.Redact, r.Prompt, maxPrompt)
	var err error
	if r.deps.RunsDir != "" {
		if r.folder, err = runfolder.New(ctx, r.deps.disk, filepath.Join(r.deps.RunsDir, r.ID), r.deps.Now()); err != nil {
			r.degrade("this run has no journal: " + err.Error())
		}
	}
	r.Dir = r.folder.Dir
	if r.Dir == "" {
		if r.folder, err = runfolder.TemporaryFolder(); err != nil {
			r.degrade(err.Error())
			return
		}
	}
	r.write(runfolder.PromptFile, r.stored)
	// If this file is missing, git makes one that all users can read.
	r.write(runfolder.RefsFile, "")
	r.newToken()
	if r.Dir != "" {
		if r.reserve, err = newReserve(r.deps.disk, r.folder.File(reserveFile)); err != nil {
			r.degrade(err.Error())
		}
	}
	r.snapshot(ctx, time.Time{}, nil)
	r.save()
}

// snapshot records the state before the run, which began at since; zero means now.
func (r *Begun) snapshot(ctx context.Context, since time.Time, trace func()) {
	if r.deps.Work == nil {
		return
	}
	before, err := within(ctx, snapshotLimit, func(ctx context.Context) (json.RawMessage, error) {
		return r.deps.Work.Snapshot(ctx, r.folder.Dir, since, trace)
	})
	if err != nil {
		r.degrade(fmt.Sprintf("the state before the run is not known: %v", err))
		return
	}
	r.journal.Before = before
}

// save writes the journal, and reports whether it did. A run in a temporary folder has no
// journal.
func (r *Begun) save() bool {
	if r.Dir == "" {
		return false
	}
	if err := r.journal.Write(r.deps.disk, r.Dir); err != nil {
		r.degrade(err.Error())
		return false
	}
	return true
}

// write writes text into a file of the run's folder.
func (r *Begun) write(name, text string) {
	if r.folder.Dir == "" {
		return
	}
	f, err := r.deps.disk.Create(r.folder.File(name))
	if err == nil {
		_, err = f.Write([]byte(text))
		err = cmp.Or(err, f.Close())
	}
	if err != nil {
		r.degrade(fmt.Sprintf("write the run's %s: %v", name, err))
	}
}

// degrade notes a failure, each one once.
func (r *Begun) degrade(line string) {
	line = strings.TrimSpace(bounded.RedactBounded(r.deps.Redact, line, maxRemark))
	r.mu.Lock()
	known := slices.Contains(r.journal.Degraded, line)
	if !known {
		r.journal.Degraded = append(r.journal.Degraded, line)
	}
	r.mu.Unlock()
	if !known {
		r.deps.Sink(agent.Event{Kind: EventDegraded, Text: line})
	}
}

// maxPrompt limits the stored part of a prompt, in bytes, because redaction takes time.
const maxPrompt = 4 << 20

// maxRemark limits one line about a run, in bytes.
const maxRemark = 4 << 10

// abandon removes a run with an agent that was never started.
func (r *Begun) abandon() {
	dir := r.folder.Dir
	if dir == "" {
		return
	}
	if os.RemoveAll(dir) != nil {
		r.journal.Stage = runfolder.StageRecorded
		r.save()
	}
	r.Close()
}

// Close unlocks a run without finishing it, which Finish or Recover of another process will do.
// A finished run is closed already.
func (r *Begun) Close() error {
	err := r.reserve.close()
	f := r.folder
	r.folder, r.reserve = runfolder.Folder{}, reserve{}
	return errors.Join(err, f.Release())
}

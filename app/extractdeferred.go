package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/executor"
	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// DeferredExtraction is the file in the folder of a run that marks it: facts are
// still to be extracted from what its agent said. It goes with the folder.
const DeferredExtraction = "extract.json"

// deferredExtraction is the content of that file.
type deferredExtraction struct {
	Tries int `json:"tries"` // that failed
}

// maxExtractTries is how often the agent CLI is asked about one run.
const maxExtractTries = 3

func (s *openMemory) deferredPath(run string) string {
	return filepath.Join(s.Runs(), run, DeferredExtraction)
}

// deferExtraction marks a run for the daemon's next pass.
func (s *openMemory) deferExtraction(run string, tries int) error {
	data, err := json.Marshal(deferredExtraction{tries})
	if err == nil {
		err = atomicfile.WriteHere(s.deferredPath(run), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("leaving run %s to be learnt of: %w", memory.ShortID(run), err)
	}
	return nil
}

// deferRecovered marks a run that a crash cut short and a later command
// recorded.
func (s *openMemory) deferRecovered(r executor.Recovered) (trouble []string) {
	if !s.settings.Extract.Enabled || r.Record.RecordError != nil || r.Record.MemoryPath == "" {
		return nil
	}
	return appendError(nil, s.deferExtraction(r.ID, 0))
}

// extractionFailed marks a run for another try, unless there were enough, and
// returns why nothing was learnt of it; tries counts those before this one.
func (s *openMemory) extractionFailed(run string, tries int, err error) error {
	err = fmt.Errorf("learning of run %s: %w", memory.ShortID(run), err)
	if tries+1 == maxExtractTries {
		return errors.Join(fmt.Errorf("%w; given up after %d tries", err, maxExtractTries), os.Remove(s.deferredPath(run)))
	}
	return errors.Join(err, s.deferExtraction(run, tries+1))
}

// extractPending extracts facts from the runs that are marked, oldest first.
// The error joins those of all runs; the next pass tries each again.
func (s *openMemory) extractPending(ctx context.Context) error {
	if !s.settings.Extract.Enabled {
		return nil
	}
	runs, err := os.ReadDir(s.Runs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for runs to learn of: %w", err)
	}
	var failed []error
	for _, run := range runs {
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err := s.extractDeferred(ctx, run.Name()); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// extractDeferred extracts facts from one run, when that is marked.
func (s *openMemory) extractDeferred(ctx context.Context, run string) error {
	var left deferredExtraction
	data, err := repofile.Read(s.deferredPath(run), repofile.NoLink, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &left)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("learning of run %s: %w", memory.ShortID(run), err), os.Remove(s.deferredPath(run)))
	}
	x, err := s.extract(ctx, run)
	s.tellExtraction(run, x)
	for _, f := range x.facts() {
		s.say("remembered %s: %s", memory.ShortID(f.ID), textwidth.Cut(strings.ReplaceAll(f.Text, "\n", " "), 120))
	}
	switch {
	case err == nil:
		return os.Remove(s.deferredPath(run))
	case ctx.Err() == nil:
		return s.extractionFailed(run, left.Tries, err)
	}
	return err // it was interrupted: that is no try
}

// extractEvery is how often the daemon looks for marked runs.
const extractEvery = time.Minute

// extractPasses extracts facts from marked runs, until ctx ends.
func (d *daemon) extractPasses(ctx context.Context) {
	tick := time.NewTicker(extractEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		if err := d.extractPending(ctx); ctx.Err() == nil {
			d.tell("", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/executor"
	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
	"agentflow/memory"
)

// learningMark is a file in the folder of a run of which facts are still to be
// learnt: it goes with the folder.
const learningMark = "extract.json"

// leftLearning is what it holds.
type leftLearning struct {
	Tries int `json:"tries"` // that failed
}

// maxLearning is how often a run is asked about.
const maxLearning = 3

func (s *site) markOf(run string) string { return filepath.Join(s.Runs(), run, learningMark) }

// leaveLearning leaves a run to the daemon's next pass.
func (s *site) leaveLearning(run string, tries int) error {
	data, err := json.Marshal(leftLearning{tries})
	if err == nil {
		err = atomicfile.WriteHere(s.markOf(run), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("leaving run %s to be learnt of: %w", memory.ShortID(run), err)
	}
	return nil
}

// leaveRecovered leaves a run that was cut short, too.
func (s *site) leaveRecovered(r executor.Recovered) (trouble []string) {
	if !s.settings.Extract.Enabled || r.Record.RecordError != nil || r.Record.MemoryPath == "" {
		return nil
	}
	return appendError(nil, s.leaveLearning(r.ID, 0))
}

// failedLearning says why nothing was learnt of a run, and what becomes of
// it; tries are those before this one.
func (s *site) failedLearning(run string, tries int, err error) error {
	err = fmt.Errorf("learning of run %s: %w", memory.ShortID(run), err)
	if tries+1 == maxLearning {
		return errors.Join(fmt.Errorf("%w; given up after %d tries", err, maxLearning), os.Remove(s.markOf(run)))
	}
	return errors.Join(err, s.leaveLearning(run, tries+1))
}

// extractPending asks about the runs that are left to be learnt of, oldest
// first. The error joins those of all runs; each is tried again by the next
// pass, a few times.
func (s *site) extractPending(ctx context.Context) error {
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
		if err := s.learnLeft(ctx, run.Name()); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// learnLeft learns of one run that was left.
func (s *site) learnLeft(ctx context.Context, run string) error {
	var left leftLearning
	data, err := repofile.Read(s.markOf(run), repofile.NoLink, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &left)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("learning of run %s: %w", memory.ShortID(run), err), os.Remove(s.markOf(run)))
	}
	l, err := s.learn(ctx, run)
	s.tellLearnt(run, l)
	s.tellFacts(l.facts())
	if err != nil && ctx.Err() == nil {
		return s.failedLearning(run, left.Tries, err)
	}
	if err != nil {
		return err // it was interrupted: that is no try
	}
	return os.Remove(s.markOf(run))
}

// learnEvery is how often the daemon looks for runs to learn of.
const learnEvery = time.Minute

// learnPasses learns of the runs that are left, until ctx ends.
func (d *daemon) learnPasses(ctx context.Context) {
	tick := time.NewTicker(learnEvery)
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

package executor

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/google/uuid"

	"agentflow/internal/proc"
)

// ErrNested says that a run was asked for from inside a run of the same
// repository; errors.As with *NestedError tells which.
var ErrNested = errors.New("a run inside a run")

// NestedError names the run that this process is part of.
type NestedError struct{ RunID string }

func (e *NestedError) Error() string {
	return fmt.Sprintf("start a run: this is already part of run %s of this repository, which is still going on", e.RunID)
}

// Is makes errors.Is(err, ErrNested) hold.
func (e *NestedError) Is(target error) bool { return target == ErrNested }

// Hint says how to go on.
func (e *NestedError) Hint() string {
	return "do the work in the run that is going on, or unset " + proc.TagVar + " to start another beside it"
}

// refuseNested finds out whether this process belongs to a live run. The
// variable of a run that is over is no obstacle.
func refuseNested(deps Deps) error {
	id := lookup(deps.Env, proc.TagVar)
	// The value becomes part of a path.
	if uuid.Validate(id) != nil || deps.RunsDir == "" {
		return nil
	}
	if live(filepath.Join(deps.RunsDir, id)) {
		return &NestedError{RunID: id}
	}
	return nil
}

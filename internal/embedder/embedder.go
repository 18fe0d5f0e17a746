// Package embedder holds the embedder of an opened memory, and which of its failures were reported.
package embedder

import (
	"context"
	"fmt"
	"sync"

	"agentflow/embed"
	"agentflow/internal/lists"
	"agentflow/internal/redact"
)

// CallsProvider reports whether an embedder gets its vectors from outside this process. A Sync
// completes only the vectors of other embedders.
func CallsProvider(e embed.Embedder) bool { return e != nil && !e.Info().Inline }

// Discreet returns e with its input redacted, if it works outside this process. Otherwise it
// returns e.
func Discreet(e embed.Embedder, red *redact.Redactor) embed.Embedder {
	if !CallsProvider(e) {
		return e
	}
	return redacted{e, red.Text}
}

// redacted removes secrets from the texts for an embedder. Tasks go to the agent unredacted, and
// text written by hand is indexed unredacted, but neither has to reach another service.
type redacted struct {
	embed.Embedder
	redact func(string) string
}

func (r redacted) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	return r.Embedder.Embed(ctx, role, lists.Mapped(texts, r.redact))
}

// State holds a memory's embedder, which is made once, and its failures. Only one of them is
// reported, because a query and the pending texts fail for the same reason. It is safe for
// concurrent use: a late recall continues during its run.
type State struct {
	mu       sync.Mutex
	made     bool
	embedder embed.Embedder // nil: search uses keywords only
	lacking  []string       // failures of searches that have not been reported
	Notices  *Notices
}

// Notices records the lines about embedders that this process has already reported. The user's own
// memory and the repository's share one embedder.
type Notices struct {
	mu    sync.Mutex
	lines map[string]bool
}

// First reports whether line is new, and records it. With a nil receiver every line is new.
func (t *Notices) First(line string) bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lines == nil {
		t.lines = map[string]bool{}
	}
	reported := t.lines[line]
	t.lines[line] = true
	return !reported
}

// InTrouble represents all failures of an embedder, so that only one is reported.
const InTrouble = "an embedder is in trouble"

// Slow reports whether only a command with a waiting user may use an embedder.
func Slow(e embed.Embedder) bool { return e != nil && e.Info().Slow > 0 }

// Once returns the embedder, which the first call makes. Only the first call returns an error, and only if no other
// memory of the process reported it.
func (v *State) Once(made func() (embed.Embedder, error)) (embed.Embedder, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.made {
		return v.embedder, nil
	}
	v.made = true
	var err error
	if v.embedder, err = made(); err != nil {
		if err = fmt.Errorf("searching goes by keywords only: %w", err); !v.Notices.First(err.Error()) {
			err = nil
		}
	}
	return v.embedder, err
}

// Lacks stores the failure of a search.
func (v *State) Lacks(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lacking = append(v.lacking, line)
}

// Trouble returns the line to report after a search, or after completing vectors ended with err. It
// returns none if there was no failure or one was already reported.
func (v *State) Trouble(err error) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	lines := v.lacking
	v.lacking = nil
	if len(lines) == 0 && err != nil {
		lines = []string{err.Error()}
	}
	if len(lines) == 0 || !v.Notices.First(InTrouble) {
		return nil
	}
	return lines[:1]
}

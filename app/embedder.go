package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/embed"
	"agentflow/executor"
	"agentflow/internal/config"
	"agentflow/internal/lists"
	"agentflow/internal/redact"
)

// Embedder returns the embedder that the settings select, or nil for "none".
func Embedder(a *Operation, e config.Embed) (embed.Embedder, error) {
	o := embed.Options{
		Provider: e.Provider, Model: e.Model, BaseURL: e.BaseURL, Dimensions: e.Dimensions, Batch: e.Batch, Timeout: e.Timeout, Dir: e.Dir,
		Environ: executor.Environ(a.Environ),
	}
	if err := RefuseGateway(a, e.Provider, e.BaseURL); err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.Provider, err)
	}
	if e.APIKeyEnv != "" && overHTTP(e.Provider) {
		if o.APIKey = a.Getenv(e.APIKeyEnv); o.APIKey == "" {
			return nil, fmt.Errorf("embed with %s: the variable %s, which api_key_env in [embed] names, is not set", e.Provider, e.APIKeyEnv)
		}
	}
	return embed.New(o)
}

func overHTTP(provider string) bool {
	return slices.Contains([]string{"ollama", "openai", "glm"}, provider)
}

// EmbedderNamed returns the embedder that a flag selects, with the user's own settings. An empty
// name selects the one of the settings. It works outside a repository.
func EmbedderNamed(o *Operation, provider string) (embed.Embedder, error) {
	dirs, err := o.Dirs()
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	settings, err := o.Load(config.Place{}, dirs)
	if err != nil {
		return nil, err
	}
	if provider != "" {
		settings.Embed.Provider = provider
	}
	e, err := Embedder(o, settings.Embed)
	if err != nil {
		return nil, &Error{Kind: KindUsage, Err: err}
	}
	red, err := Redactor(o, settings)
	if err != nil {
		return nil, err
	}
	return discreet(e, red), nil
}

// CallsProvider reports whether an embedder gets its vectors from outside this process. A Sync
// completes only the vectors of other embedders.
func CallsProvider(e embed.Embedder) bool { return e != nil && !e.Info().Inline }

// discreet returns e with its input redacted, if it works outside this process. Otherwise it
// returns e.
func discreet(e embed.Embedder, red *redact.Redactor) embed.Embedder {
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

// vectorWait is how long a command with another purpose waits for the vectors of texts. 'agentflow
// index', the watcher or the next command computes the remaining ones.
const vectorWait = time.Second

// vectors holds a memory's embedder, which is made once, and its failures. Only one of them is
// reported, because a query and the pending texts fail for the same reason. It is safe for
// concurrent use: a late recall continues during its run.
type vectors struct {
	mu       sync.Mutex
	made     bool
	embedder embed.Embedder // nil: search uses keywords only
	lacking  []string       // failures of searches that have not been reported
	Notices  *notices
}

// notices records the lines about embedders that this process has already reported. The user's own
// memory and the repository's share one embedder.
type notices struct {
	mu    sync.Mutex
	lines map[string]bool
}

// First reports whether line is new, and records it. With a nil receiver every line is new.
func (t *notices) First(line string) bool {
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

// InTrouble is the line recorded for all failures of an embedder, so that only one is reported.
const InTrouble = "an embedder is in trouble"

// EmbedderFor returns the embedder of this command. It returns an error at the first call only, and
// the caller can continue without an embedder.
//
// A slow embedder takes longer than a run may wait, and its answer costs money even if no caller
// waits for it. Commands in a hurry therefore get nil instead.
func EmbedderFor(s *Repo) (e embed.Embedder, err error) {
	v := &s.Vectors
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.made {
		v.made = true
		if v.embedder, err = Embedder(s.Operation, s.Settings.Embed); err != nil {
			if err = fmt.Errorf("searching goes by keywords only: %w", err); !v.Notices.First(err.Error()) {
				err = nil
			}
		}
		v.embedder = discreet(v.embedder, s.Redact)
	}
	if Slow(v.embedder) && !s.Patient {
		return nil, err
	}
	return v.embedder, err
}

// Slow reports whether only a command with a waiting user may use an embedder.
func Slow(e embed.Embedder) bool { return e != nil && e.Info().Slow > 0 }

func (v *vectors) lacks(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lacking = append(v.lacking, line)
}

// Trouble returns the line to report after a search, or after completing vectors ended with err. It
// returns none if there was no failure or one was already reported.
func (v *vectors) Trouble(err error) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	lines := v.lacking
	v.lacking = nil
	if len(lines) == 0 {
		lines = AppendError(nil, err)
	}
	if len(lines) == 0 || !v.Notices.First(InTrouble) {
		return nil
	}
	return lines[:1]
}

// CompleteSoon computes the vectors of pending texts for as long as a command may wait for them. If
// the command has a deadline, it takes at most a third of the remaining time.
func CompleteSoon(ctx context.Context, s *Repo, db *OpenIndex) error {
	e, _ := EmbedderFor(s)
	if !CallsProvider(e) || Slow(e) {
		return nil
	}
	wait := vectorWait
	if deadline, ok := ctx.Deadline(); ok {
		wait = min(wait, time.Until(deadline)/3)
	}
	short, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	_, err := db.EmbedPending(short, nil)
	if wait < vectorWait && short.Err() != nil {
		return nil // not a failure: the command has no more time for it
	}
	return err
}

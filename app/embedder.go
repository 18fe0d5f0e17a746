package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/config"
	"agentflow/embed"
	"agentflow/executor"
	"agentflow/internal/redact"
)

// embedder makes the embedder that settings ask for; nil for "none".
func (a *operation) embedder(e config.Embed) (embed.Embedder, error) {
	o := embed.Options{
		Provider: e.Provider, Model: e.Model, BaseURL: e.BaseURL, Dimensions: e.Dimensions, Batch: e.Batch, Timeout: e.Timeout, Dir: e.Dir,
		Environ: executor.Environ(a.environ),
	}
	if err := a.refuseGateway(e.Provider, e.BaseURL); err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.Provider, err)
	}
	if e.APIKeyEnv != "" && overHTTP(e.Provider) {
		if o.APIKey = a.getenv(e.APIKeyEnv); o.APIKey == "" {
			return nil, fmt.Errorf("embed with %s: the variable %s, which api_key_env in [embed] names, is not set", e.Provider, e.APIKeyEnv)
		}
	}
	return embed.New(o)
}

func overHTTP(provider string) bool {
	return slices.Contains([]string{"ollama", "openai", "glm"}, provider)
}

// embedderNamed is the embedder of a flag, with the user's own settings; ""
// asks for the one of the settings. It works outside a repository.
func (o *operation) embedderNamed(provider string) (embed.Embedder, error) {
	dirs, err := o.dirs()
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	settings, err := o.load(config.Place{}, dirs)
	if err != nil {
		return nil, err
	}
	if provider != "" {
		settings.Embed.Provider = provider
	}
	e, err := o.embedder(settings.Embed)
	if err != nil {
		return nil, &Error{Kind: KindUsage, Err: err}
	}
	red, err := o.redactor(settings)
	if err != nil {
		return nil, err
	}
	return discreet(e, red), nil
}

// callsProvider says whether an embedder gets its vectors from outside this
// process; a Sync completes only those of embedders that do not.
func callsProvider(e embed.Embedder) bool { return e != nil && !e.Info().Inline }

// discreet is e, kept from seeing secrets if it is not of this process; nil
// stays nil.
func discreet(e embed.Embedder, red *redact.Redactor) embed.Embedder {
	if !callsProvider(e) {
		return e
	}
	return redacted{e, red.Text}
}

// redacted keeps from an embedder what is not stored either: a task reaches
// the agent untouched, and what is written by hand is indexed so, but neither
// has to reach anybody else.
type redacted struct {
	embed.Embedder
	redact func(string) string
}

func (r redacted) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	return r.Embedder.Embed(ctx, role, mapped(texts, r.redact))
}

// vectorWait is how long a command that is about something else waits for the
// vectors of texts. What then still waits is for 'agentflow index', for the
// watcher, or for the next command.
const vectorWait = time.Second

// vectors is a memory's embedder, made once, and its failures, of which one is
// reported: a query and the texts that wait fail for the same reason. It is
// used from several goroutines: a recall that is late goes on beside its run.
type vectors struct {
	mu       sync.Mutex
	made     bool
	embedder embed.Embedder // nil: search is by keywords
	lacking  []string       // what searches had to do without
	notices  *notices
}

// notices are the lines that this process has already reported about
// embedders: the user's own memory and the repository's share one embedder.
type notices struct {
	mu    sync.Mutex
	lines map[string]bool
}

// first says whether line was not reported before, and notes it as reported. A
// nil receiver knows no line.
func (t *notices) first(line string) bool {
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

// inTrouble stands for all failures of an embedder: one of them is reported.
const inTrouble = "an embedder is in trouble"

// embedding is the embedder of this command. The error, which is no reason
// not to go on, comes with the first call only.
//
// An answer of a slow embedder takes longer than a run may wait, and is paid
// for even when nobody waits for it: commands in a hurry never ask one.
func (s *openMemory) embedding() (e embed.Embedder, err error) {
	v := &s.vectors
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.made {
		v.made = true
		if v.embedder, err = s.operation.embedder(s.settings.Embed); err != nil {
			if err = fmt.Errorf("searching goes by keywords only: %w", err); !v.notices.first(err.Error()) {
				err = nil
			}
		}
		v.embedder = discreet(v.embedder, s.redact)
	}
	if slow(v.embedder) && !s.patient {
		return nil, err
	}
	return v.embedder, err
}

// slow says whether only a command whose user waits may ask an embedder.
func slow(e embed.Embedder) bool { return e != nil && e.Info().Slow > 0 }

func (v *vectors) lacks(line string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lacking = append(v.lacking, line)
}

// trouble is the line to report after a search, or after err, the end of
// completing vectors; none when all is well or one was reported before.
func (v *vectors) trouble(err error) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	lines := v.lacking
	v.lacking = nil
	if len(lines) == 0 {
		lines = appendError(nil, err)
	}
	if len(lines) == 0 || !v.notices.first(inTrouble) {
		return nil
	}
	return lines[:1]
}

// completeSoon gives texts their vectors for as long as a command may wait
// for them, and leaves most of what its deadline allows to the rest of it.
func (s *openMemory) completeSoon(ctx context.Context, db *openIndex) error {
	e, _ := s.embedding()
	if !callsProvider(e) || slow(e) {
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
		return nil // the command has no time for it: that is no failure
	}
	return err
}

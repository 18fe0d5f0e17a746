// Package embedding makes the embedder that the settings select.
package embedding

import (
	"context"
	"fmt"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/embed"
	"agentflow/executor"
	"agentflow/internal/config"
	"agentflow/internal/embedder"
	"agentflow/internal/indexpool"
)

// Of returns the embedder that the settings select, or nil for "none".
func Of(a *app.Operation, e config.Embed) (embed.Embedder, error) {
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

// Named returns the embedder that a flag selects, with the user's own settings. An empty
// name selects the one of the settings. It works outside a repository.
func Named(o *app.Operation, provider string) (embed.Embedder, error) {
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
	e, err := Of(o, settings.Embed)
	if err != nil {
		return nil, &app.Error{Kind: app.KindUsage, Err: err}
	}
	red, err := app.Redactor(o, settings)
	if err != nil {
		return nil, err
	}
	return embedder.Discreet(e, red), nil
}

// vectorWait limits the wait of a command with another purpose for the vectors of texts.
// 'agentflow index', the watcher or the next command computes the remaining ones.
const vectorWait = time.Second

// For returns the embedder of this command. It returns an error at the first call only, and
// the caller can continue without an embedder.
//
// A slow embedder takes longer than a run may wait, and its answer costs money even if no caller
// waits for it. Commands in a hurry therefore get nil instead.
func For(s *app.Repo) (e embed.Embedder, err error) {
	e, err = s.Vectors.Once(func() (embed.Embedder, error) {
		e, err := Of(s.Operation, s.Settings.Embed)
		return embedder.Discreet(e, s.Redact), err
	})
	if embedder.Slow(e) && !s.Patient {
		return nil, err
	}
	return e, err
}

// CompleteSoon computes the vectors of pending texts for as long as a command may wait for them. If
// the command has a deadline, it takes at most a third of the remaining time.
func CompleteSoon(ctx context.Context, s *app.Repo, db *indexpool.Index) error {
	e, _ := For(s)
	if !embedder.CallsProvider(e) || embedder.Slow(e) {
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

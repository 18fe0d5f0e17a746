package app

import (
	"context"
	"fmt"
	"slices"

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
	if e.APIKeyEnv != "" && overHTTP(e.Provider) {
		if o.APIKey = a.getenv(e.APIKeyEnv); o.APIKey == "" {
			return nil, fmt.Errorf("embed with %s: the variable %s, which api_key_env in [embed] names, is not set", e.Provider, e.APIKeyEnv)
		}
	}
	return embed.New(o)
}

// overHTTP says whether a provider is asked over the network, or on loopback.
func overHTTP(provider string) bool {
	return slices.Contains([]string{"ollama", "openai", "glm"}, provider)
}

// embedderNamed is the embedder of a flag, with the user's own settings; ""
// asks for the one of the settings. It works outside a repository.
func (o *operation) embedderNamed(provider string) (embed.Embedder, error) {
	dirs, err := o.dirs()
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
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
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = r.redact(text)
	}
	return r.Embedder.Embed(ctx, role, clean)
}

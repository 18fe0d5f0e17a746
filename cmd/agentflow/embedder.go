package main

import (
	"fmt"

	"agentflow/config"
	"agentflow/embed"
)

// embedder makes the embedder that settings ask for; nil for "none".
func embedder(e config.Embed) (embed.Embedder, error) {
	return embed.New(embed.Options{Provider: e.Provider, Dimensions: e.Dimensions})
}

// embedderNamed is the embedder of a flag, with the user's own settings; ""
// asks for the one of the settings. It works outside a repository.
func (a *app) embedderNamed(provider string) (embed.Embedder, error) {
	dirs, err := a.dirs()
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	settings, err := a.load(config.Place{}, dirs)
	if err != nil {
		return nil, err
	}
	if provider != "" {
		settings.Embed.Provider = provider
	}
	e, err := embedder(settings.Embed)
	if err != nil {
		return nil, usageError{err: err}
	}
	return e, nil
}

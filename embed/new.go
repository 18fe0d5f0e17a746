package embed

import "fmt"

// Limits of what local can be asked for: fewer places hold nothing apart, and
// more than a thousand tell nothing more.
const (
	leastDimensions = 16
	mostDimensions  = 4096
)

// New returns the embedder that o asks for. For the provider "none" both
// results are nil: search is by keywords. It reads the files of a static
// model; otherwise it does no work and asks nobody. An error says which
// setting to change.
func New(o Options) (Embedder, error) {
	if o.Dimensions < 0 || o.Batch < 0 || o.Timeout < 0 {
		return nil, fmt.Errorf("embed with %s: dimensions, batch and timeout cannot be below zero", o.Provider)
	}
	var e Embedder
	var err error
	switch o.Provider {
	case "none":
		return nil, nil
	case "local":
		e, err = localFrom(o)
	case "static":
		e, err = loadStatic(o.Dir)
	case "ollama":
		e, err = newOllama(o)
	case "openai", "glm":
		e, err = newOpenAI(o, presets[o.Provider])
	case "claude":
		e, err = newClaude(o)
	default:
		return nil, fmt.Errorf("embed with provider %q: want local, none, static, ollama, openai, glm or claude", o.Provider)
	}
	if err != nil {
		return nil, fmt.Errorf("embed with %s: %w", o.Provider, err)
	}
	return e, nil
}

func localFrom(o Options) (*local, error) {
	m := localDefault
	if o.Dimensions > 0 {
		m.Dimensions = o.Dimensions
	}
	if m.Dimensions < leastDimensions || m.Dimensions > mostDimensions {
		return nil, fmt.Errorf("dimensions %d: want %d to %d", m.Dimensions, leastDimensions, mostDimensions)
	}
	return newLocal(m), nil
}

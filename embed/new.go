package embed

import (
	"fmt"
	"net/http"
	"time"
)

// Limits of the local embedder's dimensions: fewer distinguish nothing, and
// more than a thousand add nothing.
const (
	leastDimensions = 16
	mostDimensions  = 4096
)

// New returns the embedder that o selects. For the provider "none" both results
// are nil: search uses keywords. It reads the files of a static model;
// otherwise it does no work and sends no requests. An error names the setting
// to change.
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

// Options select and configure an embedder. Fields that do not apply to the
// provider are ignored; 0 and empty mean the provider's default.
type Options struct {
	Provider   string // local, none, static, ollama, openai, glm, claude
	Model      string
	BaseURL    string // of ollama, or of any endpoint with OpenAI's protocol
	APIKey     string // the key itself, never the name of its variable
	Dimensions int    // 0 means those of the model
	Batch      int    // texts in one request
	Timeout    time.Duration
	Dir        string // folder of a static model

	// Argv is the Claude CLI with the arguments that precede the generated
	// ones; empty means "claude" from PATH.
	Argv []string
	// Environ is the complete environment of the Claude CLI. The caller leaves
	// out the variables that make it assume that it runs inside another one.
	Environ []string

	// Transport carries requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// defaultTimeout limits one request.
const defaultTimeout = 10 * time.Second

func (o Options) timeout() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return defaultTimeout
}

func (o Options) batch(usual int) int {
	if o.Batch > 0 {
		return o.Batch
	}
	return usual
}

// The share of the vector in a fused score, by provider: a neural model
// captures more than spelling. These are starting values, for measurements to
// correct.
const (
	weightLocal  = 0.3
	weightClaude = 0.3
	weightStatic = 0.4
	weightRemote = 0.5 // ollama, openai and compatible servers
)

// The best number of texts for one Embed. For remote providers it is also the
// maximum number in one request.
const (
	batchLocal  = 256
	batchStatic = 256
	batchOllama = 32
	batchOpenAI = 64
	batchClaude = 4
)

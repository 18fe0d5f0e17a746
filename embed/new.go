package embed

import (
	"fmt"
	"net/http"
	"time"
)

// Limits of the local embedder's dimensions: fewer places hold nothing apart,
// and more than a thousand tell nothing more.
const (
	leastDimensions = 16
	mostDimensions  = 4096
)

// New returns the embedder that o asks for. For the provider "none" both
// results are nil: search is by keywords. It reads the files of a static
// model; otherwise it does no work and asks nobody. An error names the
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

// Options say which embedder is wanted, and where it is. Fields that do not
// concern the provider are ignored; 0 and empty leave the choice to it.
type Options struct {
	Provider   string // local, none, static, ollama, openai, glm, claude
	Model      string
	BaseURL    string // of ollama, or of any endpoint that speaks OpenAI's protocol
	APIKey     string // the key itself, never the name of its variable
	Dimensions int    // as many as the model has
	Batch      int    // texts in one request
	Timeout    time.Duration
	Dir        string // folder of a static model

	// Argv is the Claude CLI and what always stands before our arguments;
	// empty means "claude" from PATH.
	Argv []string
	// Environ is the whole environment of the Claude CLI. The caller leaves
	// out what makes it believe that it runs inside another.
	Environ []string

	// Transport carries requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// defaultTimeout is that of one request.
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

// The share of the vector in a fused score, by provider: a neural model knows
// more than spelling does. Starting values; measurements decide.
const (
	weightLocal  = 0.3
	weightClaude = 0.3
	weightStatic = 0.4
	weightRemote = 0.5 // ollama, openai and what is compatible
)

// How many texts one Embed is best given. Those of remote providers are also
// the most that one request carries.
const (
	batchLocal  = 256
	batchStatic = 256
	batchOllama = 32
	batchOpenAI = 64
	batchClaude = 4
)

package embed

import (
	"net/http"
	"time"
)

// Options say which embedder is wanted, and where it is. What does not concern
// the provider is ignored; 0 and empty mean its own choice.
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

// batch is what o asks for, or else usual.
func (o Options) batch(usual int) int {
	if o.Batch > 0 {
		return o.Batch
	}
	return usual
}

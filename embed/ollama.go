package embed

// Where Ollama listens, and the model it is asked for.
const (
	ollamaBase  = "http://localhost:11434"
	ollamaModel = "nomic-embed-text"
)

// newOllama returns an embedder that asks Ollama (POST /api/embed). It cuts
// texts that are too long for the model itself.
func newOllama(o Options) (*remote, error) {
	e, err := newEndpoint(o, ollamaBase, "/api/embed")
	if err != nil {
		return nil, err
	}
	model := o.Model
	if model == "" {
		model = ollamaModel
	}
	return &remote{
		endpoint: e, provider: "ollama", model: model, wanted: o.Dimensions, batch: o.batch(batchOllama),
		prompts: promptsFor(model), protocol: ollama{},
	}, nil
}

// ollama is Ollama's own protocol.
type ollama struct{}

type ollamaRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
}

func (ollama) request(model string, dimensions int, texts []string) any {
	return ollamaRequest{model, texts, dimensions}
}

func (ollama) vectors(e *endpoint, answer []byte, _ int) ([][]float64, error) {
	var body struct{ Embeddings []numbers }
	if err := e.decode(answer, &body); err != nil {
		return nil, err
	}
	out := make([][]float64, len(body.Embeddings))
	for i, v := range body.Embeddings {
		out[i] = v
	}
	return out, nil
}

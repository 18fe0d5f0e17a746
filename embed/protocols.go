package embed

import (
	"errors"
	"fmt"
)

// Ollama's default address and the default model.
const (
	ollamaBase  = "http://localhost:11434"
	ollamaModel = "nomic-embed-text"
)

// newOllama returns an embedder that uses Ollama (POST /api/embed). Ollama cuts
// texts that are too long for the model.
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

type preset struct {
	base, model string
	format      string // encoding_format; empty if the server does not document it, and then not sent
	maxBatch    int    // texts in one request
	anywhere    bool   // the model is the same at any other base URL
}

// presets by provider. OpenAI accepts 2,048 texts of 8,192 tokens, 300,000 in
// total; GLM 64 texts of 3,072 tokens, in 256, 512, 1024 or 2048 dimensions.
var presets = map[string]preset{
	"openai": {base: "https://api.openai.com/v1", model: "text-embedding-3-small", format: "float", maxBatch: 2048},
	"glm":    {base: "https://open.bigmodel.cn/api/paas/v4", model: "embedding-3", maxBatch: 64, anywhere: true},
}

// newOpenAI returns an embedder that uses a server with OpenAI's protocol (POST
// /embeddings): the one at o.BaseURL, or else the preset's.
func newOpenAI(o Options, p preset) (*remote, error) {
	model := o.Model
	if model == "" && (o.BaseURL == "" || p.anywhere) {
		model = p.model
	}
	switch {
	case model == "":
		return nil, errors.New("no model: set model in [embed] to one that the server at base_url has")
	case o.BaseURL == "" && o.APIKey == "":
		return nil, errors.New("no key: set api_key_env in [embed] to the name of the variable that holds it")
	case o.Batch > p.maxBatch:
		return nil, fmt.Errorf("batch %d: a request carries at most %d texts", o.Batch, p.maxBatch)
	}
	e, err := newEndpoint(o, p.base, "/embeddings")
	if err != nil {
		return nil, err
	}
	return &remote{
		endpoint: e, provider: o.Provider, model: model, wanted: o.Dimensions, batch: o.batch(batchOpenAI),
		prompts: promptsFor(model), protocol: openAI{format: p.format},
	}, nil
}

type openAI struct{ format string }

type openAIRequest struct {
	Model      string   `json:"model"`
	Input      []string `json:"input"`
	Dimensions int      `json:"dimensions,omitempty"`
	Format     string   `json:"encoding_format,omitempty"`
}

func (p openAI) request(model string, dimensions int, texts []string) any {
	return openAIRequest{model, texts, dimensions, p.format}
}

// vectors sorts the answer into the order of the texts, by the index of each
// vector. If a server sends no indexes, the order is assumed to be kept.
func (openAI) vectors(e *endpoint, answer []byte, want int) ([][]float64, error) {
	var body struct {
		Data []struct {
			Index     *int
			Embedding numbers
		}
	}
	if err := e.decode(answer, &body); err != nil {
		return nil, err
	}
	if len(body.Data) != want {
		return nil, fmt.Errorf("%d vectors for %d texts", len(body.Data), want)
	}
	out := make([][]float64, want)
	numbered := 0
	for i, d := range body.Data {
		if d.Index != nil {
			numbered++
			i = *d.Index
		}
		if i < 0 || i >= want || out[i] != nil {
			return nil, fmt.Errorf("the answer numbers its vectors wrongly: %d", i)
		}
		if out[i] = d.Embedding; out[i] == nil {
			return nil, fmt.Errorf("vector %d is missing", i)
		}
	}
	if numbered != 0 && numbered != want {
		return nil, errors.New("the answer numbers some of its vectors only")
	}
	return out, nil
}

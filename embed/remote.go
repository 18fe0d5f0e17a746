package embed

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"
)

// remote embeds by requests to a server. The protocol encodes requests and
// decodes answers.
type remote struct {
	*endpoint
	provider string
	model    string
	wanted   int // dimensions; 0 means the model's
	batch    int
	prompts  prompts
	protocol protocol

	found atomic.Int64 // dimensions of the first answer, which all later answers must have
}

// protocol encodes requests and decodes answers for one kind of server.
type protocol interface {
	// request returns the JSON object that requests the vectors of texts.
	request(model string, dimensions int, texts []string) any
	// vectors decodes the vectors of want texts, in order, from an answer.
	vectors(e *endpoint, answer []byte, want int) ([][]float64, error)
}

// Info implements Embedder. The identity includes the prompts, because a prompt
// in front of a text changes its vector.
func (r *remote) Info() Info {
	dimensions := r.wanted
	if dimensions == 0 {
		dimensions = int(r.found.Load())
	}
	sum := fnv.New32a()
	fmt.Fprintf(sum, "%q %q", r.prompts.document, r.prompts.query)
	return Info{
		Identity:   fmt.Sprintf("%s/1 %q %d %s %08x", r.provider, r.model, r.wanted, r.base, sum.Sum32()),
		Dimensions: dimensions, Batch: r.batch, Weight: weightRemote,
	}
}

// Embed implements Embedder: one request per batch, one after the other.
func (r *remote) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	out, err := inBatches(texts, r.batch, func(part []string) ([][]float32, error) {
		return r.ask(ctx, role, part)
	})
	if err != nil {
		return nil, fmt.Errorf("embed %d texts with %s %s at %s: %w", len(texts), r.provider, r.model, r.base, err)
	}
	return out, nil
}

func (r *remote) ask(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	answer, err := r.post(ctx, r.protocol.request(r.model, r.wanted, r.prompts.before(role, texts)))
	if err != nil {
		return nil, err
	}
	vectors, err := r.protocol.vectors(r.endpoint, answer, len(texts))
	if err != nil {
		return nil, err
	}
	dimensions := r.wanted
	if dimensions == 0 {
		dimensions = int(r.found.Load())
	}
	out, err := units(vectors, len(texts), dimensions)
	if err != nil {
		return nil, err
	}
	r.found.CompareAndSwap(0, int64(len(out[0])))
	return out, nil
}

// maxText limits the bytes of a text for a remote model. A chunk is
// shorter; a longer text is cut, not rejected. The product with the default
// batch stays below OpenAI's 300,000 tokens per request even if every byte is a
// token.
const maxText = 4096

// inBatches requests the vectors of texts, at most batch at a time and in
// order. Texts without a word are not sent: their vectors are nil.
func inBatches(texts []string, batch int, ask func([]string) ([][]float32, error)) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var worded []int
	for i, text := range texts {
		if hasWord(text) {
			worded = append(worded, i)
		}
	}
	for part := range slices.Chunk(worded, batch) {
		batchTexts := make([]string, len(part))
		for i, at := range part {
			batchTexts[i] = cutText(texts[at])
		}
		vectors, err := ask(batchTexts)
		if err != nil {
			return nil, err
		}
		for i, at := range part {
			out[at] = vectors[i]
		}
	}
	return out, nil
}

func hasWord(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) >= 0
}

// cutText returns the beginning of a text, with whole characters only.
func cutText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// prompts holds the texts that a model was trained to expect in front of a
// text.
type prompts struct{ document, query string }

const passages = "Represent this sentence for searching relevant passages: "

// knownPrompts lists models by name, without publisher and tag, with the
// prompts from their model cards. Other models get their texts unchanged.
var knownPrompts = []struct {
	name string
	prompts
}{
	{"nomic-embed-text", prompts{"search_document: ", "search_query: "}},
	{"mxbai-embed-large", prompts{query: passages}},
	{"snowflake-arctic-embed2", prompts{query: "query: "}},
	{"snowflake-arctic-embed-l-v2", prompts{query: "query: "}},
	{"snowflake-arctic-embed-m-v2", prompts{query: "query: "}},
	{"snowflake-arctic-embed", prompts{query: passages}},
	{"embeddinggemma", prompts{"title: none | text: ", "task: search result | query: "}},
}

// promptsFor returns the prompts of a model: those of the first name that is a
// prefix of the model's name.
func promptsFor(model string) prompts {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, known := range knownPrompts {
		if strings.HasPrefix(name, known.name) {
			return known.prompts
		}
	}
	return prompts{}
}

func (p prompts) before(role Role, texts []string) []string {
	prompt := p.document
	if role == Query {
		prompt = p.query
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = prompt + text
	}
	return out
}

package embed

import "strings"

// prompts are what a model was trained to see before a text.
type prompts struct{ document, query string }

const passages = "Represent this sentence for searching relevant passages: "

// knownPrompts lists models by name, without publisher and tag, as their model
// cards say. A model that is not here gets its texts as they are.
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

// promptsFor finds the prompts of a model; the first name that it begins with
// counts.
func promptsFor(model string) prompts {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, known := range knownPrompts {
		if strings.HasPrefix(name, known.name) {
			return known.prompts
		}
	}
	return prompts{}
}

// before returns texts with the prompt of their role.
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

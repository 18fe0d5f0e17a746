package embed

import (
	"slices"
	"strings"
	"unicode"
)

// maxText is how many bytes of a text a remote model is given. A chunk is
// shorter; what is longer is cut rather than refused. The product with the
// default batch stays below OpenAI's 300,000 tokens a request even when every
// byte is a token.
const maxText = 4096

// inBatches asks for the vectors of texts, at most batch at a time and in
// order. Texts without a word are not sent: their vectors are nil.
func inBatches(texts []string, batch int, ask func([]string) ([][]float32, error)) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var said []int
	for i, text := range texts {
		if hasWord(text) {
			said = append(said, i)
		}
	}
	for part := range slices.Chunk(said, batch) {
		asked := make([]string, len(part))
		for i, at := range part {
			asked[i] = cutText(texts[at])
		}
		vectors, err := ask(asked)
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

// cutText keeps the beginning of a text, whole characters only.
func cutText(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

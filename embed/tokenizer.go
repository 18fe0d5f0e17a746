package embed

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"agentflow/internal/ask"
	"agentflow/internal/words"
)

// tokenizer splits text into the pieces of a vocabulary like BERT: it
// normalises, splits at spaces and punctuation, and then takes the longest
// pieces from the left.
type tokenizer struct {
	normal  normalizer
	first   map[string]int // ids of the pieces that begin a word
	rest    map[string]int // ids of the pieces within a word, without their prefix
	unknown int            // id of the unknown token; -1 if there is none
	longest int            // bytes of the longest piece
	maxWord int            // characters; a longer word is unknown
	size    int            // one more than the largest id
	median  int            // median length of the pieces, in characters
}

// parseTokenizer parses a tokenizer.json with the model type WordPiece and
// BERT's normaliser and splitter. It does not look for added tokens such as
// [CLS] in texts: memory is text, not markup for a model.
func parseTokenizer(data []byte) (*tokenizer, error) {
	var file struct {
		Normalizer   json.RawMessage
		PreTokenizer struct{ Type string } `json:"pre_tokenizer"`
		Model        struct {
			Type    string
			Unknown *string `json:"unk_token"`
			Prefix  string  `json:"continuing_subword_prefix"`
			MaxWord int     `json:"max_input_chars_per_word"`
			Vocab   map[string]int
		}
	}
	m := &file.Model
	m.Prefix, m.MaxWord = "##", 100
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if m.Type != "WordPiece" {
		return nil, fmt.Errorf("model type %q: only WordPiece is understood", m.Type)
	}
	if file.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("pre_tokenizer %q: only BertPreTokenizer is understood", file.PreTokenizer.Type)
	}
	normal, err := parseNormalizer(file.Normalizer)
	if err != nil {
		return nil, err
	}
	t := &tokenizer{normal: normal, unknown: -1, maxWord: m.MaxWord}
	if err := t.fill(m.Vocab, m.Prefix); err != nil {
		return nil, err
	}
	if m.Unknown != nil {
		id, ok := m.Vocab[*m.Unknown]
		if !ok {
			return nil, errors.New("the unknown token is not in the vocabulary")
		}
		t.unknown = id
	}
	return t, nil
}

// maxVocabulary limits the ids of a tokenizer.
const maxVocabulary = 1 << 24

func (t *tokenizer) fill(vocab map[string]int, prefix string) error {
	if len(vocab) == 0 {
		return errors.New("no vocabulary")
	}
	t.first, t.rest = make(map[string]int, len(vocab)), map[string]int{}
	lengths := make([]int, 0, len(vocab))
	for piece, id := range vocab {
		if id < 0 || id >= maxVocabulary {
			return fmt.Errorf("the piece %q has the id %d", ask.Line(piece), id)
		}
		t.size = max(t.size, id+1)
		t.longest = max(t.longest, len(piece))
		lengths = append(lengths, utf8.RuneCountInString(piece))
		t.first[piece] = id
		if n := len(prefix); len(piece) > n && piece[:n] == prefix {
			t.rest[piece[n:]] = id
		}
	}
	slices.Sort(lengths)
	t.median = (lengths[(len(lengths)-1)/2] + lengths[len(lengths)/2]) / 2
	return nil
}

// maxTokens limits the tokens of a text, as in Model2Vec.
const maxTokens = 512

// ids returns the known tokens of text, at most maxTokens. Like Model2Vec it
// first cuts the text, at maxTokens times the median length.
func (t *tokenizer) ids(text string) []int {
	text = words.FirstRunes(text, maxTokens*t.median)
	var out []int
	for _, word := range splitWords(t.normal.apply(text)) {
		out = t.pieces(out, word)
	}
	return out[:min(len(out), maxTokens)]
}

// pieces appends the pieces of one word. A word that does not consist of known
// pieces is left out.
func (t *tokenizer) pieces(out []int, word string) []int {
	if utf8.RuneCountInString(word) > t.maxWord {
		return out
	}
	start := len(out)
	vocab := t.first
	for word != "" {
		n, id := longestPiece(vocab, word, t.longest)
		if n == 0 {
			return out[:start]
		}
		if id != t.unknown {
			out = append(out, id)
		}
		word, vocab = word[n:], t.rest
	}
	return out
}

// longestPiece returns the length and id of the longest piece at the start of
// word, or length 0 if there is none.
func longestPiece(vocab map[string]int, word string, longest int) (n, id int) {
	for n = min(len(word), longest); n > 0; n-- {
		if n < len(word) && !utf8.RuneStart(word[n]) {
			continue
		}
		if id, ok := vocab[word[:n]]; ok {
			return n, id
		}
	}
	return 0, 0
}

package embed

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// model is a small Model2Vec model that tests write.
type model struct {
	vocab     map[string]int
	matrix    [][]float64
	kind      string // of the matrix
	mapping   []int
	weights   []float64
	normalize bool
}

func tinyModel() model {
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "log", "##in", "test", "##s", "index", "file", "of", "cafe", "登", "录", "!", "-", "a", "the", "files"}
	m := model{vocab: map[string]int{}, kind: "F32", normalize: true}
	for id, piece := range pieces {
		m.vocab[piece] = id
		m.matrix = append(m.matrix, fakeVector("model "+piece, 6))
	}
	return m
}

// encode turns numbers into the bytes of a tensor.
func encode(kind string, values []float64) []byte {
	var out []byte
	for _, x := range values {
		switch kind {
		case "F64":
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		case "F32":
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(x)))
		case "F16":
			out = binary.LittleEndian.AppendUint16(out, toHalf(x))
		case "I8":
			out = append(out, byte(int8(x)))
		case "I32":
			out = binary.LittleEndian.AppendUint32(out, uint32(int32(x)))
		case "I64":
			out = binary.LittleEndian.AppendUint64(out, uint64(int64(x)))
		}
	}
	return out
}

// toHalf cuts a number of ordinary size to binary16.
func toHalf(x float64) uint16 {
	if x == 0 {
		return 0
	}
	fraction, exponent := math.Frexp(math.Abs(x))
	bits := uint16(exponent+14)<<10 | uint16(fraction*2048)&0x3ff
	if x < 0 {
		bits |= 0x8000
	}
	return bits
}

// tensorFile writes the format: names in order, data without gaps.
func tensorFile(names []string, kinds map[string]string, shapes map[string][]int, values map[string][]float64) []byte {
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var data []byte
	for _, name := range names {
		start := len(data)
		data = append(data, encode(kinds[name], values[name])...)
		header[name] = map[string]any{"dtype": kinds[name], "shape": shapes[name], "data_offsets": []int{start, len(data)}}
	}
	text, _ := json.Marshal(header)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), append(text, data...)...)
}

func (m model) tensors() []byte {
	names, kinds, shapes, values := []string{"embeddings"}, map[string]string{"embeddings": m.kind},
		map[string][]int{"embeddings": {len(m.matrix), len(m.matrix[0])}}, map[string][]float64{}
	for _, row := range m.matrix {
		values["embeddings"] = append(values["embeddings"], row...)
	}
	if m.mapping != nil {
		names, kinds["mapping"], shapes["mapping"] = append(names, "mapping"), "I64", []int{len(m.mapping)}
		for _, row := range m.mapping {
			values["mapping"] = append(values["mapping"], float64(row))
		}
	}
	if m.weights != nil {
		names, kinds["weights"], shapes["weights"], values["weights"] = append(names, "weights"), "F64", []int{len(m.weights)}, m.weights
	}
	return tensorFile(names, kinds, shapes, values)
}

func (m model) tokenizer() []byte {
	data, _ := json.Marshal(map[string]any{
		"version": "1.0", "truncation": nil,
		"added_tokens":  []any{map[string]any{"id": 1, "content": "[UNK]", "special": true}},
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": m.vocab},
	})
	return data
}

func (m model) write(t testing.TB, dir string) {
	t.Helper()
	config, _ := json.Marshal(map[string]any{"model_type": "model2vec", "hidden_dim": len(m.matrix[0]), "normalize": m.normalize})
	for name, data := range map[string][]byte{"config.json": config, "tokenizer.json": m.tokenizer(), "model.safetensors": m.tensors()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (m model) load(t testing.TB) Embedder {
	dir := t.TempDir()
	m.write(t, dir)
	return mustNew(t, Options{Provider: "static", Dir: dir})
}

// near reports whether a has the direction of b.
func near(a []float32, b []float64, most float64) bool {
	want, err := unit(b)
	return err == nil && len(a) == len(want) && dot(a, want) > 1-most
}

func mean(m model, ids ...int) []float64 {
	sum := make([]float64, len(m.matrix[0]))
	for _, id := range ids {
		row, weight := id, 1.0
		if m.mapping != nil {
			row = m.mapping[id]
		}
		if m.weights != nil {
			weight = m.weights[id]
		}
		for i, x := range m.matrix[row] {
			sum[i] += weight * x
		}
	}
	return sum
}

func TestStaticIsTheMeanOfItsPieces(t *testing.T) {
	plain := tinyModel()
	long := tinyModel()
	long.normalize = false
	narrow := tinyModel()
	narrow.kind = "F16"
	bytes := tinyModel()
	bytes.kind = "I8"
	for _, row := range bytes.matrix {
		for i := range row {
			row[i] = math.Round(row[i] * 40)
		}
	}
	shared := tinyModel()
	shared.matrix = shared.matrix[:9]
	for id := range shared.vocab {
		shared.mapping = append(shared.mapping, len(id)%9)
		shared.weights = append(shared.weights, 0)
	}
	for id := range shared.weights {
		shared.mapping[id], shared.weights[id] = id%9, 0.25*float64(id+1)
	}
	for name, c := range map[string]struct {
		model
		off float64
	}{"F32": {plain, 1e-6}, "not normalised": {long, 1e-6}, "F16": {narrow, 1e-3}, "I8": {bytes, 1e-6}, "quantised": {shared, 1e-6}} {
		e := c.load(t)
		for text, ids := range map[string][]int{
			"Login tests":          {3, 4, 5, 6},
			"test  of\tthe índex!": {5, 9, 16, 7, 13},
			"unheard login":        {3, 4},
			"CAFÉ":                 {10},
			"登录":                   {11, 12},
			"log-in":               {3, 14}, // "in" begins a word, and no such piece is known
			"[PAD]":                nil,
		} {
			v := embed(t, e, Document, text)[0]
			if ids == nil && v != nil || ids != nil && !near(v, mean(c.model, ids...), c.off) {
				t.Errorf("%s: %q has %v", name, text, v)
			}
		}
	}
}

// TestStaticDropsTheUnknownToken checks that the unknown token has no
// influence, even where a text spells it.
func TestStaticDropsTheUnknownToken(t *testing.T) {
	m, dir := tinyModel(), t.TempDir()
	m.write(t, dir)
	if err := replaceIn("tokenizer.json", `"unk_token":"[UNK]"`, `"unk_token":"the"`)(dir); err != nil {
		t.Fatal(err)
	}
	vectors := embed(t, mustNew(t, Options{Provider: "static", Dir: dir}), Document, "the login", "the")
	if !near(vectors[0], mean(m, 3, 4), 1e-6) || vectors[1] != nil {
		t.Error("the unknown token counts")
	}
}

func TestStaticCountsAsManyTokensAsModel2Vec(t *testing.T) {
	m := tinyModel()
	e := m.load(t)
	// The median length of a piece is 4, so 2,048 characters count: 409 times
	// five characters, then "log" of "login"; no more than 512 tokens.
	all := embed(t, e, Document, strings.Repeat("test ", 5000)+"index")[0]
	if !near(all, mean(m, 5), 1e-6) {
		t.Error("what is cut off counts")
	}
	text := strings.Repeat("a ", 513) + "index"
	if !near(embed(t, e, Document, text)[0], mean(m, 15), 1e-6) {
		t.Error("more than 512 tokens count")
	}
}

func TestStaticRefusesWhatItCannotRead(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"no tokenizer":   func(dir string) error { return os.Remove(filepath.Join(dir, "tokenizer.json")) },
		"a folder":       func(dir string) error { os.Remove(dir + "/config.json"); return os.Mkdir(dir+"/config.json", 0o700) },
		"another type":   replaceIn("config.json", "model2vec", "bert"),
		"another model":  replaceIn("tokenizer.json", "WordPiece", "Unigram"),
		"another form":   replaceIn("tokenizer.json", "BertNormalizer", "NFKC"),
		"another split":  replaceIn("tokenizer.json", "BertPreTokenizer", "Metaspace"),
		"a lost unknown": replaceIn("tokenizer.json", `"[UNK]":1`, `"[UNX]":1`),
		"a high id":      replaceIn("tokenizer.json", `"index":7`, `"index":70`),
		"a negative id":  replaceIn("tokenizer.json", `"index":7`, `"index":-7`),
		"another name":   replaceIn("model.safetensors", "embeddings", "embeddingz"),
		"a false shape":  replaceIn("model.safetensors", "[18,6]", "[18,7]"),
		"a small shape":  replaceIn("model.safetensors", "[18,6]", "[18,5]"),
		"a cut file":     func(dir string) error { return os.Truncate(filepath.Join(dir, "model.safetensors"), 300) },
		"not finite":     replaceIn("model.safetensors", string(encode("F32", fakeVector("model log", 6)[:1])), "\x00\x00\xc0\x7f"),
	} {
		dir := t.TempDir()
		tinyModel().write(t, dir)
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		if e, err := New(Options{Provider: "static", Dir: dir}); err == nil {
			t.Errorf("%s: read as %v", name, e.Info())
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error does not say where: %v", name, err)
		}
	}
	if _, err := New(Options{Provider: "static"}); err == nil || !strings.Contains(err.Error(), "set dir in [embed]") {
		t.Errorf("without a folder: %v", err)
	}
}

// Every token must have a row and a weight: no text may reach beyond them.
func TestStaticRefusesWhatDoesNotFit(t *testing.T) {
	all := make([]int, 18)
	for want, change := range map[string]func(*model){
		"18 tokens and 9 vectors":          func(m *model) { m.matrix = m.matrix[:9] },
		"18 tokens and a mapping of 17":    func(m *model) { m.mapping = all[:17] },
		"the mapping names row 18 of 18":   func(m *model) { m.mapping = append(all[:17:17], 18) },
		"the mapping names row -1 of 18":   func(m *model) { m.mapping = append(all[:17:17], -1) },
		"18 tokens and 3 weights":          func(m *model) { m.weights = []float64{1, 1, 1} },
		"weights: a number that is not fi": func(m *model) { m.weights = []float64{math.Inf(1)} },
	} {
		m := tinyModel()
		change(&m)
		dir := t.TempDir()
		m.write(t, dir)
		if _, err := New(Options{Provider: "static", Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func replaceIn(name, old, new string) func(string) error {
	return func(dir string) error {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(data), old) {
			return os.ErrNotExist
		}
		return os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o600)
	}
}

func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float32{0: 0, 0x3c00: 1, 0xc000: -2, 0x3555: 0.33325195, 1: 5.9604645e-08, 0x7bff: 65504} {
		if got := half(bits); got != want {
			t.Errorf("%#x: %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(float64(half(0x7e00))) || !math.IsInf(float64(half(0xfc00)), -1) {
		t.Error("NaN or infinity")
	}
	if got := half(toHalf(-0.7)); math.Abs(float64(got)+0.7) > 1e-3 {
		t.Errorf("%v", got)
	}
}

func TestSplitWords(t *testing.T) {
	got := splitWords("don't stop—now  a.b\n「x」")
	if want := []string{"don", "'", "t", "stop", "—", "now", "a", ".", "b", "「", "x", "」"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

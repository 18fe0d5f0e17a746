package embed

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func FuzzSafetensors(f *testing.F) {
	f.Add(tinyModel().tensors())
	for _, header := range []string{
		`{}`, `{"embeddings":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`, `{"embeddings":{"dtype":"F16","shape":[4611686018427387904,4],"data_offsets":[0,8]}}`,
		`{"embeddings":{"dtype":"I8","shape":[],"data_offsets":[-1,8]}}`, `{"embeddings":null}`,
	} {
		f.Add(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header+"12345678"...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &static{tokens: &tokenizer{size: 1}}
		if s.setTensors(data) == nil && (s.dimensions <= 0 || len(s.matrix)%s.dimensions != 0) {
			t.Errorf("%d numbers of %d dimensions", len(s.matrix), s.dimensions)
		}
	})
}

func FuzzTokenizer(f *testing.F) {
	f.Add(string(tinyModel().tokenizer()), "Login tests of 登录")
	f.Add(strings.Replace(string(tinyModel().tokenizer()), `"##"`, `""`, 1), "logs")
	f.Add(`{"model":{"type":"WordPiece","vocab":{"":0}},"normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":"BertPreTokenizer"}}`, "a\u0301")
	f.Fuzz(func(t *testing.T, file, text string) {
		tokens, err := parseTokenizer([]byte(file))
		if err != nil {
			return
		}
		ids := tokens.ids(text)
		for _, id := range ids {
			if id < 0 || id >= tokens.size || id == tokens.unknown {
				t.Errorf("%q has the token %d of %d", text, id, tokens.size)
			}
		}
		if len(ids) > maxTokens {
			t.Errorf("%d tokens", len(ids))
		}
	})
}

func FuzzConfig(f *testing.F) {
	dir := f.TempDir()
	tinyModel().write(f, dir)
	config, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(config)
	f.Add([]byte(`{"model_type": 7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := New(Options{Provider: "static", Dir: dir})
		if err == nil {
			checkUnit(t, embed(t, e, Document, "login")[0], 6)
		}
	})
}

// FuzzAnswer reads one answer as both protocols do.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"embeddings": [[1,2],[3,4]]}`, `{"data": [{"index":1,"embedding":[1,2]},{"index":0,"embedding":[3,4]}]}`, `{"error": {"message": 1}}`,
		`{"embeddings": [[1e400],[null]]}`, `{"data": null}`, `[]`, `{"embeddings": [[0.0],[-0]]}`,
	} {
		f.Add([]byte(s))
	}
	e := &endpoint{key: secret}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range []protocol{ollama{}, openAI{}} {
			answer, err := p.vectors(e, data, 2)
			if err == nil {
				vectors, err := units(answer, 2, 0)
				for _, v := range vectors {
					checkUnit(t, v, len(vectors[0]))
				}
				if err == nil && len(vectors) != 2 {
					t.Errorf("%d vectors", len(vectors))
				}
			}
		}
	})
}

func FuzzClaudeAnswer(f *testing.F) {
	one := "[" + strings.Repeat("0.5,", len(axes)-1) + "-1]"
	for _, answer := range []string{one, "```json\n[" + one + "]\n```", "[" + one + "]", "```", "no"} {
		f.Add(answer)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		vectors, err := claudeVectors(answer, 1)
		if err == nil {
			checkUnit(t, vectors[0], len(axes))
		}
	})
}

package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// fakeVector returns the vector of a made-up model for a text: not of length 1,
// and different for each text.
func fakeVector(text string, dimensions int) []float64 {
	sum := sha256.Sum256([]byte(text))
	random := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), 1))
	v := make([]float64, dimensions)
	for i := range v {
		v[i] = random.NormFloat64()
	}
	return v
}

// modelServer speaks Ollama's and OpenAI's protocol. Answers of the latter
// come in any order, numbered.
type modelServer struct {
	mu       sync.Mutex
	requests []serverRequest
}

type serverRequest struct {
	Path, Key  string
	Model      string
	Input      []string
	Dimensions int
	Format     string `json:"encoding_format"`
}

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := serverRequest{Path: r.URL.Path, Key: r.Header.Get("Authorization"), Dimensions: 48}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.Method != http.MethodPost {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	switch r.URL.Path {
	case "/api/embed":
		answer := struct {
			Model      string      `json:"model"`
			Embeddings [][]float64 `json:"embeddings"`
		}{Model: req.Model}
		for _, text := range req.Input {
			answer.Embeddings = append(answer.Embeddings, fakeVector(text, req.Dimensions))
		}
		json.NewEncoder(w).Encode(answer)
	case "/v1/embeddings":
		type item struct {
			Object    string    `json:"object"`
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		data := make([]item, len(req.Input))
		for i, at := range rand.Perm(len(req.Input)) {
			data[i] = item{"embedding", at, fakeVector(req.Input[at], req.Dimensions)}
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "model": req.Model})
	default:
		http.NotFound(w, r)
	}
}

// last returns the last request.
func (s *modelServer) last() serverRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[len(s.requests)-1]
}

func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func mustNew(t testing.TB, o Options) Embedder {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

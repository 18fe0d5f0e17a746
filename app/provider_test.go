package app_test

import (
	"encoding/json"
	"hash/fnv"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// provider is a server on loopback that speaks OpenAI's embeddings protocol, at one address for the whole test. It
// misbehaves in the selected way.
type provider struct {
	t      *testing.T
	addr   string
	server *httptest.Server
	over   chan struct{} // closed when the test ends

	mu    sync.Mutex
	mode  string
	asked []string // all texts
}

// The ways in which a provider behaves.
const (
	well      = ""
	down      = "down"      // no server listens
	silent    = "silent"    // it never answers
	dimension = "dimension" // vectors of another dimension than before
	tooFew    = "too few"   // a vector is missing
	refusing  = "refusing"  // 401
)

func newProvider(t *testing.T) *provider {
	p := &provider{t: t, addr: "127.0.0.1:0", over: make(chan struct{})}
	p.listen()
	t.Cleanup(func() {
		close(p.over)
		if p.server != nil {
			p.server.Close()
		}
	})
	return p
}

func (p *provider) listen() {
	p.t.Helper()
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.addr = l.Addr().String()
	p.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: p}}
	p.server.Start()
}

// be sets the behaviour of the provider from now on.
func (p *provider) be(mode string) {
	p.t.Helper()
	p.mu.Lock()
	p.mode = mode
	p.mu.Unlock()
	switch {
	case mode == down:
		p.server.Close()
		p.server = nil
	case p.server == nil:
		p.listen()
	}
}

func (p *provider) texts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Input      []string
		Dimensions int
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || r.URL.Path != "/v1/embeddings" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	mode := p.mode
	p.asked = append(p.asked, ask.Input...)
	p.mu.Unlock()
	dimensions := 64
	switch {
	case mode == silent:
		<-p.over
		return
	case mode == refusing:
		w.WriteHeader(http.StatusUnauthorized)
		return
	case mode == dimension:
		dimensions = 32
	case ask.Dimensions > 0:
		dimensions = ask.Dimensions
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float64 `json:"embedding"`
	}
	data := []item{}
	for i, text := range ask.Input {
		data = append(data, item{i, hashed(text, dimensions)})
	}
	if mode == tooFew {
		data = data[1:]
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// hashed returns a vector for a text. Texts with common words have near vectors.
func hashed(text string, dimensions int) []float64 {
	v := make([]float64, dimensions)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(word))
		v[int(sum.Sum32())%dimensions]++
	}
	return v
}

// settings returns the [embed] settings for the provider.
func (p *provider) settings(lines ...string) string {
	return strings.Join(append([]string{"[embed]", `provider = "openai"`, `base_url = "http://` + p.addr + `/v1"`}, lines...), "\n") + "\n"
}

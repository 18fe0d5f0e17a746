package modeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// maxBody limits one request: agents send the whole conversation each turn.
const maxBody = 64 << 20

// Server answers a Script. Its methods may be called from any goroutine.
type Server struct {
	URL string // http://127.0.0.1:port

	tb     testing.TB
	http   *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	script   Script
	requests []Request
	arrived  chan struct{} // closed and replaced when a request arrives
	missing  []string
}

// New starts a server that is closed when the test ends. The test fails then if
// a conversation requested more turns than the script has.
func New(tb testing.TB, script Script) *Server {
	tb.Helper()
	s := &Server{tb: tb, script: script, closed: make(chan struct{}), arrived: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", s.handle(messages))
	mux.HandleFunc("POST /model/{model}/invoke-with-response-stream", s.handle(bedrock))
	mux.HandleFunc("POST /v1/responses", s.handle(responses))
	mux.HandleFunc("POST /v1/chat/completions", s.handle(completions))
	mux.HandleFunc("POST /v1beta/models/{call}", s.gemini)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, object{"input_tokens": 100})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusNotFound, object{}) })
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	tb.Cleanup(s.close)
	return s
}

// Requests returns the requests of one kind so far, in order.
func (s *Server) Requests(kind Kind) []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		if r.Kind == kind {
			out = append(out, r)
		}
	}
	return out
}

// Prompts returns the user's prompts in the main conversation, each once, in
// order, beginning with the first run.
func (s *Server) Prompts() []string {
	var out []string
	for _, r := range s.Requests(Main) {
		if p := r.Prompt(); len(out) == 0 || out[len(out)-1] != p {
			out = append(out, p)
		}
	}
	return out
}

// Arrived returns a channel that is closed when the server has received n
// requests of the main conversation, or is closed.
func (s *Server) Arrived(n int) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			s.mu.Lock()
			next := s.arrived
			s.mu.Unlock()
			if len(s.Requests(Main)) >= n {
				return
			}
			select {
			case <-next:
			case <-s.closed:
				return
			}
		}
	}()
	return done
}

func (s *Server) close() {
	close(s.closed) // releases held connections, which http.Close waits for
	s.http.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.missing {
		s.tb.Error("modeltest: " + m)
	}
}

func (s *Server) handle(p protocol) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, p) }
}

// gemini answers the calls of a model, which its path names: it counts tokens,
// or answers as a stream or whole.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request) {
	_, call, _ := strings.Cut(r.PathValue("call"), ":")
	switch call {
	case "countTokens":
		reply(w, http.StatusOK, object{"totalTokens": 100})
	case "generateContent":
		s.answer(w, r, geminiWhole)
	default:
		s.answer(w, r, gemini)
	}
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, p protocol) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		p.refuse(w, failure{http.StatusRequestEntityTooLarge, "request_too_large", err.Error()})
		return
	}
	req, err := parseRequest(r, body)
	if err == nil && p.read != nil {
		err = p.read(&req)
	}
	if err != nil {
		p.refuse(w, failure{http.StatusBadRequest, "invalid_request_error", err.Error()})
		return
	}
	turn, seq := s.next(req, p.side)
	if turn.fail != nil {
		p.refuse(w, *turn.fail)
		return
	}
	if !turn.hold || len(turn.blocks) > 0 {
		p.write(w, turn, req.Model, seq)
	}
	if turn.hold {
		select {
		case <-s.closed:
		case <-r.Context().Done():
		}
	}
}

// next records a request and removes its turn from the script. side answers
// side requests without a turn.
func (s *Server) next(req Request, side Turn) (Turn, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	close(s.arrived)
	s.arrived = make(chan struct{})
	seq := len(s.requests)
	turns := &s.script.Main
	switch req.Kind {
	case Side:
		if len(s.script.Side) == 0 {
			return side, seq
		}
		turns = &s.script.Side
	case Sub:
		turns = &s.script.Sub
	}
	if len(*turns) == 0 {
		m := fmt.Sprintf("the script has no turn left for request %d, %s (%s): %.200q", seq, req.Path, req.Kind, req.shown())
		s.missing = append(s.missing, m)
		return Fail(http.StatusBadRequest, "invalid_request_error", m), seq
	}
	turn := (*turns)[0]
	if len(*turns) > 1 || !s.script.Always || req.Kind != Main {
		*turns = (*turns)[1:]
	}
	return turn, seq
}

type object = map[string]any

func reply(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}

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

// Server answers a script. Its methods may be called from any goroutine.
type Server struct {
	URL string // http://127.0.0.1:port

	tb     testing.TB
	http   *httptest.Server
	closed chan struct{}

	mu       sync.Mutex
	script   []Turn
	always   bool // the last turn answers all further requests
	requests []Request
	arrived  chan struct{} // closed and replaced when a request arrives
	missing  []string
}

// Request is one request as the server received it.
type Request struct {
	Path string
	Body []byte // the complete JSON
	Main bool   // it offers tools, and used a turn
}

// New starts a server that is closed when the test ends. The test fails then if
// a conversation requested more turns than the script has.
func New(tb testing.TB, script ...Turn) *Server {
	tb.Helper()
	s := &Server{tb: tb, script: script, closed: make(chan struct{}), arrived: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/responses", s.handle(responses))
	mux.HandleFunc("POST /v1/chat/completions", s.handle(completions))
	mux.HandleFunc("POST /v1beta/models/{call}", s.handle(gemini))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusNotFound, object{}) })
	s.http = httptest.NewServer(mux)
	s.URL = s.http.URL
	tb.Cleanup(s.close)
	return s
}

// Always makes the script's last turn the answer to all further requests too.
func (s *Server) Always() *Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = true
	return s
}

// Requests returns the requests that used a turn, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Request
	for _, r := range s.requests {
		if r.Main {
			out = append(out, r)
		}
	}
	return out
}

// Arrived returns a channel that is closed when n requests have used a turn, or
// when the server is closed.
func (s *Server) Arrived(n int) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			s.mu.Lock()
			next := s.arrived
			s.mu.Unlock()
			if len(s.Requests()) >= n {
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

// protocol writes a turn in the form of one API. seq numbers the answers.
type protocol func(w http.ResponseWriter, t Turn, seq int)

func (s *Server) handle(write protocol) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			refuse(w, Fail(http.StatusRequestEntityTooLarge, err.Error()))
			return
		}
		if strings.HasSuffix(r.URL.Path, ":countTokens") {
			reply(w, http.StatusOK, object{"totalTokens": 100})
			return
		}
		turn, seq := s.next(Request{Path: r.URL.Path, Body: body, Main: offersTools(body)})
		switch {
		case turn.hold:
			select {
			case <-s.closed:
			case <-r.Context().Done():
			}
		case turn.status != 0:
			refuse(w, turn)
		case strings.HasSuffix(r.URL.Path, ":generateContent"):
			reply(w, http.StatusOK, content(turn))
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			write(w, turn, seq)
		}
	}
}

func offersTools(body []byte) bool {
	var req struct{ Tools []json.RawMessage }
	return json.Unmarshal(body, &req) == nil && len(req.Tools) > 0
}

// next records a request and removes its turn from the script.
func (s *Server) next(req Request) (Turn, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, req)
	close(s.arrived)
	s.arrived = make(chan struct{})
	seq := len(s.requests)
	switch {
	case !req.Main:
		return Say(`{"reasoning":"none","next_speaker":"user","model_choice":"flash","complexity_reasoning":"none","complexity_score":1}`), seq
	case len(s.script) == 0:
		m := fmt.Sprintf("the script has no turn left for request %d, %s: %.200q", seq, req.Path, req.Body)
		s.missing = append(s.missing, m)
		return Fail(http.StatusBadRequest, m), seq
	}
	turn := s.script[0]
	if len(s.script) > 1 || !s.always {
		s.script = s.script[1:]
	}
	return turn, seq
}

// refuse answers with an error in the common form of OpenAI and Gemini.
func refuse(w http.ResponseWriter, t Turn) {
	reply(w, t.status, object{"error": object{"code": t.status, "message": t.reason, "type": "scripted", "status": "SCRIPTED"}})
}

type object = map[string]any

func reply(w http.ResponseWriter, status int, body object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left needs no answer
}

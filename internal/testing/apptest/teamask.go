package apptest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TeamDouble answers searches as a team's server does, and counts them.
type TeamDouble struct {
	*httptest.Server
	Asked  atomic.Int32
	answer func(w http.ResponseWriter, r *http.Request)
}

func NewTeamDouble(t *testing.T, answer func(w http.ResponseWriter, r *http.Request)) *TeamDouble {
	d := &TeamDouble{answer: answer}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.Asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection only after it has read the body
		d.answer(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

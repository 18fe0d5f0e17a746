package server

import (
	"context"
	"net/http"
	"testing"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/team"
)

// TestTeamEventsEnd checks that a stream of events ends once its token is
// revoked, and continues while the database cannot be asked.
func TestTeamEventsEnd(t *testing.T) {
	h := newHall(t, "")
	ada, bob := h.token(team.TokenRequest{Name: "Ada"}), h.token(team.TokenRequest{Name: "Bob"})
	h.server.streams.beat = time.Hour
	open := func(token string) (over chan struct{}) {
		over = make(chan struct{})
		go func() {
			defer close(over)
			h.server.ServeHTTP(&discarded{}, h.request(token, "GET", base+"/events?repository=shop", "").WithContext(h.t.Context()))
		}()
		return over
	}
	first, second := open(ada), open(bob)
	if err := team.RevokeToken(t.Context(), app.Env{Vars: h.Env}, "Ada"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-first:
	case <-time.After(10 * time.Second):
		t.Error("the stream of a revoked token goes on")
	}
	select {
	case <-second:
		t.Error("another stream ended")
	default:
	}
}

// TestTeamEventsOfOne checks that one token may use a part of the streams, and
// that a stream that ends is released.
func TestTeamEventsOfOne(t *testing.T) {
	s := newStreams(t.Context(), func(ctx context.Context, _ *app.Memory, _ func(api.Event)) error { <-ctx.Done(); return nil })
	open := func(token string) *feed {
		f, _, err := s.open(Repository{Name: "shop"}, "", token)
		if err != nil && app.AsError(err).Kind != app.KindUnavailable {
			t.Fatal(err)
		}
		return f
	}
	var feeds []*feed
	for range maxOfOne {
		feeds = append(feeds, open("Eve"))
	}
	if open("Eve") != nil || open("Ada") == nil {
		t.Error("one token may take all streams, or none is left for others")
	}
	for _, f := range feeds {
		f.close()
		f.close()
	}
	if open("Eve") == nil || len(s.of) != 2 {
		t.Errorf("what was given back is lost: %v", s.of)
	}
}

// discarded is a reader of a stream.
type discarded struct{ header http.Header }

func (d *discarded) Header() http.Header {
	if d.header == nil {
		d.header = http.Header{}
	}
	return d.header
}
func (*discarded) Write(p []byte) (int, error) { return len(p), nil }
func (*discarded) WriteHeader(int)             {}
func (*discarded) FlushError() error           { return nil }

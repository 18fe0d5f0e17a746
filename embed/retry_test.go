package embed

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// inMemory sends requests to a handler without a network, so that a test can
// use fake time.
type inMemory struct{ http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	m.ServeHTTP(w, r)
	return w.Result(), nil
}

// failing is a server that answers code for the first fails requests.
type failing struct {
	code, fails int
	after       func() string // the Retry-After header
	times       []time.Time
}

func (f *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.times = append(f.times, time.Now())
	if len(f.times) > f.fails {
		(&modelServer{}).ServeHTTP(w, r)
		return
	}
	if f.after != nil {
		w.Header().Set("Retry-After", f.after())
	}
	w.WriteHeader(f.code)
	fmt.Fprint(w, `{"error": {"message": "rate limit"}}`)
}

func TestTryingAgain(t *testing.T) {
	seconds := func() string { return "7" }
	for name, c := range map[string]struct {
		server   failing
		deadline time.Duration
		tries    int
		least    time.Duration // that all tries took
		most     time.Duration
		want     string // error
	}{
		"seconds":         {failing{429, 1, seconds, nil}, 0, 2, 7 * time.Second, 7 * time.Second, ""},
		"a date":          {failing{503, 1, func() string { return time.Now().Add(5 * time.Second).UTC().Format(http.TimeFormat) }, nil}, 0, 2, 5 * time.Second, 5 * time.Second, ""},
		"a date gone by":  {failing{503, 1, func() string { return "Thu, 01 Jan 1970 00:00:00 GMT" }, nil}, 0, 2, firstWait / 2, firstWait, ""},
		"odd":             {failing{429, 1, func() string { return "soon" }, nil}, 0, 2, firstWait / 2, firstWait, ""},
		"below zero":      {failing{429, 1, func() string { return "-9" }, nil}, 0, 2, firstWait / 2, firstWait, ""},
		"unsaid":          {failing{429, 2, nil, nil}, 0, 3, 3 * firstWait / 2, 3 * firstWait, ""},
		"a broken server": {failing{500, 2, nil, nil}, 0, 3, 3 * firstWait / 2, 3 * firstWait, ""},
		"a bad gateway":   {failing{502, 1, nil, nil}, 0, 2, firstWait / 2, firstWait, ""},
		"for good":        {failing{500, 9, nil, nil}, 0, 3, 3 * firstWait / 2, 3 * firstWait, "answered 500 Internal Server Error (rate limit)"},
		"beyond deadline": {failing{429, 1, seconds, nil}, 3 * time.Second, 1, 0, 0, "it asks to wait 7s"},
		"within deadline": {failing{429, 1, seconds, nil}, 8 * time.Second, 2, 7 * time.Second, 7 * time.Second, ""},
		"no time at all":  {failing{500, 1, nil, nil}, firstWait / 4, 1, 0, 0, "answered 500"},
		"too long":        {failing{429, 1, func() string { return "86400" }, nil}, 0, 1, 0, 0, "it asks to wait 24h0m0s"},
		"far too long":    {failing{429, 1, func() string { return "9223372036854775" }, nil}, 0, 1, 0, 0, "it asks to wait"},
		"a bad request":   {failing{400, 1, seconds, nil}, 0, 1, 0, 0, "answered 400 Bad Request (rate limit)"},
		"unauthorised":    {failing{401, 1, seconds, nil}, 0, 1, 0, 0, "answered 401"},
		"not there":       {failing{501, 1, nil, nil}, 0, 1, 0, 0, "answered 501"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				e := mustNew(t, Options{Provider: "openai", BaseURL: "https://host/v1", Model: "m", APIKey: secret, Transport: inMemory{&c.server}})
				start := time.Now()
				_, err := e.Embed(ctx, Document, []string{"login"})
				took := time.Since(start)
				if len(c.server.times) != c.tries || took < c.least || took > c.most {
					t.Errorf("%d tries in %v", len(c.server.times), took)
				}
				if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// Who waits for the next try can still be called off.
func TestCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := &failing{code: 429, fails: 9, after: func() string { return "50" }}
		e := mustNew(t, Options{Provider: "ollama", Transport: inMemory{server}})
		time.AfterFunc(2*time.Second, cancel)
		start := time.Now()
		_, err := e.Embed(ctx, Document, []string{"login"})
		if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) || time.Since(start) != 2*time.Second {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

// silent is a transport that never answers.
type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestUsualTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := mustNew(t, Options{Provider: "ollama", Transport: silent{}}).Embed(t.Context(), Document, []string{"login"})
		if err == nil || !strings.Contains(err.Error(), "no answer within 10s; see timeout in [embed]") || time.Since(start) != defaultTimeout {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

package embed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const secret = "sk-very-secret"

// remotes returns one embedder of each protocol at url, with a key.
func remotes(t testing.TB, url string, change func(*Options)) []Embedder {
	var out []Embedder
	for _, o := range []Options{
		{Provider: "ollama", BaseURL: url, Model: "m"},
		{Provider: "openai", BaseURL: url + "/v1", Model: "m"},
	} {
		o.APIKey = secret
		if change != nil {
			change(&o)
		}
		out = append(out, mustNew(t, o))
	}
	return out
}

// answers returns a server that gives the same answer to all requests.
func answers(code int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// TestServersThatFail checks that a server that fails or lies gives an error
// that names the server and what to do; never a vector, never the key.
func TestServersThatFail(t *testing.T) {
	both := func(vectors string) string {
		return fmt.Sprintf(`{"embeddings": [%s], "data": [%s]}`, strings.ReplaceAll(vectors, "|", ","), numbered(vectors))
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"unauthorised":        {answers(401, `{"error": {"message": "Incorrect API key provided: `+secret+`"}}`), "variable that api_key_env in [embed] names"},
		"no such model":       {answers(404, `{"error": "model \"m\" not found, try pulling it first"}`), `(model "m" not found, try pulling it first); see model`},
		"bad request":         {answers(400, `{"error": {"message": "dimensions\n\u001b[31m not supported"}}`), "answered 400 Bad Request (dimensions [31m not supported)"},
		"a redirect":          {answers(307, "", "Location", "http://127.0.0.1:1/elsewhere"), "redirects are not followed"},
		"an error that is OK": {answers(200, `{"error": {"message": "overloaded"}}`), "answered with an error (overloaded)"},
		"an error in OK":      {answers(200, `{"error": "no memory"}`), "(no memory)"},
		"a page":              {answers(200, `<html>Sign in</html>`), "holds no vectors"},
		"nothing":             {answers(200, ``), "holds no vectors"},
		"another object":      {answers(200, `{"object": "list"}`), "0 vectors for 2 texts"},
		"too few":             {answers(200, both("[1,2]")), "1 vectors for 2 texts"},
		"too many":            {answers(200, both("[1,2]|[3,4]|[5,6]")), "3 vectors for 2 texts"},
		"two lengths":         {answers(200, both("[1,2]|[3,4,5]")), "vector 1 has 3 dimensions, want 2"},
		"NaN":                 {answers(200, both("[1,2]|[NaN,1]")), "holds no vectors"},
		"null":                {answers(200, both("[1,2]|[null,1]")), "null in a vector"},
		"no vector":           {answers(200, both("[1,2]|null")), "holds no vectors"},
		"infinite":            {answers(200, both("[1,2]|[1e400,1]")), "holds no vectors"},
		"huge":                {answers(200, both("[1,2]|[1e300,1]")), "not finite"},
		"zero":                {answers(200, both("[1,2]|[0,0]")), "length 0"},
		"empty":               {answers(200, both("[]|[]")), "length 0"},
		"text":                {answers(200, both(`[1,2]|["a",1]`)), "holds no vectors"},
		"base64":              {answers(200, both(`[1,2]|"AACAPw=="`)), "holds no vectors"},
		"cut":                 {answers(200, `{"data": [{"embedding": [0.1, 0.2`, "Content-Length", "5000"), "read the answer: unexpected EOF"},
	} {
		url := serve(t, c.handler)
		for _, e := range remotes(t, url, nil) {
			_, err := e.Embed(t.Context(), Document, []string{"login", "test"})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "embed 2 texts with ") || !strings.Contains(err.Error(), " at "+url) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
			if strings.Contains(fmt.Sprintf("%+v", err), secret) {
				t.Errorf("%s: the key stands in %v", name, err)
			}
			if refused := strings.Contains(c.want, "answered 400") || strings.Contains(c.want, "answered 413") || strings.Contains(c.want, "answered 422"); errors.Is(err, ErrRefused) != refused {
				t.Errorf("%s: %v is ErrRefused: %v", name, err, !refused)
			}
		}
	}
}

// numbered returns OpenAI's list of items for vectors that are separated by |.
func numbered(vectors string) string {
	var items []string
	for i, v := range strings.Split(vectors, "|") {
		items = append(items, fmt.Sprintf(`{"index": %d, "embedding": %s}`, i, v))
	}
	return strings.Join(items, ",")
}

func TestAnswersNumberedWrongly(t *testing.T) {
	for data, want := range map[string]string{
		`{"index":0,"embedding":[1,2]},{"index":0,"embedding":[1,2]}`:  "numbers its vectors wrongly: 0",
		`{"index":1,"embedding":[1,2]},{"index":2,"embedding":[1,2]}`:  "numbers its vectors wrongly: 2",
		`{"index":-1,"embedding":[1,2]},{"index":0,"embedding":[1,2]}`: "numbers its vectors wrongly: -1",
		`{"embedding":[1,2]},{"index":1,"embedding":[1,2]}`:            "numbers some",
		`{"index":0},{"index":1,"embedding":[1,2]}`:                    "vector 0 is missing",
		`{"embedding":[1,0]},{"embedding":[0,1]}`:                      "",
	} {
		e := remotes(t, serve(t, answers(200, `{"data":[`+data+`]}`)), nil)[1]
		v, err := e.Embed(t.Context(), Document, []string{"login", "test"})
		if want == "" && (err != nil || v[0][0] != 1 || v[1][1] != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, error %v", data, v, err)
		}
	}
}

func TestWrongDimensions(t *testing.T) {
	url := serve(t, answers(200, `{"embeddings": [[1,2,3]], "data": [{"embedding": [1,2,3]}]}`))
	for _, e := range remotes(t, url, func(o *Options) { o.Dimensions = 256 }) {
		if _, err := e.Embed(t.Context(), Document, []string{"login"}); err == nil || !strings.Contains(err.Error(), "3 dimensions, want 256; see dimensions in [embed]") {
			t.Errorf("error %v", err)
		}
	}
}

// A model that is replaced while the program runs is noticed.
func TestDimensionsThatChange(t *testing.T) {
	more := false
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		v := map[bool]string{false: "[1,2]", true: "[1,2,3]"}[more]
		fmt.Fprintf(w, `{"embeddings": [%s], "data": [{"embedding": %s}]}`, v, v)
	}))
	for _, e := range remotes(t, url, nil) {
		more = false
		embed(t, e, Document, "login")
		more = true
		if _, err := e.Embed(t.Context(), Document, []string{"login"}); err == nil || e.Info().Dimensions != 2 {
			t.Errorf("error %v, %+v", err, e.Info())
		}
	}
}

func TestLargeAnswer(t *testing.T) {
	url := serve(t, answers(200, strings.Repeat(" ", 2000)+`{"embeddings": [[1]], "data": [{"embedding": [1]}]}`))
	for _, e := range remotes(t, url, nil) {
		e.(*remote).limit = 1000
		if _, err := e.Embed(t.Context(), Document, []string{"login"}); err == nil || !strings.Contains(err.Error(), "larger than 1000 bytes") {
			t.Errorf("error %v", err)
		}
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	listener.Close()
	for _, e := range remotes(t, url, nil) {
		_, err := e.Embed(t.Context(), Document, []string{"login"})
		if err == nil || !strings.Contains(err.Error(), "refused") || strings.Count(err.Error(), url) != 1 {
			t.Errorf("error %v", err)
		}
	}
}

// An answer that does not come ends with the request's own time, the caller's
// deadline, or the caller's wish.
func TestServerThatIsSlow(t *testing.T) {
	asked := make(chan bool, 1)
	url := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // only then the server sees the client go
		asked <- true
		<-r.Context().Done()
	}))
	for _, e := range remotes(t, url, func(o *Options) { o.Timeout = 20 * time.Millisecond }) {
		_, err := e.Embed(t.Context(), Document, []string{"login"})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer within 20ms; see timeout in [embed]") {
			t.Errorf("error %v", err)
		}
		<-asked
	}
	for _, e := range remotes(t, url, nil) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := e.Embed(ctx, Document, []string{"login"})
		if cancel(); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "[embed]") {
			t.Errorf("error %v", err)
		}
		<-asked
		ctx, cancel = context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		if _, err := e.Embed(ctx, Document, []string{"login"}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}

// Neither texts nor key follow a redirect.
func TestRedirects(t *testing.T) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		elsewhere := &modelServer{}
		url := serve(t, http.RedirectHandler(serve(t, elsewhere)+"/api/embed", code))
		for _, e := range remotes(t, url, nil) {
			if _, err := e.Embed(t.Context(), Document, []string{"login"}); err == nil || len(elsewhere.requests) > 0 {
				t.Errorf("%d: error %v, %d requests elsewhere", code, err, len(elsewhere.requests))
			}
		}
	}
}

func TestRequests(t *testing.T) {
	server := &modelServer{}
	url := serve(t, server)
	for _, c := range []struct {
		options Options
		role    Role
		want    serverRequest
	}{
		{Options{Provider: "ollama", BaseURL: url}, Query,
			serverRequest{"/api/embed", "", "nomic-embed-text", []string{"search_query: login"}, 48, ""}},
		{Options{Provider: "ollama", BaseURL: url + "/", Model: "hf.co/nomic-ai/nomic-embed-text-v1.5:q8", APIKey: "k", Dimensions: 64}, Document,
			serverRequest{"/api/embed", "Bearer k", "hf.co/nomic-ai/nomic-embed-text-v1.5:q8", []string{"search_document: login"}, 64, ""}},
		{Options{Provider: "ollama", BaseURL: url, Model: "all-minilm"}, Query,
			serverRequest{"/api/embed", "", "all-minilm", []string{"login"}, 48, ""}},
		{Options{Provider: "openai", BaseURL: url + "/v1", Model: "text-embedding-3-large", Dimensions: 64, APIKey: "k"}, Query,
			serverRequest{"/v1/embeddings", "Bearer k", "text-embedding-3-large", []string{"login"}, 64, "float"}},
		{Options{Provider: "openai", BaseURL: url + "/v1", Model: "mxbai-embed-large"}, Query,
			serverRequest{"/v1/embeddings", "", "mxbai-embed-large", []string{passages + "login"}, 48, "float"}},
		{Options{Provider: "glm", BaseURL: url + "/v1", APIKey: "k"}, Document,
			serverRequest{"/v1/embeddings", "Bearer k", "embedding-3", []string{"login"}, 48, ""}},
	} {
		embed(t, mustNew(t, c.options), c.role, "login")
		if have := server.last(); fmt.Sprint(have) != fmt.Sprint(c.want) {
			t.Errorf("%+v\nhave %+v\nwant %+v", c.options, have, c.want)
		}
	}
}

// TestWhatIsSent checks that no request is too large for any texts: a request
// contains only words, and long texts are cut.
func TestWhatIsSent(t *testing.T) {
	server := &modelServer{}
	e := mustNew(t, Options{Provider: "ollama", BaseURL: serve(t, server), Model: "m", Batch: 2})
	long := strings.Repeat("é", maxText)
	embed(t, e, Document, "", "a", "!", long, "\xffb\xf0")
	if len(server.requests) != 2 || !slices.Equal(server.requests[0].Input, []string{"a", long[:maxText]}) || !slices.Equal(server.requests[1].Input, []string{"b"}) {
		t.Errorf("%.100v", server.requests)
	}
}

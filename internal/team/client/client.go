// Package client searches the memories of a team's server.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// Client accesses one server. Its methods are safe for concurrent use.
type Client struct {
	URL   string // as "https://memory.example.com"
	Token string
}

// Limits of a request.
const (
	connectTimeout = 500 * time.Millisecond
	maxAnswer      = 8 << 20 // bytes
)

var transport = &http.Client{
	Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: connectTimeout}).DialContext, TLSHandshakeTimeout: connectTimeout, IdleConnTimeout: time.Minute},
	// A redirect could lead to a server that is not the team's.
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// question is the body of a search: see the server's description of its routes.
type question struct {
	Query         string            `json:"query"`
	Limit         int               `json:"limit"`
	Gate          bool              `json:"gate,omitempty"`
	Explain       bool              `json:"explain"`
	Since         time.Time         `json:"since,omitzero"`
	Until         time.Time         `json:"until,omitzero"`
	Kind          memory.Kind       `json:"kind,omitempty"`
	Types         []memory.FactType `json:"types,omitempty"`
	Tag           string            `json:"tag,omitempty"` // the first tag: an older server ignores Tags
	Tags          []string          `json:"tags,omitempty"`
	Category      string            `json:"category,omitempty"`
	MinImportance float64           `json:"min_importance,omitempty"`
	Path          string            `json:"path,omitempty"`
	Branch        string            `json:"branch,omitempty"`
}

// The server's limits of a search.
const (
	maxHits  = 200
	maxQuery = 16 << 10 // bytes
)

// Search searches all repositories to which the token gives access. Hits have the parts of
// their scores.
func (c Client) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	f := q.Filter
	var first string
	others := f.Tags
	if len(others) > 0 {
		first, others = others[0], others[1:]
	}
	body, err := json.Marshal(question{Query: strings.ToValidUTF8(q.Text[:min(len(q.Text), maxQuery)], ""), Limit: max(1, min(q.Limit, maxHits)), Gate: q.Gate, Explain: true, Since: f.Since, Until: f.Until,
		Kind: f.Kind, Types: f.Types, Tag: first, Tags: others, Category: f.Category, MinImportance: f.MinImportance, Path: f.Path, Branch: f.Branch})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Hits []retrieval.Hit `json:"hits"`
	}
	err = c.ask(ctx, http.MethodPost, "/api/v1/memory/search?repository=*", body, &answer)
	return answer.Hits, err
}

// Repositories returns the names of the repositories to which the token gives access.
func (c Client) Repositories(ctx context.Context) ([]string, error) {
	var answer struct {
		Repositories []string `json:"repositories"`
	}
	err := c.ask(ctx, http.MethodGet, "/api/v1/repositories", nil, &answer)
	return answer.Repositories, err
}

// ask sends one request, and decodes the response into answer.
func (c Client) ask(ctx context.Context, method, path string, body []byte, answer any) error {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.URL, "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+c.Token)
	r.Header.Set("Content-Type", "application/json")
	res, err := transport.Do(r)
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) && !wrapped.Timeout() {
		err = wrapped.Err // without the address, which the caller names
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxAnswer:
		return errors.New("the answer is too large")
	}
	var refused struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if res.StatusCode != http.StatusOK {
		_ = json.Unmarshal(text, &refused) // a proxy may answer with HTML
		return errors.New(strings.TrimSpace(fmt.Sprintf("it says %d %s", res.StatusCode, memory.Clean(refused.Error.Message))))
	}
	if json.Unmarshal(text, answer) != nil {
		return errors.New("it does not answer as a team's server does")
	}
	return nil
}

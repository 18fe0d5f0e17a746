package search

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"agentflow/app"
	"agentflow/internal/atomicfile"
	"agentflow/internal/team/client"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// Limits for queries to the team's server: a caller waits for memory for three seconds in all.
const (
	teamTime = 1500 * time.Millisecond
	teamRest = 30 * time.Second // how long a server that did not answer is not asked again

	// A refusal within this time, as of an unknown token, starts no rest: the server is asked
	// again each time. That costs little, and a corrected setting takes effect at once.
	teamQuick = 250 * time.Millisecond
)

// askTeam searches the team's server that the user has configured. If the server does not
// answer, one line says why. askTeam takes at most teamTime.
func askTeam(ctx context.Context, s *app.Repo, q retrieval.Query) (besideHits, error) {
	c := s.Settings.Team
	hits, err := teamHits(ctx, s, client.Client{URL: c.URL, Token: s.Getenv(c.TokenEnv)}, q)
	if err != nil {
		return besideHits{}, fmt.Errorf("asking the team's server %s: %w", c.URL, err)
	}
	return besideHits{label: memory.TeamLabel, hits: hits}, nil
}

func teamHits(ctx context.Context, s *app.Repo, c client.Client, q retrieval.Query) ([]retrieval.Hit, error) {
	if c.Token == "" {
		return nil, fmt.Errorf("the variable %s, which token_env in [team] names, is not set", s.Settings.Team.TokenEnv)
	}
	rest := restFile(s.Dirs.State, c.URL)
	if ago := time.Since(rest.Since()); ago >= 0 && ago < teamRest {
		return nil, fmt.Errorf("it did not answer %s ago, and is not asked for %s", ago.Round(time.Second), teamRest)
	}
	began := time.Now()
	short, cancel := context.WithTimeout(ctx, teamTime)
	defer cancel()
	hits, err := c.Search(short, q)
	switch {
	case err == nil:
		rest.End()
	case ctx.Err() == nil && time.Since(began) > teamQuick: // else the caller could not wait
		rest.Begin()
	}
	for i := range hits {
		h := &hits[i]
		if h.Explain == nil || h.Repository == "" {
			return nil, errors.New("it does not answer as a team's server does")
		}
		h.Path = h.Repository + ":" + h.Path
		h.Text, h.Heading = s.Redact.Text(h.Text), app.CleanLine(h.Heading)
	}
	return hits, err
}

// teamRests is a file that exists while the team's server is not asked; empty if there
// is no place for it. If it cannot be written, each question waits for the server.
type teamRests string

func restFile(state, address string) teamRests {
	if state == "" {
		return ""
	}
	return teamRests(filepath.Join(state, "team-"+url.PathEscape(address)))
}

// Since returns the start of the rest, or the zero time if the server may be asked.
func (f teamRests) Since() time.Time {
	info, err := os.Stat(string(f))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func (f teamRests) Begin() {
	if f != "" && os.MkdirAll(filepath.Dir(string(f)), 0o700) == nil {
		_ = atomicfile.Write(string(f), nil, 0o600)
	}
}

func (f teamRests) End() { _ = os.Remove(string(f)) }

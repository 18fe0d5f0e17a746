package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/team/client"
)

// Bounds of asking the team's server: who waits for memory has three seconds in all.
const (
	teamTime = 1500 * time.Millisecond
	teamRest = 30 * time.Second // for which a server that did not answer is left alone

	// Whatever says no this soon, such as a server that does not know the token, is asked
	// again each time: it costs little, and whoever corrects their settings sees it at once.
	teamQuick = 250 * time.Millisecond
)

// teamLabel begins the paths of what the team's server has found.
const teamLabel = "team:"

// leaveAlone lets the next questions pass a server over. Where that cannot be noted they
// wait too.
func leaveAlone(file string) {
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = atomicfile.Write(file, nil, 0o600)
	}
}

// askTeam asks the team's server, where the user has one. What keeps it from answering is
// one line, and costs nobody more than teamTime.
func (s *openMemory) askTeam(ctx context.Context, q memory.Query) (out besideHits) {
	c := s.settings.Team
	if c.URL == "" || s.team != nil {
		return out
	}
	out.label = teamLabel
	trouble := func(why any) besideHits {
		return besideHits{degraded: []string{fmt.Sprintf("asking the team's server %s: %v", c.URL, why)}}
	}
	token := s.getenv(c.TokenEnv)
	if token == "" {
		return trouble(fmt.Sprintf("the variable %s, which token_env in [team] names, is not set", c.TokenEnv))
	}
	rest := filepath.Join(s.dirs.State, "team-"+url.PathEscape(c.URL))
	if info, err := os.Stat(rest); err == nil {
		if ago := time.Since(info.ModTime()); ago >= 0 && ago < teamRest {
			return trouble(fmt.Sprintf("it did not answer %s ago, and is left alone for %s", ago.Round(time.Second), teamRest))
		}
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, teamTime)
	defer cancel()
	hits, err := client.Client{URL: c.URL, Token: token}.Search(ctx, q)
	if err != nil {
		if s.dirs.State != "" && !errors.Is(err, context.Canceled) && time.Since(began) > teamQuick {
			leaveAlone(rest)
		}
		return trouble(err)
	}
	if err := os.Remove(rest); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return trouble(err)
	}
	for i := range hits {
		h := &hits[i]
		if h.Explain == nil || h.Repository == "" { // no server of ours
			return trouble("it does not answer as a team's server does")
		}
		h.Path = h.Repository + ":" + h.Path
		h.Text, h.Heading = s.redact.Text(h.Text), cleanLine(h.Heading)
	}
	out.hits = hits
	return out
}

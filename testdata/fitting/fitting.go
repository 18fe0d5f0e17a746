// Package fitting reads what the programs beside it fit weights to.
package fitting

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"agentflow/embed"
	"agentflow/internal/eval"
)

// Corpus are the histories that weights are fitted to.
type Corpus struct {
	Histories []eval.History
	Objects   map[string]string // git directories, by the names of histories
	Embedder  embed.Embedder    // the local one
}

// Read reads the histories that arguments name, two at least, each LOG.jsonl=GITDIR: a
// history as 'agentflow eval cochange --log' reads it, and the git directory that
// holds its commits.
func Read(args []string) (c Corpus, err error) {
	c.Objects = map[string]string{}
	if c.Embedder, err = embed.New(embed.Options{Provider: "local"}); err != nil {
		return c, err
	}
	for _, arg := range args {
		log, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return c, fmt.Errorf("%s is not LOG.jsonl=GITDIR", arg)
		}
		h, err := eval.ReadLog(log)
		if err != nil {
			return c, err
		}
		c.Histories = append(c.Histories, h)
		if c.Objects[h.Name], err = filepath.Abs(dir); err != nil {
			return c, err
		}
	}
	if len(c.Histories) < 2 {
		return c, errors.New("it takes two histories at least: LOG.jsonl=GITDIR …")
	}
	return c, nil
}

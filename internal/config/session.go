package config

import (
	"path/filepath"
	"slices"
	"strings"
)

// sessionKeys returns the settings of agents' own sessions. A repository cannot
// set them: they decide in which repositories a person's words are stored.
func sessionKeys(s *Session) []key {
	g := group{user: true, own: true}
	return []key{
		g.text("session.where", &s.Where, "where sessions are remembered once an agent is connected: in `every` repository, in the `listed` ones, or nowhere (`off`); only your own file can set it", oneOf("every", "listed", "off")),
		g.list("session.repositories", &s.Repositories, "the listed ones: folders, with all below them; a leading `~/` is your home"),
		g.integer("session.start_tokens", &s.StartTokens, "tokens of memory that a session begins with, 0 to 10,000", 0, 10_000),
		g.integer("session.recall_tokens", &s.RecallTokens, "tokens of memory for one prompt of a session, 0 to 10,000", 0, 10_000),
		g.duration("session.deadline", &s.Deadline, "how long a prompt of a session waits for recall; more than 0", moreThanNothing),
	}
}

// Remembers reports whether sessions in a work tree are remembered. root is the
// work tree's root, absolute with links resolved; home is the user's home.
func (s Session) Remembers(root, home string) bool {
	if s.Where != "listed" {
		return s.Where == "every"
	}
	return slices.ContainsFunc(s.Repositories, func(folder string) bool {
		if rest, ok := strings.CutPrefix(folder, "~/"); ok {
			folder = filepath.Join(home, rest)
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			folder = real
		}
		rel, err := filepath.Rel(folder, root)
		return err == nil && filepath.IsLocal(rel)
	})
}

package sharing

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/index"
	"agentflow/internal/safefile"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
	"agentflow/internal/slug"
	"agentflow/memory"
)

// Mirror returns the folder with the memory of other clones. Users do not edit it.
func Mirror(s *app.Repo) string { return filepath.Join(s.Root, MirrorName) }

// MirrorName names that folder.
const MirrorName = "shared"

// Sources returns the folders with the memory of others.
func Sources(s *app.Repo) (list []index.Source) {
	if safefile.LeadsOutside(Mirror(s), filepath.Dir(s.Root)) {
		return nil
	}
	authors, err := exchange.ReadAuthors(Mirror(s))
	if err != nil {
		s.Warn("reading who shares memory: %v", err)
	}
	for _, a := range authors {
		if !share.IsID(string(a.ID)) || Muted(s, a) {
			continue
		}
		list = append(list, index.Source{Dir: filepath.Join(Mirror(s), "clones", string(a.ID)), Prefix: Prefix(a), Author: authorOf(s, a, authors)})
	}
	return list
}

// authorOf returns the name that a clone gives itself. If several clones call themselves a
// team's server, only one that the user trusts by its id keeps that name. The others get
// their ids appended.
func authorOf(s *app.Repo, a exchange.Shared, all []exchange.Shared) string {
	name := share.AuthorName(a.Author)
	rival := func(other exchange.Shared) bool { return other.ID != a.ID && share.AuthorName(other.Author) == name }
	if name != app.TeamAuthor || !slices.ContainsFunc(all, rival) || names(s.Settings.Share.Trust, exchange.Shared{ID: a.ID}) {
		return name
	}
	return fmt.Sprintf("%s %.8s", name, a.ID)
}

// Naming returns the prefixes of the sources of a team's server: its facts name persons.
func Naming(s *app.Repo) (prefixes []string) {
	authors, _ := exchange.ReadAuthors(Mirror(s)) // SharedSources warns
	for _, a := range authors {
		if authorOf(s, a, authors) == app.TeamAuthor {
			prefixes = append(prefixes, Prefix(a))
		}
	}
	return prefixes
}

// Muted reports whether the user's settings mute a clone.
func Muted(s *app.Repo, a exchange.Shared) bool { return names(s.Settings.Share.Mute, a) }

// Trusted returns the prefixes of the sources of the clones that the user trusts. In the
// user's own memory all clones are trusted, because they are the user's.
func Trusted(s *app.Repo) (prefixes []string) {
	if len(s.Settings.Share.Trust) == 0 && !s.IsGlobal() {
		return nil
	}
	authors, _ := exchange.ReadAuthors(Mirror(s)) // SharedSources warns
	for _, a := range authors {
		if s.IsGlobal() || names(s.Settings.Share.Trust, a) {
			prefixes = append(prefixes, Prefix(a))
		}
	}
	return prefixes
}

// Prefix returns the path prefix of the files that a clone shares.
func Prefix(a exchange.Shared) string {
	return fmt.Sprintf(memory.SharedFolder+"%s-%.8s/", slug.Of(a.Author), a.ID)
}

// names reports whether a list names a clone: its author, or the beginning of its id.
func names(list []string, a exchange.Shared) bool {
	return slices.ContainsFunc(list, func(who string) bool {
		return who == a.Author || len(who) >= 8 && strings.HasPrefix(string(a.ID), who)
	})
}

package exchange

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"agentflow/internal/share"
	"agentflow/memory/markdown"
)

// shown returns another clone's file without the hidden items. A fact into which a hidden one
// was merged is hidden too, because it says the same.
func (m mirror) shown(text []byte) []byte {
	if !slices.ContainsFunc(m.hidden, func(id string) bool { return strings.Contains(string(text), id) }) {
		return text
	}
	doc := markdown.Parse(text)
	gone := map[string]bool{}
	for _, id := range m.hidden {
		gone[id] = true
	}
	for _, b := range doc.Blocks {
		for _, f := range b.Facts {
			if slices.ContainsFunc(f.IDs(), func(id string) bool { return gone[id] }) {
				gone[f.ID] = true
			}
		}
	}
	rest, _ := doc.RemoveAll(func(id string) bool { return gone[id] })
	return rest
}

// hiddenDigest returns a digest that changes with Hidden, or "" if nothing is hidden.
func (m mirror) hiddenDigest() string {
	if len(m.hidden) == 0 {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(share.Forgotten(m.hidden, nil)))
}

// hidesAnew reports whether the mirror was made with other hidden ids.
func (m mirror) hidesAnew() bool {
	list, err := ReadAuthors(m.dir)
	return err != nil || slices.ContainsFunc(list, func(s Shared) bool { return s.Hidden != m.hiddenDigest() })
}

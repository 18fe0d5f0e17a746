package app

import (
	"context"
	"fmt"

	"agentflow/internal/plural"

	"agentflow/memory"
)

// superseded finds the fact that a new one is to replace, and the memory it
// is in: this one, else the user's own.
func (s *site) superseded(ctx context.Context, ref string) (*site, storedFact, error) {
	home, f, err := s.findAnywhere(ctx, ref)
	if err != nil {
		return nil, storedFact{}, err
	}
	if f.Fact == nil {
		if len(f.Facts) != 1 {
			err := usagef("--supersedes: %s is an entry of %s, not a fact", memory.ShortID(f.ID), plural.Count(len(f.Facts), "fact"))
			err.Hint = "'agentflow show " + memory.ShortID(f.ID) + "' shows their ids"
			return nil, storedFact{}, err
		}
		f.Fact = &f.Facts[0].Fact
	}
	old := *f.Fact
	if old.Struck {
		by := ""
		if old.SupersededBy != "" {
			by = ", replaced by " + memory.ShortID(old.SupersededBy)
		}
		return nil, storedFact{}, &Error{Kind: KindRefused, Err: fmt.Errorf("superseding %s: it is struck already%s", memory.ShortID(old.ID), by)}
	}
	if home.isGlobal() {
		old.Namespace = memory.GlobalNamespace
	}
	return home, storedFact{Fact: old, storedBlock: f.storedBlock}, nil
}

// findAnywhere is find, in this memory and then in the user's own.
func (s *site) findAnywhere(ctx context.Context, ref string) (*site, storedItem, error) {
	f, err := s.find(ref, "")
	return s.orGlobal(ctx, ref, f, err)
}

// orGlobal is what was found for ref in this memory, or else what the user's
// own has. The error of both is the first one's.
func (s *site) orGlobal(ctx context.Context, ref string, f storedItem, err error) (*site, storedItem, error) {
	if err == nil || isUsage(err) || s.isGlobal() {
		return s, f, err
	}
	global, globalErr := s.globalSite(ctx, false)
	if globalErr != nil {
		s.warn("%v", globalErr)
	}
	if global != nil {
		if g, e := global.find(ref, ""); e == nil || isUsage(e) {
			return global, g, e
		}
	}
	return s, f, err
}

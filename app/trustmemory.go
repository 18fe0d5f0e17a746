package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/config"
)

// trustMemory is trust --memory.
func (a *operation) trustMemory(ctx context.Context, yes, revoke bool) error {
	s, err := a.existing(ctx)
	if err != nil {
		return err
	}
	if s.dirs.State == "" {
		return errors.New("trusting memory: there is no folder of yours to keep that in")
	}
	if revoke {
		if err := s.dirs.MemoryTrust().Set(s.Memory(), config.Accepted{}); err != nil {
			return err
		}
		a.say("what the repository brings of %s is not believed", s.Memory())
		return nil
	}
	b := s.lookAtBrought(ctx)
	switch {
	case b.whole != "":
		return &Error{Kind: KindRefused, Err: fmt.Errorf("trusting memory: %s", b.whole), Hint: b.hint}
	case len(b.refused) == 0:
		a.say("nothing to accept: all of %s is yours or accepted", s.Memory())
		return nil
	case b.state():
		return &Error{Kind: KindRefused, Err: fmt.Errorf("trusting memory: git tracks %s, which only we may write", filepath.Join(s.Root, "state")),
			Hint: "'git rm -r --cached " + filepath.Join(s.Root, "state") + "' leaves it to us"}
	}
	a.say("these came with the repository:")
	for _, name := range b.names() {
		size := int64(0)
		if info, err := os.Lstat(filepath.Join(s.Root, filepath.FromSlash(name))); err == nil {
			size = info.Size()
		}
		a.line("", fmt.Sprintf("%s  %d bytes", cleanLine(name), size))
	}
	if err := a.confirm("believe what is in them?", yes); err != nil {
		return err
	}
	if err := s.acceptMemory(b); err != nil {
		return err
	}
	a.say("accepted until a pull or a checkout changes them")
	return nil
}

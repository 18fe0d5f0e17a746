package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/executor"
	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *operation) uninstallCommand() *cobra.Command {
	var yes, withMemory bool
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove AgentFlow from this repository",
		Long: `Uninstall removes the index, the log, the run folders, what starts a daemon and
this repository's trust, and takes its git hooks out. The Markdown of memory and the settings
stay unless --memory is given. Work trees and branches of runs stay with git,
and are named. Nothing else in the repository was ever changed.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.site(cmd.Context())
			if err != nil {
				return err
			}
			return s.uninstall(cmd.Context(), yes, withMemory)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&withMemory, "memory", false, "remove the memory itself too")
	return cmd
}

func (s *site) uninstall(ctx context.Context, yes, withMemory bool) error {
	live, err := executor.Live(s.Runs())
	if err != nil {
		return err
	}
	if len(live) > 0 {
		return &Error{Kind: KindLocked, Err: fmt.Errorf("removing agentflow from %s: run %s is going on", s.Worktree, memory.ShortID(live[0].ID)),
			Hint: "it would bring all back when it ends; wait for it, or end it"}
	}
	gone := []string{s.State(), filepath.Join(s.Root, "state")}
	if fallback := s.dirs.Fallback(s.Place); fallback != "" {
		gone = append(gone, fallback)
	}
	if unit := s.installedService(); unit != "" {
		gone = append(gone, unit)
	}
	if withMemory {
		gone = append(gone, s.Root)
	}
	for _, path := range gone {
		if _, err := os.Lstat(path); err == nil {
			s.say("removes %s", path)
		}
	}
	s.tellTrees(ctx)
	if err := s.confirm("remove this?", yes); err != nil {
		return err
	}
	var unhooked error
	if s.CommonDir != "" {
		_, unhooked = s.takeHooksOut(ctx, s.Place)
	}
	failed := s.store.Exclude(ctx, func() (err error) {
		for _, path := range gone {
			err = errors.Join(err, removeAll(path))
		}
		return err
	})
	if errors.Is(failed, writeback.ErrLocked) {
		return failed
	}
	failed = errors.Join(failed, unhooked)
	if s.dirs.State != "" {
		failed = errors.Join(failed, s.dirs.Trust().Revoke(s.ConfigFile()))
	}
	if failed != nil {
		return fmt.Errorf("removing agentflow from %s: %w", s.Worktree, failed)
	}
	if withMemory {
		s.say("removed")
		return nil
	}
	s.say("removed; memory stays in %s", s.Memory())
	s.hint("'agentflow uninstall --memory' removes that too")
	return nil
}

// removeAll is os.RemoveAll, tried again where a daemon that has yet to see
// that its lock is gone made a file there meanwhile.
func removeAll(path string) (err error) {
	for range 20 {
		if err = os.RemoveAll(path); err == nil {
			return nil
		}
	}
	return err
}

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/config"

	"github.com/spf13/cobra"
)

// firstConfig is the repository's settings file as init writes it.
func firstConfig() string {
	return `# AgentFlow settings of this repository. 'agentflow config' shows every value.
# A repository may set
#     [` + strings.Join(config.RepositorySections(), "], [") + `];
# agents, limits and what runs programs belong in your own file (or here, after
# 'agentflow trust').

[recall]
# top = 5          # entries in front of a prompt
# budget = 2000    # tokens for them
`
}

func (a *operation) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Make a memory in this repository or folder",
		Long: `Init makes .agentflow with an empty memory and a settings file. It is safe to
run twice and never overwrites anything. A first 'agentflow run' in a git
repository does the same by itself.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			place, dirs, err := a.here()
			if errors.Is(err, config.ErrNoPlace) {
				place, err = config.New(a.dir)
			}
			if err != nil {
				return err
			}
			return a.initialise(cmd.Context(), place, dirs)
		},
	}
}

func (a *operation) initialise(ctx context.Context, place config.Place, dirs config.Dirs) error {
	_, statErr := os.Stat(place.Memory())
	s, err := a.prepared(ctx, place, dirs)
	if err != nil {
		return err
	}
	if statErr != nil {
		s.recover(ctx) // what had vanished comes back as it was, not as new
	}
	if err := s.store.Init(); err != nil {
		return err
	}
	s.recover(ctx)
	if err := writeOnce(place.ConfigFile(), firstConfig()); err != nil {
		return err
	}
	db, degraded := s.indexed(ctx)
	if db != nil {
		defer db.Close()
	}
	s.degraded("init", degraded)
	if statErr == nil {
		a.say("memory is already in %s; nothing was changed", place.Root)
		return nil
	}
	ignored := ""
	if place.CommonDir != "" {
		ignored = " (git ignores it)"
	}
	a.say("made a private memory in %s%s", place.Root, ignored)
	a.hint("'agentflow run TASK' runs an agent and remembers; 'agentflow doctor' checks the set-up")
	return s.offerBackfill(ctx)
}

// prepared opens the place and makes its folders where they are missing.
func (a *operation) prepared(ctx context.Context, place config.Place, dirs config.Dirs) (*site, error) {
	settings, err := a.load(place, dirs)
	if err != nil {
		return nil, err
	}
	s, err := a.open(ctx, place, dirs, settings)
	if err != nil {
		return nil, err
	}
	return s, s.store.Prepare()
}

// writable opens the memory for a verb that adds to it, making it first in a
// repository that has none.
func (a *operation) writable(ctx context.Context) (*site, error) {
	place, dirs, err := a.here()
	if err != nil {
		return nil, err
	}
	fresh := !place.HasMemory()
	settings, err := a.load(place, dirs)
	if err != nil {
		return nil, err
	}
	s, err := a.open(ctx, place, dirs, settings)
	if err != nil {
		return nil, err
	}
	if err := s.store.Prepare(); err != nil {
		s.degraded("remember", []string{err.Error()}) // the log may still take it
	} else if fresh {
		a.say("made a private memory in %s (git ignores it)", place.Root)
	}
	s.recover(ctx)
	return s, nil
}

// writeOnce writes a file unless there is one.
func writeOnce(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// shown is a path as people read it: relative to the work tree when it lies
// below it.
func (s *site) shown(path string) string {
	base := s.Worktree
	if base == "" {
		return path
	}
	rel, err := filepath.Rel(base, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// notRecorded marks an error after which the entry is not in Markdown.
func notRecorded(err error) error {
	return &Error{Kind: KindNotRecorded, Err: err, Hint: pendingHint}
}

const pendingHint = "'agentflow status' tells what is pending; the next command tries again"

package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"agentflow/config"
	"agentflow/index"
	"agentflow/index/watch"

	"github.com/spf13/cobra"
)

// watchOptions are the flags of watch. Those that overlay settings stay
// texts: they are checked as settings are.
type watchOptions struct {
	debounce, poll string
	quiet          bool
}

func (a *operation) watchCommand() *cobra.Command {
	var o watchOptions
	cmd := &cobra.Command{
		Use:   "watch [flags]",
		Short: "Index changes of memory as they are made",
		Long: `Watch waits for changes of the Markdown and brings the index up to date at
once, so that the next search finds it so; vectors from another program or
server follow as they come. No verb needs it: each brings the index up to date
itself. It runs until it is interrupted or terminated, which is its normal
end: exit code 0. Daemon does the same and runs schedules too.

Where the file system tells of no changes (network shares, some containers),
--poll looks at the files instead.`,
		Example: "  agentflow watch\n  agentflow watch --poll 10s --quiet",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.quiet = o.quiet
			return a.watch(cmd.Context(), o)
		},
	}
	o.register(cmd)
	return cmd
}

func (o *watchOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.debounce, "debounce", "", "index when nothing has changed for this `duration` (300ms)")
	f.StringVar(&o.poll, "poll", "", "look at the files after every such `duration`; 0 waits for events")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "say only what does not work")
}

// watch is the verb: it keeps the index up to date until ctx ends.
func (a *operation) watch(ctx context.Context, o watchOptions) error {
	s, held, err := a.claimed(ctx, "watch", o)
	if err != nil {
		return err
	}
	a.endless.Store(true)
	return s.keepIndexed(ctx, held)
}

// overlay puts the flags over the settings.
func (o *watchOptions) overlay(settings *config.Config) error {
	return overlay(settings, flagKey{"debounce", "watch.debounce", o.debounce}, flagKey{"poll", "watch.poll", o.poll})
}

// claimed opens the memory as the only watcher of it.
func (a *operation) claimed(ctx context.Context, verb string, o watchOptions) (*site, *claim, error) {
	s, err := a.reading(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := o.overlay(s.settings); err != nil {
		return nil, nil, err
	}
	held, err := s.claimWatch(ctx, verb)
	return s, held, err
}

// keepIndexed watches until ctx ends or the repository is gone, and gives the
// claim back.
func (s *site) keepIndexed(ctx context.Context, held *claim) error {
	return errors.Join(s.watchIndex(ctx, held), held.lock.Release())
}

// watchIndex watches until ctx ends or the repository is gone.
func (s *site) watchIndex(ctx context.Context, held *claim) error {
	limitMemory()
	s.patient = true
	ctx, end := context.WithCancelCause(ctx)
	u := &updater{site: s, claim: held, end: end}
	finish, heard := u.completing(ctx), u.hearing(ctx)
	err := watch.Run(ctx, u.options(ctx), u.update)
	end(nil)
	finish()
	heard()
	if gone := context.Cause(ctx); errors.Is(gone, errGone) {
		err = gone
	}
	return errors.Join(err, u.close())
}

// options are what the package watch is told of this site.
func (u *updater) options(ctx context.Context) watch.Options {
	sources := u.sources(ctx)
	o := watch.Options{Debounce: u.settings.Watch.Debounce, Poll: u.settings.Watch.Poll, Notice: u.notice,
		Ignore: func(folder string) bool {
			return folder == filepath.Dir(u.Index()) || folder == u.State() ||
				!slices.ContainsFunc(sources, func(src index.Source) bool { return src.Reads(folder) })
		},
	}
	for _, src := range sources {
		o.Roots = append(o.Roots, src.Dir)
	}
	return o
}

package app

import (
	"context"
	"errors"

	"agentflow/internal/filelock"
	"agentflow/schedule"

	"github.com/spf13/cobra"
)

func (a *operation) scheduleRunCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run NAME",
		Short: "Run a scheduled job now",
		Long: `Run runs a job at once, as the daemon would: not beside itself, not without a
login, not above what it may cost. What it says goes to its log. The exit code
is that of the job's own command; 1 when it was not started.`,
		Example: "  agentflow schedule run nightly",
		Args:    exactly(1, "the name of a schedule"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			settings, _ := a.flawlessSettings()
			var names []string
			if settings != nil {
				for _, c := range settings.Schedules {
					names = append(names, c.Name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.existing(cmd.Context())
			if err != nil {
				return err
			}
			return s.runScheduled(cmd.Context(), args[0])
		},
	}
}

// runScheduled runs one job now.
func (s *site) runScheduled(ctx context.Context, name string) error {
	c, err := s.scheduled(name)
	if err != nil {
		return err
	}
	ctx, hurry, done := s.interruptible(ctx, "the job")
	defer done()
	r, err := s.newJobRunner(hurry)
	if err != nil {
		return err
	}
	o, err := r.run(ctx, c)
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return &Error{Kind: KindLocked, Err: err, Hint: "it does not run beside itself; try again when it has ended"}
	}
	if err != nil {
		return err
	}
	s.say("%s: %s", name, jobLine(o.Outcome))
	if c.Task == "" && o.ExitCode >= 0 {
		s.finished(ctx, finish{Job: name, Outcome: string(o.Result), Summary: o.Reason})
	}
	if o.Result == schedule.OK {
		return nil
	}
	for _, line := range o.hints {
		s.hint("%s", line)
	}
	code := o.ExitCode
	if code > 0 {
		s.hint("what it said is in %s", s.shown(jobLog(r.store, name)))
	} else {
		code = exitError // it was not started
	}
	return codedError{code: code, err: errors.New(jobLine(o.Outcome)), said: true}
}

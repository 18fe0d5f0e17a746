package app

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
)

func (a *operation) scheduleCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Show what is scheduled, and run one of it now",
		Long: `Schedule shows the jobs that [[schedule]] in your config names, and how they
ended; 'agentflow daemon' runs them when they are due. 'agentflow config path'
says where your config is; a job is added, changed and removed there.`,
		Args: exactly(0, "list, next, or run NAME"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.scheduleListCommand(), a.scheduleNextCommand(), a.scheduleRunCommand())
	return cmd
}

func (a *operation) scheduleListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what is scheduled: when it is due next, how it last ended, what it cost today",
		Example: "  agentflow schedule list\n  agentflow schedule list --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, list, err := a.listedSchedules(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(list)
			}
			s.printSchedules(list)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list")
	return cmd
}

func (a *operation) scheduleNextCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "next",
		Short:   "List when each is due next, the soonest first",
		Example: "  agentflow schedule next",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, list, err := a.listedSchedules(cmd.Context())
			if err != nil {
				return err
			}
			list = slices.DeleteFunc(list, func(o scheduleObject) bool { return o.Next == nil })
			slices.SortStableFunc(list, func(x, y scheduleObject) int { return x.Next.Compare(*y.Next) })
			if asJSON {
				return a.json(list)
			}
			for _, o := range list {
				a.printf("%s  %s\n", o.Next.Format(dueTime), o.Name)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list")
	return cmd
}

// listedSchedules is what is scheduled here, as far as it can be found out;
// the rest is said.
func (a *operation) listedSchedules(ctx context.Context) (*site, []scheduleObject, error) {
	s, err := a.existing(ctx)
	if err != nil {
		return nil, nil, err
	}
	list, trouble := s.schedules(time.Now())
	if trouble != nil {
		a.warn("%v", trouble)
	}
	return s, list, nil
}

package setup

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Schedule returns the command schedule.
func Schedule(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schedule",
		Short: "Show the scheduled jobs, and run one of them now",
		Long: `Schedule shows the jobs that [[schedule]] in your settings names, and how they
ended; 'agentflow daemon' runs them when they are due. 'agentflow config path'
says where your settings are; a job is added, changed and removed there.`,
	}
	cmd.AddCommand(scheduleListCommand(c), scheduleNextCommand(c), scheduleRunCommand(c))
	return cmd
}

func scheduleListCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list", &cobra.Command{
		Use:     "list",
		Short:   "List the scheduled jobs: when each is due, how it last ended, its cost today",
		Example: "  agentflow schedule list\n  agentflow schedule list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := daemon.Schedules(cmd.Context(), c.Memory)
			return c.Result(err, found.Schedules, func() {
				if len(found.Schedules) == 0 {
					c.Say("nothing is scheduled")
					c.Hint("add [[schedule]] with name, cron and job or task to %s", found.Settings)
				}
				for _, s := range found.Schedules {
					c.Printf("%s  %s  %s  %s\n", c.Bold(s.Name), s.What, cli.CleanLine(s.Cron+" "+s.Zone), whenDue(s))
					c.Printf("    %s%s\n", cli.CleanLine(howEnded(s)), costToday(s))
				}
			})
		},
	})
}

func scheduleNextCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list", &cobra.Command{
		Use:     "next",
		Short:   "List when each is due next, the soonest first",
		Example: "  agentflow schedule next",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := daemon.Schedules(cmd.Context(), c.Memory)
			list := slices.DeleteFunc(found.Schedules, func(s api.Schedule) bool { return s.Next == nil })
			slices.SortStableFunc(list, func(x, y api.Schedule) int { return x.Next.Compare(*y.Next) })
			return c.Result(err, list, func() {
				for _, s := range list {
					c.Printf("%s  %s\n", s.Next.Format(cli.DueTime), s.Name)
				}
			})
		},
	})
}

func scheduleRunCommand(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "run NAME",
		Short: "Run a scheduled job now",
		Long: `Run runs a job now, as the daemon would: not twice at once, not without a login,
not above its cost limit. Its output goes to its log. The exit code is that of the
job's own command; 1 when it was not started.`,
		Example: "  agentflow schedule run nightly",
		Args:    cliflag.Exactly(1, "the name of a schedule"),
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			found, _ := daemon.Schedules(app.Quiet(cmd.Context()), c.Memory)
			for _, s := range found.Schedules {
				names = append(names, s.Name)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding this program: %w", err)
			}
			ctx, hurry, begin, done := c.Interruptible(cmd.Context(), "the job")
			defer done()
			begin()
			result, err := daemon.RunSchedule(ctx, c.Memory, daemon.RunScheduleRequest{Name: args[0], Program: program, Hurry: hurry, OnFinish: c.Err})
			if err != nil {
				return err
			}
			return printJob(c, args[0], result)
		},
	}
}

// printJob prints how a job ended; its error has the exit code of the job.
func printJob(c *cli.Env, name string, result daemon.RunScheduleResult) error {
	c.Say("%s: %s", name, result.Outcome)
	if result.Outcome.Result == api.JobOK {
		return nil
	}
	for _, line := range result.Hints {
		c.Hint("%s", line)
	}
	code := result.Outcome.ExitCode
	if code > 0 {
		c.Hint("its output is in %s", result.Log)
	} else {
		code = cli.ExitError // it was not started
	}
	return cli.Ended{Code: code, Err: errors.New(result.Outcome.String()), Reported: true}
}

// whenDue returns when a schedule runs next.
func whenDue(s api.Schedule) string {
	switch {
	case s.Running:
		return "running now"
	case s.Next == nil:
		return "never"
	}
	return "next " + s.Next.Format(cli.DueTime)
}

// howEnded returns how a schedule last ended.
func howEnded(s api.Schedule) string {
	if len(s.History) == 0 {
		return "never run"
	}
	last := s.History[len(s.History)-1]
	return "last " + last.Started.Local().Format(cli.Minute) + " " + last.String()
}

// costToday returns the cost of a schedule today; empty if it costs nothing.
func costToday(s api.Schedule) string {
	switch {
	case s.MaxCostDay > 0:
		return "; " + memory.Price(s.SpentUSD) + " of " + memory.Price(s.MaxCostDay) + " today"
	case s.SpentUSD > 0:
		return "; " + memory.Price(s.SpentUSD) + " today"
	}
	return ""
}

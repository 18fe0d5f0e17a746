package setup

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"agentflow/app/daemon"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"

	"github.com/spf13/cobra"
)

// WatchFlags adds the flags of commands that watch.
func WatchFlags(c *cli.Env, cmd *cobra.Command, req *daemon.WatchRequest) {
	f := cmd.Flags()
	f.StringVar(&req.Debounce, "debounce", "", "index when nothing has changed for this `duration` (300ms)")
	f.StringVar(&req.Poll, "poll", "", "look at the files after every such `duration`; 0 waits for events")
	c.QuietFlag(cmd)
}

// Watch returns the command watch.
func Watch(c *cli.Env) *cobra.Command {
	var req daemon.WatchRequest
	cmd := &cobra.Command{
		Use:   "watch [flags]",
		Short: "Index changes of memory as they are made",
		Long: `Watch brings the index up to date as soon as the Markdown changes; vectors
from another program or server follow as they come. It is optional: every search
updates the index first. An interrupt ends it (exit code 0). Daemon runs schedules too.

Where the file system reports no changes (network shares, some containers),
--poll looks at the files instead.`,
		Example: "  agentflow watch\n  agentflow watch --poll 10s --quiet",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Endless.Store(true)
			gctuning.Watch()
			_, err := daemon.Watch(c.Hushed(cmd.Context()), c.Memory, req)
			return err
		},
	}
	WatchFlags(c, cmd, &req)
	return cmd
}

// Daemon returns the command daemon.
func Daemon(c *cli.Env) *cobra.Command {
	var req daemon.Request
	var install, uninstall, serve bool
	cmd := &cobra.Command{
		Use:   "daemon [flags]",
		Short: "Index changes as they are made, and run scheduled jobs",
		Long: `Daemon does what watch does, and runs the jobs that [[schedule]] in your settings
names when they are due. A job runs as a separate process and never twice at
once; one task runs after the other. Jobs missed while the computer slept, or no
daemon ran, are run once. A job's output is in its log in
.git/agentflow/schedule; how it ended is in 'agentflow schedule list' and
'agentflow status'. Changed settings, schedules too, take effect within seconds,
but not for jobs that are running.

It is optional. An interrupt ends it, which is its normal end (exit code 0):
jobs that run are interrupted and recorded, and a second interrupt hurries.

--once brings the index up to date, runs the jobs that are due, and ends: with 1
when a job failed. --install writes what starts the daemon with your session, and starts
nothing itself. Keys do not go into it: it says how to give them.`,
		Example: "  agentflow daemon\n  agentflow daemon --once\n  agentflow daemon --install",
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := c.Hushed(cmd.Context())
			if req.Program, err = os.Executable(); err != nil {
				return fmt.Errorf("finding this program: %w", err)
			}
			switch {
			case serve && !install:
				return cli.Usagef("--serve goes with --install; 'agentflow serve --daemon' serves now")
			case install:
				return installDaemon(ctx, c, req.Program, serve)
			case uninstall:
				return uninstallDaemon(ctx, c)
			case !req.Once:
				gctuning.Watch()
			}
			ctx, hurry, begin, done := c.Interruptible(ctx, "the daemon")
			defer done()
			begin()
			req.Hurry, req.OnFinish = hurry, c.Err
			_, err = daemon.Daemon(ctx, c.Memory, req)
			return err
		},
	}
	WatchFlags(c, cmd, &req.WatchRequest)
	f := cmd.Flags()
	f.BoolVar(&req.Once, "once", false, "run the jobs that are due, and end")
	f.BoolVar(&install, "install", false, "write what starts the daemon with your session")
	f.BoolVar(&uninstall, "uninstall", false, "remove what --install wrote")
	f.BoolVar(&serve, "serve", false, "with --install: start 'serve --daemon', which offers memory over HTTP too")
	cliflag.Exclusive(cmd, "once", "install", "uninstall")
	return cmd
}

func installDaemon(ctx context.Context, c *cli.Env, program string, serve bool) error {
	d, err := daemon.InstallDaemon(ctx, c.Memory, daemon.InstallDaemonRequest{Program: program, Serve: serve, NoRestart: []int{cli.ExitUsage, cli.ExitNoPlace}})
	switch {
	case err != nil:
		return err
	case d.Path == "":
		c.Say("there is no file to write on %s", runtime.GOOS)
	case d.Changed:
		c.Say("wrote %s", d.Path)
	default:
		c.Say("%s is there already", d.Path)
	}
	if d.Path != "" {
		c.Say("nothing is started yet; these start it, now and with each session:")
	}
	printLines(c, d.Commands)
	if len(d.LeftOut) > 0 && d.Path != "" {
		c.Say("left out of it, since others can read it: %s", strings.Join(d.LeftOut, ", "))
	}
	for _, line := range d.Hints {
		c.Hint("%s", line)
	}
	return nil
}

func uninstallDaemon(ctx context.Context, c *cli.Env) error {
	d, err := daemon.UninstallDaemon(ctx, c.Memory)
	switch {
	case err != nil:
		return err
	case d.Path == "":
		c.Say("--install writes no file on %s", runtime.GOOS)
	case !d.Changed:
		c.Say("there is no %s", d.Path)
	default:
		c.Say("removed %s; what still runs ends with:", d.Path)
		printLines(c, d.Commands)
	}
	return nil
}

func printLines(c *cli.Env, lines []string) {
	for _, line := range lines {
		c.Printf("%s\n", line)
	}
}

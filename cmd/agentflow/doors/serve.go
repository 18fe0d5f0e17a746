// Package doors has the commands that let other programs and people in: serve, mcp, chat, and the hooks of sessions.
package doors

import (
	"context"
	"fmt"
	"os"

	"agentflow/app"
	"agentflow/app/daemon"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/setup"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"
	"agentflow/mcp"
	"agentflow/server"
	"agentflow/server/page"

	"github.com/spf13/cobra"
)

type serveFlags struct {
	server.Place
	open, link, daemon, memoryTool, team bool
	watch                                daemon.WatchRequest
}

// Serve returns the command serve.
func Serve(c *cli.Env) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [flags] [FOLDER…]",
		Short: "Offer memory to programs and browsers, over HTTP on this machine",
		Long: `Serve offers the memory of this repository, or of those that the folders are in,
at http://127.0.0.1:6767 (the setting serve.addr): a page for people at /, an API
for programs at /api/v1, and the tools for agents at /mcp. It prints a link that
opens the page in your browser, once and within a minute. Programs send the
token in ~/.local/state/agentflow/serve-token as 'Authorization: Bearer TOKEN'.

It indexes changes as they are made, as watch does, and with --daemon also runs
scheduled jobs, as daemon does. 'daemon --install --serve' starts it with your
session. An interrupt ends it, which is its normal end (exit code 0).

With --team it serves the memory that a team shares, of the remotes in [team] of
your settings, to each holder of a token ('serve token add'). It keeps tokens, the
audit and its indexes in a PostgreSQL database (dsn_env in [index]), and no other
state, so several may run. docs/team.md says how to set one up.`,
		Example: "  agentflow serve --open\n  agentflow serve --daemon ~/src/one ~/src/two\n  agentflow serve --link\n  agentflow serve --team --addr 0.0.0.0:443",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.team {
				return serveTeam(cmd.Context(), c, f, args)
			}
			return serve(cmd.Context(), c, f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Addr, "addr", "", "listen on this `address`, only of this machine unless --team is given; port 0: a free one")
	flags.StringVar(&f.Socket, "socket", "", "listen on a Unix socket at this `path` instead")
	flags.BoolVar(&f.open, "open", false, "open the page in the browser")
	flags.BoolVar(&f.link, "link", false, "print a link to the serve that runs, and end")
	flags.BoolVar(&f.daemon, "daemon", false, "also run scheduled jobs")
	flags.BoolVar(&f.memoryTool, "memory-tool", false, "offer agents at /mcp Anthropic's memory tool too, on the notes of memory")
	flags.BoolVar(&f.team, "team", false, "serve the memory that a team shares, to each holder of a token")
	cliflag.Exclusive(cmd, "addr", "socket")
	for _, other := range []string{"socket", "open", "link", "daemon", "memory-tool"} {
		cliflag.Exclusive(cmd, "team", other)
	}
	cliflag.Exclusive(cmd, "link", "socket", "open")
	setup.WatchFlags(c, cmd, &f.watch)
	cmd.AddCommand(serveTokenCommand(c), serveAuditCommand(c))
	return cmd
}

func serve(ctx context.Context, c *cli.Env, f serveFlags, folders []string) (err error) {
	ctx = c.Hushed(ctx)
	if f.link {
		link, err := server.NewLink(ctx, c.Memory, f.Place)
		if err == nil {
			c.Printf("%s\n", link)
		}
		return err
	}
	repositories, off, err := server.Open(ctx, c.Dir, c.Memory, folders, app.Env{Vars: c.Environ})
	if err != nil {
		return err
	}
	for _, why := range off {
		c.Warn("%v: it is not served", why)
	}
	tools := mcp.Handlers(mcp.Options{Version: cli.Version, MemoryTool: f.memoryTool})
	s, err := server.Start(ctx, f.Place, server.Options{Repositories: repositories, Version: cli.Version, MCP: tools, Page: page.New(page.Options{Version: cli.Version, Repositories: repositories})})
	if err != nil {
		return err
	}
	gctuning.Serve()
	keep := daemon.UpkeepRequest{Request: daemon.Request{WatchRequest: f.watch, OnFinish: c.Err}, Jobs: f.daemon}
	c.Endless.Store(true)
	if f.daemon {
		var begin, done func()
		ctx, keep.Hurry, begin, done = c.Interruptible(ctx, "the server")
		defer done()
		begin()
	}
	if keep.Program, err = os.Executable(); err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	c.Say("memory is at %s", s.URL)
	if f.open {
		if err := s.OpenBrowser(); err != nil {
			c.Warn("opening the browser: %v", err)
		}
	}
	if link := s.Link(); link != "" && !c.Quiet {
		c.Say("this opens it in a browser, once and within a minute:")
		c.Printf("%s\n", link)
	}
	return s.Serve(ctx, keep, c.Warn)
}

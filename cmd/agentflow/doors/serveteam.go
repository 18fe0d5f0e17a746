package doors

import (
	"cmp"
	"context"
	"strings"

	"agentflow/app"
	"agentflow/app/daemon"
	"agentflow/app/open"
	"agentflow/app/team"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"
	"agentflow/internal/plural"
	"agentflow/mcp"
	"agentflow/memory"
	"agentflow/server"
	"agentflow/server/page"

	"github.com/spf13/cobra"
)

// serveTeam serves the shared memory of a team.
func serveTeam(ctx context.Context, c *cli.Env, f serveFlags, folders []string) (err error) {
	if len(folders) > 0 {
		return cli.HintedUsage("remotes in [team] of your settings names what it serves", "serve --team takes no folders")
	}
	ctx = c.Hushed(ctx)
	serving, err := daemon.Serving(ctx, c.Memory)
	if err != nil {
		return err
	}
	team, err := open.OpenTeam(ctx, app.Env{Vars: c.Environ})
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, team.Close()) }()
	s, err := server.StartTeam(ctx, cmp.Or(f.Addr, serving.Addr), server.Options{
		Team: team, Version: cli.Version, Page: page.New(page.Options{Version: cli.Version, Repositories: team.Repositories, Team: true}),
		TeamMCP: mcp.Stateless(mcp.Options{Version: cli.Version}),
	})
	if err != nil {
		return err
	}
	gctuning.Serve()
	c.Endless.Store(true)
	c.Say("reading the memory of %s", plural.Count(len(team.Repositories), "repository"))
	team.Ready(ctx, c.Warn)
	c.Say("memory is at %s", s.URL)
	return s.Serve(ctx, c.Warn)
}

func serveTokenCommand(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Say who may ask the server of your team",
		Long: `Token makes, lists and takes back the tokens with which people and programs ask
'agentflow serve --team'. It runs where the server's settings and database are.`,
	}
	cmd.AddCommand(tokenAddCommand(c), tokenListCommand(c), tokenRevokeCommand(c))
	return cmd
}

func tokenAddCommand(c *cli.Env) *cobra.Command {
	var req team.TokenRequest
	cmd := c.WithJSON("one JSON object", &cobra.Command{
		Use:   "add NAME",
		Short: "Make a token for a person or a program, and print it once",
		Long: `Add makes a token and prints it. The server keeps only its hash, so it is never
shown again. NAME is what memory says of who stored something with it.`,
		Example: "  agentflow serve token add ada --write\n  agentflow serve token add ci --repository shop --expires 30d",
		Args:    cliflag.Exactly(1, "the name of a person or a program"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name = args[0]
			if req.Expires == "never" {
				req.Expires = ""
			}
			secret, err := team.AddToken(cmd.Context(), app.Env{Vars: c.Environ}, req)
			return c.Result(err, struct {
				Name  string `json:"name"`
				Token string `json:"token"`
			}{req.Name, secret}, func() {
				c.Printf("%s\n", secret)
				c.Hint("it is shown this once. Its owner sets AGENTFLOW_TEAM_TOKEN to it, and types 'agentflow config set team.url https://…'")
			})
		},
	})
	flags := cmd.Flags()
	flags.StringSliceVar(&req.Repositories, "repository", nil, "it is only for this `repository`; may be repeated")
	flags.BoolVar(&req.Writes, "write", false, "it may change memory too")
	flags.StringVar(&req.Expires, "expires", "365d", "until `when` it is valid: a date, a time, 90d from now, or never")
	return cmd
}

func tokenListCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list", &cobra.Command{
		Use:     "list",
		Short:   "List the tokens, without their secrets",
		Example: "  agentflow serve token list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := team.ListTokens(cmd.Context(), app.Env{Vars: c.Environ})
			return c.Result(err, list, func() {
				for _, t := range list {
					what, until := "reads", "never"
					if t.Writes {
						what = "reads and writes"
					}
					if !t.Expires.IsZero() {
						until = t.Expires.Local().Format("2006-01-02 15:04")
					}
					of := cmp.Or(strings.Join(t.Repositories, ", "), "all repositories")
					c.Printf("%s  %s %s  since %s, expires %s\n", c.Bold(cli.CleanLine(t.Name)), what, cli.CleanLine(of), t.Created.Local().Format("2006-01-02"), until)
				}
			})
		},
	})
}

func tokenRevokeCommand(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke NAME",
		Short:   "Take a token back, with the logins that were made with it",
		Example: "  agentflow serve token revoke ada",
		Args:    cliflag.Exactly(1, "the name of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := team.RevokeToken(cmd.Context(), app.Env{Vars: c.Environ}, args[0]); err != nil {
				return err
			}
			c.Say("%s is not answered any more", cli.CleanLine(args[0]))
			return nil
		},
	}
}

func serveAuditCommand(c *cli.Env) *cobra.Command {
	limit := 50
	cmd := c.WithJSON("one JSON list", &cobra.Command{
		Use:   "audit",
		Short: "List who changed which memory through the server of your team",
		Long: `Audit lists the last changes, the newest first. A line is written before a change
leaves the server, so the list may have changes that did not get to the remote.`,
		Example: "  agentflow serve audit -n 10",
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := team.ListChanges(cmd.Context(), app.Env{Vars: c.Environ}, limit)
			return c.Result(err, list, func() {
				for _, l := range list {
					for i := range l.IDs {
						l.IDs[i] = cli.CleanLine(memory.ShortID(l.IDs[i]))
					}
					c.Printf("%s  %s  %s  %s  %s\n", l.Time.Local().Format("2006-01-02 15:04:05"), c.Bold(cli.CleanLine(l.Name)), cli.CleanLine(l.Repository), cli.CleanLine(l.Operation), strings.Join(l.IDs, " "))
				}
			})
		},
	})
	cliflag.AtLeast(cmd, &limit, "limit", "n", 1, "at most this many")
	return cmd
}

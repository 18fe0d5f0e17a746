// Package sharing has the commands that exchange memory through a git remote: share, sync.
package sharing

import (
	"context"
	"fmt"
	"strings"

	"agentflow/app/api"
	appshare "agentflow/app/share"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/internal/share"
	"agentflow/memory/quote"

	"github.com/spf13/cobra"
)

// Share returns the command share.
func Share(c *cli.Env) *cobra.Command {
	var req appshare.Request
	var flags shareFlags
	cmd := c.WithJSON("one JSON object: of --status how memory is shared, otherwise what the sync did", &cobra.Command{
		Use:   "share",
		Short: "Share memory with the other clones, through git",
		Long: `Share keeps the memory of this clone, and of each other clone that shares, on a ref of
the remote, refs/agentflow/memory, which no branch, pull request or work tree sees. It
shares facts; --what entries also shares the entries, which hold your prompts. It
shows a summary of the outgoing text first: --list lists the files, --diff prints
every line of them. Secrets are redacted again on the way; facts of a branch, a run or
your own memory never leave. 'agentflow sync' brings both sides up to date; with
[share] auto = true that happens after each run.

A search also finds the memory that others share, with the name of its author. Shared
memory ranks a little lower than yours, and is quoted in prompts.

With --own it is your own memory, the facts of the namespace global, that your
machines share through a git repository of yours: REMOTE is any address that you
can push to, and that only you should be able to push to. What one machine remembers,
the others find; what one forgets, all forget.`,
		Example: "  agentflow share\n  agentflow share --list\n  agentflow share --what entries --remote upstream\n  agentflow share --status\n  agentflow share --stop --withdraw\n  agentflow share --own git@example.com:me/memory.git",
		Args:    func(cmd *cobra.Command, args []string) error { return checkShareArgs(req.Own, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.status:
				return shareStatus(cmd.Context(), c, req.Own)
			case flags.stop:
				return stopShare(cmd.Context(), c, appshare.StopShareRequest{Withdraw: flags.withdraw, Own: req.Own}, flags.yes)
			case len(args) > 0:
				req.Remote = args[0]
			}
			return shareMemory(cmd.Context(), c, req, flags)
		},
	})
	flags.define(cmd, &req)
	return cmd
}

// shareFlags are the flags that select what share does.
type shareFlags struct{ yes, status, stop, withdraw, list, diff bool }

func (f *shareFlags) define(cmd *cobra.Command, req *appshare.Request) {
	flags := cmd.Flags()
	flags.StringVar(&req.Remote, "remote", "", "the `remote`, by its name or address (origin)")
	cliflag.Choice(cmd, &req.What, "what", "`what` is shared: facts, the default; entries, with their facts; or all, with hand-written text", share.Facts, share.Entries, share.All)
	flags.BoolVar(&req.Branch, "branch", false, "share on a branch, agentflow/memory: for remotes that take no other refs")
	flags.BoolVar(&req.Own, "own", false, "your own memory, with your other machines, instead of this repository's")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&f.list, "list", false, "list the files that would leave, and share nothing")
	flags.BoolVar(&f.diff, "diff", false, "print every line that would leave, and share nothing")
	flags.BoolVar(&f.status, "status", false, "say how memory is shared, and by whom")
	flags.BoolVar(&f.stop, "stop", false, "share no more, and search what others share no more")
	flags.BoolVar(&f.withdraw, "withdraw", false, "with --stop, take back what was shared")
	cmd.MarkFlagsMutuallyExclusive("status", "stop", "list", "diff")
	cmd.MarkFlagsMutuallyExclusive("own", "remote")
}

// checkShareArgs allows a remote only with --own.
func checkShareArgs(own bool, args []string) error {
	switch {
	case len(args) > 1:
		return cli.Usagef("share takes one remote, not %d", len(args))
	case len(args) == 1 && !own:
		return cli.Usagef("--remote names the remote of a repository: '--remote %s'", cli.CleanLine(args[0]))
	}
	return nil
}

func shareMemory(ctx context.Context, c *cli.Env, req appshare.Request, flags shareFlags) error {
	plan, err := appshare.PlanShare(ctx, c.Memory, req)
	if err != nil {
		return err
	}
	switch {
	case flags.diff:
		return c.Result(nil, plan.JSON(), func() { printShared(c, plan) })
	case flags.list:
		return c.Result(nil, plan.JSON(), func() { listShared(c, plan) })
	}
	printSharePlan(c, plan)
	if plan.First {
		question := "share this with all who can read the remote?"
		if plan.Own {
			question = "share this with all who can read the remote, and believe all who can push to it?"
		}
		if err := c.Confirm(question, flags.yes); err != nil {
			return err
		}
	}
	res, err := appshare.ApplyShare(ctx, c.Memory, plan)
	if err != nil {
		return err
	}
	return c.Result(nil, res.Report, func() { printSync(c, res.Report) })
}

func shareStatus(ctx context.Context, c *cli.Env, own bool) error {
	res, err := appshare.Status(ctx, c.Memory, own)
	if err != nil {
		return err
	}
	return c.Result(nil, res.Status, func() {
		if !res.Status.On {
			if own {
				c.Printf("your own memory is not shared; 'agentflow share --own REMOTE' shows what would be\n")
				return
			}
			c.Printf("memory is not shared; 'agentflow share' shows what would be\n")
			return
		}
		auto := "only by 'agentflow sync'"
		if res.Status.Auto {
			auto = "after each run, and by 'agentflow sync'"
		}
		whose := "this clone"
		if own {
			whose = "your own memory"
		}
		c.Printf("%s of %s: %s of %s, %s\n", res.Status.What, whose, res.Status.Ref, cli.CleanLine(res.Status.Remote), auto)
		for _, k := range res.Status.Clones {
			muted := ""
			if k.Muted {
				muted = "  muted"
			}
			c.Printf("%.8s  %s  %s%s\n", k.ID, k.Time.Local().Format("2006-01-02 15:04"), quote.Name(k.Author), muted)
		}
		for _, line := range res.Status.Refused {
			c.Printf("not taken: %s\n", quote.Line(line))
		}
	})
}

func stopShare(ctx context.Context, c *cli.Env, req appshare.StopShareRequest, yes bool) error {
	if req.Withdraw {
		if err := c.Confirm("take back what was shared from here?", yes); err != nil {
			return err
		}
	}
	if _, err := appshare.StopShare(ctx, c.Memory, req); err != nil {
		return err
	}
	if req.Withdraw {
		c.Say("memory is not shared any more; others lose it with their next sync, but for what they copied")
	} else {
		c.Say("memory is not shared any more; what was shared stays on the remote: '--withdraw' takes it back")
	}
	return nil
}

// Sync returns the command sync.
func Sync(c *cli.Env) *cobra.Command {
	var req appshare.SyncRequest
	cmd := c.WithJSON("one JSON object: what the sync did", &cobra.Command{
		Use:   "sync",
		Short: "Bring shared memory up to date, here and on the remote",
		Long: `Sync fetches what other clones share, adds the changes of this clone, and pushes
them; when somebody was faster it begins again. Your branches, index, work tree and
stash are not touched. A folder that is not signed by its clone, or older than what was
accepted before, is not taken, and named once; 'agentflow share --status' names it
again. Your own memory is synced too where 'agentflow share --own' shares it.

After 'agentflow forget --purge', or with --purge, it begins the ref again without
its history: the text is then gone from the remote's ref and, with their next sync, from
that of every clone. Clones that fetched it before keep
unreachable objects until git collects them; forks and backups keep theirs.`,
		Example: "  agentflow sync\n  agentflow sync --dry-run\n  agentflow sync --purge",
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := appshare.Sync(cmd.Context(), c.Memory, req)
			if err != nil || req.Auto {
				return err
			}
			return printSyncs(c, res)
		},
	})
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "fetch, say what would leave, and change nothing")
	cmd.Flags().BoolVar(&req.Purge, "purge", false, "begin the ref again, without its history")
	cmd.Flags().BoolVar(&req.Auto, "auto", false, "what runs start in the background")
	_ = cmd.Flags().MarkHidden("auto")
	return cmd
}

// printSyncs prints the syncs of the repository's memory and of the user's own.
func printSyncs(c *cli.Env, res appshare.SyncResult) error {
	report := res.Report
	if !res.Shared {
		report = *res.Own
	} else {
		report.Own = res.Own
	}
	return c.Result(nil, report, func() {
		if res.Shared {
			printSync(c, res.Report)
		}
		if res.Own != nil {
			c.Printf("your own memory:\n")
			printSync(c, *res.Own)
		}
	})
}

func printSync(c *cli.Env, r api.Sync) {
	for _, list := range []struct {
		what  string
		names []string
		shown func(string) string
	}{{"shared", r.Files, quote.Path}, {"new from", r.News, quote.Text}, {"restored", r.Restored, quote.Path}, {"not taken", r.Refused, quote.Line}} {
		for _, name := range list.names {
			c.Printf("%s: %s\n", list.what, list.shown(name))
		}
	}
	var did []string
	switch {
	case r.DryRun:
		did = append(did, "nothing was changed")
	case r.Pushed:
		did = append(did, "pushed to "+quote.Path(r.Remote))
	default:
		did = append(did, "up to date with "+quote.Path(r.Remote))
	}
	if r.Healed > 0 {
		did = append(did, fmt.Sprintf("%s that it had lost", plural.Count(r.Healed, "folder")))
	}
	c.Printf("%s; %s\n", strings.Join(did, ", "), plural.Count(r.Clones, "clone"))
}

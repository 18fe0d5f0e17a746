package facts

import (
	"cmp"
	"context"
	"fmt"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/propose"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Review returns the command review.
func Review(c *cli.Env) *cobra.Command {
	var req propose.ReviewRequest
	cmd := c.WithJSON("one JSON object: proposals, total", &cobra.Command{
		Use:   "review [flags]",
		Short: "Accept or drop the facts that wait for you",
		Long: `Review lists what waits for you: facts that your corrections in sessions and in the
tasks of runs propose ("no, we never put that in main"), instructions that three
sessions or tasks were given, facts that probably hold no longer, and facts that
agents stored. At a terminal it asks about one after the other: a accepts, e changes
the text and accepts, d drops, s or Enter goes to the next, q ends.

What you accept is a fact that you state, as with 'remember'. A dropped proposal does
not come back; a dropped fact of an agent is forgotten, and 'memory restore' brings it
back. Proposals stay on this machine, and no agent is shown one.`,
		Example: `  agentflow review
  agentflow review --kind correction
  agentflow review accept 3f9a1c
  agentflow review edit 3f9a1c "Deploys go out on Tuesdays."
  agentflow review drop 3f9a1c 88d0e2`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := propose.Review(cmd.Context(), c.Memory, req)
			if asks := c.InTTY && c.ErrTTY && c.OutTTY && !c.Selection.Wanted; err == nil && asks && res.Review.Total > 0 {
				return reviewEach(cmd.Context(), c, res.Review.Proposals)
			}
			return c.Result(err, res.Review, func() { printReview(c, res.Review) })
		},
	})
	cliflag.Choice(cmd, &req.Kind, "kind", "only of this `kind`: correction, repeated, retirement or agent", propose.FromCorrection, propose.FromRepetition, propose.ForRetirement, propose.FromAgent)
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many")
	cmd.AddCommand(reviewAcceptCommand(c), reviewEditCommand(c), reviewDropCommand(c))
	return cmd
}

func reviewAcceptCommand(c *cli.Env) *cobra.Command {
	var req propose.AcceptRequest
	cmd := c.WithJSON("one JSON list: id, done, fact, struck, text", &cobra.Command{
		Use:   "accept [flags] ID…",
		Short: "State proposals as facts",
		Long: `Accept makes facts of proposals, takes facts of agents over as yours, and forgets
facts that are to be retired.`,
		Example: "  agentflow review accept 3f9a1c\n  agentflow review accept --supersedes 88d0e2 3f9a1c",
		Args:    cliflag.AtLeastOne("the id of a proposal"),
		ValidArgsFunction: func(cmd *cobra.Command, a1 []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeProposals(c, cmd, a1, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			req.IDs = args
			res, err := propose.AcceptProposals(cmd.Context(), c.Memory, req)
			return reviewed(c, res, err)
		},
	})
	cmd.Flags().StringVar(&req.Supersedes, "supersedes", "", "strike this fact, which the accepted one replaces: an `id`, or 'last'")
	return cmd
}

func reviewEditCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list: id, done, fact, struck, text", &cobra.Command{
		Use:   "edit [flags] ID TEXT…",
		Short: "State a proposal in other words",
		Long: `Edit accepts a proposal with another text. The text is the words given, or - to
read it from standard input.`,
		Example: `  agentflow review edit 3f9a1c "Deploys go out on Tuesdays."`,
		Args:    cliflag.AtLeastOne("the id of a proposal, and its new text"),
		ValidArgsFunction: func(cmd *cobra.Command, a1 []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeProposals(c, cmd, a1, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := factLines(c, args[1:])
			if err != nil {
				return err
			}
			if text == "" {
				return cli.Usagef("the new text is empty: 'agentflow review drop' drops a proposal")
			}
			res, err := propose.AcceptProposals(cmd.Context(), c.Memory, propose.AcceptRequest{IDs: args[:1], Text: text})
			return reviewed(c, res, err)
		},
	})
}

func reviewDropCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list: id, done, fact, text", &cobra.Command{
		Use:   "drop [flags] ID…",
		Short: "Drop proposals for good",
		Long: `Drop takes proposals off the list; they do not come back. A fact of an agent is
forgotten, and 'memory restore' brings it back. A fact that was to be retired stays.`,
		Example: "  agentflow review drop 3f9a1c 88d0e2",
		Args:    cliflag.AtLeastOne("the id of a proposal"),
		ValidArgsFunction: func(cmd *cobra.Command, a1 []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return completeProposals(c, cmd, a1, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			res, err := propose.DropProposals(cmd.Context(), c.Memory, args)
			return reviewed(c, res, err)
		},
	})
}

// completeProposals lists the ids of proposals, with their texts.
func completeProposals(c *cli.Env, cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	res, err := propose.Review(app.Quiet(cmd.Context()), c.Memory, propose.ReviewRequest{Limit: 50})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var list []string
	for _, p := range res.Review.Proposals {
		list = append(list, memory.ShortID(p.ID)+"\t"+cli.CleanLine(memory.Title(p.Text)))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// reviewed prints what became of proposals.
func reviewed(c *cli.Env, res propose.AcceptResult, err error) error {
	for _, r := range res.Reviewed {
		c.Say("%s %s: %s", r.Done, memory.ShortID(cmp.Or(r.Fact, r.ID)), cli.CleanLine(memory.Title(r.Text)))
		if r.Struck != "" {
			c.Say("struck %s, which it replaces", memory.ShortID(r.Struck))
		}
		if r.Done == "dropped" && r.Fact != "" {
			c.Hint("'agentflow memory restore %s' brings it back", memory.ShortID(r.Fact))
		}
	}
	for _, refusal := range res.Refused {
		c.Warn("%v", refusal)
		if hint := app.AsError(refusal).Hint; hint != "" {
			c.Hint("%s", hint)
		}
	}
	return c.Result(err, res.Reviewed, func() {})
}

// printReview lists the waiting proposals.
func printReview(c *cli.Env, r api.Review) {
	if len(r.Proposals) == 0 {
		c.Say("nothing waits for you")
		return
	}
	for _, p := range r.Proposals {
		cli.Item(c, memory.ShortID(p.ID), cli.CleanLine(p.Text), cli.CleanLine(whyProposed(p)))
	}
	if more := r.Total - len(r.Proposals); more > 0 {
		c.Say("… and %d more", more)
	}
	c.Hint("'agentflow review accept ID' states it, 'review edit ID TEXT' in other words, 'review drop ID' drops it")
}

// whyProposed returns the origin of a proposal.
func whyProposed(p api.Proposal) string {
	why := map[string]string{
		string(propose.FromCorrection): fmt.Sprintf("you typed %q", p.Sentence),
		string(propose.FromRepetition): p.Reason,
		string(propose.ForRetirement):  "take it out? " + p.Reason,
		string(propose.FromAgent):      "said by an agent",
	}[p.Kind]
	if p.Refused != "" {
		why += " when you refused " + p.Refused
	}
	if p.Kind == string(propose.FromAgent) && p.Reason != "" {
		why += ": " + p.Reason
	}
	if p.Entry != "" {
		why += ", in " + memory.ShortID(p.Entry)
	}
	if p.Turn > 0 {
		why += fmt.Sprintf(", prompt %d", p.Turn)
	}
	if !p.Time.IsZero() {
		why += ", " + cli.DateText(p.Time)
	}
	for _, f := range p.Close {
		why += fmt.Sprintf("; close to %s %q", memory.ShortID(f.ID), memory.Title(f.Text))
	}
	return why
}

// reviewEach asks at a terminal about one proposal after the other.
func reviewEach(ctx context.Context, c *cli.Env, list []api.Proposal) error {
	for i, p := range list {
		c.Line("", fmt.Sprintf("%d of %d  %s", i+1, len(list), memory.Clean(p.Text)))
		c.Line("", "    "+cli.CleanLine(whyProposed(p)))
		if end, err := reviewOne(ctx, c, p); end || err != nil {
			return err
		}
	}
	return nil
}

// reviewOne asks the person about a proposal and acts on the answer. end means that they want
// to stop.
func reviewOne(ctx context.Context, c *cli.Env, p api.Proposal) (end bool, err error) {
	req := propose.AcceptRequest{IDs: []string{p.ID}}
	question := "[a]ccept, [e]dit, [d]rop, [s]kip, [q]uit? "
	if len(p.Close) > 0 {
		question = "[a]ccept, [r]eplace " + memory.ShortID(p.Close[0].ID) + ", [e]dit, [d]rop, [s]kip, [q]uit? "
	}
	switch cli.Key(c, question) {
	case 'q', cli.InterruptKey, cli.EndKey:
		return true, nil
	case 'd':
		res, err := propose.DropProposals(ctx, c.Memory, req.IDs)
		return false, reviewed(c, res, err)
	case 'r':
		if len(p.Close) == 0 {
			return false, nil
		}
		req.Supersedes = p.Close[0].ID
	case 'e':
		if req.Text = c.Answer("its text:"); req.Text == "" {
			return false, nil
		}
	case 'a', 'y':
	default:
		return false, nil
	}
	res, err := propose.AcceptProposals(ctx, c.Memory, req)
	return false, reviewed(c, res, err)
}

package main

import (
	"context"
	"fmt"
	"strings"

	"agentflow/api"
	"agentflow/app"
	"agentflow/describe"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (c *cli) previewCommand() *cobra.Command {
	var req app.PreviewRequest
	var text bool
	cmd := c.withJSON("one JSON object: start, and with a task prompt", &cobra.Command{
		Use:   "preview [flags] [TASK…]",
		Short: "Show what the next session, and its first prompt, would be given",
		Long: `Preview lists what a session that began now would be shown: the facts that people
state, notes, and recent work, each with its id and why it is there. With a task it
also lists what that prompt would add. 'pin ID', 'forget ID' and 'memory edit ID'
change it, and on a terminal it asks for p, d or e with an id.`,
		Example: `  agentflow preview
  agentflow preview "add a flag for the timeout"
  agentflow preview --text`,
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Task = strings.Join(args, " ")
			res, err := c.memory.Preview(cmd.Context(), req)
			if err == nil && !text && !c.selection.Wanted && c.inTTY && c.outTTY {
				return c.previewKeys(cmd.Context(), req, res.Preview)
			}
			return c.result(err, res.Preview, func() {
				if text {
					c.previewText(res.Preview)
					return
				}
				c.previewAll(res.Preview)
				c.hint("agentflow pin ID keeps a line first, forget ID drops it, memory edit ID changes it")
			})
		},
	})
	cmd.Flags().BoolVar(&text, "text", false, "print the text as the agent gets it")
	return cmd
}

// previewAll lists what a session begins with, and what its prompt adds.
func (c *cli) previewAll(p api.Preview) {
	c.previewStart(p.Start)
	if p.Prompt != nil {
		c.previewPrompt(*p.Prompt)
	}
}

// previewKeys lists a preview and does what the person at the terminal types, until that is
// an empty line or q.
func (c *cli) previewKeys(ctx context.Context, req app.PreviewRequest, p api.Preview) error {
	for {
		c.previewAll(p)
		if len(p.Start.Facts)+len(p.Start.Work) == 0 && p.Prompt == nil {
			return nil
		}
		words := strings.Fields(c.answer("p ID pins, d ID drops, e ID edits, q quits: "))
		if len(words) == 0 || words[0] == "q" {
			return nil
		}
		if err := c.previewDo(ctx, words); err != nil {
			c.printf("%s\n", cleanLine(err.Error()))
		}
		res, err := c.memory.Preview(ctx, req)
		if err != nil {
			return err
		}
		p = res.Preview
	}
}

// previewDo pins, forgets or edits what a line names.
func (c *cli) previewDo(ctx context.Context, words []string) error {
	if len(words) != 2 {
		return usagef("want a letter and an id, such as: p 3f9a1c")
	}
	switch id := words[1]; words[0] {
	case "p":
		_, err := c.memory.Pin(ctx, app.PinRequest{IDs: []string{id}, Pinned: true})
		return err
	case "d":
		plan, err := c.memory.PlanForget(ctx, app.ForgetRequest{IDs: []string{id}})
		if err != nil {
			return err
		}
		_, err = c.memory.ApplyForget(ctx, plan)
		if err == nil {
			c.hint("'agentflow memory restore %s' brings it back", id)
		}
		return err
	case "e":
		_, err := c.memory.Edit(ctx, app.EditRequest{ID: id, Editor: editFile})
		return err
	}
	return usagef("%q is none of p, d, e and q", words[0])
}

// previewText prints the texts that an agent would get.
func (c *cli) previewText(p api.Preview) {
	c.printf("%s", p.Start.Text)
	if p.Prompt != nil {
		c.printf("\n%s", p.Prompt.Block)
	}
}

// previewStart lists what a session begins with.
func (c *cli) previewStart(s api.SessionStart) {
	c.printf("%s\n", c.bold(fmt.Sprintf("The next session begins with %s in %s", pieces(len(s.Facts), len(s.Work)), tokens(s.Tokens))))
	for _, f := range s.Facts {
		c.previewFact(f)
	}
	c.printRead(s.Read)
	for _, w := range s.Work {
		outcome := "done"
		if w.Failed != "" {
			outcome = "failed: " + w.Failed
		}
		c.item(fmt.Sprintf("%-6s", w.ID), w.Title, cleanLine(fmt.Sprintf("recent work of %s, %s", w.Time.Format("2006-01-02 15:04"), outcome)))
	}
}

// previewPrompt lists what a prompt adds.
func (c *cli) previewPrompt(p api.Recall) {
	c.printf("\n%s\n", c.bold(fmt.Sprintf("The prompt adds %s in %s", pieces(len(p.Facts), len(p.Hits)), tokens(p.Tokens))))
	for _, f := range p.Facts {
		c.previewFact(f)
	}
	for _, f := range p.Files {
		c.item("file  ", f.Path, cleanLine("likely involved: "+f.Why))
	}
	for _, h := range p.Hits {
		c.item(fmt.Sprintf("%-6s", memory.ShortID(h.EntryID)), h.Heading, cleanLine(fmt.Sprintf("%s, score %.2f", h.Path, h.Score)))
	}
	for _, u := range p.Unused {
		c.item(fmt.Sprintf("%-6s", memory.ShortID(u.Hit.EntryID)), u.Hit.Heading, cleanLine("left out: "+u.Why))
	}
}

func (c *cli) previewFact(f api.RecalledFact) {
	id := memory.ShortID(f.ID)
	if id == "" {
		id = "-" // written by hand: it is edited in its file
	}
	c.item(fmt.Sprintf("%-6s", id), f.Text, cleanLine(describe.WhyShown(f)+elsewhere(f.Namespace)+", "+c.at(fmt.Sprintf("%s:%d", f.Path, f.Line))))
}

// printRead lists facts that are left out.
func (c *cli) printRead(read []api.ReadFact) {
	for _, r := range read {
		c.item(fmt.Sprintf("%-6s", memory.ShortID(r.Fact.ID)), r.Fact.Text, "left out: "+r.Why)
	}
}

// pieces counts facts and entries.
func pieces(facts, entries int) string {
	return plural.Count(facts, "fact") + " and " + plural.Count(entries, "entry")
}

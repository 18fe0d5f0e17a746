package doors

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/chat"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Chat returns the command chat.
func Chat(c *cli.Env) *cobra.Command {
	var options chat.Options
	cmd := c.WithJSON("one JSON object: id, model, answer, changed, turns, cost_usd, stop_reason", &cobra.Command{
		Use:   "chat [flags] [QUESTION…]",
		Short: "Ask a model that has this memory, and keeps notes in it",
		Long: `Chat puts your questions to a model of Anthropic's, over its API or Amazon Bedrock,
which costs money. The model gets what memory has for each question, searches
memory, and keeps notes in .agentflow/memory/notes; it reaches nothing else. What
it changes is said, a line each.

On a terminal it is a conversation: a line is a question, Ctrl-C ends an answer,
twice the conversation. Elsewhere the question, or standard input, gets one
answer on standard output. The key is in ANTHROPIC_API_KEY; the settings of chat
say how to use Bedrock, another model or another key.`,
		Example: `  agentflow chat "why does the login test use a fixed clock?"
  agentflow chat --continue
  git diff | agentflow chat > review.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return chatWith(cmd.Context(), c, options, strings.Join(args, " "))
		},
	})
	flags := cmd.Flags()
	flags.BoolVarP(&options.Continue, "continue", "c", false, "continue the last conversation")
	flags.StringVar(&options.Resume, "resume", "", "continue the conversation with this `id`, or the end of one")
	flags.StringVar(&options.Model, "model", "", "ask this `model` instead of the setting chat.model")
	cliflag.AtLeast(cmd, &options.MaxTurns, "max-turns", "", 1, "at most this many requests for a question (default 20, the setting chat.max_turns)")
	flags.Float64Var(&options.MaxCost, "max-cost", 0, "end before more `dollars` are spent (default 1, the setting chat.max_cost)")
	cmd.MarkFlagsMutuallyExclusive("continue", "resume")
	return cmd
}

// MaxQuestion bounds a question on standard input, in bytes.
const MaxQuestion = 1 << 20

func chatWith(ctx context.Context, c *cli.Env, options chat.Options, question string) error {
	if options.MaxCost < 0 {
		return cli.Usagef("--max-cost: want a number, 0 or more, have %v", options.MaxCost)
	}
	talks := c.InTTY && c.OutTTY && !c.Selection.Wanted
	within := false // a line of the answer has no end yet
	options.Tell = func(e chat.Event) {
		if within && e.Kind == chat.EventNotice {
			c.Printf("\n")
		}
		within = talks && e.Kind == chat.EventText && !strings.HasSuffix(e.Text, "\n")
		switch {
		case e.Kind == chat.EventText && talks:
			c.Printf("%s", memory.Clean(e.Text))
		case e.Kind == chat.EventTurn && talks:
			c.Printf("\n")
		case e.Kind == chat.EventChanged, e.Kind == chat.EventNotice:
			c.Say("%s", e.Text)
		}
	}
	conversation, err := chat.Begin(ctx, c.Memory, options)
	if err != nil {
		return err
	}
	if talks {
		return talk(ctx, c, conversation, question)
	}
	if question == "" && !c.InTTY {
		text, err := io.ReadAll(io.LimitReader(c.In, MaxQuestion+1))
		if err != nil {
			return fmt.Errorf("reading the question: %w", err)
		}
		if len(text) > MaxQuestion {
			return cli.Usagef("the question is longer than %d KB", MaxQuestion>>10)
		}
		question = string(text)
	}
	answer, err := conversation.Ask(ctx, question)
	return c.Result(err, answer, func() { fmt.Fprintf(c.Verbatim(), "%s\n", answer.Answer) })
}

// talk holds a conversation on a terminal, and handles Ctrl-C itself.
func talk(ctx context.Context, c *cli.Env, conversation *chat.Conversation, first string) error {
	signals, interrupts := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	c.StopSignals()
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-signals:
				c.Printf("\n") // behind the ^C that the terminal shows
				select {
				case interrupts <- struct{}{}:
				case <-over:
					return
				}
			case <-over:
				return
			}
		}
	}()
	c.Say("/quit or Ctrl-D ends the conversation")
	err := conversation.Talk(app.Quiet(ctx), first, c.In, interrupts, chat.Screen{
		Prompt: func() { c.Printf("%s ", c.Bold(">")) },
		Answer: func(a api.ChatAnswer) { c.Printf("\n%s\n", c.Dim(fmt.Sprintf("$%.4f", a.CostUSD))) },
		Failed: func(err error) {
			c.Fail(err)
			if hint := app.AsError(err).Hint; hint != "" {
				c.Hint("%s", hint)
			}
		},
		Say: func(text string) { c.Say("%s", text) },
	})
	c.Printf("\n")
	c.Say("'agentflow chat --resume %s' continues this conversation", memory.ShortID(conversation.ID()))
	return err
}

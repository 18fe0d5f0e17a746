package doors

import (
	"context"
	"os"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/app/session/hook"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/detached"

	"github.com/spf13/cobra"
)

// Session returns the command session.
func Session(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "session",
		Short:  "What agents' own hooks run: see connect",
		Hidden: true,
	}
	var agent string
	answer := &cobra.Command{
		Use:   "hook",
		Short: "Answer a hook of an agent's session",
		Long: `Hook reads an event of Claude Code or Codex on its standard input, and
answers with memory for the agent. 'agentflow connect' puts it into the agent's
settings. It always exits with 0.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			program, err := os.Executable()
			if err != nil {
				return nil // a hook cannot help here, and the agent continues
			}
			hook.Hook(app.Listen(cmd.Context(), nil), hook.Options{
				In: c.In, Out: c.Out, Agent: agent, EnvFile: os.Getenv("CLAUDE_ENV_FILE"), Project: os.Getenv("CLAUDE_PROJECT_DIR"), Open: func(dir string) (*app.Memory, error) { return memoryOf(c, dir) },
				Detach: func(dir string, input []byte) error {
					return detached.Start([]string{program, "session", "work"}, dir, c.Environ, input)
				},
			})
			return nil
		},
	}
	answer.Flags().StringVar(&agent, "agent", "claude", "the `agent`: claude or codex")
	work := &cobra.Command{
		Use:   "work",
		Short: "Do what a hook left to be done",
		Long:  "Work reads on its standard input what 'agentflow session hook' left to be done.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return hook.Work(app.Listen(cmd.Context(), nil), c.In, func(dir string) (*app.Memory, error) { return memoryOf(c, dir) })
		},
	}
	cmd.AddCommand(answer, work)
	return cmd
}

// memoryOf opens the memory of a folder, in silence.
func memoryOf(c *cli.Env, dir string) (*app.Memory, error) {
	return open.Open(context.Background(), dir, app.Env{Vars: c.Environ})
}

package doors

import (
	"io"
	"os"

	"agentflow/app"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/gctuning"
	"agentflow/mcp"

	"github.com/spf13/cobra"
)

// MCP returns the command mcp.
func MCP(c *cli.Env) *cobra.Command {
	options := mcp.Options{Version: cli.Version, Run: os.Getenv("AGENTFLOW_RUN_ID"), Token: os.Getenv("AGENTFLOW_RUN_TOKEN"), Session: os.Getenv("CLAUDE_CODE_SESSION_ID")}
	cmd := &cobra.Command{
		Use:   "mcp [flags]",
		Short: "Offer memory to an agent as tools, over MCP on stdin and stdout",
		Long: `An agent, or the program that runs it, starts Mcp. The agent then searches and
reads the memory of the repository it works in, and stores, corrects and forgets
facts. It may be started in any folder: where there is no memory, the tools say so.
It ends when its input ends.

What an agent stores says by whom and in which session it was stored, and has
secrets taken out. What a person wrote or pinned no agent changes.`,
		Example: "  claude mcp add agentflow -- agentflow mcp\n  codex mcp add agentflow -- agentflow mcp",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Endless.Store(true)
			gctuning.Answer()
			return mcp.Serve(app.Quiet(cmd.Context()), c.Memory, options, io.NopCloser(c.In), unclosed{c.Out})
		},
	}
	cmd.Flags().BoolVar(&options.MemoryTool, "memory-tool", false, "offer Anthropic's memory tool too, on the notes of memory")
	return cmd
}

// unclosed is a stream that others write to as well.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

package main

import (
	"io"
	"os"

	"agentflow/app"
	"agentflow/mcp"

	"github.com/spf13/cobra"
)

func (c *cli) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Offer memory as tools to an agent, over MCP on stdin and stdout",
		Long: `Mcp is started by an agent, which searches, reads and adds to the memory of the
repository through its tools. It ends with the agent.`,
		Example: "  claude mcp add agentflow -- agentflow mcp",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.endless.Store(true)
			server := mcp.New(c.memory, mcp.Options{Version: version, Run: os.Getenv("AGENTFLOW_RUN"), Session: os.Getenv("CLAUDE_CODE_SESSION_ID")})
			return mcp.Serve(app.Quiet(cmd.Context()), server, io.NopCloser(c.in), out{c.out})
		},
	}
}

// out is a stream that is not closed: others write to it too.
type out struct{ io.Writer }

func (out) Close() error { return nil }

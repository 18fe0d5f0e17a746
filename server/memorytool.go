package server

import (
	"context"

	"agentflow/app/fact"
	"agentflow/internal/memorytool"
)

// ToolCommand is one command of Anthropic's memory tool, with the agent that
// sends it.
type ToolCommand struct {
	Agent   string `query:"agent" json:"-" doc:"the agent that gives it, as it names itself"`
	Session string `query:"session" json:"-" doc:"id of the agent's session: each may change memory 64 times"`
	memorytool.Command
}

// ToolAnswer is the text for the model. For an error, it is the message of the
// error.
type ToolAnswer struct {
	Text       string `json:"text"`
	Repository string `json:"repository"`
}

func memoryTool(ctx context.Context, c call, in ToolCommand) (ToolAnswer, error) {
	session := c.server.sessions.of(c.Repository, fact.Agent{Name: in.Agent, Session: in.Session})
	text, err := session.MemoryTool(ctx, in.Command)
	return ToolAnswer{text, c.Name}, err
}

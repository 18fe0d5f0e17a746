package server

import (
	"context"
	"sync"

	appagent "agentflow/app/agent"
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

// maxAgentSessions limits how many sessions are counted at the same time.
const maxAgentSessions = 1000

// agentSessions holds the agents' sessions that used this server, to count the
// changes of each.
type agentSessions struct {
	mu    sync.Mutex
	known map[agentKey]*appagent.AgentSession
	order []agentKey // oldest first
}

type agentKey struct {
	repository, agent, session string
}

func newAgentSessions() *agentSessions {
	return &agentSessions{known: map[agentKey]*appagent.AgentSession{}}
}

func (a *agentSessions) of(r Repository, agent fact.Agent) *appagent.AgentSession {
	key := agentKey{r.Name, agent.Name, agent.Session}
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.known[key]; s != nil {
		return s
	}
	if len(a.order) == maxAgentSessions {
		delete(a.known, a.order[0])
		a.order = a.order[1:]
	}
	a.known[key] = appagent.NewAgentSession(r.Memory, agent)
	a.order = append(a.order, key)
	return a.known[key]
}

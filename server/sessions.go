package server

import (
	"sync"

	appagent "agentflow/app/agent"
	"agentflow/app/fact"
)

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

// Package agent lets an agent read and change memory during a session, and limits the changes.
//
// Doors give an agent an AgentSession (NewAgentSession), with the operations Remember, Edit, Forget and MemoryTool.
// It signs the facts that the agent stores, counts changes, and refuses changes of facts that are not open to agents
// (fact.Agent.MayChange). It accepts the name of a run only while the run is active and with the token that the run
// gave to its agent. A session makes at most agentlimit.PerSession changes, and the sessions of one Memory at most
// agentlimit.PerHour within an hour.
//
// MemoryTool is Anthropic's memory tool on the folder notes. Its edits go through writeback.Store.Revise, so an edit
// by hand in the meantime wins. No text of an agent reads as an entry or a fact there (markdown.Inert), and lines
// that a person added stay. So ids, pins, sources and MEMORY.md are out of its reach. A deleted file can be restored
// by the id file:NAME. Removals can be taken back with 'memory undo', the last ten of each command.
//
// Not guaranteed: a server that an agent starts has a separate Memory, and so a separate count of changes in an
// hour.
package agent

import (
	"context"
	"sync/atomic"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/lookup"
	"agentflow/app/purge"
)

// ReadingTools names the tools that change nothing, as a server of memory's tools names them.
var ReadingTools = []string{"memory_search", "memory_get", "memory_list", "files_for_task", "why"}

// AgentSession is one session of an agent that uses memory. It stores facts under the agent's name,
// and it changes and deletes facts that agents stored or that runs reported. A session makes at
// most MaxAgentWrites changes, and all sessions of a Memory together make at most
// MaxAgentWritesAnHour within an hour. A session does not change facts that a person wrote, edited
// or pinned, imported facts, and facts in MEMORY.md. The text that it stores is cleaned and
// redacted in full, has an importance of at most memory.MostAgentImportance and is never pinned. It
// may change the user's own memory only if the setting tools.global allows it. An AgentSession is
// safe for concurrent use.
type AgentSession struct {
	memory *app.Memory
	agent  fact.Agent
	Writes atomic.Int64
}

// NewAgentSession starts a session of an agent.
func NewAgentSession(m *app.Memory, agent fact.Agent) *AgentSession {
	return &AgentSession{memory: m, agent: agent}
}

// Remember calls fact.Remember for the agent. A fact that memory already holds does not count as a
// change. In addition to the errors of fact.Remember it returns KindRefused, if the agent may not
// change the fact to be replaced or agents have reached a limit of changes.
func (a *AgentSession) Remember(ctx context.Context, req fact.RememberRequest) (result fact.RememberResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.Agent = &a.agent
	result, err = fact.Remember(ctx, a.memory, req)
	if err != nil || result.Fact.Existing {
		a.giveBack()
	}
	return result, err
}

// Edit calls fact.Edit for the agent and returns the errors that Remember returns. A new text
// becomes a new fact, and the old one stays, struck. EditResult.Replaced is the id of the old one.
func (a *AgentSession) Edit(ctx context.Context, req fact.EditRequest) (result lookup.EditResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.Agent, req.Editor = &a.agent, nil
	result, err = fact.Edit(ctx, a.memory, req)
	if err != nil || !result.Changed {
		a.giveBack()
	}
	return result, err
}

// Forget removes one fact from memory. Restore can bring it back. Errors are as for Remember.
func (a *AgentSession) Forget(ctx context.Context, id string) (result purge.ForgetResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	plan, err := forget.PlanForget(ctx, a.memory, forget.Request{IDs: []string{id}, Agent: &a.agent})
	if err == nil {
		plan.ByAgent = true
		result, err = forget.ApplyForget(ctx, a.memory, plan)
	}
	if err != nil {
		a.giveBack()
	}
	return result, err
}

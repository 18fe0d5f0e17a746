package app

import (
	"context"
	"fmt"
	"sync/atomic"

	"agentflow/internal/plural"
	"agentflow/memory"
)

// Agent is who uses memory through a tool.
type Agent struct {
	Name    string // as it names itself: "claude-code"
	Session string // id of its session; empty: not known
	Run     string // id of the run that it works for; empty: none
}

// MaxAgentWrites is how many facts an agent may store, change and delete in
// one session.
const MaxAgentWrites = 64

// AgentSession is what one session of an agent may do to memory: it stores
// facts under the agent's name, and changes and takes out those that no person
// wrote or pinned, MaxAgentWrites times. It is safe for concurrent use.
type AgentSession struct {
	memory *Memory
	agent  Agent
	writes atomic.Int64
}

// AgentSession begins a session of an agent.
func (m *Memory) AgentSession(agent Agent) *AgentSession {
	return &AgentSession{memory: m, agent: agent}
}

// Remember is the Memory's Remember for the agent. The fact's importance is at
// most memory.MostAgentImportance. Another kind of error is KindRefused: a
// person wrote or pinned what it is to replace, or the session has written
// often enough.
func (a *AgentSession) Remember(ctx context.Context, req RememberRequest) (result RememberResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.agent = &a.agent
	return a.memory.Remember(ctx, req)
}

// Edit is the Memory's Edit for the agent; errors are as for Remember.
func (a *AgentSession) Edit(ctx context.Context, req EditRequest) (result EditResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.agent = &a.agent
	return a.memory.Edit(ctx, req)
}

// Forget takes one fact out of memory, so that Restore brings it back; errors
// are as for Remember.
func (a *AgentSession) Forget(ctx context.Context, id string) (result ForgetResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	plan, err := a.memory.PlanForget(ctx, ForgetRequest{IDs: []string{id}})
	if err != nil {
		return result, err
	}
	for _, t := range plan.Targets {
		if err := a.agent.mayTakeOut(t); err != nil {
			return result, err
		}
	}
	return a.memory.ApplyForget(ctx, plan)
}

// write counts a change of memory.
func (a *AgentSession) write() error {
	if a.writes.Add(1) > MaxAgentWrites {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("this session has changed memory %s already", plural.Count(MaxAgentWrites, "time"))}
	}
	return nil
}

// mayTakeOut says why the agent may not take out a target; nil when it may.
func (a *Agent) mayTakeOut(t ForgetTarget) error {
	if t.fact == nil {
		return refusedToAgents(t.ID, "it is the record of a run or a commit")
	}
	return a.mayChange(*t.fact)
}

// mayChange says why the agent may not change a fact; nil when it may, and for
// a person.
func (a *Agent) mayChange(f memory.Fact) error {
	if a != nil && f.ByPerson() {
		return refusedToAgents(f.ID, "a person wrote or pinned it")
	}
	return nil
}

func refusedToAgents(id, why string) error {
	return &Error{Kind: KindRefused, Err: fmt.Errorf("%s stays as it is: %s", memory.ShortID(id), why), Hint: "tell the user what should be changed"}
}

// sign says in a new fact who stored it.
func (a *Agent) sign(f *memory.Fact) {
	if a == nil {
		f.Source = memory.ByHand
		return
	}
	f.Agent, f.Session, f.Source = cleanLine(a.Name), cleanLine(a.Session), memory.ByAgent
	if a.Run != "" {
		f.Source = a.Run
	}
}

// limit is the change with no more importance than an agent may give.
func (a *Agent) limit(c FactChange) FactChange {
	if a != nil && c.Importance != nil {
		most := min(*c.Importance, memory.MostAgentImportance)
		c.Importance = &most
	}
	return c
}

package agent

import (
	"fmt"
	"time"

	"agentflow/app"
	"agentflow/internal/agentlimit"
	"agentflow/internal/plural"
)

// write counts a change of memory that is about to be made. It returns an error of KindRefused at a
// limit.
func (a *AgentSession) write() error {
	if a.Writes.Add(1) > agentlimit.PerSession {
		a.Writes.Add(-1)
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("this session has changed memory %s already", plural.Count(agentlimit.PerSession, "time")),
			Hint: "ask the user to store the other facts"}
	}
	if wait := a.memory.Agents.Take(time.Now()); wait > 0 {
		a.Writes.Add(-1)
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("agents have changed memory %s within an hour", plural.Count(agentlimit.PerHour, "time")),
			Hint: fmt.Sprintf("memory accepts changes again in %s; then ask the user to store the other facts", plural.Count(int(wait/time.Minute)+1, "minute"))}
	}
	return nil
}

// giveBack removes the count of a change that was not made.
func (a *AgentSession) giveBack() {
	a.Writes.Add(-1)
	a.memory.Agents.GiveBack()
}

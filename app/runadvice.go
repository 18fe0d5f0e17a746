package app

import (
	"fmt"
	"slices"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/memory"
)

// advice is what can be done about a run that did not end well, a line each:
// only what works for this run. tree is what became of a work tree of its own.
func (s *site) advice(rec executor.Record, tree fate) []string {
	e := &rec.Entry
	id := memory.ShortID(e.ID)
	var out []string
	switch rec.Cause {
	case agent.CauseNotStarted:
		return []string{startHint(s.settings, e.Agent)}
	case agent.CauseLogin:
		out = append(out, loginHint(e.Agent))
	case agent.CauseSession:
		out = append(out, "the agent keeps its sessions by folder, and not for ever: start anew, without --resume")
	}
	if len(e.Denials) > 0 {
		out = append(out, deniedHint)
	}
	if rec.Outcome == memory.OutcomeOK {
		return out
	}
	if s.resumable(rec, tree) {
		limit := ""
		if rec.Cause == agent.CauseCost {
			limit = "--max-cost DOLLARS "
		}
		out = append(out, fmt.Sprintf("'agentflow run --resume %s %sTASK' goes on with the agent's session", id, limit))
	}
	if rec.MemoryPath != "" && tree == (fate{}) {
		out = append(out, undoAdvice(e)...)
	}
	return out
}

// resumable says whether --resume can go on with the agent's session of a run.
func (s *site) resumable(rec executor.Record, tree fate) bool {
	_, named := s.settings.Agents[rec.Entry.Agent]
	if rec.Entry.Agent != "claude" || named || rec.Entry.Session == "" || rec.MemoryPath == "" {
		return false
	}
	gone := tree != (fate{}) && tree.path == ""
	return !gone && rec.Cause != agent.CauseLogin && rec.Cause != agent.CauseSession
}

// undoAdvice is how a run is taken back, where undo finds something.
func undoAdvice(e *memory.Entry) []string {
	changes, id := changesOf(e), memory.ShortID(e.ID)
	sure := slices.ContainsFunc(changes, func(c memory.Change) bool { return c.Certainty.Sure() })
	switch {
	case len(unread(*e)) > 0:
		return nil
	case sure:
		return []string{fmt.Sprintf("'agentflow undo %s' takes back what the run changed", id)}
	case len(changes) > 0:
		return []string{fmt.Sprintf("'agentflow undo %s --possible' takes back what the run may have changed", id)}
	}
	return nil
}

// loginHint is how an agent is logged in.
func loginHint(agent string) string {
	if agent == "claude" {
		return "'claude auth login' logs in; where nobody can, set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN"
	}
	return "log in to " + agent + ", or give it a key"
}

const deniedHint = `'--permission-mode acceptEdits' lets it edit files; [agent.claude] allowed_tools = ["Bash(git *)"] in your config lets it run such commands`

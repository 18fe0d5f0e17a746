package connect

import "agentflow/internal/connect"

// ConnectAgents lists the agents that can be connected.
var ConnectAgents = connect.Agents

// SessionsWhere selects the repositories in which sessions of agents are remembered.
type SessionsWhere string

// The values of SessionsWhere.
const (
	SessionsAsBefore SessionsWhere = ""      // as the settings say
	SessionsEvery    SessionsWhere = "every" // in every repository
	SessionsHere     SessionsWhere = "here"  // in this repository, and in those that are already listed
)

// RememberSessionsResult describes the settings after the change.
type RememberSessionsResult struct {
	File     string // the user's settings file, if it was changed
	Words    string // where sessions are remembered
	Degraded []string
}

package share

import (
	"agentflow/app"
	"agentflow/internal/team"
)

// ChangeOf describes what a command wrote, for the audit log.
func ChangeOf(s *app.Repo, command string, ids []string) team.Change {
	return team.Change{Repository: s.Team.Repository, Name: s.Policy.Person, Operation: command, IDs: ids}
}

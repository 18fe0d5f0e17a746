package share

import (
	"agentflow/app"
	"agentflow/internal/team"
)

// ChangeOf describes what a command wrote, for the audit log.
func ChangeOf(s *app.Repo, command string, ids []string) team.Change {
	c := team.Change{Repository: s.Team.Repository, Operation: command, IDs: ids}
	if s.Caller != nil {
		c.Name = s.Caller.Name
	}
	return c
}

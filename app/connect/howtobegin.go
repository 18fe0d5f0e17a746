package connect

import (
	"slices"

	"agentflow/app"
	"agentflow/internal/connect"
)

// Remembering lists the agents that are connected so that memory records their sessions.
func Remembering(o *app.Operation) []string {
	c, err := newConnector(o)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(connect.Agents), func(agent string) bool {
		way := c.wayOf(agent)
		return way != "plugin" && way != "hooks"
	})
}

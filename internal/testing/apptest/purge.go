package apptest

import (
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/forget"
)

// Purge forgets an id for good, as the command does.
func Purge(t *testing.T, m *app.Memory, id string) api.Forgotten {
	t.Helper()
	plan := Must(forget.PlanForget(t.Context(), m, forget.Request{IDs: []string{id}, Purge: true}))(t)
	return Must(forget.ApplyForget(t.Context(), m, plan))(t).Forgotten
}

// Marks lists the files of the home and the repository that hold a text, except those of the work tree.
func (p *Place) Marks(text string) (list []string) {
	p.T.Helper()
	for _, dir := range []string{p.Home, p.Path(".git"), p.Path(".agentflow")} {
		for path, content := range Texts(p.T.(*testing.T), dir) {
			if strings.Contains(strings.ToLower(content), text) {
				list = append(list, path)
			}
		}
	}
	slices.Sort(list)
	return list
}

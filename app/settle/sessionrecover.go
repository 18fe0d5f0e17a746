package settle

import (
	"time"

	"agentflow/app"
	"agentflow/executor/turns"
)

// SessionAtWork reports whether the agent of any session is at work in this repository. The
// session's entry will then contain its commits.
func SessionAtWork(s *app.Repo, now time.Time) bool {
	for _, folder := range turns.Open(app.SessionsFolder(s)) {
		if began, on := folder.Turn(); on && now.Sub(began) < turns.MaxIdle {
			return true
		}
	}
	return false
}

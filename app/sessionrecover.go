package app

import (
	"time"

	"agentflow/executor/turns"
)

// sessionAtWork reports whether the agent of any session is at work in this repository. The
// session's entry will then contain its commits.
func sessionAtWork(s *Repo, now time.Time) bool {
	for _, folder := range turns.Open(SessionsFolder(s)) {
		if began, on := folder.Turn(); on && now.Sub(began) < turns.MaxIdle {
			return true
		}
	}
	return false
}

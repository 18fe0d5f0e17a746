package app

import (
	"agentflow/api"
	"agentflow/memory"
)

// runObject is api.Run, until its last user here has moved.
type runObject = api.Run

func filled[T any](list []T) []T { return append([]T{}, list...) }

func unread(e memory.Entry) []string { return api.Unread(e) }

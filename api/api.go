// Package api holds the JSON objects of AgentFlow: what --json prints, and
// what the doors for programs and agents send. Names, order and meaning of the
// fields are a promise; new fields may be added. Times are RFC 3339.
package api

// filled is list as JSON must have it: an empty list is [], never null.
func filled[T any](list []T) []T { return append([]T{}, list...) }

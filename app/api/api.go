// Package api defines the JSON objects of AgentFlow: the objects that --json prints, and that the
// HTTP server and the tools for agents send. Names, order and meaning of the fields are a promise.
// New fields may be added. Times are RFC 3339.
//
// docs/json.md is generated from the comments of the objects and their fields.
package api

// filled returns list in the form that JSON must have: an empty list is [], never null.
func filled[T any](list []T) []T { return append([]T{}, list...) }

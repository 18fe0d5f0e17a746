package server

import "net/http"

// Short names of the methods, for the readability of the table in routes.go.
const (
	get    = http.MethodGet
	post   = http.MethodPost
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// The paths of the routes.
const (
	base        = "/api/v1"
	openAPIPath = base + "/openapi.json"
	facts       = base + "/memory/facts"
	oneFact     = facts + "/{id}"
	entries     = base + "/entries"
	oneEntry    = entries + "/{id}"
)

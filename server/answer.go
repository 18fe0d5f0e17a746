package server

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/memory"
)

// Problem describes why a request failed.
type Problem struct {
	Kind    app.Kind `json:"kind"`    // usage, notFound, locked, noPlace, agent, notRecorded, refused, unavailable or internal
	Message string   `json:"message"` // one line
	Hint    string   `json:"hint"`    // the remedy; empty if unknown
}

// Failure is the answer to a failed request.
type Failure struct {
	Error Problem `json:"error"`
}

// statuses maps kinds of errors to HTTP statuses; every other kind is 500.
var statuses = map[app.Kind]int{
	app.KindUsage: http.StatusBadRequest, app.KindNotFound: http.StatusNotFound, app.KindNoPlace: http.StatusNotFound, app.KindRefused: http.StatusConflict,
	app.KindLocked: http.StatusLocked, app.KindUnavailable: http.StatusServiceUnavailable, app.KindAgent: http.StatusBadGateway,
}

// problemOf converts an error of an operation to a Problem and a status.
func problemOf(err error) (Problem, int) {
	known := app.AsError(err)
	status := statuses[known.Kind]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	return Problem{known.Kind, memory.Clean(known.Error()), memory.Clean(hintOf(known.Kind, known.Hint))}, status
}

// hintOf returns the hint of an error. For an invalid request without a hint,
// it refers to the description of all routes.
func hintOf(kind app.Kind, hint string) string {
	if hint == "" && kind == app.KindUsage {
		return "GET " + openAPIPath + " describes what can be asked"
	}
	return hint
}

// answer sends a value, or the error if there is one.
func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		p, status := problemOf(err)
		send(w, status, Failure{p})
		return
	}
	send(w, http.StatusOK, value)
}

func fail(w http.ResponseWriter, status int, kind app.Kind, text, hint string) {
	send(w, status, Failure{Problem{kind, text, hintOf(kind, hint)}})
}

func send(w http.ResponseWriter, status int, value any) {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(value); err != nil {
		http.Error(w, `{"error":{"kind":"internal","message":"the answer is no JSON","hint":""}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error cannot be reported to anyone
}

// oneOfMethods returns a handler that calls the handler for the request's
// method.
func oneOfMethods(handlers map[string]http.HandlerFunc) http.HandlerFunc {
	var names []string
	for name := range handlers {
		names = append(names, name)
	}
	slices.Sort(names)
	return func(w http.ResponseWriter, r *http.Request) {
		if h := handlers[r.Method]; h != nil {
			h(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(names, ", "))
		fail(w, http.StatusMethodNotAllowed, app.KindUsage, "this path takes "+strings.Join(names, " and "), "")
	}
}

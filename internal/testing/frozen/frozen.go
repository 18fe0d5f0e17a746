// Package frozen keeps what users, agents and other programs see of AgentFlow
// from changing by accident: while the code is divided into packages and
// renamed, help texts, documents, the HTTP and MCP interfaces, the schemas of
// the databases, the text that agents receive, and what the program makes of
// the files of an older version stay the same. All of it is read from the
// program as it is released, so that the tests do not depend on the code's
// shape.
//
// A change that is meant writes the new state with
//
//	UPDATE_FROZEN=1 go test ./internal/testing/frozen
package frozen

// Package messagestest is a Messages API server on loopback for tests: the
// real Claude CLI runs against it, offline and without an account.
//
// A test hands it a script of turns, points the CLI at it with Env, and
// reads afterwards what the CLI sent: the prompt as the server received it,
// the tools' results, every request whole.
//
// Three kinds of requests come from one run of the CLI, told apart by what
// version 2.1.197 sends:
//
//   - the main conversation: it offers tools and has no
//     "x-claude-code-agent-id" header; it consumes Script.Main in order;
//   - a subagent's conversation: it has that header; it consumes Script.Sub;
//   - side requests (titles, summaries, questions without tools): they offer no
//     tools; they consume Script.Side, and when it is used up they are answered
//     with a fixed short text, so that they never shift the script.
//
// A conversation that asks for more turns than its script has gets a 400
// error that the CLI does not retry, and the test fails when the server is
// closed. The server answers text/event-stream only, and does not check
// keys, token counts or the shape of what it is sent.
package messagestest

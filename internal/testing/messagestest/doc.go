// Package messagestest is a Messages API server on loopback for tests: the real
// Claude CLI runs against it, offline and without an account.
//
// A test passes it a script of turns, points the CLI at it with Env, and
// afterwards reads the requests of the CLI: the prompt as the server received
// it, the results of tools, and every complete request.
//
// One run of the CLI sends three kinds of requests, which are distinguished as
// in version 2.1.197:
//
//   - the main conversation: it offers tools and has no
//     "x-claude-code-agent-id" header; it uses the turns of Script.Main in
//     order;
//   - a subagent's conversation: it has that header; it uses Script.Sub;
//   - side requests (titles, summaries, questions without tools): they offer
//     no tools; they use Script.Side, and after that get a fixed short text,
//     so that they never shift the script.
//
// A conversation that requests more turns than its script has gets a 400 error
// that the CLI does not retry, and the test fails when the server is closed.
// The server answers only text/event-stream, and does not check keys, token
// counts or the form of requests.
package messagestest

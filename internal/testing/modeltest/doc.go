// Package modeltest is a server of models on loopback for tests: the real
// Claude CLI, Codex, Gemini CLI and opencode run against it, offline and
// without an account.
//
// A test passes it a script of turns, points a program at it with Claude or
// Programs, and afterwards reads the program's requests: the prompt as the
// server received it, the results of tools, and every complete request.
//
// It speaks these protocols, only as streams and as far as those programs need
// them: Anthropic's Messages (POST /v1/messages), also as Amazon Bedrock has
// it, OpenAI's Responses (POST /v1/responses) and Chat Completions (POST
// /v1/chat/completions), and Gemini's streamGenerateContent. Other paths get
// 404.
//
// A program sends three kinds of requests, of which Claude's are distinguished
// as in version 2.1.197:
//
//   - the main conversation: it offers tools and has no
//     "x-claude-code-agent-id" header; it uses the turns of Script.Main in
//     order;
//   - a subagent's conversation: it has that header; it uses Script.Sub;
//   - side requests (titles, summaries, routing, questions without tools): they
//     offer no tools; they use Script.Side, and after that get a fixed short
//     text, so that they never shift the script.
//
// A conversation that requests more turns than its script has gets a 400 error
// that the programs do not retry, and the test fails when the server is closed.
// The server does not check keys, token counts or the form of requests.
package modeltest

// Package modeltest is a server of models on loopback for tests: the real
// Codex, Gemini CLI and opencode run against it, offline and without an
// account.
//
// It speaks three protocols, only as streams and as far as those programs need
// them: OpenAI's Responses (POST /v1/responses) and Chat Completions (POST
// /v1/chat/completions), and Gemini's streamGenerateContent. A test passes it a
// script of turns, one for each request that offers tools. Requests without
// tools (titles, routing) get a fixed text and use no turn of the script.
//
// A conversation that requests more turns than its script has gets a 400 error,
// and the test fails when the server is closed. The server does not check keys,
// token counts or the form of requests. Every turn costs 100 tokens of input,
// 40 of them cached, and 20 of output.
package modeltest

// Package agentdocs reads the files that coding agents read on their own: CLAUDE.md,
// AGENTS.md, their rules, and Claude's auto memory of a repository. It answers whether they
// say a statement already, and lists the statements of the auto memory.
//
// Reads are bounded, and a file that cannot be read says nothing. Says is careful: what it
// misses is shown twice, and what it takes for said although it is not would be lost.
package agentdocs

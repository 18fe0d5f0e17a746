// Package agentdocs reads the files that coding agents read by themselves: CLAUDE.md,
// AGENTS.md, their rules, and Claude's auto memory of a repository. It reports whether they
// contain a statement already, and lists the statements of the auto memory.
//
// Reads are limited, and a file that cannot be read has no statements. Says is strict: a
// statement that it overlooks is shown twice, but one that it finds by mistake would be lost.
package agentdocs

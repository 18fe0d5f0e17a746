// Package ask puts one question to an agent CLI and gives back its answer.
//
// The program is started for this alone: in an empty folder, outside any
// repository, whose settings could start programs, and, where it is the Claude
// CLI, without tools and in its safe mode, in which no hook of the user runs
// either. When
// Ask returns, no process of it is left, whether it answered, was ended or
// has run away. How long it may take is the context's matter.
//
// What it answers is the word of a model that has read text of strangers:
// nothing may be done by it before Decode and whoever asked have checked it.
package ask

// Package scriptedagent is an agent without a model: it speaks the stream
// that `claude -p --output-format stream-json` speaks (as recorded in
// testdata/claude), reads the prompt from stdin, and does what a script
// says, for real: it edits files, commits, starts processes. The demo, script
// tests and kill tests run it in the place of a real agent.
//
// It accepts Claude's arguments and ignores those it has no use for. Without
// "--output-format stream-json" it prints only what it says, as any program
// would, and with "--output-format json" only the result. It never pretends: its model is called "scripted", and without a
// script it says that it is one.
//
// # Scripts
//
// The environment variable SCRIPTED_AGENT names a script: a txtar archive
// whose comment holds one step a line. Words are separated by spaces; a word
// in double quotes is a Go string, so that "\n" and "\xff" can be said. Empty
// lines and lines that begin with # are skipped.
//
// Lines "task WORDS…" divide the steps: those before the first one are
// done for every prompt, those below one when its words, as a phrase and in
// any case, stand in the prompt. When several phrases do, the one that
// stands last counts: a prompt ends with its task.
//
//	say TEXT…             say a message; the last one is the result
//	write PATH TEXT       create or replace a file
//	copy NAME PATH        write the archive's file NAME to PATH
//	edit PATH OLD NEW     replace OLD, which must be there, by NEW
//	read PATH             read a file, as a tool whose result holds its text
//	sh COMMAND…           run a shell command, as a tool whose result is its output
//	commit MSG PATH…      git add and git commit -- PATH…, waiting for index.lock
//	start PROGRAM ARGS…   start a process in a session of its own and leave it running
//	sub TEXT…             let a subagent say TEXT
//	deny TOOL ARG…        try TOOL and be denied
//	flood SIZE [LINE]     say SIZE (as 3MB, 64KB, 10B) of text, LINE to a message (64KB)
//	raw TEXT…             print a line that is no part of the protocol
//	stderr TEXT…          print a line on stderr
//	prompt PATH           write the prompt as it was received to PATH; no event
//	touch PATH            create an empty file; no event
//	wait PATH             wait until PATH exists, at most a minute; no event
//	cost USD              report this cost in the result
//	deaf                  ignore interrupt and termination signals from here on
//	silent                print nothing more, until a signal comes or ten minutes are over
//	fail TEXT…            end as after an API error: result with is_error, exit code 1
//	exit CODE             end at once with this code, without a result
//	die                   end by SIGKILL, without a result
//
// Relative paths are relative to the working directory.
package scriptedagent

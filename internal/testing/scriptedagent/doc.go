// Package scriptedagent is an agent without a model: it speaks the stream of
// `claude -p --output-format stream-json` (as recorded in testdata/claude),
// reads the prompt from standard input, and really does the steps of a script:
// it edits files, commits, starts processes. The demo, script tests and kill
// tests run it in place of a real agent.
//
// It accepts Claude's arguments and ignores those that it does not need.
// Without "--output-format stream-json" it prints only its messages, like any
// program, and with "--output-format json" only the result. It never pretends
// to be a model: its model is called "scripted", and without a script it says
// that it is a scripted agent.
//
// # Scripts
//
// The environment variable SCRIPTED_AGENT names a script: a txtar archive with
// one step per line in its comment. Words are separated by spaces. A word in
// double quotes is a Go string, which allows "\n" and "\xff". Empty lines and
// lines that begin with # are skipped.
//
// Lines "task WORDS…" divide the steps. The steps before the first such line
// are done for every prompt. The steps after one are done if its words occur in
// the prompt, as a phrase and in any case. If several phrases occur, the last
// occurrence counts, because a prompt ends with its task.
//
//	say TEXT…             say a message; the last one is the result
//	write PATH TEXT       create or replace a file
//	copy NAME PATH        write the archive's file NAME to PATH
//	edit PATH OLD NEW     replace OLD, which must be there, by NEW
//	read PATH             read a file, as a tool with the file's text as its result
//	sh COMMAND…           run a shell command, as a tool with its output as its result
//	commit MSG PATH…      git add and git commit -- PATH…, waiting for index.lock
//	start PROGRAM ARGS…   start a process in a new session and leave it running
//	sub TEXT…             let a subagent say TEXT
//	deny TOOL ARG…        try TOOL and be denied
//	flood SIZE [LINE]     say SIZE (as 3MB, 64KB, 10B) of text, LINE to a message (64KB)
//	raw TEXT…             print a line that does not belong to the protocol
//	stderr TEXT…          print a line on stderr
//	prompt PATH           write the prompt as it was received to PATH; no event
//	touch PATH            create an empty file; no event
//	wait PATH             wait until PATH exists, at most a minute; no event
//	cost USD              report this cost in the result
//	deaf                  ignore interrupt and termination signals from here on
//	silent                print nothing more, until a signal comes or ten minutes are over
//	fail TEXT…            end as after an API error: result with is_error, exit code 1
//	exit CODE             end immediately with this code, without a result
//	die                   end by SIGKILL, without a result
//
// Relative paths are relative to the working directory.
package scriptedagent

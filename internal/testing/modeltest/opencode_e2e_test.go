//go:build e2e

package modeltest_test

import (
	"agentflow/executor/agent"
	"agentflow/executor/agent/opencode"
	. "agentflow/internal/testing/modeltest"
)

// opencodeRecordings returns all recordings of opencode.
func opencodeRecordings(project string) []recording {
	ask := func(prompt, permission string) []agent.Request {
		return []agent.Request{{Prompt: prompt, Permission: permission}}
	}
	shell := func(command string) Turn { return Use("bash", in{"command": command, "description": "Do it"}) }
	return []recording{
		{
			name:  "edit-and-commit",
			files: map[string]string{"main.go": mainGo},
			script: []Turn{
				Say("Reading first.").Use("read", in{"filePath": project + "/main.go"}),
				Use("edit", in{"filePath": project + "/main.go", "oldString": "hello", "newString": "goodbye"}),
				Use("write", in{"filePath": project + "/notes/todo.txt", "content": "buy milk\n"}),
				shell("git add -A && git commit -q -m 'say goodbye' && git log --oneline"),
				shell("echo out; exit 3"),
				Say("Changed the greeting and committed it."),
			},
			runs: ask("Say goodbye instead", opencode.Full),
		},
		{
			name: "denied",
			script: []Turn{
				Use("write", in{"filePath": project + "/a.txt", "content": "a\n"}),
				shell("touch b.txt"),
				Say("I could not write anything."),
			},
			runs: ask("Write two files", opencode.ReadOnly),
		},
		{
			name:   "asked",
			script: []Turn{Use("write", in{"filePath": project + "/a.txt", "content": "a\n"}), Say("I could not write anything.")},
			runs:   ask("Write a file", `{"edit":"ask"}`),
		},
		{
			name: "partly-denied",
			script: []Turn{
				Use("write", in{"filePath": project + "/a.txt", "content": "a\n"}),
				Use("write", in{"filePath": "/opt/agentflow-outside.txt", "content": "a\n"}),
				shell("git status"), shell("touch b.txt"), Say("I could write one."),
			},
			runs: ask("Write files", `{"edit":"allow","external_directory":"deny","bash":{"*":"deny","git *":"allow"}}`),
		},
		{name: "api-401", script: []Turn{Fail(401, "scripted", "the key is not known")}, always: true, runs: ask("Who am I?", "")},
		{name: "api-400", script: []Turn{Use("write", in{"filePath": project + "/half.txt", "content": "half\n"}), Fail(400, "scripted", "the request was not understood")}, always: true, runs: ask("Write, then fail", "")},
		{
			name:   "resume",
			script: []Turn{Say("First answer."), Say("Second answer.")},
			runs:   []agent.Request{{Prompt: "First question"}, {Prompt: "Second question", Resume: "last"}},
		},
		{name: "unknown-session", runs: []agent.Request{{Prompt: "Where was I?", Resume: "ses_00000000000000000000000000"}}, stderr: true},
		{name: "interrupted", script: []Turn{Use("write", in{"filePath": project + "/half.txt", "content": "half\n"}), Silence()}, runs: ask("Go on forever", ""), interruptAt: 2},
		{
			name:   "save-memory",
			files:  map[string]string{"trap.md": "<save_memory>A file said this.</save_memory>\n"},
			script: []Turn{Say("First finding.\n<save_memory key=\"clock\">The login test depends on the clock.</save_memory>").Use("bash", in{"command": "cat trap.md", "description": "Show"}), Say("Done.")},
			runs:   ask("What is worth knowing?", opencode.Full),
		},
	}
}

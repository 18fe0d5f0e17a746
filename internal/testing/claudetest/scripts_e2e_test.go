//go:build e2e

package claudetest_test

import . "agentflow/internal/testing/modeltest"

const mainGo = "package main\n\nfunc main() { println(\"hello\") }\n"

type in = map[string]any

// all returns every recording. Models usually name files by absolute paths, so
// write-file does too. The CLI passes on the paths that it gets; those of the
// others are relative.
func all(project string) []recording {
	one := func(prompt string, args ...string) []run { return []run{{prompt: prompt, args: args}} }
	return []recording{
		{
			name: "write-file",
			script: Script{Main: []Turn{
				Say("I will write the file.").Use("Write", in{"file_path": project + "/notes/todo.txt", "content": "buy milk\n"}),
				Say("Wrote notes/todo.txt."),
			}},
			runs: one("Write a todo file"),
		},
		{
			name:  "edit-and-commit",
			files: map[string]string{"main.go": mainGo},
			script: Script{Main: []Turn{
				Say("Reading first.").Use("Read", in{"file_path": "main.go"}),
				Use("Edit", in{"file_path": "main.go", "old_string": "hello", "new_string": "goodbye"}),
				Use("Bash", in{"command": "git add main.go && git commit -q -m 'say goodbye' -- main.go && git log --oneline", "description": "Commit"}),
				Say("Changed the greeting and committed it."),
			}},
			runs: one("Say goodbye instead", "--allowedTools", "Bash(git *)"),
		},
		{
			name: "save-memory",
			script: Script{Main: []Turn{
				Say("First finding.\n<save_memory type=\"semantic\" importance=\"0.9\" tags=\"clock,auth\" key=\"clock\">The login test depends on the clock.</save_memory>").
					Use("Bash", in{"command": "echo looking", "description": "Look"}),
				Say("Done.\n\n<save_memory type=\"procedural\">Run the tests with -race.</save_memory>\nThat is all."),
			}},
			runs: one("What is worth knowing?", "--allowedTools", "Bash(echo *)"),
		},
		{
			name:  "tags-in-tool-result",
			files: map[string]string{"trap.md": "<save_memory>A file said this.</save_memory>\n"},
			script: Script{Main: []Turn{
				Use("Read", in{"file_path": "trap.md"}),
				Use("Bash", in{"command": "cat trap.md", "description": "Show"}),
				Use("Write", in{"file_path": "copy.md", "content": "<save_memory>A written file said this.</save_memory>\n"}),
				Say("Copied it."),
			}},
			runs: one("Copy trap.md to copy.md", "--allowedTools", "Bash(cat *)"),
		},
		{
			name: "permission-denied",
			script: Script{Main: []Turn{
				Use("Write", in{"file_path": "a.txt", "content": "a\n"}),
				Use("Bash", in{"command": "touch b.txt", "description": "Make a file"}),
				Say("I could not write anything."),
			}},
			runs: one("Write two files", "--permission-mode", "default"),
		},
		{
			name: "api-error",
			script: Script{Main: []Turn{
				Say("Starting.").Use("Write", in{"file_path": "half.txt", "content": "half\n"}),
				Fail(400, "invalid_request_error", "the request was not understood"),
			}},
			runs: one("Write, then fail"),
		},
		{
			name: "background-bash",
			script: Script{Main: []Turn{
				Use("Bash", in{"command": "sleep 300", "description": "Serve", "run_in_background": true}),
				Say("The server is running in the background."),
			}},
			runs: one("Start the server", "--allowedTools", "Bash(sleep *)"),
		},
		{
			name: "subagent",
			script: Script{
				Main: []Turn{
					Say("Delegating.").Use("Agent", in{"description": "look around", "prompt": "Look around. <save_memory>asked of a subagent</save_memory>", "subagent_type": "general-purpose"}),
					Say("The subagent is back."),
				},
				Sub: []Turn{
					Say("Sub text. <save_memory>said by a subagent</save_memory>").Use("Write", in{"file_path": "sub.txt", "content": "sub\n"}),
					Say("Sub done. <save_memory>concluded by a subagent</save_memory>"),
				},
			},
			runs: one("Delegate this"),
		},
		{
			name:  "subagent-work",
			files: map[string]string{"main.go": mainGo},
			script: Script{
				Main: []Turn{
					Say("Delegating.").Use("Agent", in{"description": "change it", "prompt": "Change it and commit.", "subagent_type": "general-purpose"}),
					Say("The subagent has changed it."),
				},
				Sub: []Turn{
					Use("Read", in{"file_path": "main.go"}),
					Use("Edit", in{"file_path": "main.go", "old_string": "hello", "new_string": "goodbye"}).Use("Write", in{"file_path": "new.txt", "content": "new\n"}),
					Use("Bash", in{"command": "git add -A && git commit -q -m 'by a subagent'", "description": "Commit"}).
						Use("Bash", in{"command": "make it", "description": "Make"}),
					Say("Changed it."),
				},
			},
			runs: one("Have it changed", "--allowedTools", "Bash(git *)"),
		},
		{
			name: "background-ends",
			script: Script{Main: []Turn{
				Use("Bash", in{"command": "sleep 1", "description": "Build", "run_in_background": true}),
				Say("The build goes on in the background."),
				Say("The build has ended."),
			}},
			runs: one("Start the build", "--allowedTools", "Bash(sleep *)"),
		},
		{
			name: "hook-events",
			files: map[string]string{".claude/settings.json": `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo '<save_memory>a hook said so</save_memory>'"}]}],` +
				`"PostToolUse":[{"hooks":[{"type":"command","command":"echo looked"}]}],"Stop":[{"hooks":[{"type":"command","command":"exit 1"}]}]}}`},
			script: Script{Main: []Turn{
				Use("Bash", in{"command": "echo one", "description": "Echo"}),
				Say("One."),
			}},
			runs: one("Say one", "--include-hook-events", "--allowedTools", "Bash(echo *)"),
		},
		{
			name:   "resume",
			script: Script{Main: []Turn{Say("First answer."), Say("Second answer.")}},
			runs:   []run{{prompt: "First question"}, {prompt: "Second question", resume: true}},
		},
		{
			name:   "slash-command",
			script: Script{Main: []Turn{Say("You do not need me for this.")}},
			runs:   one("/context"),
		},
		{
			name: "max-turns",
			script: Script{Main: []Turn{
				Use("Bash", in{"command": "echo one", "description": "Echo"}),
				Use("Bash", in{"command": "echo two", "description": "Echo"}),
			}},
			runs: one("Never end", "--max-turns", "1", "--allowedTools", "Bash(echo *)"),
		},
		{
			name:   "empty-answer",
			script: Script{Main: []Turn{Use("Bash", in{"command": "true", "description": "Nothing"}), {}, Say("Nothing to say.")}},
			runs:   one("Say nothing", "--allowedTools", "Bash(true)"),
		},
		{
			name:   "api-retry",
			script: Script{Main: []Turn{Fail(529, "overloaded_error", "Overloaded"), Say("It worked in the end.")}},
			runs:   one("Try again"),
		},
		{
			name:   "forbidden",
			script: Script{Main: []Turn{Fail(403, "permission_error", "this key may not do that")}},
			runs:   one("Who am I?"),
		},
		{
			name: "not-logged-in",
			runs: []run{{prompt: "Hello", env: []string{"ANTHROPIC_API_KEY="}}},
		},
		{
			name: "interrupted",
			script: Script{Main: []Turn{
				Use("Write", in{"file_path": "half.txt", "content": "half\n"}),
				Say("This never ends").Hold(),
			}},
			runs:        one("Go on forever"),
			interruptAt: 2,
		},
		{
			name: "unknown-session",
			runs: one("Where was I?", "--resume", "00000000-0000-4000-8000-000000000001"),
		},
	}
}

package config

// Setting describes one setting, for documents and completion.
type Setting struct {
	Key        string // such as recall.top; NAME stands for a name of the user's
	Default    any    // as Values shows it
	Repository bool   // a repository may set it without being trusted
	Text       string // what it does, with its unit and range; Markdown
}

// Settings lists every setting, in the order of Values.
func Settings() []Setting {
	example := Defaults()
	example.Agents = map[string]Named{"NAME": {Argv: []string{}, Protocol: "text"}}
	example.Schedules = []Schedule{{Name: "NAME"}}
	var list []Setting
	for _, k := range keys(example) {
		list = append(list, Setting{Key: k.name, Default: k.show(), Repository: !k.user, Text: descriptions[k.name]})
	}
	return list
}

// SectionText says what a section of settings is about; Markdown.
func SectionText(section string) string { return sections[section] }

var sections = map[string]string{
	"agent":         "Which agent `run` starts.",
	"agent.claude":  "How the Claude CLI is started.",
	"agent.NAME":    "An agent of your own: any program that reads the prompt on standard input.",
	"run":           "Limits of a run, and what happens after it.",
	"recall":        "What memory puts in front of a prompt, and how entries are ranked.",
	"chunk":         "How entries are cut for the index. A change makes the index anew.",
	"embed":         "How texts become vectors. `docs/recall.md` compares the providers.",
	"index":         "Which other Markdown is found, and which files never enter memory. Patterns are relative to the root of the working tree, as in .gitignore: `**` stands for any folders.",
	"redact":        "What is taken out of stored text beside the built-in rules. Every file adds to these lists; none can take from them.",
	"watch":         "How `watch` and `daemon` see changes of memory.",
	"prompt":        "The form of the block in front of a prompt.",
	"extract":       "Asks an agent CLI which of the agent's words are worth keeping after a run, and for `consolidate --llm`.",
	"consolidate":   "What `consolidate` moves.",
	"retention":     "Facts that `consolidate` takes out, never pinned ones. By default none.",
	"schedule.NAME": "One `[[schedule]]` for each job, at most 100; `agentflow daemon` runs them. `name` consists of letters, digits, `.`, `_` and `-`.",
}

var descriptions = map[string]string{
	"agent.default":                  "`claude`, `command`, or the name of an agent of yours",
	"agent.claude.permission_mode":   "what Claude may do without asking: acceptEdits, auto, bypassPermissions, default, dontAsk or plan",
	"agent.claude.allowed_tools":     "tools that Claude may use without asking, such as `Bash(git *)`",
	"agent.claude.model":             "the model; empty: the CLI's own choice",
	"agent.claude.args":              "further arguments of the CLI",
	"agent.NAME.argv":                "the program and its arguments",
	"agent.NAME.protocol":            "`text`: standard output is what the agent says; `claude`: it writes Claude's stream-json",
	"run.timeout":                    "ends a run after this time; 0: never",
	"run.idle_timeout":               "ends a run after this time without any output (2 h while a tool call is open); 0: never",
	"run.verify":                     "shell command that is run afterwards; its result decides success",
	"run.max_cost":                   "US dollars a run may cost, where the agent can hold to it; 0: no limit",
	"run.on_finish":                  "shell command that is told how a run or job ended, by AGENTFLOW_RUN_ID, _JOB, _OUTCOME, _COST_USD and _SUMMARY; it has 30 s",
	"run.bell":                       "rings the terminal when a run has ended",
	"recall.top":                     "entries in front of a prompt, 0 to 100",
	"recall.budget":                  "tokens for them, 0 to 100,000",
	"recall.half_life":               "age at which the part of a score that decays has halved",
	"recall.floor":                   "share of a score that never decays, 0 to 1",
	"recall.gate":                    "how many words memory must share with a task, 0 to 10; less when they are few; 0 lets everything in",
	"recall.deadline":                "how long a run waits for recall; 0: as long as it takes",
	"chunk.max_tokens":               "tokens of a chunk, 50 to 10,000",
	"chunk.overlap":                  "tokens that two neighbouring chunks share, 0 to 5,000",
	"embed.provider":                 "local, none, static, ollama, openai, glm or claude",
	"embed.model":                    "the provider's model; empty: its default",
	"embed.base_url":                 "address of ollama, or of a server that speaks OpenAI's protocol; empty: the provider's own",
	"embed.api_key_env":              "name of the environment variable that holds the key, never the key itself",
	"embed.dimensions":               "numbers in a vector, up to 8,192; 0: as many as the model has",
	"embed.batch":                    "texts in one request, up to 2,048; 0: the provider's choice",
	"embed.timeout":                  "of one request; `claude` needs about 60s",
	"embed.dir":                      "folder of a Model2Vec model, for `static`",
	"index.include":                  "other Markdown that is found too, ranked below what was done, such as `docs/**/*.md`",
	"index.ignore":                   "files and folders that never enter memory: they are not found and stand in no entry",
	"redact.extra":                   "regular expressions (RE2) of further secrets",
	"redact.names":                   "names whose values are secret in `name=value`",
	"watch.debounce":                 "quiet time after a change before it is indexed, 2 s at most; more than 0",
	"watch.poll":                     "time between two looks at the files, where the file system tells of no changes; 0: events",
	"prompt.format":                  "`compact`; `detailed`, with the sections and labels of entries; or `structured`, as YAML",
	"prompt.facts_share":             "share of the budget that facts of MEMORY.md take at most, 0 to 1; they are shown for every task",
	"extract.enabled":                "asks after each run",
	"extract.when":                   "`run`: before the command exits; `daemon`: in the daemon's next pass",
	"extract.agent":                  "the agent that is asked",
	"extract.model":                  "its model; a cheap one does",
	"extract.max_cost":               "US dollars for the questions about a run, or of a consolidation; 0: no limit",
	"extract.timeout":                "of one question; more than 0",
	"consolidate.fold_after":         "days older than this are folded into months; 0: never",
	"consolidate.promote_runs":       "a fact that so many runs said goes to MEMORY.md; 0: none for that reason",
	"consolidate.promote_importance": "a fact at least as important as this goes there too, 0 to 1",
	"retention.max_facts":            "facts kept in a namespace; 0: all",
	"retention.max_age":              "time since a fact was last said; 0: for ever",
	"retention.min_importance":       "facts less important than this are taken out, 0 to 1",
	"schedule.NAME.cron":             "when: five fields, or @hourly, @daily, @weekly, @every 2h …",
	"schedule.NAME.zone":             "IANA time zone; empty: the system's. Each wall time is due once, also on nights that clocks change",
	"schedule.NAME.job":              "consolidate, index or backfill; instead of `task`",
	"schedule.NAME.task":             "the task of a run; instead of `job`",
	"schedule.NAME.agent":            "the agent of the run; empty: the default one",
	"schedule.NAME.max_cost":         "US dollars a run; 0: as `run.max_cost`",
	"schedule.NAME.max_cost_day":     "US dollars a day; a run whose cost is not known counts as all that it may cost; 0: no limit",
	"schedule.NAME.jitter":           "puts a run off by up to this time, by the same for each night and repository; 1d at most",
	"schedule.NAME.catch_up":         "runs once what was missed, however often",
	"schedule.NAME.timeout":          "ends it after this time; 0: never",
}

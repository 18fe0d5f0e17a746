package config

import "agentflow/internal/price"

// Setting describes one setting, for documentation and completion.
type Setting struct {
	Key        string // such as recall.top; NAME represents a name that the user chooses
	Default    any    // in the form of Values
	Repository bool   // a repository may set it without being trusted
	Text       string // its effect, with unit and range; Markdown
}

// Settings lists every setting, in the order of Values.
func Settings() []Setting {
	example := Defaults()
	example.Agents = map[string]*Named{"NAME": {Argv: []string{}, Protocol: "text"}}
	example.Prices = map[string]*price.Price{"MODEL": {}}
	example.Schedules = []Schedule{{Name: "NAME"}}
	var list []Setting
	for _, k := range keys(example) {
		list = append(list, Setting{Key: k.name, Default: k.show(), Repository: !k.user, Text: k.doc})
	}
	return list
}

// SectionText describes a section of settings; Markdown.
func SectionText(section string) string { return sections[section] }

var sections = map[string]string{
	"agent":              "Which agent `run` starts.",
	"agent.claude":       "How the Claude CLI is started.",
	"agent.codex":        "How Codex is started.",
	"agent.gemini":       "How the Gemini CLI is started. It refuses a folder that you have not trusted in it; `args = [\"--skip-trust\"]` takes every repository's own settings and extensions as trusted.",
	"agent.opencode":     "How opencode is started. It reports its cost.",
	"agent.prices.MODEL": "What a model costs, for agents that do not report it, and for `chat`. Put a name with a dot in quotation marks: `[agent.prices.\"gpt-5.5\"]`. Only your own file can set it.",
	"agent.NAME":         "An agent of your own: any program that reads the prompt on standard input.",
	"run":                "Limits of a run, and what happens after it.",
	"memory":             "Whether there is memory here at all.",
	"recall":             "What memory puts in front of a prompt, and how entries are ranked.",
	"search":             "What a search gives that does not say it itself: on the command line, in the browser, over HTTP and to agents. Prompts have limits of their own: [recall].",
	"chunk":              "How entries are cut for the index. A change rebuilds the index.",
	"embed":              "How texts become vectors. `docs/recall.md` compares the providers.",
	"index":              "Which other Markdown is found, and which files never enter memory. Patterns are relative to the root of the working tree, as in .gitignore: `**` stands for any folders.",
	"share":              "How memory is shared through git; see `docs/sharing.md`. Only your own file can set them.",
	"team":               "The server of your team: `url` and `token_env` are for those who ask it, the others for `agentflow serve --team` itself; see `docs/team.md`. Only your own file can set them.",
	"redact":             "Secrets to take out of stored text, in addition to those of the built-in rules. Every file adds to these lists; none can take from them.",
	"watch":              "How `watch` and `daemon` see changes of memory.",
	"prompt":             "The form of the block in front of a prompt.",
	"extract":            "Asks an agent CLI for lasting facts in a run or in turns of a session: from the agent's words, and from your wishes for later work. `consolidate --llm` asks the same CLI.",
	"session":            "Sessions of agents that `agentflow connect` has connected.",
	"serve":              "Where `agentflow serve` offers memory to programs and browsers.",
	"tools":              "What agents may do to memory through tools, such as those of `agentflow mcp`.",
	"chat":               "The model that `agentflow chat` talks to. Only your own file can set it, even after trust: it spends your money, and says where your memory is sent.",
	"consolidate":        "What `consolidate` moves.",
	"retention":          "Facts that `consolidate` takes out, never pinned ones. By default none.",
	"schedule.NAME":      "One `[[schedule]]` for each job, at most 100; `agentflow daemon` runs them. `name` consists of letters, digits, `.`, `_` and `-`.",
}

// Package settingstest has settings files of agents as people write them.
package settingstest

import "strings"

// JSON maps the peculiarity of a settings file to its text.
var JSON = map[string]string{
	"empty":                   "",
	"a newline":               "\n",
	"an empty object":         "{}",
	"an empty object, spaced": "{ }\n",
	"an empty object, lines":  "{\n}\n",
	"usual":                   "{\n  \"model\": \"sonnet\",\n  \"env\": {\n    \"A\": \"b\"\n  }\n}\n",
	"no final newline":        "{\n  \"model\": \"sonnet\"\n}",
	"many final newlines":     "{\n  \"model\": \"sonnet\"\n}\n\n\n",
	"four spaces":             "{\n    \"model\": \"sonnet\"\n}\n",
	"tabs":                    "{\n\t\"model\": \"sonnet\",\n\t\"x\": [\n\t\t1\n\t]\n}\n",
	"CRLF":                    "{\r\n  \"model\": \"sonnet\"\r\n}\r\n",
	"mixed line ends":         "{\r\n  \"a\": 1,\n  \"b\": 2\r\n}\n",
	"byte order mark":         "\ufeff{\n  \"model\": \"sonnet\"\n}\n",
	"compact":                 `{"model":"sonnet","env":{"A":"b"}}`,
	"one line":                `{ "model": "sonnet", "env": { "A": "b" } }`,
	"odd":                     "{\n\n  \"a\"  :1\n ,   \"b\":\n2\n\n}",
	"keys twice":              "{\n  \"a\": 1,\n  \"a\": 2\n}\n",
	"hooks twice":             "{\n  \"hooks\": {\"Stop\": []},\n  \"hooks\": {}\n}\n",
	"empty hooks":             "{\n  \"hooks\": {}\n}\n",
	"empty lists":             "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"SessionStart\": [ ]\n  }\n}\n",
	"other hooks":             "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": \"\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"entire hooks claude-code stop\" },\n          { \"type\": \"command\", \"command\": \"say done\" }\n        ]\n      }\n    ]\n  }\n}\n",
	"compact hooks":           `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"a"}]}]}}`,
	"a hook like ours":        "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"agentflow session hook --agent claude\"}]}]\n  }\n}\n",
	"other servers":           "{\n  \"mcpServers\": {\n    \"github\": {\n      \"command\": \"gh-mcp\"\n    }\n  },\n  \"mcp\": {\n    \"x\": {}\n  }\n}\n",
	"other plugins":           "{\n  \"enabledPlugins\": {\n    \"a@b\": true\n  },\n  \"extraKnownMarketplaces\": {\n    \"b\": {\"source\": {\"source\": \"github\", \"repo\": \"x/y\"}}\n  }\n}\n",
	"permissions":             "{\n  \"permissions\": {\n    \"allow\": [\"Bash(git *)\", \"Read\"],\n    \"deny\": []\n  }\n}\n",
	"escapes":                 "{\n  \"\\u0068ooks\": {},\n  \"path\": \"C:\\\\x \\\"y\\\" \\ud83d\\ude00\"\n}\n",
	"instructions":            "{\n  \"instructions\": [\"a.md\"],\n  \"$schema\": \"https://opencode.ai/config.json\"\n}\n",
	"numbers":                 "{\"a\": 1.0e5, \"b\": -0, \"c\": null, \"d\": true}\n",
	"deep":                    strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40),
	"comments":                "// mine\n{\n  // the model\n  \"model\": \"sonnet\", // cheap\n  /* more */\n}\n// end\n",
	"comments at the end":     "{\n  \"model\": \"sonnet\" // cheap\n  // \"hooks\": {}\n}\n",
	"last commas":             "{\n  \"model\": \"sonnet\",\n  \"mcp\": {\n    \"x\": {},\n  },\n}\n",
	"comment alone":           "{\n  // nothing yet\n}\n",
}

// TOML has settings files of Codex in the same way.
var TOML = map[string]string{
	"empty":            "",
	"usual":            "model = \"gpt-5.5\"\n\n[projects.\"/home/me/x\"]\ntrust_level = \"trusted\"\n",
	"no final newline": "model = \"gpt-5.5\"",
	"blank lines":      "model = \"x\"\n\n\n",
	"CRLF":             "model = \"x\"\r\n[a]\r\nb = 1\r\n",
	"byte order mark":  "\ufeffmodel = \"x\"\n",
	"comments":         "# mine\nmodel = \"x\" # cheap\n\n# [mcp_servers.agentflow]\n",
	"other servers":    "[mcp_servers.github]\ncommand = \"gh\"\n[mcp_servers.github.env]\nA = \"b\"\n",
	"long texts":       "a = \"\"\"\n[mcp_servers.agentflow]\ncommand = \"x\"\n\"\"\"\n[[hooks]]\nb = [\n 1,\n]\n",
	"dotted":           "mcp_servers.github.command = \"gh\"\n",
}

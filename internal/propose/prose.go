package propose

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is a regular expression that is compiled when it is used first.
type pattern func() *regexp.Regexp

func expression(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?i)" + text) })
}

// is reports whether a text holds what the pattern describes. A nil pattern describes
// nothing.
func (p pattern) is(text string) bool { return p != nil && p().MatchString(text) }

// at returns where the pattern's match ends in a text that begins with it; 0: it does not.
func (p pattern) at(text string) int {
	if p == nil {
		return 0
	}
	at := p().FindStringIndex(text)
	if at == nil || at[0] != 0 {
		return 0
	}
	return at[1]
}

// ours marks texts that AgentFlow itself puts before an agent, or prints.
const ours = "agentflow"

// prose returns a person's text in a prompt: without fenced code, quoted and indented lines,
// logs, and what AgentFlow printed. A slash command and a shell line have none.
func prose(text string) string {
	text = strings.Trim(text, "\r\n")
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "!") || strings.HasPrefix(text, "#") || strings.Contains(text, "<"+ours) {
		return ""
	}
	var kept []string
	fence := ""
	for line := range strings.Lines(text) {
		mark := fenceOf(line)
		switch {
		case fence != "":
			if mark == fence {
				fence = ""
			}
		case mark != "":
			fence = mark
		case !pasted(line):
			kept = append(kept, strings.TrimSpace(line))
		}
	}
	if fence != "" { // it has no end
		return ""
	}
	return strings.Join(kept, "\n")
}

// fenceOf finds the mark of a line that begins or ends a code block.
func fenceOf(line string) string {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// pasted reports whether a line looks like one that was copied: quoted, indented, of a log,
// a diff, a stack trace or a shell.
func pasted(line string) bool {
	if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
		return true
	}
	line = strings.TrimSpace(line)
	return strings.HasPrefix(strings.ToLower(line), ours+":") || copied.is(line)
}

var copied = expression(`^(?:>|npm err!|\$ |% |❯|\+\+\+|---|@@|diff --git|at [\w.$<>]+\(|File "|\||//|/\*|\*/|<[a-z/!]|\[\w+\] ?\[|\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:\[|\()?(?:info|warn|warning|error|err|debug|trace|fatal|panic|note|hint|fail|ok|pass)(?:\]|\))?(?:\[\w+\])?:? ?(?:\S+:|\[|\t|$)|(?:error|warning|note|hint|fatal|panic|\w+(?:error|exception|warning))\b[^a-z]{0,3}[:\[!]|[\w./-]+\.\w+:\d+|goroutine \d|--- (?:fail|pass)|[{}\[\];]+$|(?:func|def|class|import|const|let|var|return|if|for) [\w(*].*[{(;:]$)`)

// quoted matches words between quotation marks, two at least.
var quoted = expression(`"[^"]*\s[^"]*"|“[^”]*\s[^”]*”|„[^“”]*\s[^“”]*[“”]|«[^»]*\s[^»]*»|(?:^|\s)'[^']*\s[^']*'(?:$|[\s.,;!])|` + "`[^`]*\\s[^`]*`")

// withoutQuotes puts a placeholder for each quote in a sentence.
func withoutQuotes(s string) string { return quoted().ReplaceAllString(s, " QUOTE ") }

package extract

import (
	"regexp"
	"strings"
	"sync"

	"agentflow/internal/words"
)

type pattern struct {
	why string
	*regexp.Regexp
}

func patterns(list ...[2]string) func() []pattern {
	return sync.OnceValue(func() []pattern {
		var out []pattern
		for _, p := range list {
			out = append(out, pattern{p[0], regexp.MustCompile(p[1])})
		}
		return out
	})
}

// oneTask lists signs that a text is about one piece of work and not about the project: it
// mentions itself, a moment, or places that will not exist later. Some lasting facts have such
// a sign too, and are lost.
var oneTask = patterns(
	[2]string{"speaks of one task", `(?i)\bthis (?:task|run|session|conversation|pr|mr|pull request|merge request|issue|ticket|commit|patch|turn)\b`},
	[2]string{"speaks of one task", `(?i)\b(?:pr|mr|pull request|merge request|issue|ticket|bug)s? ?#?\d+\b|(?:^|[\s(])#\d+\b`},
	[2]string{"speaks of one task", `(?i)\b(?:the user|you) (?:asked|wants?|wanted|requested|told|said|reported)\b`},
	[2]string{"reports what was done", `\b(?:I|I'm|I've|I'll|I'd|I’m|I’ve|I’ll|I’d) [a-z]|(?i:\b(?:my|me|mine)\b)`},
	[2]string{"reports what was done", `(?i)^(?:we |i |just |now |also |successfully )*(?:added|fixed|updated|implemented|created|removed|deleted|renamed|refactored|moved|changed|replaced|ran|committed|wrote|edited|verified|investigated)\b`},
	[2]string{"reports what was done", `(?i)\b(?:has|have|had) (?:just |now |already )?been (?:added|fixed|updated|implemented|created|removed|deleted|renamed|refactored|moved|changed|replaced|committed)\b`},
	[2]string{"describes a passing state", `(?i)\b(?:right now|at the moment|so far|just now|today|yesterday|tomorrow|in progress|work in progress|next steps?|todo|still (?:fails?|needs?|missing|open))\b`},
	[2]string{"describes a passing state", `(?i)\b(?:all|\d+) (?:of the )?(?:tests?|checks?) (?:now )?(?:pass|passed|fail|failed|failing|are green|are passing)\b`},
	[2]string{"names a line", `(?i)\blines? \d+|\.[a-z]{1,5}:\d+|\bL\d+\b`},
	[2]string{"names a commit", `(?i)\b(?:commit|revision|sha) [0-9a-f]{7,40}\b|\b[0-9a-f]{40}\b`},
	[2]string{"names a day", `\b20\d\d-[01]\d-[0-3]\d\b`},
	[2]string{"names a path of this machine", `(?i)(?:^|[\s"'(=` + "`" + `])(?:/tmp/|/private/tmp|/var/tmp|/var/folders/|/dev/shm/|/home/\w|/users/\w|/root/|[a-z]:\\)|%temp%|\$tmpdir|appdata\\`},
)

// orders lists signs of a text that addresses a later reader of memory.
var orders = patterns(
	[2]string{"gives orders to its reader", `(?i)\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|other|system|safety|your)\b.{0,30}\b(?:instructions?|rules?|prompts?|messages?|guidelines?|directives?|context|constraints?)\b`},
	[2]string{"gives orders to its reader", `(?i)\b(?:system prompt|developer mode|jailbreak|new instructions?|your instructions)\b`},
	[2]string{"gives orders to its reader", `(?i)\byou (?:are now|must now|are (?:a|an) (?:ai|assistant|agent))\b|\bact as\b.{0,20}\b(?:ai|assistant|agent|admin|root)\b`},
	[2]string{"gives orders to its reader", `(?i)\b(?:do not|don't|don’t|never|without) (?:tell|telling|inform|informing|mention|mentioning|ask|asking|alert|alerting)\b.{0,20}\b(?:user|human|anyone|anybody|person|permission|confirmation)\b`},
	[2]string{"gives orders to its reader", `(?i)\b(?:curl|wget|iwr|invoke-webrequest)\b.{0,200}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\beval\b.{0,20}\bcurl\b`},
	[2]string{"gives orders to its reader", `(?i)--dangerously|--no-verify|bypasspermissions|skip[- ]permissions|\bexfiltrat`},
	[2]string{"imitates a message", `(?i)<\s*/?\s*(?:system|assistant|user|human|instructions?|save[_ ]memory|tool\w*|function\w*|recalled?\w*|memory)\b|^\s*(?:system|assistant|human)\s*:|\[/?INST\]|<\|`},
)

// sign returns why a list of patterns refuses a text, or "" if none matches.
func sign(text string, list []pattern) string {
	for _, p := range list {
		if p.MatchString(text) {
			return p.why
		}
	}
	return ""
}

// namesTask reports whether a text repeats the task. Tasks of fewer than three words are too
// common and never match.
func namesTask(text, task string) bool {
	task, _, _ = strings.Cut(strings.TrimSpace(task), "\n")
	return len(strings.Fields(task)) >= 3 && strings.Contains(words.Plain(text), words.Plain(task))
}

// gram counts the consecutive words that do not match by chance. copied is the minimum
// share of a text's grams that makes it a copy.
const (
	gram   = 4
	copied = 0.6
)

// source is a text that must not be learnt again.
type source struct {
	text  string // in the form words.Plain
	grams map[string]bool
	exact map[string]bool
}

func newSource(text string) source {
	s := source{text: words.Plain(text), grams: map[string]bool{}, exact: exact(text)}
	for _, g := range grams(s.text) {
		s.grams[g] = true
	}
	return s
}

func (s source) quotes(text string) bool {
	text = words.Plain(text)
	return text != "" && strings.Contains(s.text, text)
}

// holds reports whether the source contains a text, completely or in large parts. A text with
// exact terms that the source lacks, or with a negation, says more than the source does.
func (s source) holds(text string) bool {
	if s.quotes(text) {
		return true
	}
	for t := range exact(text) {
		if !s.exact[t] {
			return false
		}
	}
	text = words.Plain(text)
	if denies().MatchString(text) {
		return false
	}
	list := grams(text)
	known := 0
	for _, g := range list {
		if s.grams[g] {
			known++
		}
	}
	return len(list) > 0 && float64(known) >= copied*float64(len(list))
}

var denies = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:not|no|never|none|neither|nor|without|cannot|longer)\b|n['’]t\b`)
})

// grams returns all sequences of gram words.
func grams(text string) []string {
	fields := strings.Fields(text)
	var out []string
	for i := range max(0, len(fields)-gram+1) {
		out = append(out, strings.Join(fields[i:i+gram], " "))
	}
	return out
}

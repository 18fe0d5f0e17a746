package quote

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Opened takes the place of the '<' of a tag.
const Opened = "‹"

// Defuse replaces the '<' of each tag of ours or of an agent's by Opened. It accepts as a tag
// everything that a model may take for one: names in any case, with anything between their letters,
// with letters of full width, of mathematics, with accents, or of other scripts that look like
// Latin ones; and '<' of full width, small, or escaped for HTML, JSON or a URL.
func Defuse(s string) string {
	if !strings.ContainsAny(s, `<＜﹤&\%`) {
		return s
	}
	var b strings.Builder
	from := 0
	for _, at := range opener().FindAllStringIndex(s, -1) {
		if isTag(s[at[1]:]) {
			b.WriteString(s[from:at[0]] + Opened)
			from = at[1]
		}
	}
	b.WriteString(s[from:])
	return b.String()
}

// opener matches '<' and the characters that a model reads as one.
var opener = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[<＜﹤]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\(?:u00|x)3c|%3c`)
})

// isTag reports whether the text after a '<' begins with the name of a tag.
func isTag(s string) bool {
	name := nameOf(s)
	if name == "memory" { // #include <memory> is C++, but </memory> is not
		return strings.HasPrefix(strings.TrimLeftFunc(s, unicode.IsSpace), "/")
	}
	for _, tag := range tags {
		if strings.HasPrefix(name, tag) {
			return true
		}
	}
	return false
}

// nameOf returns the first letters after a '<', up to the end of the tag, as the Latin letters that
// they are or look like.
func nameOf(s string) string {
	const look, most = 256, 40 // bytes, and letters
	s = strings.ToValidUTF8(s[:min(len(s), look)], "")
	if end := strings.IndexAny(s, "<>＜＞﹤﹥&‹"); end >= 0 {
		s = s[:end]
	}
	var letters []rune
	for _, r := range norm.NFKD.String(s) {
		if unicode.IsLetter(r) && len(letters) < most {
			letters = append(letters, unicode.ToLower(r))
		}
	}
	return lookalikes.Replace(string(letters))
}

// lookalikes maps the small letters of Cyrillic, Greek, Armenian and the phonetic alphabet that are
// drawn like a Latin letter.
var lookalikes = strings.NewReplacer("а", "a", "с", "c", "ԁ", "d", "е", "e", "һ", "h", "і", "i", "ј", "j", "ӏ", "l", "о", "o", "р", "p", "ѕ", "s", "у", "y", "х", "x", "т", "t", "м", "m", "п", "n", "к", "k", "ѵ", "v",
	"α", "a", "ο", "o", "ι", "i", "ν", "v", "ρ", "p", "υ", "u", "κ", "k", "ո", "n", "ս", "u", "օ", "o", "ց", "g", "ɡ", "g", "ɑ", "a", "ı", "i")

// tags lists the beginnings of our tags and of those that agents put around their own words: Claude
// Code's, Codex's, Gemini's and opencode's. It has only their letters.
var tags = []string{"savememory", "agentflow", "systemreminder", "systemmessage", "systemprompt", "systeminstruction", "commandname", "commandmessage", "commandargs",
	"commandcontents", "localcommand", "bashinput", "bashstdout", "bashstderr", "userpromptsubmithook", "posttoolusehook", "tasknotification", "environmentcontext", "userinstructions",
	"userprompt", "userquery", "instructions", "permissionsinstructions", "turnaborted", "useraction", "usershellcommand", "collaborationmode", "functioncall", "functionresult", "antml", "invoke",
	"tooluse", "toolresult", "toolcall", "toolresponse", "toolerror", "thinking", "antthinking", "sessioncontext", "hookcontext", "statesnapshot", "systemnotification", "imstart", "imend"}

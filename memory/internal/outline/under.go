package outline

import (
	"strings"
	"unicode"

	"agentflow/memory"
)

// plainWords fill headings that only name a file or a kind of text: "Memory",
// "Facts", "Key points". The headings that AgentFlow writes consist of them.
var plainWords = wordSet(`a about agent agentflow agents all an and background best claude codebase codex context conventions copilot cursor details
	development docs documentation experience fact facts file files for from gemini general guide guideline guidelines guidance hints important in
	info information instruction instructions intro introduction it items its key knowledge learned learnings left lessons list md memories memory
	misc miscellaneous my note notes of on or other others our overview points practices preamble preferences procedures project readme remember
	repo repository rule rules section session standards summary that the these things this tips to useful utc windsurf`)

// Plain reports whether a heading adds nothing to the text below it: it consists of
// numbers and of words that only say that something follows. A path adds something.
func Plain(heading string) bool {
	if memory.PathsOfHeading(heading, nil) != nil {
		return false
	}
	for _, word := range strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if !plainWords[strings.ToLower(word)] && strings.Trim(word, "0123456789") != "" {
			return false
		}
	}
	return true
}

// Plain reports the same for a heading, which may also be a date.
func (h Heading) Plain() bool { return h.isDate() || Plain(h.Text) }

// Under returns the texts that the current section depends on for its meaning: the scope
// of the file from front matter, and the headings above the section, the outermost first.
// It omits plain headings, dates, and a title that is the file's name.
func (r *Reader) Under() []string {
	list := r.front.scope()
	for _, h := range r.path {
		if title := h.Level == 1 && strings.EqualFold(h.Text, r.name); !title && !h.Plain() {
			list = append(list, h.Text)
		}
	}
	return list
}

package outline

import (
	"strings"
	"unicode"
)

// plainWords are those of headings that only name a file or a kind of text: "Memory",
// "Facts", "Key points". The headings that AgentFlow writes are made of them.
var plainWords = wordSet(`a about agent agentflow agents all an and background best claude codebase codex context conventions copilot cursor details
	development docs documentation experience fact facts file files for from gemini general guide guideline guidelines guidance hints important in
	info information instruction instructions intro introduction it items its key knowledge learned learnings left lessons list md memories memory
	misc miscellaneous my note notes of on or other others our overview points practices preamble preferences procedures project readme remember
	repo repository rule rules section session standards summary that the these things this tips to useful utc windsurf`)

// Plain says whether a heading adds nothing to what stands under it: it is made of
// numbers and words that only say that something follows.
func Plain(heading string) bool {
	for _, word := range strings.FieldsFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		if !plainWords[strings.ToLower(word)] && strings.Trim(word, "0123456789") != "" {
			return false
		}
	}
	return true
}

// Plain says the same of a heading, which may also be a date.
func (h Heading) Plain() bool { return h.isDate() || Plain(h.Text) }

// Under is what gives the current section its meaning: what front matter says the
// file is for, and the headings above it, the outermost first, less those that are plain or
// dates and a title that is the file's name.
func (r *Reader) Under() []string {
	list := r.front.scope()
	for _, h := range r.path {
		if title := h.Level == 1 && strings.EqualFold(h.Text, r.name); !title && !h.Plain() {
			list = append(list, h.Text)
		}
	}
	return list
}

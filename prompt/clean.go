package prompt

import (
	"strings"
	"unicode"

	"agentflow/memory"
)

// separators are the characters besides LF that some reader takes for the
// end of a line: a quoted line must not hold one.
var separators = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n",
	"\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// splitLines splits recalled text at every kind of line end, and cleans the
// lines.
func splitLines(s string) []string {
	s = separators.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRightFunc(memory.Clean(l), unicode.IsSpace)
	}
	return lines
}

// inline makes one line of a value that stands outside the quotes.
func inline(s string) string {
	return defuse(strings.Join(strings.Fields(strings.Join(splitLines(s), " ")), " "))
}

// defuse replaces the '<' of anything that reads like a tag of ours or of an agent's,
// in any case and with anything between the letters.
func defuse(s string) string {
	var b strings.Builder
	for i := strings.IndexByte(s, '<'); i >= 0; i = strings.IndexByte(s, '<') {
		b.WriteString(s[:i])
		s = s[i+1:]
		if isMarker(s) {
			b.WriteString("‹")
		} else {
			b.WriteByte('<')
		}
	}
	b.WriteString(s)
	return b.String()
}

// isMarker says whether the letters of what follows a '<' begin with the name
// of a tag.
func isMarker(s string) bool {
	const look = 64 // bytes
	var letters []rune
	for i, r := range s {
		if i >= look || r == '<' || r == '>' {
			break
		}
		if unicode.IsLetter(r) {
			letters = append(letters, unicode.ToLower(r))
		}
	}
	name := string(letters)
	for _, tag := range tags {
		if strings.HasPrefix(name, tag) {
			return true
		}
	}
	return false
}

// tags are the beginnings of ours and of those by which agents tell their own words
// from others: Claude Code's, Codex's, Gemini's and opencode's, as letters alone.
var tags = []string{"savememory", "agentflow", "systemreminder", "systemmessage", "systemprompt", "systeminstruction", "commandname", "commandmessage", "commandargs",
	"commandcontents", "localcommand", "bashinput", "bashstdout", "bashstderr", "userpromptsubmithook", "posttoolusehook", "tasknotification", "environmentcontext", "userinstructions",
	"userprompt", "userquery", "instructions", "permissionsinstructions", "turnaborted", "useraction", "usershellcommand", "collaborationmode", "functioncall", "functionresult", "antml", "invoke",
	"tooluse", "toolresult", "toolcall", "toolresponse", "toolerror", "thinking", "antthinking", "sessioncontext", "hookcontext", "statesnapshot", "systemnotification", "imstart", "imend"}

// fence is the code fence that lines are in, read one after the other: what
// opened it, or nothing.
type fence string

// holds says whether the next line is of a fence; those that open and close
// it are.
func (f *fence) holds(line string) bool {
	text := strings.TrimSpace(line)
	open := string(*f)
	switch {
	case open == "":
		*f = fence(fenceOf(text))
		return *f != ""
	case strings.HasPrefix(text, open) && strings.Trim(text, open[:1]) == "":
		*f = ""
	}
	return true
}

// fenceOf returns the fence that a line opens, or "".
func fenceOf(text string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(text, mark) {
			return text[:len(text)-len(strings.TrimLeft(text, mark[:1]))]
		}
	}
	return ""
}

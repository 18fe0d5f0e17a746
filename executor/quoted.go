package executor

import (
	"regexp"
	"strings"
	"sync"
)

// Bounds of what is kept of texts that an agent was given, in bytes.
const (
	maxQuote  = 32 << 10 // of one tag
	maxQuoted = 4 << 20  // of one run
)

// factTag begins what an agent writes to have a fact remembered, also where it
// was escaped. The number before a line is that of a tool that shows files.
var (
	factTag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:<|&lt;|\\u003c)save[_ ]memory\b`) })
	lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*\d+[→\t:|-]`) })
	unescaped  = strings.NewReplacer("&lt;", "<", "&gt;", ">", `\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">", `\n`, "\n", `\"`, `"`)
)

// quotedTags returns what of a text that the agent was given asks to remember
// facts, in pieces of at most maxMessage bytes. An agent that repeats it does
// not mean it.
func quotedTags(text string) []string {
	tags := factTag().FindAllStringIndex(text, -1)
	var pieces []string
	for i, at := range tags {
		end := len(text)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		}
		piece := clipBytes(text[at[0]:end], maxQuote)
		piece = lineNumber().ReplaceAllString(unescaped.Replace(piece), "")
		if n := len(pieces); n > 0 && len(pieces[n-1])+len(piece) < maxMessage {
			pieces[n-1] += piece
		} else {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

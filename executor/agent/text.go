package agent

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxLine limits the protocol lines that are decoded, in bytes. Tool results
// with images make lines of a few megabytes. Longer ones are skipped, so that memory stays
// bounded.
const MaxLine = 16 << 20

// Lines splits a stream, which arrives in pieces of any size, into lines without their ends.
type Lines struct {
	buf  []byte
	skip bool // inside a line longer than MaxLine
}

// Feed calls each for every line that p completes. The line is only valid during the call. huge
// means that a line was skipped.
func (l *Lines) Feed(p []byte, each func(line []byte, huge bool)) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			l.hold(p)
			return
		}
		line := p[:end]
		p = p[end+1:]
		if len(l.buf) > 0 || l.skip {
			l.hold(line)
			line = l.buf
		}
		huge := l.skip || len(line) > MaxLine
		if huge {
			line = nil
		}
		each(line, huge)
		l.reset()
	}
}

// Rest returns the unfinished last line.
func (l *Lines) Rest() []byte { return l.buf }

func (l *Lines) hold(p []byte) {
	if l.skip || len(l.buf)+len(p) > MaxLine {
		l.skip, l.buf = true, nil
		return
	}
	l.buf = append(l.buf, p...)
}

func (l *Lines) reset() {
	l.skip = false
	if cap(l.buf) > 1<<20 {
		l.buf = nil
	}
	l.buf = l.buf[:0]
}

// Limits of one stored message, and of one tag in a text that the agent was given, in bytes.
const (
	MaxMessage = 64 << 10
	maxTag     = 32 << 10
)

// factTag matches the start of the tag with which an agent asks to remember a fact, also in its
// escaped forms. lineNumber matches the number that tools put before a line of a file.
var (
	factTag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:<|&lt;|\\u003c)save[_ ]memory\b`) })
	lineNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*\d+[→\t:|-]`) })
	unescaped  = strings.NewReplacer("&lt;", "<", "&gt;", ">", `\u003c`, "<", `\u003e`, ">", `\u003C`, "<", `\u003E`, ">", `\n`, "\n", `\"`, `"`)
)

// FactsGiven returns the events for a text that the agent was given. They hold the parts that
// ask to remember facts, in pieces of at most MaxMessage bytes. An agent that repeats such a
// part does not ask to remember it.
func FactsGiven(text string) []Event {
	tags := factTag().FindAllStringIndex(text, -1)
	var events []Event
	for i, at := range tags {
		end := len(text)
		if i+1 < len(tags) {
			end = tags[i+1][0]
		}
		piece := ClipBytes(text[at[0]:end], maxTag)
		piece = lineNumber().ReplaceAllString(unescaped.Replace(piece), "")
		if n := len(events); n > 0 && len(events[n-1].Text)+len(piece) < MaxMessage {
			events[n-1].Text += piece
		} else {
			events = append(events, Event{Kind: Given, Text: piece})
		}
	}
	return events
}

// Clip cuts text to at most max runes. A cut text ends in "…".
func Clip(text string, max int) string {
	if utf8.RuneCountInString(text) <= max {
		return text
	}
	return string([]rune(text)[:max-1]) + "…"
}

// ClipBytes cuts text to at most max bytes without cutting a rune.
func ClipBytes(text string, max int) string {
	if len(text) <= max {
		return text
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max]
}

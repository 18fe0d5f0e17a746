package extract

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"agentflow/internal/words"
	"agentflow/memory"
)

// Limits of the facts that one run may save with tags.
const (
	MaxTagged      = 50
	MaxTaggedRunes = 4000
)

// The tag with which an agent asks to remember a fact. The name may have a blank instead of the
// underscore, the attributes may have any order, and quotes may be ", ' or missing.
var (
	openTag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<save[_ ]memory\b([^<>]*)>`) })
	blankLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n[ \t]*(?:\n[ \t]*)+\n`) })
	closeTag   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)</save[_ ]memory\s*>`) })
	attribute  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))`)
	})
)

// Tagged returns the facts that the messages of an agent ask to save with a tag, in their order
// and without ids. It ignores a tag that has no end, is in code (a fence or backticks: the rule
// is quoted), or has a text that is in the prompt: recalled text must not be saved again. A
// repeated text counts once. It returns at most MaxTagged facts of at most MaxTaggedRunes runes
// each. cut has a line for each kind of text that was left out or shortened. A fact of the
// run's branch has memory.BranchNamespace without a name; the caller, which knows the branch,
// adds it.
func Tagged(said []string, prompt string, at time.Time) (facts []memory.Fact, cut []string) {
	known := words.Plain(prompt)
	taken := map[string]bool{}
	tooMany := false
	for _, message := range said {
		for _, t := range saveTags(message) {
			text := strings.TrimSpace(strings.ToValidUTF8(t.text, "\uFFFD"))
			key := words.Plain(text)
			if key == "" || taken[key] || strings.Contains(known, key) {
				continue
			}
			taken[key] = true
			if len(facts) == MaxTagged {
				tooMany = true
				continue
			}
			f := t.fact(at)
			f.Text = text
			if n := utf8.RuneCountInString(text); n > MaxTaggedRunes {
				f.Text = string([]rune(text)[:MaxTaggedRunes])
				cut = append(cut, "a memory of "+strconv.Itoa(n)+" characters was cut to "+strconv.Itoa(MaxTaggedRunes))
			}
			facts = append(facts, f)
		}
	}
	if tooMany {
		cut = append(cut, "memories beyond the first "+strconv.Itoa(MaxTagged)+" were left out")
	}
	return facts, cut
}

// WithoutTags returns a message without the tags that count, for a place where their facts are
// stored too.
func WithoutTags(message string) string {
	var b strings.Builder
	from := 0
	for _, t := range saveTags(message) {
		b.WriteString(strings.TrimRight(message[from:t.start], " \t"))
		from = t.end
	}
	b.WriteString(message[from:])
	return strings.TrimSpace(blankLines().ReplaceAllString(b.String(), "\n\n"))
}

type saveTag struct {
	attributes, text string
	start, end       int
}

// saveTags returns the closed tags outside of code, in order. A tag that opens inside another
// one ends that one, which has no end tag.
func saveTags(message string) []saveTag {
	opens := openTag().FindAllStringSubmatchIndex(message, -1)
	if len(opens) == 0 {
		return nil
	}
	code := codeSpans(message)
	var found []saveTag
	for i, o := range opens {
		limit := len(message)
		if i+1 < len(opens) {
			limit = opens[i+1][0]
		}
		end := closeTag().FindStringIndex(message[o[1]:limit])
		if end == nil || inSpan(code, o[0]) {
			continue
		}
		found = append(found, saveTag{message[o[2]:o[3]], message[o[1] : o[1]+end[0]], o[0], o[1] + end[1]})
	}
	return found
}

// fact reads the attributes, and ignores invalid values. at is when the tag was said.
func (t saveTag) fact(at time.Time) memory.Fact {
	f := memory.Fact{Type: memory.Semantic, Importance: memory.PlainImportance}
	for _, m := range attribute().FindAllStringSubmatch(t.attributes, -1) {
		value := strings.TrimSpace(m[2] + m[3] + m[4])
		switch strings.ToLower(m[1]) {
		case "type":
			if k := memory.FactType(strings.ToLower(value)); k.Known() {
				f.Type = k
			}
		case "importance":
			f.Importance = min(shareOf(value, f.Importance), memory.MostAgentImportance)
		case "confidence":
			f.Confidence = shareOf(value, f.Confidence)
		case "category":
			f.Category = strings.ToValidUTF8(value, "\uFFFD")
		case "namespace":
			if strings.EqualFold(value, "branch") {
				f.Namespace = memory.BranchNamespace
			}
		case "expires":
			f.Expires = expiry(value, at)
		case "tags":
			f.Tags = slices.DeleteFunc(splitTags(value), func(tag string) bool { return tag == memory.PinnedTag }) // only persons pin
		case "key":
			f.Key = strings.ToValidUTF8(value, "\uFFFD")
		}
	}
	return f
}

// shareOf returns a number from 0 to 1, or was if value is not a number.
func shareOf(value string, was float64) float64 {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) {
		return was
	}
	return min(max(n, 0), 1)
}

// expiry returns the time of a date and time, of the end of a day in UTC, or of a number of
// days or weeks after at. It returns the zero time for other values, and for times before at.
func expiry(value string, at time.Time) time.Time {
	until, err := time.Parse(time.RFC3339, value)
	if err != nil {
		if until, err = time.Parse(time.DateOnly, value); err == nil {
			until = until.AddDate(0, 0, 1)
		}
	}
	if err != nil {
		var days int
		if days, err = daysOf(value); err == nil {
			until = at.AddDate(0, 0, days).Truncate(time.Second)
		}
	}
	if err != nil || !until.After(at) {
		return time.Time{}
	}
	return until
}

// daysOf parses "30d" and "2w".
func daysOf(value string) (int, error) {
	number, weeks := strings.CutSuffix(value, "w")
	n, err := strconv.ParseUint(strings.TrimSuffix(number, "d"), 10, 16)
	if weeks {
		n *= 7
	}
	if err == nil && number == value && !strings.HasSuffix(value, "d") {
		err = strconv.ErrSyntax
	}
	return int(n), err
}

func splitTags(list string) []string {
	var names []string
	for name := range strings.SplitSeq(strings.ToValidUTF8(list, "\uFFFD"), ",") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

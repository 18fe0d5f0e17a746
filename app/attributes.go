package app

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agentflow/config"
	"agentflow/memory"
)

// attribute is something a person can say of a fact beside its text: with a
// flag of remember, or on a line of its own when editing.
type attribute struct {
	name string
	get  func(f memory.Fact) string
	set  func(f *memory.Fact, value string, now time.Time) error
}

// Bounds on what stands in a fact's comment, in characters.
const (
	maxAttribute = 200
	maxTags      = 50
)

var attributes = []attribute{
	{"type", func(f memory.Fact) string { return string(f.Type) }, func(f *memory.Fact, value string, _ time.Time) error {
		if f.Type = memory.FactType(value); f.Type.Known() {
			return nil
		}
		return fmt.Errorf("want one of %s, have %q", strings.Join(factTypes, ", "), value)
	}},
	{"importance", func(f memory.Fact) string { return shareText(f.Importance) },
		func(f *memory.Fact, value string, _ time.Time) (err error) {
			f.Importance, err = parseShare(value)
			return err
		}},
	{"confidence", func(f memory.Fact) string { return shareText(f.Confidence) },
		func(f *memory.Fact, value string, _ time.Time) (err error) {
			f.Confidence, err = parseShare(value)
			return err
		}},
	{"tags", func(f memory.Fact) string { return strings.Join(f.Tags, ", ") },
		func(f *memory.Fact, value string, _ time.Time) (err error) {
			f.Tags, err = parseTags(value)
			return err
		}},
	{"key", func(f memory.Fact) string { return f.Key },
		func(f *memory.Fact, value string, _ time.Time) error { return setName(&f.Key, value) }},
	{"category", func(f memory.Fact) string { return f.Category },
		func(f *memory.Fact, value string, _ time.Time) error { return setName(&f.Category, value) }},
	{"namespace", func(f memory.Fact) string { return namespaceText(f.Namespace) },
		func(f *memory.Fact, value string, _ time.Time) (err error) {
			f.Namespace, err = parseNamespace(value)
			return err
		}},
	{"expires", func(f memory.Fact) string { return timeText(f.Expires) },
		func(f *memory.Fact, value string, now time.Time) (err error) {
			f.Expires, err = parseExpiry(value, now)
			return err
		}},
}

var factTypes = []string{string(memory.Semantic), string(memory.Episodic), string(memory.Procedural)}

// attributeNamed is one of attributes; nil when none has that name.
func attributeNamed(name string) *attribute {
	for i := range attributes {
		if attributes[i].name == name {
			return &attributes[i]
		}
	}
	return nil
}

func shareText(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// parseShare reads a number from 0 to 1; nothing is 0.
func parseShare(value string) (float64, error) {
	if value == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("want a number from 0 to 1, have %q", value)
	}
	return x, nil
}

// parseTags reads a comma-separated list.
func parseTags(value string) ([]string, error) {
	var tags []string
	for tag := range strings.SplitSeq(value, ",") {
		var name string
		if err := setName(&name, tag); err != nil {
			return nil, err
		}
		if name != "" {
			tags = append(tags, name)
		}
	}
	if len(tags) > maxTags {
		return nil, fmt.Errorf("want at most %d tags, have %d", maxTags, len(tags))
	}
	return tags, nil
}

// setName takes a short text on one line.
func setName(to *string, value string) error {
	value = strings.TrimSpace(value)
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("want text on one line, have %q", value)
	case utf8.RuneCountInString(value) > maxAttribute:
		return fmt.Errorf("want at most %d characters, have %d", maxAttribute, utf8.RuneCountInString(value))
	}
	*to = value
	return nil
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// parseExpiry reads when a fact ends: after a day, at a time, or how long
// from now.
func parseExpiry(value string, now time.Time) (time.Time, error) {
	if value == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, value)
	if err != nil {
		if at, err = time.ParseInLocation(time.DateOnly, value, now.Location()); err == nil {
			at = at.AddDate(0, 0, 1)
		}
	}
	if err != nil {
		var from time.Duration
		if from, err = config.ParseDuration(value); err == nil {
			at = now.Add(from)
		}
	}
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("want a date (2026-11-21), a time (2026-11-21T15:04:00Z) or a duration from now (30d), have %q", value)
	case !at.After(now):
		return time.Time{}, fmt.Errorf("%s is past already", value)
	}
	return at.Truncate(time.Second), nil
}

// namespaceText is a namespace as it is typed and shown.
func namespaceText(ns string) string {
	if ns == memory.ProjectNamespace {
		return memory.ProjectName
	}
	return ns
}

// parseNamespace reads a namespace as it is written. 'branch' alone, which is
// that of the current one and comes back without a name, and an id that was
// cut short are for the site to complete.
func parseNamespace(value string) (string, error) {
	kind, name, named := strings.Cut(value, "/")
	blank := strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	switch {
	case memory.NamespaceOf(value) == memory.ProjectNamespace:
		return memory.ProjectNamespace, nil
	case value == memory.GlobalNamespace:
		return memory.GlobalNamespace, nil
	case value == "branch":
		return memory.BranchNamespace, nil
	case named && name != "" && !blank && utf8.ValidString(name) && len(name) <= maxAttribute && (kind == "branch" || kind == "run"):
		return value, nil
	}
	return "", fmt.Errorf("want project, branch, branch/NAME, run/ID or global, have %q", value)
}

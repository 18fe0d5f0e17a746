package fact

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/internal/duration"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// Change lists the attributes of a fact to set. A nil field leaves the attribute of an existing fact as it is, and
// means the default for a new one.
type Change struct {
	Text       *string          // at most MaxFactText bytes
	Type       *memory.FactType // default semantic
	Importance *float64         // from 0 to 1; default 0.5
	Confidence *float64         // from 0 to 1; 0: not given
	Tags       *[]string        // at most 50
	Key        *string          // at most 200 characters on one line, like Category and Namespace
	Category   *string
	Namespace  *string    // project, branch (the current one), branch/NAME, run/ID, team (a server's repositories) or global (the user's memory)
	Paths      *[]string  // see memory.CheckPaths; empty: the fact applies to all files
	Expires    *time.Time // later than now; the zero time: never

	Accept bool // mark the fact as stated by a person, even if nothing else changes
}

// MaxFactText bounds the text of a fact, in bytes. A longer text is taken for a mistake, such as a whole file.
const MaxFactText = 64 << 10

const maxTags = 50

// Types lists the types of facts.
var Types = []string{string(memory.Semantic), string(memory.Episodic), string(memory.Procedural)}

// apply checks the change and returns f with it.
func (c Change) apply(f memory.Fact, now time.Time) (memory.Fact, error) {
	for _, a := range Attributes {
		if err := a.check(&c, now); err != nil {
			return f, app.Usagef("%s: %w", a.Name, err)
		}
	}
	set(&f.Text, c.Text)
	set(&f.Type, c.Type)
	set(&f.Importance, c.Importance)
	set(&f.Confidence, c.Confidence)
	set(&f.Tags, c.Tags)
	set(&f.Key, c.Key)
	set(&f.Category, c.Category)
	set(&f.Paths, c.Paths)
	set(&f.Expires, c.Expires)
	if c.Namespace != nil {
		f.Namespace, _ = lookup.ParseNamespace(*c.Namespace)
	}
	return f, nil
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

func (c Change) redacted(redact func(string) string) Change {
	for _, text := range []**string{&c.Text, &c.Key, &c.Category, &c.Namespace} {
		if *text != nil {
			clean := redact(**text)
			*text = &clean
		}
	}
	for _, list := range []**[]string{&c.Tags, &c.Paths} {
		if *list != nil {
			clean := lists.Mapped(**list, redact)
			*list = &clean
		}
	}
	return c
}

// Attribute is one attribute of a fact other than its text, in text form: the value of a flag, or a line of the
// form that people edit.
type Attribute struct {
	Name  string
	List  bool // its value is a list, separated by commas
	Text  func(memory.Fact) string
	parse func(c *Change, value string, now time.Time) error
	check func(c *Change, now time.Time) error
}

// Set parses value and sets it in c. An empty value removes the attribute if it is optional.
func (a Attribute) Set(c *Change, value string, now time.Time) error {
	return a.parse(c, value, now)
}

// Attributes lists all attributes in the order in which people see them.
var Attributes = []Attribute{
	attribute("type", func(f memory.Fact) string { return string(f.Type) }, func(c *Change) **memory.FactType { return &c.Type },
		func(value string, _ time.Time) (memory.FactType, error) { return memory.FactType(value), nil }, CheckType),
	attribute("importance", func(f memory.Fact) string { return shareText(f.Importance) }, func(c *Change) **float64 { return &c.Importance }, parseShareNow, checkShare),
	attribute("confidence", func(f memory.Fact) string { return shareText(f.Confidence) }, func(c *Change) **float64 { return &c.Confidence }, parseShareNow, checkShare),
	attribute("tags", func(f memory.Fact) string { return strings.Join(f.Tags, ", ") }, func(c *Change) **[]string { return &c.Tags }, parseList, checkTags).list(),
	attribute("key", func(f memory.Fact) string { return f.Key }, func(c *Change) **string { return &c.Key }, parseName, checkName),
	attribute("category", func(f memory.Fact) string { return f.Category }, func(c *Change) **string { return &c.Category }, parseName, checkName),
	attribute("namespace", func(f memory.Fact) string { return NamespaceText(f.Namespace) }, func(c *Change) **string { return &c.Namespace }, parseName,
		func(value string, _ time.Time) error { _, err := lookup.ParseNamespace(value); return err }),
	attribute("path", func(f memory.Fact) string { return strings.Join(f.Paths, ", ") }, func(c *Change) **[]string { return &c.Paths }, parseList,
		func(paths []string, _ time.Time) error { return memory.CheckPaths(paths) }).list(),
	attribute("expires", func(f memory.Fact) string { return timeText(f.Expires) }, func(c *Change) **time.Time { return &c.Expires }, ParseExpiry, checkExpiry),
}

// attribute makes a Attribute from a field of Change.
func attribute[T any](name string, text func(memory.Fact) string, field func(*Change) **T,
	parse func(string, time.Time) (T, error), check func(T, time.Time) error) Attribute {
	return Attribute{name, false, text,
		func(c *Change, text string, now time.Time) error {
			value, err := parse(text, now)
			if err == nil {
				err = check(value, now)
			}
			*field(c) = &value
			return err
		},
		func(c *Change, now time.Time) error {
			if value := *field(c); value != nil {
				return check(*value, now)
			}
			return nil
		}}
}

// list returns the attribute with List set.
func (a Attribute) list() Attribute {
	a.List = true
	return a
}

// CheckType returns an error if a type of facts is unknown.
func CheckType(t memory.FactType, _ time.Time) error {
	if t.Known() {
		return nil
	}
	return fmt.Errorf("must be %s, not %q", plural.Or(Types), t)
}

func shareText(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// parseShare reads a number from 0 to 1. An empty value is 0.
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

func parseShareNow(value string, _ time.Time) (float64, error) { return parseShare(value) }

func checkShare(x float64, _ time.Time) error {
	_, err := parseShare(strconv.FormatFloat(x, 'g', -1, 64))
	return err
}

func parseList(value string, _ time.Time) ([]string, error) { return memory.SplitList(value), nil }

func checkTags(tags []string, now time.Time) error {
	for _, tag := range tags {
		if err := checkName(tag, now); err != nil {
			return err
		}
	}
	if len(tags) > maxTags {
		return fmt.Errorf("want at most %d tags, have %d", maxTags, len(tags))
	}
	return nil
}

func parseName(value string, _ time.Time) (string, error) { return strings.TrimSpace(value), nil }

// checkName accepts a short text on one line.
func checkName(value string, _ time.Time) error {
	switch {
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return fmt.Errorf("want text on one line, have %q", value)
	case utf8.RuneCountInString(value) > lookup.MaxAttribute:
		return fmt.Errorf("want at most %d characters, have %d", lookup.MaxAttribute, utf8.RuneCountInString(value))
	}
	return nil
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// ParseExpiry reads the time at which a fact expires: the end of a day, a time, or a duration from now.
func ParseExpiry(value string, now time.Time) (time.Time, error) {
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
		if from, err = duration.Parse(value); err == nil {
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

func checkExpiry(at, now time.Time) error {
	if at.IsZero() || at.After(now) {
		return nil
	}
	return fmt.Errorf("%s is past already", timeText(at))
}

// NamespaceText returns the name of a namespace for people.
func NamespaceText(ns string) string {
	if ns == memory.ProjectNamespace {
		return memory.ProjectName
	}
	return ns
}

// formFence encloses the attributes in the form of a fact.
const formFence = "---"

// factForm returns the form in which a person edits a fact: one attribute per line, then the text.
func factForm(f memory.Fact) string {
	var b strings.Builder
	b.WriteString(formFence + "\n")
	for _, a := range Attributes {
		b.WriteString(strings.TrimRight(a.Name+": "+oneLine(a.Text(f)), " ") + "\n")
	}
	b.WriteString(formFence + "\n" + f.Text + "\n")
	return b.String()
}

// oneLine joins the lines of a hand-written attribute, so that it does not add lines to the form.
func oneLine(s string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(editedText(s)))
}

// editedText normalizes text from an editor, which may write other line endings or invalid UTF-8.
func editedText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
}

// readForm returns the difference between an edited form and old. An attribute without a line stays as it is, and one
// with an empty line is removed. Errors name the line.
func readForm(form string, old memory.Fact, now time.Time) (change Change, err error) {
	lines := strings.Split(strings.TrimPrefix(editedText(form), "\uFEFF"), "\n")
	isFence := func(line string) bool { return strings.TrimSpace(line) == formFence }
	if !isFence(lines[0]) {
		return change, app.Usagef("line 1: the attributes have to begin with %s", formFence)
	}
	end := 1 + slices.IndexFunc(lines[1:], isFence)
	if end == 0 {
		return change, app.Usagef("line %d: the attributes have no end: put %s before the text", len(lines), formFence)
	}
	read := map[string]bool{}
	for i, line := range lines[1:end] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := readAttribute(line, old, &change, read, now); err != nil {
			return change, app.Usagef("line %d: %w", i+2, err)
		}
	}
	text := strings.Join(lines[end+1:], "\n")
	if was := editedText(old.Text + "\n"); text == was || text+"\n" == was {
		return change, nil
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		err = app.Usagef("line %d: the text is empty: 'agentflow forget' takes a fact out", end+2)
	case len(text) > MaxFactText:
		err = app.Usagef("line %d: the text is larger than %s", end+2, plural.Bytes(MaxFactText))
	}
	change.Text = &text
	return change, err
}

// readAttribute reads one line of a form. It does not check an unchanged value, because a person may have written a
// value by hand that no flag accepts.
func readAttribute(line string, old memory.Fact, change *Change, read map[string]bool, now time.Time) error {
	name, value, ok := strings.Cut(line, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	i := slices.IndexFunc(Attributes, func(a Attribute) bool { return a.Name == name })
	if !ok || i < 0 {
		names := lists.Mapped(Attributes, func(a Attribute) string { return a.Name })
		return fmt.Errorf("%q is no attribute: want %s, then %s and the text", line, strings.Join(names, ", "), formFence)
	}
	if read[name] {
		return fmt.Errorf("%s is given twice", name)
	}
	read[name] = true
	if value == oneLine(Attributes[i].Text(old)) {
		return nil
	}
	if err := Attributes[i].Set(change, value, now); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

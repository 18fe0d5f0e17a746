package extract

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"agentflow/internal/ask"
	"agentflow/internal/redact"
	"agentflow/memory"
)

// Rules hold the content of memory with which an answer is compared.
type Rules struct {
	Shown  []memory.Fact // the facts of the question
	All    []memory.Fact // every fact, including those that no longer hold
	Redact func(string) string
	// Same returns equal results for texts that say the same.
	Same func(string) string
	// Forgotten reports whether this text was forgotten, as a fact with this id or any other.
	Forgotten func(id, text string) bool
	Now       time.Time
	Commit    string // HEAD at the end of the run
	Branch    string // the branch that was checked out at the end of the run; empty: none
	Global    bool   // the user allows facts in their memory for all repositories
}

// Learnt are the facts of an answer.
type Learnt struct {
	New     []memory.Fact
	Global  []memory.Fact // facts like New for the user's memory
	Updates []Update
	Refused []Refusal
}

// Update replaces an older fact, which is struck, by a new one.
type Update struct{ Old, New memory.Fact }

// Refusal is a proposed fact that was not accepted.
type Refusal struct{ Text, Why string }

// Check reads an answer and accepts the facts that the rules allow. It returns an error if the
// text is not an answer to the question.
func Check(answer string, run Run, rules Rules) (Learnt, error) {
	list, err := parse(answer)
	if err != nil {
		return Learnt{}, err
	}
	c := checker{run: run, Rules: rules, prompt: newSource(run.Prompt), known: map[string]bool{}, updated: map[string]bool{},
		asked: run.by(true), said: exact(strings.Join(run.by(false), "\n"))}
	for _, f := range rules.All {
		c.known[rules.Same(f.Text)] = true
	}
	for i := range list {
		p, err := &list[i].Value, list[i].Err
		if err == nil {
			err = c.take(p)
		}
		if err != nil {
			c.learnt.Refused = append(c.learnt.Refused, Refusal{p.Text, err.Error()})
		}
	}
	return c.learnt, nil
}

type checker struct {
	Rules
	run     Run
	prompt  source
	known   map[string]bool // by the result of Same
	updated map[string]bool // by id
	asked   []string        // the user's prompts
	said    map[string]bool // the exact terms of the agent's words; see exact
	learnt  Learnt
}

func (c *checker) take(p *proposal) error {
	if len(c.learnt.New)+len(c.learnt.Global)+len(c.learnt.Updates) == maxFacts {
		return fmt.Errorf("beyond the first %d", maxFacts)
	}
	if err := p.form(); err != nil {
		return err
	}
	f := memory.Fact{
		ID: memory.HashID("extract", c.run.ID, c.Same(p.Text)), Text: p.Text,
		Type: memory.FactType(p.Type), Importance: value(p.Importance, memory.PlainImportance), Confidence: min(value(p.Confidence, 0.5), maxConfidence),
		Tags: p.Tags, Category: p.Category, Source: c.run.ID, Commit: c.Commit, Created: c.Now.Truncate(time.Second),
	}
	others, err := c.byUser(p, &f)
	if err == nil {
		err = c.content(f, p.Quote != "")
	}
	if err == nil {
		f.Reason, err = c.reason(p.Reason, others)
	}
	switch {
	case err != nil:
		return err
	case p.Op == "update":
		return c.update(p.ID, f, others)
	case c.prompt.holds(f.Text):
		return errors.New("stood in the prompt")
	}
	if err := c.sourced(f.Text, others); err != nil {
		return err
	}
	if f.Namespace == memory.GlobalNamespace {
		c.learnt.Global = append(c.learnt.Global, f)
	} else {
		c.learnt.New = append(c.learnt.New, f)
	}
	c.known[c.Same(f.Text)] = true
	return nil
}

// byUser checks a fact with a quote of the user, and sets its namespace. others are the exact
// terms that the user's sentence adds to the agent's.
func (c *checker) byUser(p *proposal, f *memory.Fact) (others map[string]bool, err error) {
	if p.Quote == "" {
		return nil, nil
	}
	sentence, ok := sentenceOf(p.Quote, c.asked)
	switch {
	case !ok:
		return nil, errors.New("the user did not say what it quotes")
	case c.Redact(sentence) != sentence || redact.Marks(sentence) > 0:
		return nil, errors.New("holds a secret")
	case standing(sentence) != "":
		return nil, errors.New("what the user said " + standing(sentence))
	case !follows(f.Text, sentence):
		return nil, errors.New("is not what the user said")
	}
	switch scope(sentence) {
	case memory.BranchNamespace:
		if c.Branch == "" {
			return nil, errors.New("holds on a branch, and none was checked out")
		}
		f.Namespace = memory.BranchNamespace + c.Branch
	case memory.GlobalNamespace:
		if c.Global {
			f.Namespace = memory.GlobalNamespace
		}
	}
	return exact(sentence), nil
}

// reason returns the stored form of a fact's reason. It is empty if the reason mentions terms
// that neither the agent nor the user used.
func (c *checker) reason(text string, others map[string]bool) (string, error) {
	if runes := []rune(text); len(runes) > maxReason {
		text = strings.TrimSpace(string(runes[:maxReason-1])) + "…"
	}
	switch {
	case memory.Clean(text) != text:
		return "", errors.New("its reason holds hidden characters")
	case c.Redact(text) != text:
		return "", errors.New("its reason holds a secret")
	case sign(text, orders()) != "":
		return "", errors.New("its reason " + sign(text, orders()))
	case c.sourced(text, others) != nil:
		return "", nil
	}
	return text, nil
}

// content checks the words of a fact. quoted means that a sentence of the user, which may be
// the whole task, says it.
func (c *checker) content(f memory.Fact, quoted bool) error {
	same := c.Same(f.Text)
	switch {
	case memory.Clean(f.Text) != f.Text:
		return errors.New("holds hidden characters")
	case c.secret(f):
		return errors.New("holds a secret")
	case sign(f.Text, orders()) != "":
		return errors.New(sign(f.Text, orders()))
	case sign(f.Text, oneTask()) != "":
		return errors.New(sign(f.Text, oneTask()))
	case !quoted && namesTask(f.Text, c.run.Task):
		return errors.New("repeats the task")
	case same == "":
		return errors.New("no text")
	case c.known[same]:
		return errors.New("memory holds it, or held it until it was corrected")
	case c.Forgotten(f.ID, f.Text):
		return errors.New("was forgotten")
	case c.prompt.quotes(f.Text):
		return errors.New("stood in the prompt")
	}
	return nil
}

func (c *checker) secret(f memory.Fact) bool {
	about := strings.Join(append([]string{f.Category}, f.Tags...), " ")
	return c.Redact(f.Text) != f.Text || c.Redact(about) != about
}

func (c *checker) sourced(text string, others map[string]bool) error {
	for t := range exact(text) {
		if !c.said[t] && !others[t] {
			return fmt.Errorf("the agent did not say %q", t)
		}
	}
	return nil
}

// related is the minimum share of an outdated fact's terms that the new one must have. With
// less it is about another subject.
const related = 0.3

// update replaces a shown fact by f. id is its label in the question, and others are as in
// byUser.
func (c *checker) update(id string, f memory.Fact, others map[string]bool) error {
	old, ok := c.shown(id)
	switch {
	case !ok:
		return fmt.Errorf("unknown id %q", id)
	case old.Pinned():
		return errors.New("the fact it changes is pinned")
	case old.ByPerson():
		return errors.New("the fact it changes was written by hand")
	case !old.Live(c.Now) || c.updated[old.ID]:
		return errors.New("the fact it changes holds no longer")
	}
	before, after := terms(old.Text), terms(f.Text)
	common := 0
	for t := range before {
		if after[t] {
			common++
		}
	}
	if float64(common) < related*float64(len(before)) {
		return errors.New("is about something else than the fact it changes")
	}
	names := exact(old.Text)
	maps.Copy(names, others)
	if err := c.sourced(f.Text, names); err != nil {
		return err
	}
	f.Type, f.Importance, f.Tags, f.Category, f.Key, f.Namespace, f.Paths = old.Type, old.Importance, old.Tags, old.Category, old.Key, old.Namespace, old.Paths
	f.Supersedes = old.ID
	old.Struck, old.SupersededBy, old.Updated = true, f.ID, c.Now.Truncate(time.Second)
	c.updated[old.ID], c.known[c.Same(f.Text)] = true, true
	c.learnt.Updates = append(c.learnt.Updates, Update{old, f})
	return nil
}

func (c *checker) shown(id string) (memory.Fact, bool) {
	for i, f := range c.Shown {
		if ask.Label(i) == id {
			return f, true
		}
	}
	return memory.Fact{}, false
}

// proposal is one fact in the model's answer. nil means that an optional field is missing.
type proposal struct {
	Op         string   `json:"op"`
	ID         string   `json:"id"`
	Text       string   `json:"text"`
	Reason     string   `json:"reason"`
	Quote      string   `json:"quote"` // of the user; empty: the agent stated the fact
	Type       string   `json:"type"`
	Category   string   `json:"category"` // not asked for, but many models give one
	Importance *float64 `json:"importance"`
	Confidence *float64 `json:"confidence"`
	Tags       []string `json:"tags"`
}

// parse decodes the model's answer. The proposals are not checked yet.
func parse(answer string) ([]ask.Item[proposal], error) {
	var form struct {
		Facts *[]ask.Item[proposal] `json:"facts"`
	}
	if err := ask.Decode(answer, &form); err != nil {
		return nil, err
	}
	if form.Facts == nil {
		return nil, errors.New("the answer has no list of facts")
	}
	return *form.Facts, nil
}

// form checks and normalises a proposal, without its context.
func (p *proposal) form() error {
	p.Text, p.Reason = strings.Join(strings.Fields(p.Text), " "), strings.Join(strings.Fields(p.Reason), " ")
	switch {
	case p.Op != "add" && p.Op != "update":
		return fmt.Errorf("%q is neither add nor update", p.Op)
	case p.Op == "add" && p.ID != "":
		return errors.New("a new fact with an id")
	case p.Text == "":
		return errors.New("no text")
	case len([]rune(p.Quote)) > maxText:
		return fmt.Errorf("quotes more than %d characters", maxText)
	case len([]rune(p.Text)) > maxText:
		return fmt.Errorf("longer than %d characters", maxText)
	case !share(p.Importance) || !share(p.Confidence):
		return errors.New("importance or confidence is not within 0 and 1")
	}
	if kind := memory.FactType(strings.ToLower(p.Category)); kind.Known() {
		p.Type, p.Category = cmp.Or(p.Type, string(kind)), ""
	}
	p.Type = cmp.Or(p.Type, string(memory.Semantic))
	if !memory.FactType(p.Type).Known() {
		return fmt.Errorf("%q is no type of facts", p.Type)
	}
	p.Tags, p.Category = tags(p.Tags), category(p.Category)
	return nil
}

func share(x *float64) bool { return x == nil || *x >= 0 && *x <= 1 }

// value returns *x, or otherwise if x is nil.
func value(x *float64, otherwise float64) float64 {
	if x == nil {
		return otherwise
	}
	return *x
}

const (
	maxTags = 5
	maxTag  = 30 // runes
)

// category returns the model's category as one plain word, as in "build-and-test", or "" if
// that is not possible.
func category(name string) string {
	word := strings.Join(strings.Fields(strings.ReplaceAll(name, "&", " and ")), "-")
	return strings.Join(tags([]string{word}), "")
}

// tags returns the model's tags that are plain words. The model cannot pin.
func tags(list []string) []string {
	var out []string
	for _, t := range list {
		t = strings.ToLower(strings.TrimSpace(t))
		plain := t != "" && len([]rune(t)) <= maxTag && !strings.ContainsFunc(t, func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-_./+#", r)
		})
		if plain && !(memory.Fact{Tags: []string{t}}).Pinned() && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

package extract

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"agentflow/internal/ask"
	"agentflow/memory"
)

// proposal is one fact as the model gives it. What must be there is told from
// what may be left out by nil.
type proposal struct {
	Op         string   `json:"op"`
	ID         string   `json:"id"`
	Text       string   `json:"text"`
	Type       string   `json:"type"`
	Importance *float64 `json:"importance"`
	Confidence *float64 `json:"confidence"`
	Tags       []string `json:"tags"`
}

// parse reads the model's answer; a proposal may still be nonsense.
func parse(answer string) ([]proposal, error) {
	var form struct {
		Facts *[]proposal `json:"facts"`
	}
	if err := ask.Decode(answer, &form); err != nil {
		return nil, err
	}
	if form.Facts == nil {
		return nil, errors.New("the answer has no list of facts")
	}
	return *form.Facts, nil
}

// form checks a proposal by itself and cleans it.
func (p *proposal) form() error {
	p.Text = strings.Join(strings.Fields(p.Text), " ")
	switch {
	case p.Op != "add" && p.Op != "update":
		return fmt.Errorf("%q is neither add nor update", p.Op)
	case p.Op == "add" && p.ID != "":
		return errors.New("a new fact with an id")
	case p.Text == "":
		return errors.New("no text")
	case len([]rune(p.Text)) > maxText:
		return fmt.Errorf("longer than %d characters", maxText)
	case !share(p.Importance) || !share(p.Confidence):
		return errors.New("importance or confidence is not within 0 and 1")
	}
	p.Type = cmp.Or(p.Type, string(memory.Semantic))
	if !memory.FactType(p.Type).Known() {
		return fmt.Errorf("%q is no type of facts", p.Type)
	}
	p.Tags = tags(p.Tags)
	return nil
}

func share(x *float64) bool { return x == nil || *x >= 0 && *x <= 1 }

// value is x, or what it is when the model gave none.
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

// tags are those of the model's that are plain words. It cannot pin.
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

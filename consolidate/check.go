package consolidate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/internal/ask"
	"agentflow/memory"
)

// Proposal is what of a model's answer may be done, and why the rest may not.
type Proposal struct {
	Merges  []Merge
	Strikes []Strike
	Refused []string
}

// Check reads an answer about the batch. The error says that it is none.
// Refused are proposals that name unknown facts, or one twice; that touch facts
// which a person wrote or pinned; that go across namespaces or keys; or that lose
// or add anything.
func (b Batch) Check(answer string) (Proposal, error) {
	var form struct {
		Merges *[]struct {
			IDs  []string `json:"ids"`
			Text string   `json:"text"`
		} `json:"merges"`
		Contradictions *[]struct {
			Keep   string `json:"keep"`
			Strike string `json:"strike"`
		} `json:"contradictions"`
	}
	if err := ask.Decode(answer, &form); err != nil {
		return Proposal{}, err
	}
	if form.Merges == nil || form.Contradictions == nil {
		return Proposal{}, errors.New("the answer lacks its list of merges or of contradictions")
	}
	c := proposalCheck{Batch: b, used: map[string]bool{}}
	for _, m := range *form.Merges {
		if err := c.merge(m.IDs, m.Text); err != nil {
			c.refuse("merge "+strings.Join(m.IDs, ", "), err)
		}
	}
	for _, s := range *form.Contradictions {
		if err := c.strike(s.Keep, s.Strike); err != nil {
			c.refuse("strike "+s.Strike+" for "+s.Keep, err)
		}
	}
	return c.Proposal, nil
}

type proposalCheck struct {
	Batch
	Proposal
	used map[string]bool // labels
}

func (c *proposalCheck) refuse(what string, err error) {
	c.Refused = append(c.Refused, oneLine(what)+": "+err.Error())
}

// take finds facts by their labels, each of which counts once.
func (c *proposalCheck) take(labels ...string) ([]candidate, error) {
	var list []candidate
	for i, l := range labels {
		at := 0
		for at < len(c.facts) && ask.Label(at) != l {
			at++
		}
		switch {
		case at == len(c.facts):
			return nil, fmt.Errorf("unknown id %q", oneLine(l))
		case c.used[l] || slices.Contains(labels[:i], l):
			return nil, fmt.Errorf("%s is named twice", l)
		}
		list = append(list, c.facts[at])
	}
	return list, nil
}

func (c *proposalCheck) merge(labels []string, text string) error {
	list, err := c.take(labels...)
	if err != nil {
		return err
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(list) < 2 {
		return errors.New("fewer than two facts")
	}
	key := ""
	for _, f := range list {
		switch {
		case f.fixed():
			return errors.New("a person wrote or pinned one of them")
		case f.Namespace != list[0].Namespace:
			return errors.New("they hold in different places")
		case f.Key != "" && key != "" && f.Key != key:
			return errors.New("they are about different things")
		case f.Key != "":
			key = f.Key
		}
	}
	if err := c.text(text, list); err != nil {
		return err
	}
	m := Merge{Text: text}
	for _, f := range list {
		for _, g := range f.all {
			m.IDs, m.Said = append(m.IDs, g.ID), append(m.Said, g.Text)
		}
	}
	c.Merges = append(c.Merges, m)
	for _, l := range labels {
		c.used[l] = true
	}
	return nil
}

// text checks what merged facts are to say.
func (c *proposalCheck) text(text string, list []candidate) error {
	switch {
	case Same(text) == "":
		return errors.New("no text")
	case len([]rune(text)) > maxMergedText:
		return fmt.Errorf("longer than %d characters", maxMergedText)
	case memory.Clean(text) != text:
		return errors.New("hidden characters")
	case c.forgotten != nil && c.forgotten(memory.TextID(text)):
		return errors.New("its text was forgotten")
	}
	var sources []string
	for _, f := range list {
		sources = append(sources, f.Text)
	}
	return keepsAll(text, sources)
}

// replaced is the least share of the words of the shorter of two facts that
// both have when one replaced the other.
const replaced = 0.5

func (c *proposalCheck) strike(keep, strike string) error {
	list, err := c.take(keep, strike)
	if err != nil {
		return err
	}
	stays, goes := list[0], list[1]
	a, b := contentStems(stays.Text), contentStems(goes.Text)
	common := shared(a, b)
	switch {
	case goes.fixed():
		return errors.New("a person wrote or pinned it")
	case stays.Namespace != goes.Namespace:
		return errors.New("they hold in different places")
	case stays.Key != "" && goes.Key != "" && stays.Key != goes.Key:
		return errors.New("they are about different things")
	case stays.lastSaid().Before(goes.lastSaid()):
		return errors.New("it was said later than the one that would stand")
	case float64(common) < replaced*float64(min(len(a), len(b))) || common == 0:
		return errors.New("they have too little in common")
	}
	for _, f := range goes.all {
		c.Strikes = append(c.Strikes, Strike{Keep: stays.ID, Strike: f.ID, Said: [2]string{stays.Text, f.Text}})
	}
	c.used[keep], c.used[strike] = true, true
	return nil
}

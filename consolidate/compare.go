package consolidate

import (
	"slices"
	"strings"
	"unicode"

	terms "agentflow/internal/words"
)

// maxPossible is how many possible ones a plan lists.
const maxPossible = 200

// compare lists what may contradict each other or say the same: facts of one
// namespace that hold, and that differ in one number, identifier or negation,
// or share nearly all words.
func (p *plan) compare() {
	var live []*fact
	for _, f := range p.facts {
		if f.stands() && f.Live(p.Now) && f.form != "" {
			live = append(live, f)
		}
	}
	c := &comparison{plan: p, told: map[[2]*fact]bool{}}
	c.struck(live)
	c.oneApart(live)
	c.alike(live)
	slices.SortStableFunc(p.possible, func(a, b Possible) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
}

type comparison struct {
	*plan
	told map[[2]*fact]bool
}

// tell lists a pair, once.
func (c *comparison) tell(kind PossibleKind, reason string, a, b *fact) {
	pair := [2]*fact{a, b}
	if a.ID > b.ID {
		pair = [2]*fact{b, a}
	}
	apart := a.Key != "" && b.Key != "" && a.Key != b.Key
	if c.told[pair] || apart || a.old && b.old || a.ID == b.ID {
		return
	}
	c.told[pair] = true
	c.suspect(kind, reason, pair[:]...)
}

// within is what facts are compared within.
type within struct{ namespace, form string }

// struck finds facts that say what a person struck.
func (c *comparison) struck(live []*fact) {
	gone := map[within]*fact{}
	for _, f := range c.facts {
		if f.Struck && f.SupersededBy == "" && f.form != "" {
			gone[within{f.Namespace, f.form}] = f
		}
	}
	for _, f := range live {
		if old := gone[within{f.Namespace, f.form}]; old != nil {
			c.tell(Contradiction, "one of them is struck", f, old)
		}
	}
}

// maxHard is how many of a fact's words are left out one after the other.
const maxHard = 16

// oneApart finds facts that differ in nothing but one word that decides what
// they say, or that only one of them has.
func (c *comparison) oneApart(live []*fact) {
	whole := map[within]*fact{}
	for _, f := range live {
		whole[within{f.Namespace, f.form}] = f
	}
	type said struct {
		*fact
		word string
	}
	masked := map[within]said{}
	for _, f := range live {
		list := strings.Split(f.form, " ")
		hard := 0
		for i, w := range list {
			if !decides(w) || hard == maxHard {
				continue
			}
			hard++
			key := within{f.Namespace, strings.Join(list[:i], " ") + "\x00" + strings.Join(list[i+1:], " ")}
			if other, ok := masked[key]; ok && other.form != f.form {
				c.tell(Contradiction, "they differ in one word: "+oneLine(other.word+", "+w), other.fact, f)
			}
			masked[key] = said{f, w}
			if !negates[w] {
				continue
			}
			if other := whole[within{f.Namespace, without(list, i)}]; other != nil {
				c.tell(Contradiction, "only one of them says "+w, other, f)
			}
		}
	}
}

// without is the form less word i, and less the verb that only helps a not.
func without(list []string, i int) string {
	before := list[:i]
	if i > 0 && list[i] == "not" && slices.Contains([]string{"do", "does", "did"}, list[i-1]) {
		before = list[:i-1]
	}
	return strings.Join(slices.Concat(before, list[i+1:]), " ")
}

// negates are the words that turn what a sentence says.
var negates = set("not never no none nothing nobody neither nor without except only unless hardly cannot always " +
	"不 没 無 无 未 非 勿 别")

// turns are words of which one in the place of another says something else.
var turns = set("all any every each some many most few both either before after until since above below over under more less " +
	"must may might should can could will shall need on off in out up down true false yes enable disable enabled disabled")

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// decides says whether a word is a number, an identifier or one of those that
// turn what a sentence says.
func decides(w string) bool {
	return negates[w] || turns[w] || terms.IsExact(w) || strings.ContainsFunc(w, unicode.IsDigit)
}

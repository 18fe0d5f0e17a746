// Package secrets replaces the package of gitleaks that makes secrets, which
// depends on a module that we do not have.
package secrets

import (
	"math/rand"
	"regexp/syntax"
	"strings"
)

var chance = rand.New(rand.NewSource(1))

// NewSecret returns a string that an expression matches.
func NewSecret(expr string) string {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	write(&b, tree)
	return b.String()
}

func write(b *strings.Builder, t *syntax.Regexp) {
	switch t.Op {
	case syntax.OpLiteral:
		b.WriteString(string(t.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pick(t.Rune))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range t.Sub {
			write(b, sub)
		}
	case syntax.OpAlternate:
		write(b, t.Sub[chance.Intn(len(t.Sub))])
	case syntax.OpStar:
		repeat(b, t.Sub[0], 0, 4)
	case syntax.OpPlus:
		repeat(b, t.Sub[0], 1, 5)
	case syntax.OpQuest:
		repeat(b, t.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := t.Max
		if most < 0 {
			most = t.Min + 10
		}
		repeat(b, t.Sub[0], t.Min, most)
	}
}

func repeat(b *strings.Builder, t *syntax.Regexp, least, most int) {
	for n := least + chance.Intn(most-least+1); n > 0; n-- {
		write(b, t)
	}
}

// pick returns a random rune of a class.
func pick(class []rune) rune {
	n := 0
	for i := 0; i < len(class); i += 2 {
		n += int(class[i+1]-class[i]) + 1
	}
	n = chance.Intn(n)
	for i := 0; ; i += 2 {
		if width := int(class[i+1]-class[i]) + 1; n < width {
			return class[i] + rune(n)
		} else {
			n -= width
		}
	}
}

package config

import (
	"fmt"
	"regexp/syntax"
)

// Limits of the lists that an untrusted repository may set: the number of items
// in a list, and the size in instructions of the programs of its regular
// expressions, for one and for all. For every byte of every stored text, an
// expression takes up to this many steps.
const (
	maxItems   = 1000
	maxProgram = 300
	maxRegexps = 3000
)

// fewItems rejects a list that is too long.
func fewItems(v any) error {
	if items, err := texts(v); err == nil && len(items) > maxItems {
		return fmt.Errorf("want at most %d of them, have %d", maxItems, len(items))
	}
	return nil
}

// quickRegexps rejects expressions that take long.
func quickRegexps(v any) error {
	items, err := texts(v)
	if err != nil {
		return err
	}
	sum := 0
	for _, item := range items {
		n, err := programSize(item)
		if err != nil {
			return err
		}
		if sum += n; n > maxProgram {
			return fmt.Errorf("%.60q takes up to %d steps for every byte, and a repository may ask for %d: shorten it, or move it to your own config", item, n, maxProgram)
		}
	}
	if sum > maxRegexps {
		return fmt.Errorf("the expressions take up to %d steps for every byte together, and a repository may ask for %d: move them to your own config", sum, maxRegexps)
	}
	return nil
}

func programSize(expression string) (int, error) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}

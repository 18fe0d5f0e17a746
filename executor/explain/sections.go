package explain

import (
	"slices"
	"strings"
)

// rank returns the rank of a heading: the number of its marks, or for a line in bold a lower one.
func rank(line string) int {
	if line[0] != '#' {
		return 7
	}
	return len(line) - len(strings.TrimLeft(line, "#"))
}

// withoutOffers leaves out sections that state nothing: options, proposals, mock-ups and examples.
func withoutOffers(list []block) (kept []block) {
	within := 0 // the rank of the section that is left out; 0: none is
	for _, b := range list {
		if b.head > 0 && (within == 0 || b.head <= within) {
			within = points(offers().MatchString(b.text), b.head)
		}
		if within == 0 {
			kept = append(kept, b)
		}
	}
	return kept
}

// withoutThoughts leaves out what an answer says before it announces its findings.
func withoutThoughts(list []block) []block {
	for i, b := range list[:max(0, len(list)-1)] {
		if findings().MatchString(b.text) {
			return list[i+1:]
		}
	}
	return list
}

// columns returns the cells of a table's row.
func columns(row string) []string {
	list := strings.Split(strings.Trim(row, " ")[1:], "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	if n := len(list); n > 1 && list[n-1] == "" {
		list = list[:n-1]
	}
	return list
}

// cells returns a row of a table as a sentence, without its number. If there are more than two
// cells, those behind the first have the heads of their columns.
func cells(row, heads []string) string {
	var list []string
	more := len(row) > 2 && len(slices.DeleteFunc(slices.Clone(row), isNumber)) > 2
	for i, cell := range row {
		switch {
		case isNumber(cell) || strings.Trim(cell, "-–— ") == "":
		case more && len(list) > 0 && i < len(heads) && !plain().MatchString(heads[i]):
			list = append(list, heads[i]+": "+cell)
		default:
			list = append(list, cell)
		}
	}
	if more {
		return list[0] + ": " + strings.Join(list[1:], "; ")
	}
	return strings.Join(list, ": ")
}

func isNumber(cell string) bool { return strings.Trim(cell, "0123456789#*") == "" }

var (
	offers   = lazy(`(?i)^(options?|alternatives?|approaches|approach (\d|[a-z]\b)|propos(al|ed)\b.*|suggested .*|mock-?ups?|examples?|sketch|pros|cons|trade-?offs?|where|layout)\b`)
	findings = lazy(`(?i)\bhere(?:'s| is) (my|the) (\w+ )?(review|assessment|analysis)\b[^.]*:$`)
	plain    = lazy(`(?i)^((change|what|description|purpose|detail|function|file|fix|note|action|result|status)s?)?$`) // heads that say nothing
	choice   = lazy(`(?i)\b(which|prefer|thoughts|what do you think|do(es)? (this|that|these|any of)\b.{0,60}\b(look|match|work|sound|make sense|fit|feel))\b[^?]*\?\W*$`)
)

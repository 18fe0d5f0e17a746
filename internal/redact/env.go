package redact

import (
	"cmp"
	"slices"
	"strings"
)

// literal is a value that is secret wherever it stands.
type literal struct{ value, kind string }

// literals returns the values of the environment's variables with secret
// names, longest first.
func literals(env, extra []string) []literal {
	const least = 8 // bytes; shorter values turn up by chance
	names := secretNames(extra)
	var list []literal
	for _, v := range env {
		variable, value, ok := strings.Cut(v, "=")
		if variable == "PWD" || variable == "OLDPWD" {
			continue // the shell's current folder, whatever it looks like
		}
		if !ok || len(value) < least || isReference(value) || isPath(value) {
			continue
		}
		if kind, ok := secretVariable(variable, names); ok {
			list = append(list, literal{value, kind})
		}
	}
	slices.SortFunc(list, func(a, b literal) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.value, b.value))
	})
	return list
}

// secretVariable says whether a variable's name is that of a secret.
func secretVariable(variable string, names []name) (kind string, ok bool) {
	low := strings.ToLower(variable)
	for i := range names {
		at := strings.Index(low, names[i].word)
		if at < 0 {
			continue
		}
		if _, till, ok := names[i].identifier(variable, at, at+len(names[i].word)); ok && till == len(variable) {
			return names[i].kind, true
		}
	}
	return "", false
}

package app

import (
	"os/user"
	"runtime"
	"slices"
	"strings"
)

// withUser is an environment with the variables that say whose it is: what
// starts jobs, cron and containers among them, may leave these out, and agents
// find their login by them. Where the system does not know the user either
// they stay out.
func withUser(environ []string) []string {
	if runtime.GOOS == "windows" {
		return environ // it sets its own
	}
	who, err := user.Current()
	if err != nil {
		return environ
	}
	return filledIn(environ, variable{"HOME", who.HomeDir}, variable{"USER", who.Username}, variable{"LOGNAME", who.Username})
}

// filledIn adds the variables that an environment lacks or has empty.
func filledIn(environ []string, list ...variable) []string {
	out := slices.Clone(environ)
	for _, v := range list {
		named := func(pair string) bool { return strings.HasPrefix(pair, v.Name+"=") }
		has := func(pair string) bool { return named(pair) && pair != v.Name+"=" }
		if v.Value == "" || slices.ContainsFunc(out, has) {
			continue
		}
		out = append(slices.DeleteFunc(out, named), v.Name+"="+v.Value)
	}
	return out
}

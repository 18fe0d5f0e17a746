// Package hostiletest makes paths that try to lead out of a folder: upwards,
// directly or encoded, once or repeatedly, with other slashes, to absolute
// places and devices, through links that a test creates, with bytes that end or
// hide a name.
package hostiletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Root is the folder that the paths pretend to be below.
const Root = "/memories"

// Links are names below Root that the paths pass through. Tests create links
// with these names.
var Links = []string{"out", "work/out", "out.txt", "self", "out..md"}

// Ways up, and slashes, in forms that programs may decode or normalise.
var (
	ups = []string{"..", "%2e%2e", "%2E%2E", ".%2e", "%2e.", "%252e%252e", "%25252e%25252e", "%c0%ae%c0%ae", "%u002e%u002e", "..;", "....", ". .", ".\u200b.", "\uff0e\uff0e", "..\x00", "..%00", " ..", ".. ", "..."}
	sep = []string{"/", "//", "\\", "%2f", "%2F", "%5c", "%252f", "%255c", "/./", "\u2215", "\uff0f", "%c0%af"}
	// Files that an attacker would try to reach.
	targets = []string{"secret.txt", "etc/passwd", "MEMORY.md", ".agentflow/memory/MEMORY.md", ".git/config", ".ssh/id_rsa", "state/index.db", "C:/Windows/win.ini", "secret..md", "secret.txt.md"}
	heads   = []string{Root, Root + "X", Root + "..", "", "/", ".", "..", "memories", "/Memories", "/MEMORIES", "//memories", "file:///memories", "C:\\memories", "\\memories", "\\\\?\\C:\\memories", "/etc/../memories", "/proc/self/root/memories", "~/memories", "%2fmemories", "/memories%00", "/memories\x00", "/memories\\..", "/memories/..", "/./memories", "/memories/."}
	names   = []string{".", "..", ".git", ".hidden", "con", "CON.txt", "nul", "aux.md", "COM1", "LPT9.txt", "a:b", "a:$DATA", "a::$INDEX_ALLOCATION", "a.", "a ", " a", "a\x00", "a\n", "a\r", "a\tb", "a\x1b[2J", "a\u202eb", "a\xff", "a*", "a?", "<a>", "a|b", "\"a\"", "`id`", "$(id)", "~", "-rf", "node_modules", "PROGRA~1", "d.md/x", strings.Repeat("a", 300), strings.Repeat("b/", 50) + "c"}
)

// Paths returns n paths, always the same: first every single form, then
// mixtures.
// mixtures.
func Paths(n int) []string {
	var list []string
	add := func(parts ...string) { list = append(list, strings.Join(parts, "")) }
	for _, head := range heads {
		add(head)
		add(head, "/secret.txt")
	}
	for _, name := range names {
		add(Root, "/", name)
	}
	for _, link := range Links {
		add(Root, "/", link)
		for _, target := range targets {
			add(Root, "/", link, "/", target)
		}
	}
	for _, up := range ups {
		for _, slash := range sep {
			add(Root, "/", up, slash, "secret.txt")
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // cases of a test, no secrets
	pick := func(from []string) string { return from[rnd.IntN(len(from))] }
	for len(list) < n {
		path := pick(heads)
		if rnd.IntN(3) > 0 {
			path = Root
		}
		for range 1 + rnd.IntN(6) {
			path += pick(sep) + pick([]string{pick(ups), pick(ups), pick(names), pick(Links), "work", fmt.Sprintf("d%d", rnd.IntN(5))})
		}
		add(path, pick(sep), pick(targets))
	}
	return list[:n]
}

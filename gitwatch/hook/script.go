package hook

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the script
	"encoding/hex"
	"io/fs"
	"regexp"
	"runtime"
	"sync"
)

// The git hooks that ours are installed as.
const (
	postCommit  = "post-commit"
	postRewrite = "post-rewrite"
)

// noteFunction defines agentflow_note. It ends the shell that it runs in.
//
//go:embed note.sh
var noteFunction string

// chain is the way in which our hook runs the one that was there before.
type chain int

const (
	nothing chain = iota
	sourced       // a shell script runs within ours, so that its $0 stays the same
	started       // anything else is started as git would start it
)

// executable reports whether git runs a hook of this mode. Windows has no such modes.
func executable(mode fs.FileMode) bool { return mode.Perm()&0o111 != 0 || runtime.GOOS == "windows" }

// beforeName returns the name under which the earlier hook is kept, in the same folder.
func beforeName(hook string) string { return hook + ".before-agentflow" }

// render returns the text of a hook. The first line after the interpreter holds a checksum of the
// rest, by which a hook that the user changed is recognised.
func render(hook string, c chain) []byte {
	return signed(noteFunction + callText(hook, c))
}

func renderNote() []byte {
	return signed(noteFunction + "agentflow_note \"$@\" >/dev/null 2>&1 || :\n")
}

func callText(hook string, c chain) string {
	note := "agentflow_note " + hook + " \"$@\""
	if c == nothing {
		return note + " >/dev/null 2>&1 || :\n"
	}
	before := "agentflow_before=${0%/*}/" + beforeName(hook) + "\n[ -x \"$agentflow_before\" ] || exit 0\n"
	next := `exec "$agentflow_before" "$@"`
	if c == sourced {
		next = `. "$agentflow_before"`
	}
	if hook == postCommit {
		return "(" + note + ") >/dev/null 2>&1 || :\n" + before + next + "\n"
	}
	// Both read the standard input.
	return `agentflow_pairs=
while IFS= read -r agentflow_pair; do
	agentflow_pairs=$agentflow_pairs$agentflow_pair'
'
done
` + `printf '%s' "$agentflow_pairs" | ` + note + " >/dev/null 2>&1 || :\n" +
		before + `printf '%s' "$agentflow_pairs" | ` + next + "\n"
}

const signature = "# agentflow hook "

func signed(body string) []byte {
	return []byte("#!/bin/sh\n" + signature + checksum(body) + "; 'agentflow hook uninstall' takes it out\n" + body)
}

func checksum(body string) string {
	digest := sha256.Sum256([]byte(body))
	return hex.EncodeToString(digest[:8])
}

var signedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^#!/bin/sh\n` + signature + `([0-9a-f]{16})[^\n]*\n`)
})

// recognise reports whether text is a hook of ours, of any version, and whether it is unchanged.
func recognise(text []byte) (ours, intact bool) {
	if m := signedLine().FindSubmatchIndex(text); m != nil {
		return true, string(text[m[2]:m[3]]) == checksum(string(text[m[1]:]))
	}
	return bytes.Contains(text, []byte(signature)), false
}

var shellLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#![ \t]*(/usr)?/bin/(env )?sh[ \t]*\n`) })

// chainTo decides how to run a hook with this text, which is nil for none.
func chainTo(text []byte) chain {
	switch {
	case text == nil:
		return nothing
	case shellLine().Match(text):
		return sourced
	}
	return started
}

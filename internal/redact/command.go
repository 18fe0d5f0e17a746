package redact

import (
	"iter"
	"strings"
)

// program is a program that takes a password after a short flag.
type program struct {
	name string // as written before the flags, in lower case
	flag string
	// before lists the programs that have name as a command; empty means that
	// name is the program.
	before string
	// prompts means that the flag without a value makes the program ask for the
	// password. The next word, if it is a plain word, is then another argument.
	prompts bool
}

var programs = []program{
	{name: "sshpass", flag: "-p"},
	{name: "login", flag: "-p", before: " docker podman nerdctl buildah skopeo oras crane registry az "},
	{name: "mysql", flag: "-p", prompts: true},
	{name: "mysqldump", flag: "-p", prompts: true},
	{name: "mysqladmin", flag: "-p", prompts: true},
	{name: "mysqlimport", flag: "-p", prompts: true},
	{name: "mariadb", flag: "-p", prompts: true},
	{name: "mongosh", flag: "-p"},
	{name: "mongodump", flag: "-p"},
	{name: "mongorestore", flag: "-p"},
	{name: "redis-cli", flag: "-a"},
	{name: "sqlcmd", flag: "-P"},
	{name: "ldapsearch", flag: "-w"},
}

// password returns the password on the command line of a program with its name
// at start to end.
func (p *program) password(s string, start, end int) (f span, ok bool) {
	if start > 0 && (isNameByte(s[start-1])) || end == len(s) || s[end] != ' ' {
		return f, false
	}
	if p.before != "" && !strings.Contains(p.before, " "+wordBefore(s, start)+" ") {
		return f, false
	}
	const longest = 512 // bytes of a command
	rest := s[:min(len(s), end+longest)]
	line, _, _ := strings.Cut(rest[end:], "\n")
	user, flagged := strings.Contains(line, " -u"), false
	for w := range commandWords(rest, end) {
		separate := flagged
		switch flagged = false; {
		case separate:
		case s[w.start:w.end] == p.flag:
			flagged = true
			continue
		case strings.HasPrefix(s[w.start:w.end], p.flag):
			w.start += len(p.flag)
		default:
			continue
		}
		if f = unquotedArgument(s, w.start, w.end); p.isPassword(s[f.start:f.end], separate, user) {
			return f, true
		}
	}
	return f, false
}

// isPassword reports whether the value of the flag is a password.
func (p *program) isPassword(value string, separate, user bool) bool {
	if len(value) < 3 || isReference(value) || value[0] == '-' {
		return false
	}
	if p.prompts && separate || p.prompts && !user && isPlainWord(value) {
		return !isName(value) // mysql -p shop; go test -tags mysql -parallel
	}
	return true
}

// isName reports whether s may be the name of a database: letters and
// separators.
func isName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./") == ""
}

// wordBefore returns the word before the blank that precedes i.
func wordBefore(s string, i int) string {
	const longest = 16
	if i < 2 || s[i-1] != ' ' {
		return ""
	}
	from := i - 1
	for from > 0 && i-from < longest && isNameByte(s[from-1]) {
		from--
	}
	return s[from : i-1]
}

// commandWords yields the words of the command from i on, with quotes: up to
// the end of its line, or to the next command, outside quotes.
func commandWords(s string, i int) iter.Seq[span] {
	return func(yield func(span) bool) {
		var quote byte
		from := -1 // start of a word; -1 between words
		for ; i < len(s); i++ {
			c, next := s[i], s[min(i+1, len(s)-1)]
			blank := quote == 0 && (c == ' ' || c == '\t' || c == '\\' && next == '\n')
			ends := c == '\n' || c == '\r' || quote == 0 && strings.IndexByte("|;&`", c) >= 0
			if (blank || ends) && from >= 0 && !yield(span{from, i, ""}) || ends {
				return
			}
			if blank {
				from = -1
			} else if from < 0 {
				from = i
			}
			switch {
			case c == '\\':
				i++
			case c == quote:
				quote = 0
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
			}
		}
		if from >= 0 {
			yield(span{from, len(s), ""})
		}
	}
}

// unquotedArgument returns the bounds of an argument without its quotes, and
// without trailing punctuation of a sentence or code around the command.
func unquotedArgument(s string, from, till int) span {
	if from < till && s[from] == '=' {
		from++
	}
	if n := till - from; n >= 2 && (s[from] == '"' || s[from] == '\'') && s[till-1] == s[from] {
		return span{from + 1, till - 1, "password"}
	}
	for from < till && strings.IndexByte("\"',)]}", s[till-1]) >= 0 {
		till--
	}
	for from < till && (s[from] == '"' || s[from] == '\'') {
		from++
	}
	return span{from, till, "password"}
}

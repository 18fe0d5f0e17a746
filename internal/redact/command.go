package redact

import "strings"

// program is one that takes a password behind a short flag.
type program struct {
	name string // as it stands before the flags, in lower case
	flag string
	// before lists the programs that name is a command of; empty: name is the
	// program.
	before string
	// prompts: without a value the flag asks for the password, so that the
	// next word, if it looks like one, names something else.
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

// password returns the password on the command line of a program whose name
// stands at start to end.
func (p *program) password(s string, start, end int) (f span, ok bool) {
	if start > 0 && (isNameByte(s[start-1])) || end == len(s) || s[end] != ' ' {
		return f, false
	}
	if p.before != "" && !strings.Contains(p.before, " "+wordBefore(s, start)+" ") {
		return f, false
	}
	const longest = 512 // bytes of a command
	line := commandLine(s[:min(len(s), end+longest)], end)
	user := strings.Contains(s[end:line], " -u")
	for at := end; at < line; {
		from, till := argument(s, at, line)
		if at = till; !strings.HasPrefix(s[from:till], p.flag) {
			continue
		}
		value := from + len(p.flag)
		separate := value == till
		if separate {
			value, at = argument(s, till, line)
		}
		f = unquotedArgument(s, value, at)
		if p.isPassword(s[f.start:f.end], separate, user) {
			return f, true
		}
	}
	return f, false
}

// isPassword says whether the value of the flag is a password.
func (p *program) isPassword(value string, separate, user bool) bool {
	if len(value) < 3 || isReference(value) || value[0] == '-' {
		return false
	}
	if p.prompts && separate || p.prompts && !user && isPlainWord(value) {
		return !isName(value) // mysql -p shop; go test -tags mysql -parallel
	}
	return true
}

// isName says whether s may be the name of a database: letters and joints.
func isName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-./") == ""
}

// wordBefore is the word before the blank before i.
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

// commandLine is where the command that goes on at i ends: at the end of its
// line, or at the next command, outside quotes.
func commandLine(s string, i int) int {
	var quote byte
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
		case c == '\n', c == '\r':
			return i
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '|', c == ';', c == '&', c == '`':
			return i
		}
	}
	return min(i, len(s))
}

// argument returns the bounds of the next word of a command, quotes included.
func argument(s string, i, end int) (from, till int) {
	for i < end && (s[i] == ' ' || s[i] == '\t' || s[i] == '\\' && i+1 < end && s[i+1] == '\n' || s[i] == '\n') {
		i++
	}
	from = i
	var quote byte
	for ; i < end; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == ' ', c == '\t', c == '\n':
			return from, i
		}
	}
	return from, end
}

// unquotedArgument is an argument without the quotes around it, and without the
// end of a sentence or of code around the command.
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

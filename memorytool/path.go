package memorytool

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"agentflow/internal/invisible"
	"agentflow/memory"
	"agentflow/memory/quote"

	"golang.org/x/text/unicode/norm"
)

// Root is the path of the directory itself.
const Root = "/memories"

// Bounds of a path. File systems take names of 255 bytes, and a file that is
// written has a longer name for a moment.
const (
	maxName  = 150 // bytes of a name
	maxPath  = 600 // bytes of a path
	maxDepth = 10  // names of a path below Root
)

// cleanPath is a path in its only form, or the error that says why it is none.
func cleanPath(given string) (string, error) {
	rest, below := strings.CutPrefix(given, Root)
	if !below || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return "", errorf(Invalid, "Path must start with %s, got: %s", Root, said(given))
	}
	if len(given) > maxPath {
		return "", errorf(Invalid, "Path %s is longer than %d bytes", said(given), maxPath)
	}
	names := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "." })
	for i, name := range names {
		if climbs(name) {
			return "", errorf(Invalid, "Path %s would escape %s directory", said(given), Root)
		}
		if why := badName(name, i < len(names)-1); why != "" {
			return "", errorf(Invalid, "Path %s is not valid: %s", said(given), why)
		}
	}
	if len(names) > maxDepth {
		return "", errorf(Invalid, "Path %s is not valid: it is more than %d levels deep", said(given), maxDepth)
	}
	return path.Join(append([]string{Root}, names...)...), nil
}

// climbs says whether a name means the directory above, also to whoever takes
// a backslash for a slash or decodes what is percent-encoded, however often.
func climbs(name string) bool {
	for {
		parts := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
		if slices.Contains(parts, "..") {
			return true
		}
		decoded := decodePercent(name)
		if decoded == name {
			return false
		}
		name = decoded
	}
}

// decodePercent decodes each %XX once.
func decodePercent(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if x, ok := percentByte(s[i:]); ok {
			b.WriteByte(x)
			i += 2
		} else {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// percentByte is the byte that the %XX stands for with which s begins.
func percentByte(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, s[1]|0x20), strings.IndexByte(hexDigits, s[2]|0x20)
	return byte(high<<4 | low), high >= 0 && low >= 0
}

const hexDigits = "0123456789abcdef"

// badName says why no file, or no directory, may have a name; empty when one
// may.
func badName(name string, dir bool) string {
	switch {
	case len(name) > maxName:
		return "a name in it is longer than 150 bytes"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, invisible.Rune) || strings.ContainsAny(name, "\n\t"):
		return "it holds characters that nobody sees"
	case strings.ContainsAny(name, `\:*?"<>|`):
		return `a name must not hold any of \ : * ? " < > |`
	case slices.ContainsFunc([]byte(name), func(c byte) bool { return c == '%' }) && decodePercent(name) != name:
		return "it is percent-encoded"
	case name[0] == '.':
		return "a name must not begin with a dot"
	case name == "node_modules":
		return "node_modules is never shown"
	case strings.TrimSpace(name) != name || strings.HasSuffix(name, "."):
		return "a name must not begin or end with a blank, or end with a dot"
	case deviceName(name):
		return "Windows takes such a name for a device"
	case dir && strings.EqualFold(path.Ext(name), ".md"):
		return "the name of a directory must not end in .md"
	}
	return ""
}

// deviceName says whether Windows takes a name for a device, whatever stands
// behind its first dot.
func deviceName(name string) bool {
	base, _, _ := strings.Cut(strings.ToUpper(name), ".")
	base = strings.TrimSpace(base)
	if slices.Contains([]string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"}, base) {
		return true
	}
	port, numbered := strings.CutPrefix(base, "COM")
	if !numbered {
		port, numbered = strings.CutPrefix(base, "LPT")
	}
	return numbered && utf8.RuneCountInString(port) == 1 && strings.ContainsAny(port, "0123456789¹²³")
}

// storedName is the name in memory of the file at a clean path.
func storedName(path string) string {
	name := memory.NotesFolder + strings.TrimPrefix(path, Root+"/")
	base := name[strings.LastIndexByte(name, '/')+1:]
	switch stem, md := strings.CutSuffix(base, ".md"); {
	case md && !strings.Contains(stem, "."):
		return name
	case strings.Contains(base, "."):
		return name + ".md"
	}
	return name + "..md"
}

// PathOf is the path by which the model knows a file of memory, by its name
// there; the name itself for one that has none.
func PathOf(name string) string {
	if shown, ok := shownPath(name); ok {
		return shown
	}
	return name
}

// shownPath is the path of a file of memory, by its name there; false for one
// that has none.
func shownPath(name string) (string, bool) {
	rest, ok := memory.CutNotes(name)
	if !ok {
		return "", false
	}
	dir, base := path.Split(rest)
	stem, ok := strings.CutSuffix(base, ".md")
	if !ok {
		return "", false
	}
	if strings.Contains(stem, ".") {
		base = strings.TrimSuffix(stem, ".")
	}
	shown, err := cleanPath(Root + "/" + dir + base)
	return shown, err == nil && storedName(shown) == name
}

// vacant is nil when a file can be put at a clean path: nothing stands there,
// no file where a directory has to be, and nothing that differs only in ways
// in which some file systems see no difference.
func (f *folder) vacant(path string) error {
	folded := fold(path)
	for _, other := range f.paths {
		if same := fold(other); same == folded || strings.HasPrefix(folded, same+"/") {
			if other == path || strings.HasPrefix(path, other+"/") {
				return errorf(Refused, "The path %s is a file", named(other))
			}
			return errorf(Refused, "The path %s differs from the file %s only in how letters are written", named(path), named(other))
		}
		if err := sameDirectory(path, other); err != nil {
			return err
		}
	}
	if len(f.below(path)) > 0 {
		return errorf(Refused, "The path %s is a directory", named(path))
	}
	return nil
}

// sameDirectory is an error when a directory above path is one above other too
// but for how letters are written, or when path itself is such a directory.
func sameDirectory(path, other string) error {
	a, b := strings.Split(path, "/"), strings.Split(other, "/")
	for i := 0; i < len(a) && i < len(b)-1 && fold(a[i]) == fold(b[i]); i++ {
		if a[i] != b[i] {
			return errorf(Refused, "The path %s differs from the directory %s only in how letters are written", named(path), named(strings.Join(b[:i+1], "/")))
		}
	}
	return nil
}

// fold is the same for paths that a file system may take for one: in upper case
// too, as Apple's takes a long s for an s, and a ligature for its letters.
func fold(path string) string { return strings.ToLower(strings.ToUpper(norm.NFKC.String(path))) }

// named is a path in an answer. No name holds a quote, so one in quotes is whole.
func named(path string) string { return quote.PathWithin(path, maxPath) }

// said is a text of the model's in an answer: on one line, and not for ever.
func said(s string) string { return invisible.Line(s, 2*maxPath) }

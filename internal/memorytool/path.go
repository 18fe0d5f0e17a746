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

// Root names the directory.
const Root = "/memories"

// Limits of a path. File systems allow names of 255 bytes, and a file has a longer temporary
// name while it is written.
const (
	maxName  = 150 // bytes of a name
	maxPath  = 600 // bytes of a path
	maxDepth = 10  // names of a path below Root
)

// cleanPath returns a path in its canonical form, or an error that says why it is not valid.
func cleanPath(given string) (string, error) {
	rest, below := strings.CutPrefix(given, Root)
	if !below || rest != "" && rest[0] != '/' && rest[0] != '\\' {
		return "", errorf(Invalid, "Path must start with %s, got: %s", Root, clipped(given))
	}
	if len(given) > maxPath {
		return "", errorf(Invalid, "Path %s is longer than %d bytes", clipped(given), maxPath)
	}
	names := strings.FieldsFunc(rest, func(r rune) bool { return r == '/' })
	names = slices.DeleteFunc(names, func(name string) bool { return name == "." })
	for i, name := range names {
		if climbs(name) {
			return "", errorf(Invalid, "Path %s would escape %s directory", clipped(given), Root)
		}
		if why := badName(name, i < len(names)-1); why != "" {
			return "", errorf(Invalid, "Path %s is not valid: %s", clipped(given), why)
		}
	}
	if len(names) > maxDepth {
		return "", errorf(Invalid, "Path %s is not valid: it is more than %d levels deep", clipped(given), maxDepth)
	}
	return path.Join(append([]string{Root}, names...)...), nil
}

// climbs reports whether a name means the parent directory, also for programs that treat a
// backslash as a slash or decode percent encoding any number of times.
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

// percentByte returns the byte of the %XX at the beginning of s.
func percentByte(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, low := strings.IndexByte(hexDigits, s[1]|0x20), strings.IndexByte(hexDigits, s[2]|0x20)
	return byte(high<<4 | low), high >= 0 && low >= 0
}

const hexDigits = "0123456789abcdef"

// badName returns why a file, or a directory, may not have a name, or "" if it may.
func badName(name string, dir bool) string {
	switch {
	case len(name) > maxName:
		return "a name in it is longer than 150 bytes"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, invisible.Rune) || strings.ContainsAny(name, "\n\t"):
		return "it holds invisible characters"
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

// deviceName reports whether Windows treats a name as a device. It ignores the part after the
// first dot.
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

// storedName returns the name in memory of the file at a clean path.
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

// PathOf returns the model's path of a file of memory, given its name there. If the file has no
// path it returns the name.
func PathOf(name string) string {
	if shown, ok := shownPath(name); ok {
		return shown
	}
	return name
}

// shownPath returns the model's path of a file of memory, given its name there. It returns
// false if the file has none.
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

// vacant returns nil if a file can be created at a clean path: there is no file at it, no file
// in the place of one of its directories, and no path that some file systems do not distinguish
// from it.
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

// sameDirectory returns an error if a directory above path differs only in the case or form of
// letters from one above other, or if path itself does.
func sameDirectory(path, other string) error {
	a, b := strings.Split(path, "/"), strings.Split(other, "/")
	for i := 0; i < len(a) && i < len(b)-1 && fold(a[i]) == fold(b[i]); i++ {
		if a[i] != b[i] {
			return errorf(Refused, "The path %s differs from the directory %s only in how letters are written", named(path), named(strings.Join(b[:i+1], "/")))
		}
	}
	return nil
}

// fold returns the same text for paths that a file system may treat as equal. It also folds to
// upper case, because Apple's file system treats a long s as an s, and a ligature as its
// letters.
func fold(path string) string { return strings.ToLower(strings.ToUpper(norm.NFKC.String(path))) }

// named returns a path for an answer. Names contain no quotes, so a quoted path is complete.
func named(path string) string { return quote.PathWithin(path, maxPath) }

// clipped returns a text of the model for an answer, on one line and of limited length.
func clipped(s string) string { return invisible.Line(s, 2*maxPath) }

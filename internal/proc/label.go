package proc

import (
	"path/filepath"
	"strings"
	"unicode"
)

const labelMax = 80

// label makes a short line of an argv whose arguments end in NUL. Only the
// first 80 runes of what was asked are kept, without control, format or
// invalid characters, so that it can be shown on a terminal.
func label(cmdline []byte, fallback string) string {
	args := strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")
	args[0] = filepath.Base(args[0])
	if len(cmdline) == 0 || len(args) == 1 && args[0] == "." {
		args = []string{fallback}
	}
	var b strings.Builder
	count, gap := 0, false
	for _, r := range strings.Join(args, " ") {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar {
			gap = b.Len() > 0
			continue
		}
		need := 1
		if gap {
			need = 2
		}
		if count+need >= labelMax {
			return b.String() + "…"
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
		count += need
	}
	return b.String()
}

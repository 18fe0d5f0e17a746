package writeback

import (
	"bytes"
	"strings"
	"time"
)

// dailyFile names the file of the writer's local date, in t's own offset.
func dailyFile(t time.Time) string { return t.Format(time.DateOnly) + ".md" }

// joint is what has to stand between a file's contents and the entry that
// comes after them: a new daily file gets its heading, else there is one
// blank line.
func joint(content []byte, name string) string {
	switch {
	case len(content) == 0:
		if day := strings.TrimSuffix(name, ".md"); isDate(day) {
			return "# " + day + "\n\n"
		}
		return ""
	case bytes.HasSuffix(content, []byte("\n\n")), bytes.HasSuffix(content, []byte("\n\r\n")):
		return ""
	case content[len(content)-1] == '\n':
		return "\n"
	}
	return "\n\n"
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

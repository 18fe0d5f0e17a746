package agentdocs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/safefile"
)

// AutoMemory names Claude's auto memory in settings.
const AutoMemory = "claude-auto-memory"

// Remembered is a statement of Claude's auto memory.
type Remembered struct {
	Text string
	File string // absolute
	Line int    // 1-based
	Time time.Time
}

// autoFolders lists the possible folders of the auto memory. Claude names them after the main
// work tree, and outside of git after the folder in which it is started.
func (p Place) autoFolders() (list []string) {
	switch {
	case p.AutoOff:
		return nil
	case p.Auto != "":
		return []string{p.Auto}
	}
	for _, dir := range []string{p.Main, p.Top, p.Dir} {
		if dir == "" {
			continue
		}
		folder := filepath.Join(p.Claude, "projects", slug(dir), "memory")
		if !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// AutoFolder returns the folder of the auto memory, or "" if there is none or Claude does not use it.
func (p Place) AutoFolder() string {
	for _, dir := range p.autoFolders() {
		if info, err := os.Stat(filepath.Join(dir, "MEMORY.md")); err == nil && info.Mode().IsRegular() {
			return dir
		}
	}
	return ""
}

// slug returns the name that Claude gives the folder of a project.
func slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return r
		}
		return '-'
	}, dir)
}

// autoIndex returns the part of the auto memory's MEMORY.md that Claude loads.
func autoIndex(dir string) string {
	src, err := safefile.Read(filepath.Join(dir, "MEMORY.md"), safefile.NoLink, maxFile)
	if err != nil {
		return ""
	}
	text := string(src[:min(len(src), autoBytes)])
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(lines[:min(len(lines), autoLines)], "")
}

// linkIn matches a link to a file of the auto memory in its MEMORY.md.
var linkIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[([^\]\n]*)\]\(([\w .-]+\.md)\)[ \t]*[—–:-]*[ \t]*`)
})

// Remember lists the statements of the auto memory. For each line of its MEMORY.md that links
// to a file it returns the first paragraph of that file, and for each other item of a list its
// text.
func (p Place) Remember() (list []Remembered) {
	dir := p.AutoFolder()
	if dir == "" {
		return nil
	}
	index := filepath.Join(dir, "MEMORY.md")
	for i, line := range strings.Split(withoutComments(autoIndex(dir)), "\n") {
		item, ok := cutItem(line)
		if !ok || strings.Contains(item, "~~") || len(list) == maxFiles {
			continue
		}
		r := Remembered{Text: item, File: index, Line: i + 1}
		if m := linkIn().FindStringSubmatchIndex(item); m != nil {
			if r, ok = linked(filepath.Join(dir, item[m[4]:m[5]])); !ok {
				continue // the file is missing or empty
			}
		}
		if info, err := os.Lstat(r.File); err == nil {
			r.Time = info.ModTime()
		}
		list = append(list, r)
	}
	return list
}

func cutItem(line string) (item string, ok bool) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"- ", "* ", "+ "} {
		if item, ok = strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(item), item != ""
		}
	}
	return "", false
}

// linked returns the statement of one file of the auto memory.
func linked(name string) (r Remembered, ok bool) {
	src, err := safefile.Read(name, safefile.NoLink, maxFile)
	if err != nil {
		return r, false
	}
	text := strings.ReplaceAll(string(src), "\r\n", "\n")
	body, line := text, 1
	if matter := frontMatter(text); matter != "" {
		_, body, _ = strings.Cut(text, matter+"\n---")
		line = strings.Count(text[:len(text)-len(body)], "\n") + 1
	}
	for at, l := range strings.Split(body, "\n") {
		switch l = strings.TrimSpace(l); {
		case l == "" && r.Text == "" || strings.HasPrefix(l, "#"):
			continue
		case l == "":
			return r, true
		case r.Text == "":
			r = Remembered{Text: l, File: name, Line: line + at}
		default:
			r.Text += " " + l
		}
	}
	return r, r.Text != ""
}

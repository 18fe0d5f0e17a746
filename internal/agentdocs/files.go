package agentdocs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/internal/safefile"
)

// Place describes where an agent works. All paths are absolute.
type Place struct {
	Home   string
	Claude string // Claude's folder: CLAUDE_CONFIG_DIR, or .claude in Home
	Top    string // of the work tree
	Main   string // of the main work tree, after which the auto memory is named
	Dir    string // in which the agent was started

	Auto    string // the folder of Claude's auto memory; empty: the one that Claude names after Main
	AutoOff bool   // Claude uses no auto memory
}

// Limits of the files that are read.
const (
	maxFile    = 64 << 10
	maxFiles   = 40
	maxImports = 5 // files that import one another, as Claude Code follows them
	autoLines  = 200
	autoBytes  = 25 << 10
)

// docs gathers the files of one agent.
type docs struct {
	place Place
	seen  map[string]bool
	said  []statement
}

// Read returns the statements that an agent has read when its session begins. It returns none
// for an agent with unknown files.
func Read(agent string, p Place) Texts {
	d := docs{place: p, seen: map[string]bool{}}
	switch agent {
	case "claude":
		d.claude()
	case "codex":
		d.file(filepath.Join(p.Home, ".codex", "AGENTS.md"))
		d.each(d.inTree(), "AGENTS.override.md", "AGENTS.md")
	case "opencode":
		d.file(filepath.Join(p.Home, ".config", "opencode", "AGENTS.md"))
		d.each(d.inTree(), "AGENTS.md")
	case "gemini":
		d.file(filepath.Join(p.Home, ".gemini", "GEMINI.md"))
		d.each(d.inTree(), "GEMINI.md")
	}
	return Texts{said: d.said, files: d.seen}
}

func (d *docs) claude() {
	p := d.place
	d.imported(filepath.Join(p.Claude, "CLAUDE.md"), 0)
	d.rules(filepath.Join(p.Claude, "rules"))
	for _, dir := range append(d.inTree(), parents(p.Top)...) {
		for _, name := range []string{"CLAUDE.md", filepath.Join(".claude", "CLAUDE.md"), "CLAUDE.local.md"} {
			d.imported(filepath.Join(dir, name), 0)
		}
	}
	d.rules(filepath.Join(p.Top, ".claude", "rules"))
	for _, dir := range p.autoFolders() {
		d.add("Claude's auto memory", autoIndex(dir))
	}
}

// inTree lists the folders from the top of the work tree to the one of the agent.
func (d *docs) inTree() []string {
	list := []string{d.place.Top}
	rel, err := filepath.Rel(d.place.Top, d.place.Dir)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return list
	}
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		list = append(list, filepath.Join(list[len(list)-1], part))
	}
	return list
}

// parents lists the folders above one.
func parents(dir string) (list []string) {
	for up := filepath.Dir(dir); up != dir && len(list) < maxFiles; dir, up = up, filepath.Dir(up) {
		list = append(list, up)
	}
	return list
}

func (d *docs) each(dirs []string, names ...string) {
	for _, dir := range dirs {
		for _, name := range names {
			d.file(filepath.Join(dir, name))
		}
	}
}

// file reads a file once.
func (d *docs) file(name string) (text string) {
	if d.seen[name] || len(d.seen) == maxFiles {
		return ""
	}
	src, err := safefile.Read(name, safefile.AnyLink, maxFile)
	if err != nil {
		return ""
	}
	d.seen[name] = true
	d.add(d.shown(name), string(src))
	return string(src)
}

func (d *docs) add(name, text string) { d.said = append(d.said, statements(name, text)...) }

// importOf matches the import of a file in a CLAUDE.md.
var importOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^|\s)@([\w~./-]+)`) })

// imported reads a file, and those that it imports.
func (d *docs) imported(name string, depth int) {
	text := d.file(name)
	if depth == maxImports {
		return
	}
	for _, m := range importOf().FindAllStringSubmatch(text, maxFiles) {
		to := filepath.FromSlash(m[1])
		switch {
		case strings.HasPrefix(m[1], "~/"):
			to = filepath.Join(d.place.Home, to[2:])
		case !filepath.IsAbs(to):
			to = filepath.Join(filepath.Dir(name), to)
		}
		d.imported(to, depth+1)
	}
}

// rules reads the files of a folder of rules that hold for every file.
func (d *docs) rules(dir string) {
	names, _ := filepath.Glob(filepath.Join(dir, "*.md"))
	below, _ := filepath.Glob(filepath.Join(dir, "*", "*.md"))
	for _, name := range slices.Concat(names, below) {
		if src, err := safefile.Read(name, safefile.AnyLink, maxFile); err == nil && !strings.Contains(frontMatter(string(src)), "paths:") {
			d.file(name)
		}
	}
}

// shown returns the name of a file for people.
func (d *docs) shown(name string) string {
	if rel, err := filepath.Rel(d.place.Top, name); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	if rel, err := filepath.Rel(d.place.Home, name); err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel)
	}
	return filepath.ToSlash(name)
}

// frontMatter returns the lines between the first two rules of a file that begins with one.
func frontMatter(text string) string {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !ok {
		return ""
	}
	matter, _, ok := strings.Cut(rest, "\n---")
	if !ok {
		return ""
	}
	return matter
}

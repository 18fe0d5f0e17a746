package attribution

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentflow/internal/testing/randomtest"
)

// file returns the path of an existing file. Others often change a file that a
// call of the run reads, or one that a file tool writes and reports with its
// texts; the person seldom makes a change that cannot be distinguished from the
// run's.
func (s *scenario) file() string {
	var names, near []string
	for name := range s.files() {
		if s.turn == person && s.unsure(name) != s.collides {
			continue
		}
		names = append(names, name)
		for _, c := range s.calls {
			if c.on && (c.path == name || !c.tool && strings.Contains(c.text(), quote(name))) {
				near = append(near, name)
			}
		}
	}
	if s.turn != 0 && len(near) > 0 && s.rnd.IntN(3) > 0 {
		names = near
	}
	if len(names) == 0 {
		return "a.txt"
	}
	slices.Sort(names)
	return names[s.rnd.IntN(len(names))]
}

// files returns the existing files, without most of the scripts.
func (s *scenario) files() map[string]bool {
	out := map[string]bool{}
	var at map[string]copied
	if s.now != nil {
		at = s.now.files
	} else {
		at = s.copyWorld(nil).files
	}
	for name := range at {
		if !strings.HasSuffix(name, ".sh") && !strings.HasPrefix(name, "nested/") && name != ".gitignore" || s.rnd.IntN(20) == 0 {
			out[name] = true
		}
	}
	return out
}

// unsure reports whether the author of a path is undecidable now.
func (s *scenario) unsure(path string) bool {
	return slices.ContainsFunc(s.calls, func(c *call) bool { return c.on && c.hides(path) })
}

// freshName returns the path of a file that most likely does not exist.
func (s *scenario) freshName() string {
	for {
		name := fmt.Sprintf(randomtest.Pick(s.rnd, "new%d.txt", "d/new%d.txt", "d/e/new%d.txt", "pkg%d/x.txt", "pkg/b.txt.%d", "build/o%d", "src/new%d.go"), s.rnd.IntN(12))
		if s.turn != person || !s.unsure(name) {
			return name
		}
	}
}

// word returns a text that occurs nowhere else.
func (s *scenario) word(whose string) string {
	s.words++
	return fmt.Sprintf("%s%d", whose, s.words)
}

func folderOf(name string) string { return path.Dir(name) }

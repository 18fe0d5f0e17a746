package gitwatch

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"agentflow/internal/repofile"
)

// ignores knows the ignore rules that hold in each folder. A folder's own are
// read when something in it is asked about: most folders hold nothing that
// is not tracked. It is safe for concurrent use.
type ignores struct {
	ruleReader
	top string
	mu  sync.Mutex
	in  map[string]folderRules // by folder, "" or ending in '/'
}

// folderRules are the rules that hold in a folder, those of least weight
// first.
type folderRules struct {
	sets    []ruleSet
	ignored bool // the folder itself, and so all that is in it
}

// ignores reads the rules of least weight: the user's, then the repository's
// own, then those of the top folder.
func newIgnores(p *place, set settings) (*ignores, error) {
	g := &ignores{top: p.top, in: map[string]folderRules{}}
	var top folderRules
	for _, file := range []string{set.excludesFile, filepath.Join(p.common, "info", "exclude")} {
		text, err := g.text(file, repofile.AnyLink)
		if err != nil {
			return nil, err
		}
		top.sets = append(top.sets, ruleSet{rules: parseRules(text)})
	}
	err := g.add(&top, "")
	return g, err
}

// ignored says whether a path that is not tracked is ignored. A rule file
// that cannot be read is the error when it is first asked about; its rules
// count as none.
func (g *ignores) ignored(path string, isDir bool) (bool, error) {
	rules, err := g.of(path[:strings.LastIndexByte(path, '/')+1])
	return rules.ignored || ignoredBy(rules.sets, path, isDir), err
}

// of returns a folder's rules.
func (g *ignores) of(folder string) (folderRules, error) {
	g.mu.Lock()
	rules, known := g.in[folder]
	g.mu.Unlock()
	if known {
		return rules, nil
	}
	path := strings.TrimSuffix(folder, "/")
	outer, err := g.of(path[:strings.LastIndexByte(path, '/')+1])
	rules = folderRules{outer.sets, outer.ignored || ignoredBy(outer.sets, path, true)}
	return rules, errors.Join(err, g.add(&rules, folder))
}

// add puts a folder's own rules behind those of the folders around it. A link
// is not followed: it could lead out of the work tree.
func (g *ignores) add(rules *folderRules, folder string) error {
	file := filepath.Join(g.top, filepath.FromSlash(folder), ".gitignore")
	var text string
	var err error
	if !rules.ignored {
		text, err = g.text(file, repofile.NoLink)
	}
	if own := parseRules(text); len(own) > 0 {
		rules.sets = append(slices.Clip(rules.sets), ruleSet{folder, own})
	}
	g.mu.Lock()
	g.in[folder] = *rules
	g.mu.Unlock()
	return err
}

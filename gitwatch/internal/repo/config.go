package repo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/rules"
	"agentflow/internal/safefile"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// Settings holds the git settings that decide how a work tree is compared.
type Settings struct {
	ExcludesFile   string // core.excludesFile, resolved
	AttributesFile string // core.attributesFile, resolved
	Autocrlf       bool   // core.autocrlf is true or input
	FileMode       bool   // core.fileMode: the exec bit can be trusted
	Symlinks       bool   // core.symlinks
	IgnoreCase     bool   // core.ignoreCase
	Monitor        bool   // core.fsmonitor is true: git's daemon watches the work tree
	TrustCtime     bool   // core.trustctime, and core.checkStat is not minimal
}

// Bounds of git's config: the size of one file, in bytes; the number of files; and how deep
// include.path is followed, as in git (10).
const (
	maxConfig   = 1 << 20
	maxConfigs  = 1000
	maxIncludes = 10
)

// Settings reads the config of the system, the user, the repository and the work tree, in git's
// order. The last value of a name counts.
func (p *Place) Settings() (Settings, error) {
	c := configReader{place: p, values: map[string]string{}}
	err := c.readPlace()
	return interpret(c.values), err
}

func interpret(values map[string]string) Settings {
	s := Settings{
		ExcludesFile:   expandHome(values["core.excludesfile"]),
		AttributesFile: expandHome(values["core.attributesfile"]),
		Autocrlf:       isTrue(values["core.autocrlf"]) || strings.EqualFold(values["core.autocrlf"], "input"),
		FileMode:       !isFalse(values["core.filemode"]),
		Symlinks:       !isFalse(values["core.symlinks"]),
		IgnoreCase:     isTrue(values["core.ignorecase"]),
		Monitor:        isTrue(values["core.fsmonitor"]),
		TrustCtime:     !isFalse(values["core.trustctime"]) && !strings.EqualFold(values["core.checkstat"], "minimal"),
	}
	if _, set := values["core.excludesfile"]; !set {
		s.ExcludesFile = userGitFile("ignore")
	}
	if _, set := values["core.attributesfile"]; !set {
		s.AttributesFile = userGitFile("attributes")
	}
	return s
}

// outerConfigs returns the config files outside the repository. Git's GIT_CONFIG_ variables select
// them (git(1)).
func outerConfigs() []string {
	var files []string
	if !isTrue(os.Getenv("GIT_CONFIG_NOSYSTEM")) {
		system := os.Getenv("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = "/etc/gitconfig"
		}
		files = append(files, system)
	}
	if global, set := os.LookupEnv("GIT_CONFIG_GLOBAL"); set {
		return append(files, global)
	}
	files = append(files, userGitFile("config"))
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return files
}

// userGitFile returns $XDG_CONFIG_HOME/git/name, or its default below the home folder.
func userGitFile(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config", "git", name)
}

// configReader reads config files. The last value of a name counts.
type configReader struct {
	place  *Place
	values map[string]string
	named  map[string][]string // all values of sections with a name, such as remote.origin.url; nil: not kept
	safe   []string            // values of safe.directory
	files  int                 // number of files read
	unsure bool                // a condition of includeIf is not supported
}

// readPlace reads all config that applies to the place.
func (c *configReader) readPlace() error {
	err := c.readAll(append(outerConfigs(), filepath.Join(c.place.CommonDir, "config"))...)
	if err == nil && isTrue(c.values["extensions.worktreeconfig"]) {
		err = c.readAll(filepath.Join(c.place.GitDir, "config.worktree"))
	}
	return err
}

func (c *configReader) readAll(files ...string) error {
	for _, file := range files {
		if err := c.read(file, 0); err != nil {
			return err
		}
	}
	return nil
}

// read reads the values of one config file, and of those it includes. A file that does not exist
// has none.
func (c *configReader) read(file string, depth int) error {
	if file == "" || depth > maxIncludes {
		return nil
	}
	if c.files++; c.files > maxConfigs {
		return fmt.Errorf("read git config %s: more than %d files are included", file, maxConfigs)
	}
	text, err := safefile.Read(file, safefile.AnyLink, maxConfig)
	if safefile.IsAbsent(err) || file == os.DevNull { // as with HOME=/dev/null
		return nil
	}
	if err != nil {
		return fmt.Errorf("read git config: %w", err)
	}
	raw := gitconfig.New()
	if err := gitconfig.NewDecoder(bytes.NewReader(text)).Decode(raw); err != nil {
		return fmt.Errorf("read git config %s: %w", file, err)
	}
	for _, section := range raw.Sections {
		for _, option := range section.Options {
			name := strings.ToLower(section.Name + "." + option.Key)
			if c.values[name] = option.Value; name == "safe.directory" {
				c.noteSafe(option.Value)
			}
		}
		c.note(section)
		if err := c.includes(file, section, depth); err != nil {
			return err
		}
	}
	return nil
}

// note keeps the values of a section's subsections.
func (c *configReader) note(section *gitconfig.Section) {
	if c.named == nil {
		return
	}
	for _, sub := range section.Subsections {
		for _, option := range sub.Options {
			name := strings.ToLower(section.Name) + "." + sub.Name + "." + strings.ToLower(option.Key)
			c.named[name] = append(c.named[name], option.Value)
		}
	}
}

func (c *configReader) includes(file string, section *gitconfig.Section, depth int) error {
	var paths []string
	switch strings.ToLower(section.Name) {
	case "include":
		paths = section.OptionAll("path")
	case "includeif":
		for _, sub := range section.Subsections {
			c.unsure = c.unsure || !strings.HasPrefix(sub.Name, "gitdir:")
			if c.place.includeHolds(sub.Name) {
				paths = append(paths, sub.OptionAll("path")...)
			}
		}
	}
	for _, path := range paths {
		path = expandHome(path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		if err := c.read(path, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// includeHolds evaluates includeIf "gitdir:GLOB", the only condition in wide use that affects the
// settings read here. Other conditions count as not met.
func (p *Place) includeHolds(condition string) bool {
	glob, ok := strings.CutPrefix(condition, "gitdir:")
	if !ok {
		return false
	}
	glob = filepath.ToSlash(expandHome(glob))
	if !strings.HasPrefix(glob, "/") {
		glob = "**/" + glob
	}
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	return rules.Match(glob, filepath.ToSlash(p.GitDir))
}

func expandHome(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || !strings.HasPrefix(path, "~/") {
		return path
	}
	return home + path[1:]
}

func isTrue(v string) bool {
	return slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(v))
}

func isFalse(v string) bool {
	return slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(v))
}

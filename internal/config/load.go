package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentflow/internal/safefile"

	"github.com/pelletier/go-toml/v2"
)

// Problem is a problem with a setting.
type Problem struct {
	Source  string // file path, environment variable or flag
	Line    int    // 1-based; 0 if there is none
	Key     string
	Message string
	Fatal   bool // no command may start with it
}

// String returns the problem as one line.
func (p Problem) String() string {
	where := p.Source
	if p.Line > 0 {
		where = fmt.Sprintf("%s:%d", p.Source, p.Line)
	}
	if p.Key == "" {
		return where + ": " + p.Message
	}
	return fmt.Sprintf("%s: %s: %s", where, p.Key, p.Message)
}

// BadConfig is the error for settings with which no command may start.
type BadConfig struct{ Problems []Problem }

// Error lists the problems, one per line, in the order of the files.
func (e *BadConfig) Error() string {
	list := slices.Clone(e.Problems)
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), a.Line-b.Line)
	})
	text := "reading the settings:"
	for _, p := range list {
		text += "\n" + p.String()
	}
	if len(list) == 1 {
		text = strings.Replace(text, "\n", " ", 1)
	}
	return text
}

// Layers are the sources of settings, besides the defaults and flags.
type Layers struct {
	UserFile string   // may be missing
	RepoFile string   // may be missing
	Trusted  string   // hex SHA-256 of the RepoFile that the user trusts; empty means none
	Environ  []string // "NAME=value"
}

// Load determines every setting. A problem that is not fatal (an unknown key, a
// bad value for ranking) leaves the value of the layer below. With a fatal
// problem the error is a *BadConfig, and the Config can still be displayed.
func Load(l Layers) (*Config, []Problem, error) {
	c := Defaults()
	c.repository = l.RepoFile
	var problems []Problem
	add := func(ps []Problem) { problems = append(problems, ps...) }
	add(c.file(l.UserFile, ReadUserFile, func([]byte) bool { return true }))
	add(c.file(l.RepoFile, ReadRepoFile, func(data []byte) bool { return l.Trusted == sum(data) }))
	add(c.environ(l.Environ))
	for name, agent := range c.Agents {
		if len(agent.Argv) == 0 {
			add([]Problem{{Source: c.sources["agent."+name], Key: "agent." + name, Message: "has no argv", Fatal: true}})
		}
	}
	add(c.adoptFormer())
	add(c.checkSchedules())
	return c, problems, fatal(problems)
}

func fatal(problems []Problem) error {
	bad := slices.DeleteFunc(slices.Clone(problems), func(p Problem) bool { return !p.Fatal })
	if len(bad) == 0 {
		return nil
	}
	return &BadConfig{bad}
}

// Limits of settings files, of the user and of a repository, in bytes. The time
// to parse TOML grows with the square of the number of keys.
const (
	maxUserFile = 1 << 20
	maxRepoFile = 64 << 10
)

// ReadRepoFile reads a repository's settings file, which is two folders below
// the repository's top. It does not follow a link that leads elsewhere.
func ReadRepoFile(path string) ([]byte, error) {
	return safefile.Read(path, safefile.Within(filepath.Dir(filepath.Dir(path))), maxRepoFile)
}

// ReadUserFile reads the user's settings file, which may be a link.
func ReadUserFile(path string) ([]byte, error) {
	return safefile.Read(path, safefile.AnyLink, maxUserFile)
}

// file reads one TOML file; all reports whether these contents may set
// everything.
func (c *Config) file(path string, read func(string) ([]byte, error), all func(data []byte) bool) []Problem {
	if path == "" {
		return nil
	}
	data, err := read(path)
	if safefile.IsAbsent(err) {
		return nil // also if a file is in place of the folder
	}
	if err != nil {
		return []Problem{{Source: path, Message: err.Error(), Fatal: true}}
	}
	return c.text(path, data, all(data))
}

// byteOrderMark precedes UTF-8 from some editors; TOML does not
// allow it.
var byteOrderMark = []byte("\uFEFF")

// text applies the contents of one file.
func (c *Config) text(path string, data []byte, all bool) []Problem {
	data = bytes.TrimPrefix(data, byteOrderMark)
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		p := Problem{Source: path, Message: strings.TrimPrefix(err.Error(), "toml: "), Fatal: true}
		var at *toml.DecodeError
		if errors.As(err, &at) {
			p.Line, _ = at.Position()
		}
		return []Problem{p}
	}
	lines := keyLines(data)
	problems := c.takeSchedules(path, tree, lines, all)
	flat := map[string]any{}
	flatten(flat, "", tree, maxDepth)
	for _, name := range slices.Sorted(maps.Keys(flat)) {
		if c.takeFormer(path, name, lines[name], flat[name]) {
			continue
		}
		if p := c.put(path, name, flat[name], all); p != nil {
			p.Line = lines[name]
			problems = append(problems, *p)
		}
	}
	return cutShort(problems)
}

// maxReported limits the non-fatal problems that are reported for
// one file.
const maxReported = 20

// cutShort limits the non-fatal problems, and shortens long names and messages.
func cutShort(problems []Problem) []Problem {
	var out []Problem
	light, left := 0, 0
	for _, p := range problems {
		if !p.Fatal {
			light++
		}
		if !p.Fatal && light > maxReported {
			left++
			continue
		}
		p.Key, p.Message = head(p.Key, 100), head(p.Message, 400)
		out = append(out, p)
	}
	if left > 0 {
		out = append(out, Problem{Source: problems[0].Source, Message: fmt.Sprintf("and %d more settings that do not count", left)})
	}
	return out
}

// head returns the beginning of a text, at most most bytes.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// onlyUsers rejects a setting that a repository may not make.
const onlyUsers = "ignored: counts only from your own config, or after agentflow trust"

// errOnlyUsers is onlyUsers for a single value of a setting that a repository
// may make.
var errOnlyUsers = errors.New(onlyUsers)

// onlyOwn rejects a setting that a repository may never make.
const onlyOwn = "ignored: counts only from your own config"

// put sets one key from one layer.
func (c *Config) put(source, name string, value any, all bool) *Problem {
	if all {
		c.declareAgent(source, name)
	}
	if k, known := c.key(name); known {
		if k.own && c.repository != "" && source == c.repository {
			return &Problem{Source: source, Key: name, Message: onlyOwn}
		}
		if k.user && !all {
			return &Problem{Source: source, Key: name, Message: onlyUsers}
		}
		err := error(nil)
		if k.foreign != nil && !all {
			err = k.foreign(value)
		}
		if err == nil {
			err = k.set(value)
		}
		if err != nil {
			return &Problem{Source: source, Key: name, Message: err.Error(), Fatal: k.strict && !errors.Is(err, errOnlyUsers)}
		}
		c.sources[name] = source
		return nil
	}
	if strings.HasPrefix(name, "agent.") && !all {
		return &Problem{Source: source, Key: name, Message: onlyUsers}
	}
	return &Problem{Source: source, Key: name, Message: "unknown key"}
}

// declareAgent creates [agent.NAME] when a key names it.
func (c *Config) declareAgent(source, name string) {
	rest, ok := strings.CutPrefix(name, "agent.")
	if !ok {
		return
	}
	dot := strings.LastIndex(rest, ".")
	if dot < 0 {
		return
	}
	agent, field := rest[:dot], rest[dot+1:]
	if model, of := strings.CutPrefix(agent, "prices."); of {
		c.declarePrice(model, field)
		return
	}
	if agent == "claude" || agent == "command" || (field != "argv" && field != "protocol") {
		return
	}
	if _, ok := c.Agents[agent]; !ok {
		c.Agents[agent] = &Named{Protocol: "text"}
		c.byName = nil
		c.sources["agent."+agent] = source
	}
}

// environ applies AGENTFLOW_SECTION_KEY variables.
func (c *Config) environ(environ []string) []Problem {
	ours := slices.DeleteFunc(slices.Clone(environ), func(pair string) bool { return !strings.HasPrefix(pair, variablePrefix) })
	if len(ours) == 0 { // saves time: a search takes only milliseconds and loads the settings too
		return nil
	}
	var problems []Problem
	for name := range formerShares {
		for _, pair := range ours {
			if text, ok := strings.CutPrefix(pair, Variable(name)+"="); ok {
				share, err := strconv.ParseFloat(text, 64)
				if err == nil {
					c.takeFormer(Variable(name), name, 0, share)
				}
			}
		}
	}
	for _, k := range keys(c) {
		variable := Variable(k.name)
		for _, pair := range ours {
			if text, ok := strings.CutPrefix(pair, variable+"="); ok {
				if p := c.Set(variable, k.name, text); p != nil {
					problems = append(problems, *p)
				}
			}
		}
	}
	return problems
}

const variablePrefix = "AGENTFLOW_"

// Variable returns the name of a setting's environment variable.
func Variable(key string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// Set sets one key from text: a TOML value, or plain text. source is the
// environment variable or flag that the text comes from.
func (c *Config) Set(source, name, text string) *Problem {
	var holder struct{ V any }
	var value any = text
	if toml.Unmarshal([]byte("V = "+text), &holder) == nil && holder.V != nil {
		value = holder.V
	}
	return c.put(source, name, value, true)
}

// SetText sets one key from text, which is taken literally if the key is a text
// such as a command or a name. For other keys it works like Set.
func (c *Config) SetText(source, name, text string) *Problem {
	if p := c.put(source, name, text, true); p == nil {
		return nil
	}
	return c.Set(source, name, text)
}

// maxDepth limits the nesting of tables; no setting is nearly as deep.
const maxDepth = 8

// flatten converts nested tables to dotted keys, up to the given depth.
func flatten(into map[string]any, prefix string, tree map[string]any, depth int) {
	for name, value := range tree {
		if table, ok := value.(map[string]any); ok && depth > 0 {
			flatten(into, prefix+name+".", table, depth-1)
			continue
		}
		into[prefix+name] = value
	}
}

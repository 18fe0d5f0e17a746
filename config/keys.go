package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

// key is one setting: who may set it, how a value is checked and stored.
type key struct {
	name   string
	user   bool // counts only from the user's own config, or after trust
	strict bool // a bad value stops everything: guessing would be unsafe
	set    func(*Config, any) error
	show   func(*Config) any

	foreign func(*Config, any) error // what a repository that is not trusted may set; nil: whatever set takes
}

// key finds a setting by its name.
func (c *Config) key(name string) (key, bool) {
	if c.byName == nil {
		c.byName = map[string]key{}
		for _, k := range keys(c) {
			c.byName[k.name] = k
		}
	}
	k, known := c.byName[name]
	return k, known
}

// keys lists every setting, those of the agents that c names included.
func keys(c *Config) []key {
	agent := group{user: true, strict: true}
	run := group{user: true, strict: true}
	rank := group{}
	redact := group{strict: true, foreign: fewItems}
	watch := group{user: true}
	embed := group{user: true}
	list := []key{
		agent.text("agent.default", func(c *Config) *string { return &c.Agent }),
		agent.text("agent.claude.permission_mode", func(c *Config) *string { return &c.Claude.PermissionMode },
			"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"),
		agent.list("agent.claude.allowed_tools", func(c *Config) *[]string { return &c.Claude.AllowedTools }),
		agent.text("agent.claude.model", func(c *Config) *string { return &c.Claude.Model }),
		agent.list("agent.claude.args", func(c *Config) *[]string { return &c.Claude.Args }),
	}
	for _, name := range agentNames(c) {
		list = append(list, agent.named(name)...)
	}
	list = append(list,
		run.duration("run.timeout", func(c *Config) *time.Duration { return &c.Run.Timeout }),
		run.duration("run.idle_timeout", func(c *Config) *time.Duration { return &c.Run.IdleTimeout }),
		run.text("run.verify", func(c *Config) *string { return &c.Run.Verify }),
		run.number("run.max_cost", 0, math.MaxFloat64, func(c *Config) *float64 { return &c.Run.MaxCost }),
		run.text("run.on_finish", func(c *Config) *string { return &c.Run.OnFinish }),
		run.boolean("run.bell", func(c *Config) *bool { return &c.Run.Bell }),
		rank.integer("recall.top", 0, 100, func(c *Config) *int { return &c.Recall.Top }),
		rank.integer("recall.budget", 0, 100_000, func(c *Config) *int { return &c.Recall.Budget }),
		rank.duration("recall.half_life", func(c *Config) *time.Duration { return &c.Recall.HalfLife }),
		rank.number("recall.floor", 0, 1, func(c *Config) *float64 { return &c.Recall.Floor }),
		rank.number("recall.gate", 0, 10, func(c *Config) *float64 { return &c.Recall.Gate }),
		rank.duration("recall.deadline", func(c *Config) *time.Duration { return &c.Recall.Deadline }),
		rank.integer("chunk.max_tokens", 50, 10_000, func(c *Config) *int { return &c.Chunk.MaxTokens }),
		rank.integer("chunk.overlap", 0, 5_000, func(c *Config) *int { return &c.Chunk.Overlap }),
		embed.kept(embed.text("embed.provider", func(c *Config) *string { return &c.Embed.Provider },
			"local", "none", "ollama", "openai", "glm", "static", "claude"), func(c *Config) *string { return &c.Embed.Provider }),
		embed.text("embed.model", func(c *Config) *string { return &c.Embed.Model }),
		embed.text("embed.base_url", func(c *Config) *string { return &c.Embed.BaseURL }),
		embed.variable("embed.api_key_env", func(c *Config) *string { return &c.Embed.APIKeyEnv }),
		embed.integer("embed.dimensions", 0, 8192, func(c *Config) *int { return &c.Embed.Dimensions }),
		embed.integer("embed.batch", 0, 2048, func(c *Config) *int { return &c.Embed.Batch }),
		embed.duration("embed.timeout", func(c *Config) *time.Duration { return &c.Embed.Timeout }),
		embed.text("embed.dir", func(c *Config) *string { return &c.Embed.Dir }),
		group{foreign: fewItems}.added("index.include", func(c *Config) *[]string { return &c.Index.Include }, isPattern),
		redact.added("index.ignore", func(c *Config) *[]string { return &c.Index.Ignore }, isPattern),
		group{strict: true, foreign: quickRegexps}.added("redact.extra", func(c *Config) *[]string { return &c.Redact.Extra }, isRegexp),
		redact.added("redact.names", func(c *Config) *[]string { return &c.Redact.Names }, func(string) error { return nil }),
		watch.pause("watch.debounce", func(c *Config) *time.Duration { return &c.Watch.Debounce }),
		watch.duration("watch.poll", func(c *Config) *time.Duration { return &c.Watch.Poll }),
		rank.text("prompt.format", func(c *Config) *string { return &c.Prompt.Format }, "compact", "detailed", "structured"),
		rank.number("prompt.facts_share", 0, 1, func(c *Config) *float64 { return &c.Prompt.FactsShare }),
	)
	list = append(list, c.Extract.keys()...)
	list = append(list, c.Consolidate.keys()...)
	return append(list, c.allScheduleKeys()...)
}

// RepositorySections names the sections that a repository's own file may set
// without being trusted.
func RepositorySections() []string {
	var names []string
	for _, k := range keys(Defaults()) {
		section, _, _ := strings.Cut(k.name, ".")
		if !k.user && !slices.Contains(names, section) {
			names = append(names, section)
		}
	}
	return names
}

func agentNames(c *Config) []string {
	names := make([]string, 0, len(c.Agents))
	for name := range c.Agents {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// group carries what the keys of one section share.
type group struct {
	user, strict bool
	foreign      func(*Config, any) error
}

func (g group) key(name string, set func(*Config, any) error, show func(*Config) any) key {
	return key{name: name, user: g.user, strict: g.strict, foreign: g.foreign, set: set, show: show}
}

func (g group) text(name string, at func(*Config) *string, allowed ...string) key {
	return g.key(name, func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok {
			return fmt.Errorf("want text, have %v", v)
		}
		if len(allowed) > 0 && !slices.Contains(allowed, s) {
			return fmt.Errorf("want one of %s, have %q", strings.Join(allowed, ", "), s)
		}
		*at(c) = s
		return nil
	}, func(c *Config) any { return *at(c) })
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)?$`) })

// variable is the name of an environment variable. The error does not repeat
// the value: who misreads the setting puts a secret there.
func (g group) variable(name string, at func(*Config) *string) key {
	return g.key(name, func(c *Config, v any) error {
		s, ok := v.(string)
		if !ok || !variableName().MatchString(s) {
			return errors.New("want the name of an environment variable, not what is in it")
		}
		*at(c) = s
		return nil
	}, func(c *Config) any { return *at(c) })
}

// kept is a text that stays as it was written though it is wrong: what it
// decides is then left alone, and not decided by the default.
func (g group) kept(k key, at func(*Config) *string) key {
	check := k.set
	k.set = func(c *Config, v any) error {
		err := check(c, v)
		if s, ok := v.(string); ok {
			*at(c) = s
		}
		return err
	}
	return k
}

func (g group) integer(name string, least, most int, at func(*Config) *int) key {
	return g.key(name, func(c *Config, v any) error {
		n, ok := v.(int64)
		if !ok || n < int64(least) || n > int64(most) {
			if most == math.MaxInt32 {
				return fmt.Errorf("want a whole number, %d or more, have %v", least, v)
			}
			return fmt.Errorf("want a whole number from %d to %d, have %v", least, most, v)
		}
		*at(c) = int(n)
		return nil
	}, func(c *Config) any { return *at(c) })
}

func (g group) number(name string, least, most float64, at func(*Config) *float64) key {
	return g.key(name, func(c *Config, v any) error {
		n, ok := v.(float64)
		if i, whole := v.(int64); whole {
			n, ok = float64(i), true
		}
		if !ok || !(n >= least && n <= most) { // the negation also refuses NaN
			if most == math.MaxFloat64 {
				return fmt.Errorf("want a number, %g or more, have %v", least, v)
			}
			return fmt.Errorf("want a number from %g to %g, have %v", least, most, v)
		}
		*at(c) = n
		return nil
	}, func(c *Config) any { return *at(c) })
}

func (g group) duration(name string, at func(*Config) *time.Duration) key {
	return g.key(name, func(c *Config, v any) error {
		d, err := ParseDuration(fmt.Sprint(v))
		if err != nil {
			return err
		}
		*at(c) = d
		return nil
	}, func(c *Config) any { return FormatDuration(*at(c)) })
}

// pause is a duration that cannot be none.
func (g group) pause(name string, at func(*Config) *time.Duration) key {
	k := g.duration(name, at)
	set := k.set
	k.set = func(c *Config, v any) error {
		if d, err := ParseDuration(fmt.Sprint(v)); err == nil && d == 0 {
			return fmt.Errorf("want more than 0, have %v", v)
		}
		return set(c, v)
	}
	return k
}

func (g group) list(name string, at func(*Config) *[]string) key {
	return g.key(name, func(c *Config, v any) error {
		items, err := texts(v)
		if err != nil {
			return err
		}
		*at(c) = items
		return nil
	}, func(c *Config) any { return append([]string{}, *at(c)...) })
}

// added is a list to which every layer adds: a repository can make redaction
// stronger, never weaker, and ignore more, never less.
func (g group) added(name string, at func(*Config) *[]string, check func(string) error) key {
	return g.key(name, func(c *Config, v any) error {
		items, err := texts(v)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := check(item); err != nil {
				return err
			}
		}
		*at(c) = append(*at(c), items...)
		return nil
	}, func(c *Config) any { return append([]string{}, *at(c)...) })
}

// named are the keys of one agent that the user named.
func (g group) named(name string) []key {
	edit := func(change func(*Named, any) error) func(*Config, any) error {
		return func(c *Config, v any) error {
			n := c.Agents[name]
			err := change(&n, v)
			c.Agents[name] = n
			return err
		}
	}
	return []key{
		g.key("agent."+name+".argv", edit(func(n *Named, v any) (err error) {
			n.Argv, err = texts(v)
			return err
		}), func(c *Config) any { return c.Agents[name].Argv }),
		g.key("agent."+name+".protocol", edit(func(n *Named, v any) error {
			if v != "text" && v != "claude" {
				return fmt.Errorf("want text or claude, have %v", v)
			}
			n.Protocol = v.(string)
			return nil
		}), func(c *Config) any { return c.Agents[name].Protocol }),
	}
}

func texts(v any) ([]string, error) {
	if s, ok := v.(string); ok {
		return []string{s}, nil
	}
	items, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("want a list of texts, have %v", v)
	}
	out := make([]string, len(items))
	for i, item := range items {
		if out[i], ok = item.(string); !ok {
			return nil, fmt.Errorf("want a list of texts, have %v in it", item)
		}
	}
	return out, nil
}

func isRegexp(s string) error {
	_, err := regexp.Compile(s)
	return err
}

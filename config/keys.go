package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/duration"
)

// key is one setting of one Config: who may set it, how a value is checked and
// stored.
type key struct {
	name   string
	user   bool // counts only from the user's own config, or after trust
	strict bool // a bad value stops everything: guessing would be unsafe
	set    func(any) error
	show   func() any

	foreign func(any) error // whether a repository that is not trusted may set the value; nil: it may
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
	rank := group{} // a repository may set these
	redact := group{strict: true, foreign: fewItems}
	watch := group{user: true}
	embed := group{user: true}
	extract := group{user: true, strict: true} // they spend the user's money, and send the agent's words to somebody
	list := []key{
		agent.text("agent.default", &c.Agent),
		agent.text("agent.claude.permission_mode", &c.Claude.PermissionMode,
			"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"),
		agent.list("agent.claude.allowed_tools", &c.Claude.AllowedTools),
		agent.text("agent.claude.model", &c.Claude.Model),
		agent.list("agent.claude.args", &c.Claude.Args),
	}
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		list = append(list, agent.named(c, name)...)
	}
	list = append(list,
		run.duration("run.timeout", &c.Run.Timeout),
		run.duration("run.idle_timeout", &c.Run.IdleTimeout),
		run.text("run.verify", &c.Run.Verify),
		run.number("run.max_cost", &c.Run.MaxCost, 0, math.MaxFloat64),
		run.text("run.on_finish", &c.Run.OnFinish),
		run.boolean("run.bell", &c.Run.Bell),
		rank.integer("recall.top", &c.Recall.Top, 0, 100),
		rank.integer("recall.budget", &c.Recall.Budget, 0, 100_000),
		rank.duration("recall.half_life", &c.Recall.HalfLife),
		rank.number("recall.floor", &c.Recall.Floor, 0, 1),
		rank.number("recall.gate", &c.Recall.Gate, 0, 10),
		rank.duration("recall.deadline", &c.Recall.Deadline),
		rank.integer("chunk.max_tokens", &c.Chunk.MaxTokens, 50, 10_000),
		rank.integer("chunk.overlap", &c.Chunk.Overlap, 0, 5_000),
		keepAsWritten(embed.text("embed.provider", &c.Embed.Provider,
			"local", "none", "ollama", "openai", "glm", "static", "claude"), &c.Embed.Provider),
		embed.text("embed.model", &c.Embed.Model),
		embed.text("embed.base_url", &c.Embed.BaseURL),
		embed.variable("embed.api_key_env", &c.Embed.APIKeyEnv),
		embed.integer("embed.dimensions", &c.Embed.Dimensions, 0, 8192),
		embed.integer("embed.batch", &c.Embed.Batch, 0, 2048),
		embed.duration("embed.timeout", &c.Embed.Timeout),
		embed.text("embed.dir", &c.Embed.Dir),
		group{foreign: fewItems}.addedTo("index.include", &c.Index.Include, isPattern),
		redact.addedTo("index.ignore", &c.Index.Ignore, isPattern),
		group{strict: true, foreign: quickRegexps}.addedTo("redact.extra", &c.Redact.Extra, isRegexp),
		redact.addedTo("redact.names", &c.Redact.Names, func(string) error { return nil }),
		watch.pause("watch.debounce", &c.Watch.Debounce),
		watch.duration("watch.poll", &c.Watch.Poll),
		rank.text("prompt.format", &c.Prompt.Format, "compact", "detailed", "structured"),
		rank.number("prompt.facts_share", &c.Prompt.FactsShare, 0, 1),
		extract.boolean("extract.enabled", &c.Extract.Enabled),
		extract.text("extract.when", &c.Extract.When, "run", "daemon"),
		extract.text("extract.agent", &c.Extract.Agent),
		extract.text("extract.model", &c.Extract.Model),
		extract.number("extract.max_cost", &c.Extract.MaxCost, 0, math.MaxFloat64),
		extract.pause("extract.timeout", &c.Extract.Timeout),
		rank.duration("consolidate.fold_after", &c.Consolidate.FoldAfter),
		rank.integer("consolidate.promote_runs", &c.Consolidate.PromoteRuns, 0, math.MaxInt32),
		rank.number("consolidate.promote_importance", &c.Consolidate.PromoteImportance, 0, 1),
		rank.integer("retention.max_facts", &c.Retention.MaxFacts, 0, math.MaxInt32),
		rank.duration("retention.max_age", &c.Retention.MaxAge),
		rank.number("retention.min_importance", &c.Retention.MinImportance, 0, 1),
	)
	for i, s := range c.Schedules {
		list = append(list, scheduleKeys(c, "schedule."+s.Name+".", i)...)
	}
	return list
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

// group carries what the keys of one section share.
type group struct {
	user, strict bool
	foreign      func(any) error
}

// bound is the setting that a variable holds: parse checks a value for it.
func bound[T any](g group, name string, at *T, parse func(any) (T, error)) key {
	set := func(v any) error {
		parsed, err := parse(v)
		if err == nil {
			*at = parsed
		}
		return err
	}
	return key{name: name, user: g.user, strict: g.strict, foreign: g.foreign, set: set, show: func() any { return *at }}
}

func (g group) text(name string, at *string, allowed ...string) key {
	return bound(g, name, at, func(v any) (string, error) {
		s, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("want text, have %v", v)
		}
		if len(allowed) > 0 && !slices.Contains(allowed, s) {
			return "", fmt.Errorf("want one of %s, have %q", strings.Join(allowed, ", "), s)
		}
		return s, nil
	})
}

// checked is a text that has to pass a check.
func (g group) checked(name string, at *string, check func(string) error) key {
	k := g.text(name, at)
	set := k.set
	k.set = func(v any) error {
		if text, ok := v.(string); ok {
			if err := check(text); err != nil {
				return err
			}
		}
		return set(v)
	}
	return k
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)?$`) })

// variable is the name of an environment variable. The error does not repeat
// the value: somebody who misreads the setting puts a secret there.
func (g group) variable(name string, at *string) key {
	return bound(g, name, at, func(v any) (string, error) {
		s, ok := v.(string)
		if !ok || !variableName().MatchString(s) {
			return "", errors.New("want the name of an environment variable, not what is in it")
		}
		return s, nil
	})
}

// keepAsWritten is a text that stays though it is wrong: the default must not
// decide in its place.
func keepAsWritten(k key, at *string) key {
	check := k.set
	k.set = func(v any) error {
		err := check(v)
		if s, ok := v.(string); ok {
			*at = s
		}
		return err
	}
	return k
}

func (g group) boolean(name string, at *bool) key {
	return bound(g, name, at, func(v any) (bool, error) {
		b, ok := v.(bool)
		if !ok {
			return false, fmt.Errorf("want true or false, have %v", v)
		}
		return b, nil
	})
}

func (g group) integer(name string, at *int, least, most int) key {
	return bound(g, name, at, func(v any) (int, error) {
		n, ok := v.(int64)
		switch {
		case ok && n >= int64(least) && n <= int64(most):
			return int(n), nil
		case most == math.MaxInt32:
			return 0, fmt.Errorf("want a whole number, %d or more, have %v", least, v)
		}
		return 0, fmt.Errorf("want a whole number from %d to %d, have %v", least, most, v)
	})
}

func (g group) number(name string, at *float64, least, most float64) key {
	return bound(g, name, at, func(v any) (float64, error) {
		n, ok := v.(float64)
		if i, whole := v.(int64); whole {
			n, ok = float64(i), true
		}
		switch {
		case ok && n >= least && n <= most: // NaN is not
			return n, nil
		case most == math.MaxFloat64:
			return 0, fmt.Errorf("want a number, %g or more, have %v", least, v)
		}
		return 0, fmt.Errorf("want a number from %g to %g, have %v", least, most, v)
	})
}

func (g group) duration(name string, at *time.Duration) key {
	k := bound(g, name, at, func(v any) (time.Duration, error) { return duration.Parse(fmt.Sprint(v)) })
	k.show = func() any { return duration.Format(*at) }
	return k
}

// pause is a duration that must not be 0.
func (g group) pause(name string, at *time.Duration) key {
	k := g.duration(name, at)
	set := k.set
	k.set = func(v any) error {
		if d, err := duration.Parse(fmt.Sprint(v)); err == nil && d == 0 {
			return fmt.Errorf("want more than 0, have %v", v)
		}
		return set(v)
	}
	return k
}

func (g group) list(name string, at *[]string) key {
	k := bound(g, name, at, texts)
	k.show = func() any { return append([]string{}, *at...) }
	return k
}

// addedTo is a list to which every layer adds: a repository can make redaction
// stronger, never weaker, and ignore more, never less.
func (g group) addedTo(name string, at *[]string, check func(string) error) key {
	k := g.list(name, at)
	k.set = func(v any) error {
		items, err := texts(v)
		if err != nil {
			return err
		}
		for _, item := range items {
			if err := check(item); err != nil {
				return err
			}
		}
		for _, item := range items {
			if !slices.Contains(*at, item) {
				*at = append(*at, item)
			}
		}
		return nil
	}
	return k
}

// named are the keys of one agent that the user named. A map's values cannot
// be pointed at, so each change puts the agent back.
func (g group) named(c *Config, name string) []key {
	agent := c.Agents[name]
	keys := []key{
		g.list("agent."+name+".argv", &agent.Argv),
		g.checked("agent."+name+".protocol", &agent.Protocol, func(s string) error {
			if s != "text" && s != "claude" {
				return fmt.Errorf("want text or claude, have %v", s)
			}
			return nil
		}),
	}
	for i := range keys {
		set := keys[i].set
		keys[i].set = func(v any) error {
			err := set(v)
			c.Agents[name] = agent
			return err
		}
	}
	return keys
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

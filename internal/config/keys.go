package config

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"agentflow/internal/duration"
	"agentflow/internal/pathglob"
)

// key is one setting of one Config: who may set it, how a value is checked and
// stored, and its description with unit and range.
type key struct {
	group
	name, doc string
	set       func(any) error
	show      func() any
}

// group holds the properties that the keys of a section share.
type group struct {
	user    bool            // may be set only in the user's config, or after trust
	own     bool            // may be set only in the user's config, even after trust
	strict  bool            // a bad value is fatal, because guessing would be unsafe
	foreign func(any) error // checks whether an untrusted repository may set a value; nil means that it may
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

// keys lists every setting, including those of the agents that c names.
func keys(c *Config) []key {
	agent := group{user: true, strict: true}
	run := group{user: true, strict: true}
	rank := group{} // a repository may set these
	redact := group{strict: true, foreign: fewItems}
	watch := group{user: true}
	embed := group{user: true}
	extract := group{user: true, strict: true} // they spend the user's money, and send the agent's words to a provider
	own := group{user: true, own: true}        // what agents may do with the user's own memory, and who is answered
	server := group{user: true, own: true, strict: true}
	list := []key{
		agent.text("agent.default", &c.Agent, "`claude`, `codex`, `gemini`, `opencode`, `command`, or the name of an agent of yours"),
		agent.text("agent.claude.permission_mode", &c.Claude.PermissionMode, "what Claude may do without asking: acceptEdits, auto, bypassPermissions, default, dontAsk or plan",
			oneOf("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan")),
		agent.list("agent.claude.allowed_tools", &c.Claude.AllowedTools, "tools that Claude may use without asking, such as `Bash(go test *)`"),
		agent.text("agent.claude.model", &c.Claude.Model, "the model; empty: the CLI's own choice"),
		agent.list("agent.claude.args", &c.Claude.Args, "further arguments of the CLI"),
	}
	list = append(list, agentKeys(c)...)
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		named := c.Agents[name]
		list = append(list,
			agent.list("agent."+name+".argv", &named.Argv, "the program and its arguments"),
			agent.text("agent."+name+".protocol", &named.Protocol, "`text`: standard output is what the agent says; `claude`: it writes Claude's stream-json", oneOf("text", "claude")))
	}
	list = append(list,
		run.duration("run.timeout", &c.Run.Timeout, "ends a run after this time; 0: never"),
		run.duration("run.idle_timeout", &c.Run.IdleTimeout, "ends a run after this time without any output (2 h while a tool call is open); 0: never"),
		run.text("run.verify", &c.Run.Verify, "shell command that is run afterwards; its result decides success"),
		run.number("run.max_cost", &c.Run.MaxCost, "US dollars a run may cost, where the agent can hold to it; 0: no limit", 0, endless),
		run.text("run.on_finish", &c.Run.OnFinish, "shell command that runs when a run or job has ended, with AGENTFLOW_RUN_ID, _JOB, _OUTCOME, _COST_USD and _SUMMARY; it has 30 s"),
		run.boolean("run.bell", &c.Run.Bell, "rings the terminal when a run has ended"),
		memoryEnabled(c),
		rank.integer("search.max_results", &c.Search.MaxResults, "hits of a search, 0 to 200; 0: 10, and 5 for agents", 0, 200),
		rank.number("search.min_score", &c.Search.MinScore, "leaves out hits of a search with a lower score, 0 to 1. Scores depend on the memory, so a fixed bound may hide good hits; 0 leaves out none", 0, 1),
		rank.integer("recall.top", &c.Recall.Top, "entries in front of a prompt, 0 to 100", 0, 100),
		rank.integer("recall.budget", &c.Recall.Budget, "tokens for them, 0 to 100,000", 0, 100_000),
		rank.integer("recall.standing", &c.Recall.Standing, "tokens of them for the part that every task and the beginning of a session get: what people state, then the other facts of MEMORY.md, then notes of today and yesterday; 0 to 10,000, and at most three fifths of the budget", 0, 10_000),
		rank.duration("recall.half_life", &c.Recall.HalfLife, "age at which the part of a score that decays has halved"),
		rank.number("recall.floor", &c.Recall.Floor, "share of a score that never decays, 0 to 1", 0, 1),
		rank.number("recall.gate", &c.Recall.Gate, "least chance that memory knows what a task is about, 0 to 1; 0 lets everything in", 0, 1),
		rank.duration("recall.deadline", &c.Recall.Deadline, "how long a run waits for recall; 0: as long as it takes"),
		rank.number("recall.min_importance", &c.Recall.MinImportance, "entries and facts less important than this stay out of prompts, 0 to 1, unless they are pinned; an entry is as important as its most important fact, and without a judgement it has 0.5", 0, 1),
		rank.list("recall.types", &c.Recall.Types, "only facts of these types, and entries with one, go into prompts, and pinned facts: semantic, episodic, procedural; empty: all", oneOf("semantic", "episodic", "procedural")),
		rank.integer("chunk.max_tokens", &c.Chunk.MaxTokens, "tokens of a chunk, 50 to 10,000", 50, 10_000),
		rank.integer("chunk.overlap", &c.Chunk.Overlap, "tokens that two neighbouring chunks share, 0 to 5,000", 0, 5_000),
		keepAsWritten(embed.text("embed.provider", &c.Embed.Provider, "local, none, static, ollama, openai, glm or claude",
			oneOf("local", "none", "ollama", "openai", "glm", "static", "claude")), &c.Embed.Provider),
		embed.text("embed.model", &c.Embed.Model, "the provider's model; empty: its default"),
		embed.text("embed.base_url", &c.Embed.BaseURL, "address of ollama, or of a server that speaks OpenAI's protocol; empty: the provider's own, unless OPENAI_BASE_URL or OLLAMA_HOST names another server: then no text is sent"),
		embed.variable("embed.api_key_env", &c.Embed.APIKeyEnv, "name of the environment variable that holds the key, never the key itself"),
		embed.integer("embed.dimensions", &c.Embed.Dimensions, "numbers in a vector, up to 8,192; 0: as many as the model has", 0, 8192),
		embed.integer("embed.batch", &c.Embed.Batch, "texts in one request, up to 2,048; 0: the provider's choice", 0, 2048),
		embed.duration("embed.timeout", &c.Embed.Timeout, "of one request; `claude` needs about 60s"),
		embed.text("embed.dir", &c.Embed.Dir, "folder of a Model2Vec model, for `static`"),
		group{foreign: fewItems}.addedTo("index.include", &c.Index.Include, "other Markdown that is found too, ranked below what was done, such as `docs/**/*.md`; `claude-auto-memory` is Claude's auto memory of this repository: its lines are facts for the other agents too", pathglob.Check),
		redact.addedTo("index.ignore", &c.Index.Ignore, "files and folders that never enter memory: no search finds them and no entry names them", pathglob.Check),
		rank.boolean("index.contents", &c.Index.Contents, "keeps which identifiers the files that git tracks hold, as numbers without text, so that a task's own words lead to files; false removes that"),
		watch.boolean("index.sync_on_change", &c.Index.SyncOnChange, "a command that finds changed files of memory takes them into the index before it answers; false: only commands that write, `agentflow index`, `watch` and `daemon` do, and a search answers from what the index holds"),
		server.text("index.store", &c.Index.Store, "`sqlite`: the index is a file next to the memory; `postgres`: a PostgreSQL database, 14 or newer, keeps it; only your own file can set it", oneOf("sqlite", "postgres")),
		server.variable("index.dsn_env", &c.Index.DSNEnv, "name of the environment variable that holds the database's DSN or URL, as libpq has it; what it leaves out, libpq's own variables and files say; only your own file can set it"),
		server.variable("index.read_dsn_env", &c.Index.ReadDSNEnv, "as index.dsn_env, of a replica for what only reads; empty: none; only your own file can set it"),
		server.text("index.name", &c.Index.Name, "name of this memory's index in the database, for machines that come and go and read the same memory; empty: the machine and the folder; only your own file can set it"),
	)
	list = append(list, sharingKeys(c)...)
	list = append(list,
		group{strict: true, foreign: quickRegexps}.addedTo("redact.extra", &c.Redact.Extra, "regular expressions (RE2) of further secrets", isRegexp),
		redact.addedTo("redact.names", &c.Redact.Names, "names of secret values in `name=value`"),
		watch.duration("watch.debounce", &c.Watch.Debounce, "quiet time after a change before it is indexed, 2 s at most; more than 0", moreThanNothing),
		watch.duration("watch.poll", &c.Watch.Poll, "time between two looks at the files, where the file system reports no changes; 0: events"),
		rank.text("prompt.format", &c.Prompt.Format, "`compact`; `detailed`, with the sections and labels of entries; or `structured`, as YAML", oneOf("compact", "detailed", "structured")),
		extract.boolean("extract.enabled", &c.Extract.Enabled, "asks after each run"),
		extract.text("extract.when", &c.Extract.When, "`run`: before the command exits; `daemon`: in the daemon's next pass", oneOf("run", "daemon")),
		extract.text("extract.agent", &c.Extract.Agent, "the agent that is asked"),
		extract.text("extract.model", &c.Extract.Model, "its model; a cheap one does"),
		extract.number("extract.max_cost", &c.Extract.MaxCost, "US dollars for the questions about a run, or of a consolidation; 0: no limit", 0, endless),
		extract.duration("extract.timeout", &c.Extract.Timeout, "of one question; more than 0", moreThanNothing),
		extract.integer("extract.min_messages", &c.Extract.MinMessages, "asks about no run or session with fewer messages of the agent and prompts of yours; 0: any number", 0, endless),
		group{user: true, own: true, strict: true}.text("extract.instructions", &c.Extract.Instructions, "what you want to have looked for or left out, at most 2,000 characters; only your own file can set it", atMost(2000)),
		run.boolean("tools.offer", &c.Tools.Offer, "a run offers the tools of memory to an agent that takes MCP"),
		own.boolean("tools.global", &c.Tools.Global, "lets agents store facts in your own memory, `global`, and change there what agents stored, and store facts for all of a team's repositories, `team`; only your own file can set it"),
		group{user: true, own: true, strict: true}.text("serve.addr", &c.Serve.Addr, "where `agentflow serve` listens: an address of only this machine, and a port; only your own file can set it"),
		rank.duration("consolidate.fold_after", &c.Consolidate.FoldAfter, "days older than this are folded into months; 0: never"),
		rank.integer("consolidate.promote_runs", &c.Consolidate.PromoteRuns, "a fact that so many runs said goes to MEMORY.md; 0: none for that reason", 0, endless),
		rank.number("consolidate.promote_importance", &c.Consolidate.PromoteImportance, "a fact at least as important as this goes there too, 0 to 1", 0, 1),
		rank.integer("retention.max_facts", &c.Retention.MaxFacts, "facts kept in a namespace; 0: all", 0, endless),
		rank.duration("retention.max_age", &c.Retention.MaxAge, "time since a fact was last said; 0: for ever"),
		rank.number("retention.min_importance", &c.Retention.MinImportance, "facts less important than this are taken out, 0 to 1", 0, 1),
	)
	list = append(list, chatKeys(&c.Chat)...)
	list = append(list, sessionKeys(&c.Session)...)
	for i := range c.Schedules {
		list = append(list, c.Schedules[i].keys()...)
	}
	return list
}

// sharingKeys returns the settings of shared memory and of a team's server.
func sharingKeys(c *Config) []key {
	server := group{user: true, own: true, strict: true}
	return []key{
		server.boolean("share.auto", &c.Share.Auto, "syncs shared memory after each run and session, in the background, and in the daemon; only your own file can set it"),
		server.text("share.what", &c.Share.What, "what `agentflow share` shares where it is not said: facts; entries, with their facts; or all, with hand-written text; only your own file can set it", oneOf("facts", "entries", "all")),
		server.list("share.trust", &c.Share.Trust, "authors, or ids of clones: their shared memory ranks as your own; only your own file can set it"),
		server.list("share.mute", &c.Share.Mute, "authors, or ids of clones: their shared memory is not searched; only your own file can set it"),
		server.text("team.url", &c.Team.URL, "address of the server of your team, which is asked in addition to your own memory, such as `https://memory.example.com`; empty: none; only your own file can set it", isURL),
		server.variable("team.token_env", &c.Team.TokenEnv, "name of the environment variable that holds your token for it; only your own file can set it"),
		server.list("team.remotes", &c.Team.Remotes, "addresses of the remotes whose shared memory `agentflow serve --team` serves; only your own file can set it"),
		server.list("team.hosts", &c.Team.Hosts, "names under which `agentflow serve --team` is asked, such as `memory.example.com`; only your own file can set it", isHost),
		server.text("team.cert", &c.Team.Cert, "file with the TLS certificates of `agentflow serve --team`, PEM; it is read again when it changes; only your own file can set it"),
		server.text("team.key", &c.Team.Key, "file with the key to them; only your own file can set it"),
		server.boolean("team.proxy", &c.Team.Proxy, "a proxy is in front of `agentflow serve --team`, does TLS and says in X-Forwarded-For who asks; only your own file can set it"),
		server.integer("team.rate", &c.Team.Rate, "requests a second that `agentflow serve --team` answers each token; only your own file can set it", 1, 10_000),
		server.integer("team.burst", &c.Team.Burst, "requests at once, before that counts; only your own file can set it", 1, 100_000),
	}
}

// RepositorySections returns the names of the sections that a repository may
// set without being trusted.
func RepositorySections() []string {
	var names []string
	for _, k := range keys(Defaults()) {
		if section, _, _ := strings.Cut(k.name, "."); !k.user && !slices.Contains(names, section) {
			names = append(names, section)
		}
	}
	return names
}

// bound returns the setting that is stored in at: parse converts a value, which
// must pass the checks.
func bound[T any](g group, name string, at *T, doc string, parse func(any) (T, error), checks ...func(T) error) key {
	set := func(v any) error {
		parsed, err := parse(v)
		for i := 0; err == nil && i < len(checks); i++ {
			err = checks[i](parsed)
		}
		if err == nil {
			*at = parsed
		}
		return err
	}
	return key{group: g, name: name, doc: doc, set: set, show: func() any { return *at }}
}

func (g group) text(name string, at *string, doc string, checks ...func(string) error) key {
	return bound(g, name, at, doc, func(v any) (string, error) {
		s, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("want text, have %v", v)
		}
		return s, nil
	}, checks...)
}

func atMost(most int) func(string) error {
	return func(s string) error {
		if n := utf8.RuneCountInString(s); n > most {
			return fmt.Errorf("want at most %d characters, have %d", most, n)
		}
		return nil
	}
}

func oneOf(allowed ...string) func(string) error {
	return func(s string) error {
		if !slices.Contains(allowed, s) {
			return fmt.Errorf("want one of %s, have %q", strings.Join(allowed, ", "), s)
		}
		return nil
	}
}

var variableName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)?$`) })

// variable returns a setting for the name of an environment variable. The error
// does not repeat the value, because a user who misunderstands the setting
// enters a secret.
func (g group) variable(name string, at *string, doc string) key {
	return bound(g, name, at, doc, func(v any) (string, error) {
		s, ok := v.(string)
		if !ok || !variableName().MatchString(s) {
			return "", errors.New("want the name of an environment variable, not its value")
		}
		return s, nil
	})
}

// keepAsWritten makes a text setting keep an invalid value, so that the default
// does not take effect in its place.
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

func (g group) boolean(name string, at *bool, doc string) key {
	return bound(g, name, at, doc, func(v any) (bool, error) {
		b, ok := v.(bool)
		if !ok {
			return false, fmt.Errorf("want true or false, have %v", v)
		}
		return b, nil
	})
}

// endless means no upper limit.
const endless = math.MaxInt32

func (g group) integer(name string, at *int, doc string, least, most int) key {
	return bound(g, name, at, doc, func(v any) (int, error) {
		n, ok := v.(int64)
		return int(n), inRange("a whole number", v, ok, int(n), least, most)
	})
}

func (g group) number(name string, at *float64, doc string, least, most float64) key {
	return bound(g, name, at, doc, func(v any) (float64, error) {
		n, ok := v.(float64)
		if i, whole := v.(int64); whole {
			n, ok = float64(i), true
		}
		return n, inRange("a number", v, ok, n, least, most)
	})
}

func inRange[T int | float64](what string, v any, ok bool, n, least, most T) error {
	switch {
	case ok && n >= least && n <= most: // false for NaN
		return nil
	case most == endless:
		return fmt.Errorf("want %s, %v or more, have %v", what, least, v)
	}
	return fmt.Errorf("want %s from %v to %v, have %v", what, least, most, v)
}

func (g group) duration(name string, at *time.Duration, doc string, checks ...func(time.Duration) error) key {
	k := bound(g, name, at, doc, func(v any) (time.Duration, error) { return duration.Parse(fmt.Sprint(v)) }, checks...)
	k.show = func() any { return duration.Format(*at) }
	return k
}

func moreThanNothing(d time.Duration) error {
	if d == 0 {
		return errors.New("want more than 0")
	}
	return nil
}

func (g group) list(name string, at *[]string, doc string, checks ...func(string) error) key {
	k := bound(g, name, at, doc, func(v any) ([]string, error) { return checkedTexts(v, checks) })
	k.show = func() any { return append([]string{}, *at...) }
	return k
}

// addedTo returns a list to which every layer adds: a repository can make
// redaction stronger but not weaker, and ignore more but not less.
func (g group) addedTo(name string, at *[]string, doc string, checks ...func(string) error) key {
	k := g.list(name, at, doc)
	k.set = func(v any) error {
		items, err := checkedTexts(v, checks)
		if err != nil {
			return err
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

func checkedTexts(v any, checks []func(string) error) ([]string, error) {
	items, err := texts(v)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		for _, check := range checks {
			if err := check(item); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
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

// isURL checks the address of a server; empty means none.
func isURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case s == "":
		return nil
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("want an address such as https://memory.example.com")
	case u.Scheme == "http" && !slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname()):
		return errors.New("want https: the token would travel in the clear")
	}
	return nil
}

// isHost checks a host name without a port.
func isHost(s string) error {
	if u, err := url.Parse("http://" + s); err != nil || u.Hostname() != s || s == "" || s != strings.ToLower(s) {
		return errors.New("want the name of a machine in lower case, without a port")
	}
	return nil
}

func isRegexp(s string) error {
	_, err := regexp.Compile(s)
	return err
}

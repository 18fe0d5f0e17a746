// Package config finds the repository a command is about, says where things
// live in it, and loads the settings that count there.
//
// Settings come in layers, each overriding the one before: defaults, the
// user's file, the repository's file (only what it may set, or everything
// once the user trusts that very file), the environment, flags. Every value
// remembers its layer. Nothing is ever executed here, and the package writes
// nothing but the user's trust file.
package config

import (
	"cmp"
	"time"

	"agentflow/internal/price"
)

// Config holds every setting, with its value decided.
type Config struct {
	Agent    string // name of the agent to run
	Claude   Claude
	Codex    Codex
	Gemini   Gemini
	Opencode Opencode
	Memory   Memory
	Agents   map[string]*Named       // agents the user named, by name
	Prices   map[string]*price.Price // of models, by name
	Run      Run
	Recall   Recall
	Search   Search
	Chunk    Chunk
	Embed    Embed
	Index    Index
	Redact   Redact
	Share    Share
	Team     Team
	Watch    Watch
	Prompt   Prompt
	Extract  Extract
	Tools    Tools
	Serve    Serve
	Chat     Chat
	Session  Session

	Consolidate Consolidate
	Retention   Retention

	Schedules []Schedule

	repository string // its settings file, which may not set everything; empty: none
	sources    map[string]string
	former     map[string]formerShare // settings that others have replaced, by key
	byName     map[string]key         // found by key; nil when there are others since
}

// Claude holds how the Claude CLI is started.
type Claude struct {
	PermissionMode string
	AllowedTools   []string
	Model          string // empty: the CLI's own choice
	Args           []string
}

// Named is an agent from the user's config: a program that reads the prompt
// on stdin.
type Named struct {
	Argv     []string
	Protocol string // "text": stdout is text for people; "claude": Claude's stream-json
}

// Run holds the limits of a run.
type Run struct {
	Timeout     time.Duration // 0: none
	IdleTimeout time.Duration // without any output; 0: none
	Verify      string        // shell command whose result decides success
	MaxCost     float64       // US dollars; 0: none
	OnFinish    string        // shell command that is run after a run or a scheduled job, with the outcome
	Bell        bool          // rings on a terminal when one has ended
}

// Tools says what agents may do to memory through tools.
type Tools struct {
	Offer  bool // a run offers them to its agent
	Global bool // change the user's own memory
}

// Serve says where memory is offered over HTTP.
type Serve struct {
	Addr string // a loopback address and a port
}

// Chat says which model 'agentflow chat' talks to, and how much of it. Keys are
// in environment variables, which it names.
type Chat struct {
	Provider   string
	Model      string // empty: the provider's default
	Region     string // of Bedrock
	BaseURL    string // empty: the provider's own
	KeyEnv     string // variable that holds the key; empty: the provider's usual one
	SecretEnv  string // variable that holds Bedrock's secret access key; empty: the usual one
	SessionEnv string // variable that holds Bedrock's session token; empty: the usual one
	MaxTurns   int    // requests to the model for one question; at least 1
	MaxCost    float64
}

// Session says which sessions of agents are remembered, by the hooks that
// 'agentflow connect' puts into them, and how much they are given.
type Session struct {
	Where        string        // "every" repository, the "listed" ones, or "off"
	Repositories []string      // those that are listed: absolute folders, with all below
	StartTokens  int           // of memory when a session begins; 0: none
	RecallTokens int           // of memory for one prompt; 0: none
	Deadline     time.Duration // for recall in a hook; more than 0
}

// Memory is the switch of everything: where it is off, runs go on without memory.
type Memory struct{ Enabled bool }

// Recall holds the constants of ranking and the limits of the prompt block.
type Recall struct {
	Top      int           // entries
	Budget   int           // tokens
	Standing int           // tokens of facts and notes that are shown for every task; 0: none
	HalfLife time.Duration // age at which the decaying part of a score halves
	Floor    float64       // share of a score that never decays, 0 to 1
	Gate     float64       // least chance that memory knows what the task is about, 0 to 1
	Deadline time.Duration // for recall in all
	// Types and MinImportance narrow what goes into prompts: facts of these types and
	// entries with one, so important, 0 to 1. Empty and 0: all.
	Types         []string
	MinImportance float64
}

// Search holds what a search gives that names no numbers itself.
type Search struct {
	MaxResults int     // hits; 0: as many as each door has by default
	MinScore   float64 // least score of a hit, 0 to 1; 0: any
}

// Chunk holds how entries are cut for the index.
type Chunk struct {
	MaxTokens int
	Overlap   int // tokens
}

// Embed holds which embedder turns texts into vectors, and where it is. 0 and
// empty: the provider's own choice.
type Embed struct {
	Provider   string
	Model      string
	BaseURL    string
	APIKeyEnv  string // name of the environment variable that holds the key
	Dimensions int
	Batch      int           // texts in one request
	Timeout    time.Duration // of one request
	Dir        string        // folder of a static model
}

// Index holds which other files of the repository are found, and which never enter
// memory: patterns over '/' separated paths relative to the work tree's root.
type Index struct {
	Include  []string // other Markdown that is found too
	Ignore   []string // files and folders; wins over Include
	Contents bool     // keeps which names the tracked files of the work tree hold

	SyncOnChange bool // a search takes changed files into the index first

	Store      string // "sqlite": a file beside the memory; "postgres": a database server
	DSNEnv     string // name of the variable that holds the server's DSN
	ReadDSNEnv string // as DSNEnv, of a replica; empty: none
	Name       string // of the index on the server; empty: this machine and folder
}

// Share holds how memory is shared with other clones of the repository.
type Share struct {
	Auto  bool     // sync after runs and sessions, and in the daemon
	What  string   // "facts", "entries" or "all"
	Trust []string // authors, or ids of clones, whose text ranks as one's own
	Mute  []string // authors, or ids of clones, whose text is not searched
}

// Team holds which server of a team is asked beside the own memory, and, for such a
// server, what it serves and to whom.
type Team struct {
	URL      string // of a server; empty: none
	TokenEnv string // name of the variable that holds the token for it

	Remotes []string // addresses whose memory is served
	Hosts   []string // names under which the server is asked, lower case, without a port
	Cert    string   // file of the TLS certificates; empty: no TLS
	Key     string   // file of the key to Cert
	Proxy   bool     // a proxy before the server does TLS
	Rate    int      // requests a second of each token
	Burst   int      // requests at once of each token
}

// Redact holds secrets to take out of stored text beside those of the built-in
// rules.
type Redact struct {
	Extra []string // regular expressions (RE2)
	Names []string // names whose values are secret in name=value
}

// Watch holds how changes of memory are seen and how soon they are indexed.
type Watch struct {
	Debounce time.Duration // quiet time after a change; more than 0
	Poll     time.Duration // between two looks at the files; 0: events of the file system
}

// Prompt holds the form of the memory in front of a task.
type Prompt struct {
	Format string // "compact", "detailed" or "structured"
}

// Extract holds which agent is asked about memory, and whether it is asked for
// lasting facts after each run. consolidate --llm asks the same.
type Extract struct {
	Enabled bool
	When    string        // "run": before the command exits; "daemon": left to its next pass
	Agent   string        // claude, or an agent that the user named
	Model   string        // empty: a cheap one
	MaxCost float64       // US dollars a question; 0: none
	Timeout time.Duration // of a question; more than 0
	// MinMessages is how many messages and prompts a run or segment has at least
	// that is asked about; 0: any number.
	MinMessages  int
	Instructions string // of the user's own, what to look for or leave out; at most 2,000 characters
}

// Consolidate holds the limits of consolidation.
type Consolidate struct {
	FoldAfter         time.Duration // age of the daily files that are folded into months; 0: none are
	PromoteRuns       int           // in the own words of so many runs a fact goes to MEMORY.md; 0: none does for that
	PromoteImportance float64       // from this importance on a fact goes to MEMORY.md, 0 to 1; 0: none does for that
}

// Retention holds which facts consolidation takes out of memory: by default none,
// and never pinned ones.
type Retention struct {
	MaxFacts      int           // facts kept in a namespace; 0: all
	MaxAge        time.Duration // since a fact was last said; 0: for ever
	MinImportance float64       // 0 to 1
}

// Defaults are the settings where no layer has any.
func Defaults() *Config {
	return &Config{
		Agent:    "claude",
		Claude:   Claude{PermissionMode: "acceptEdits"},
		Codex:    Codex{Sandbox: "workspace-write"},
		Gemini:   Gemini{ApprovalMode: "auto_edit"},
		Opencode: Opencode{Permission: "edit"},
		Agents:   map[string]*Named{},
		Prices:   map[string]*price.Price{},
		Memory:   Memory{Enabled: true},
		Run:      Run{IdleTimeout: 30 * time.Minute},
		Recall:   Recall{Top: 5, Budget: 2000, Standing: 1200, HalfLife: 90 * 24 * time.Hour, Floor: 0.5, Gate: 0.45, Deadline: 3 * time.Second},
		Chunk:    Chunk{MaxTokens: 400, Overlap: 80},
		Embed:    Embed{Provider: "local", Timeout: 10 * time.Second},
		Share:    Share{What: "facts"},
		Team:     Team{TokenEnv: "AGENTFLOW_TEAM_TOKEN", Rate: 20, Burst: 100},
		Index:    Index{Contents: true, SyncOnChange: true, Store: "sqlite", DSNEnv: "AGENTFLOW_DSN"},
		Watch:    Watch{Debounce: 300 * time.Millisecond},
		Tools:    Tools{Offer: true},
		Serve:    Serve{Addr: "127.0.0.1:6767"},
		Chat:     Chat{Provider: "anthropic", MaxTurns: 20, MaxCost: 1},
		Prompt:   Prompt{Format: "compact"},
		Session:  Session{Where: "every", StartTokens: 1500, RecallTokens: 800, Deadline: 300 * time.Millisecond},
		Extract:  Extract{When: "run", Agent: "claude", MaxCost: 0.05, Timeout: time.Minute},

		Consolidate: Consolidate{FoldAfter: 30 * 24 * time.Hour, PromoteRuns: 3, PromoteImportance: 0.8},

		sources: map[string]string{},
	}
}

// Value is one setting, shown.
type Value struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"` // "default", a file's path, an environment variable or a flag
}

// Values lists every setting with where it came from, in a fixed order.
func (c *Config) Values() []Value {
	var out []Value
	for _, k := range keys(c) {
		out = append(out, Value{Key: k.name, Value: k.show(), Source: cmp.Or(c.sources[k.name], "default")})
	}
	return out
}

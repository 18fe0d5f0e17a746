// Package config finds the repository that a command is about and its folders,
// and loads the settings that apply there.
//
// Settings come in layers, each overriding the one before: defaults, the user's
// file, the repository's file (only the settings that it may make, or all once
// the user trusts exactly this file), the environment, flags. Every value
// records its layer. The package never executes anything. It writes only
// records of the user's state: trust, and the list of memories.
package config

import (
	"cmp"
	"time"

	"agentflow/internal/price"
)

// Config holds all settings with their values.
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

	repository string // the repository's settings file, which may not set everything; empty if there is none
	sources    map[string]string
	former     map[string]formerShare // deprecated settings that new ones replaced, by key
	byName     map[string]key         // keys by name; nil after keys were added
}

// Claude holds the settings for starting the Claude CLI.
type Claude struct {
	PermissionMode string
	AllowedTools   []string
	Model          string // empty means the CLI's choice
	Args           []string
}

// Named is an agent from the user's config: a program that reads the prompt on
// standard input.
type Named struct {
	Argv     []string
	Protocol string // "text": its output is text for people; "claude": it writes Claude's stream-json
}

// Run holds the limits of a run.
type Run struct {
	Timeout     time.Duration // 0 means none
	IdleTimeout time.Duration // without any output; 0 means none
	Verify      string        // shell command that decides success by its result
	MaxCost     float64       // US dollars; 0 means none
	OnFinish    string        // shell command that runs after a run or a scheduled job and gets the outcome
	Bell        bool          // ring the terminal when a run or job has ended
}

// Tools determines what agents may do with memory through tools.
type Tools struct {
	Offer  bool // runs offer them to their agents
	Global bool // agents may change the user's own memory
}

// Serve determines where memory is served over HTTP.
type Serve struct {
	Addr string // a loopback address and a port
}

// Chat determines which model 'agentflow chat' uses, and how much. The keys are
// in the environment variables named here.
type Chat struct {
	Provider   string
	Model      string // empty means the provider's default
	Region     string // of Bedrock
	BaseURL    string // empty means the provider's address
	KeyEnv     string // variable that holds the key; empty means the provider's usual one
	SecretEnv  string // variable that holds Bedrock's secret access key; empty means the usual one
	SessionEnv string // variable that holds Bedrock's session token; empty means the usual one
	MaxTurns   int    // requests to the model for one question; at least 1
	MaxCost    float64
}

// Session determines which sessions of agents are remembered, by the hooks that
// 'agentflow connect' installs, and how much memory they get.
type Session struct {
	Where        string        // "every" repository, the "listed" ones, or "off"
	Repositories []string      // for "listed": absolute folders, including everything below
	StartTokens  int           // of memory at the start of a session; 0 means none
	RecallTokens int           // of memory for one prompt; 0 means none
	Deadline     time.Duration // for recall in a hook; more than 0
}

// Memory switches memory on or off. If it is off, runs continue without memory.
type Memory struct{ Enabled bool }

// Recall holds the constants of ranking and the limits of the prompt block.
type Recall struct {
	Top      int           // entries
	Budget   int           // tokens
	Standing int           // tokens for facts and notes that are shown for every task; 0 means none
	HalfLife time.Duration // age at which the decaying part of a score halves
	Floor    float64       // share of a score that never decays, 0 to 1
	Gate     float64       // minimum chance that memory knows the subject of the task, 0 to 1
	Deadline time.Duration // for a whole recall
	// Types and MinImportance limit what goes into prompts: facts of these
	// types, entries with such a fact, and at least this importance, 0 to 1.
	// Empty and 0 mean no limit.
	Types         []string
	MinImportance float64
}

// Search holds the defaults of a search.
type Search struct {
	MaxResults int     // hits; 0 means the default of each door
	MinScore   float64 // minimum score of a hit, 0 to 1; 0 means no minimum
}

// Chunk holds how entries are divided for the index.
type Chunk struct {
	MaxTokens int
	Overlap   int // tokens
}

// Embed holds which embedder converts texts to vectors, and its address. 0 and
// empty mean the provider's choice.
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

// Index holds which other files of the repository are found, and which never
// enter memory: patterns over slash-separated paths relative to the work tree's
// root.
type Index struct {
	Include  []string // other Markdown that is also found
	Ignore   []string // files and folders; takes precedence over Include
	Contents bool     // index the names in the tracked files of the work tree

	SyncOnChange bool // a search first updates the index with changed files

	Store      string // "sqlite": a file next to the memory; "postgres": a database server
	DSNEnv     string // name of the variable that holds the server's DSN
	ReadDSNEnv string // like DSNEnv, for a replica; empty means none
	Name       string // name of the index on the server; empty means this machine and folder
}

// Share holds how memory is shared with other clones of the repository.
type Share struct {
	Auto  bool     // sync after runs and sessions, and in the daemon
	What  string   // "facts", "entries" or "all"
	Trust []string // authors, or ids of clones; their text ranks as the user's own
	Mute  []string // authors, or ids of clones; their text is not searched
}

// Team holds which team's server is searched in addition to the own memory. For
// such a server itself, it holds what it serves and how.
type Team struct {
	URL      string // of a server; empty means none
	TokenEnv string // name of the variable that holds the token for it

	Remotes []string // addresses of the remotes that are served
	Hosts   []string // host names of the server, lower case, without a port
	Cert    string   // file with the TLS certificates; empty means no TLS
	Key     string   // file of the key to Cert
	Proxy   bool     // a proxy in front of the server does TLS
	Rate    int      // requests per second for each token
	Burst   int      // burst of requests for each token
}

// Redact holds secrets to remove from stored text, in addition to the built-in
// rules.
type Redact struct {
	Extra []string // regular expressions (RE2)
	Names []string // names of secret values, as in name=value
}

// Watch holds how changes of memory are detected and how soon they are indexed.
type Watch struct {
	Debounce time.Duration // quiet time after a change; more than 0
	Poll     time.Duration // between two listings of the files; 0 means events of the file system
}

// Prompt holds the form of the memory block in front of a task.
type Prompt struct {
	Format string // "compact", "detailed" or "structured"
}

// Extract holds which agent answers questions about memory, and whether it is
// asked for lasting facts after each run. consolidate --llm uses the same
// agent.
type Extract struct {
	Enabled bool
	When    string        // "run": before the command exits; "daemon": in the daemon's next pass
	Agent   string        // claude, or a name of an agent of the user
	Model   string        // empty means a cheap one
	MaxCost float64       // US dollars per question; 0 means no limit
	Timeout time.Duration // of a question; more than 0
	// MinMessages is the minimum number of messages and prompts of a run or
	// segment to be asked about; 0 means any number.
	MinMessages  int
	Instructions string // the user's instructions on what to look for or leave out; at most 2,000 characters
}

// Consolidate holds the limits of consolidation.
type Consolidate struct {
	FoldAfter         time.Duration // age at which daily files are folded into months; 0 means never
	PromoteRuns       int           // a fact that this many runs stated independently moves to MEMORY.md; 0 means none does for that
	PromoteImportance float64       // a fact with at least this importance, 0 to 1, moves to MEMORY.md; 0 means none does for that
}

// Retention holds which facts consolidation removes from memory: by default
// none, and never pinned ones.
type Retention struct {
	MaxFacts      int           // maximum number of facts in a namespace; 0 means no limit
	MaxAge        time.Duration // since a fact was last stated; 0 means no limit
	MinImportance float64       // 0 to 1
}

// Defaults returns the settings for which no layer has a value.
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

// Value is one setting for display.
type Value struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Source string `json:"source"` // "default", the path of a file, an environment variable or a flag
}

// Values lists every setting with its source, in a fixed order.
func (c *Config) Values() []Value {
	var out []Value
	for _, k := range keys(c) {
		out = append(out, Value{Key: k.name, Value: k.show(), Source: cmp.Or(c.sources[k.name], "default")})
	}
	return out
}

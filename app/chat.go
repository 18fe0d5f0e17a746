package app

import (
	"cmp"
	"context"
	"encoding/json"

	"agentflow/internal/price"
)

// Secret is a key. It does not show itself: not when it is printed, and not in
// JSON.
type Secret struct{ value string }

// Reveal is the key itself.
func (s Secret) Reveal() string { return s.value }

// String stands for the key where it is printed.
func (s Secret) String() string { return "(hidden)" }

// GoString stands for the key where it is printed with %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON stands for the key in JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// ChattingResult is what a conversation with a model has to know of its user.
type ChattingResult struct {
	Provider string // "anthropic" or "bedrock"
	Model    string // empty: the provider's default
	Region   string // of Bedrock
	BaseURL  string // empty: the provider's own

	KeyEnv, SecretEnv            string // the variables that hold the keys, by name
	Key, SecretKey, SessionToken Secret // empty: not set
	BearerToken                  Secret // of Bedrock, which takes the place of the keys

	MaxTurns int        // requests to the model for one question
	MaxCost  float64    // US dollars; 0: no limit
	Prices   price.List // what the user says of models

	Redact   func(string) string // takes secrets out of a text; safe for concurrent use
	Degraded []string
}

// Chatting says how the user talks to a model. Errors are of KindUsage (the
// settings cannot be used) and KindNoPlace (there is no repository).
func (m *Memory) Chatting(ctx context.Context) (res ChattingResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	settings, red, err := o.loadHere()
	if err != nil {
		return res, err
	}
	c := settings.Chat
	if err := o.refuseGateway(c.Provider, c.BaseURL); err != nil {
		return res, err
	}
	res = ChattingResult{Provider: c.Provider, Model: c.Model, BaseURL: c.BaseURL, MaxTurns: c.MaxTurns, MaxCost: c.MaxCost,
		Prices: settings.PriceList(), Redact: red.Text}
	variable := func(named, usual string) (string, Secret) {
		name := cmp.Or(named, usual)
		return name, Secret{o.getenv(name)}
	}
	if c.Provider == "anthropic" {
		res.KeyEnv, res.Key = variable(c.KeyEnv, "ANTHROPIC_API_KEY")
		return res, nil
	}
	res.Region = cmp.Or(c.Region, o.getenv("AWS_REGION"), o.getenv("AWS_DEFAULT_REGION"))
	res.KeyEnv, res.Key = variable(c.KeyEnv, "AWS_ACCESS_KEY_ID")
	res.SecretEnv, res.SecretKey = variable(c.SecretEnv, "AWS_SECRET_ACCESS_KEY")
	_, res.SessionToken = variable(c.SessionEnv, "AWS_SESSION_TOKEN")
	_, res.BearerToken = variable("", "AWS_BEARER_TOKEN_BEDROCK")
	return res, nil
}

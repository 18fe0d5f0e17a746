package setup

import (
	"cmp"
	"context"
	"encoding/json"

	"agentflow/app"
	"agentflow/app/embedding"
	"agentflow/internal/price"
)

// Secret holds a key. Printing and JSON encoding show a placeholder, not the key.
type Secret struct{ value string }

// Reveal returns the key.
func (s Secret) Reveal() string { return s.value }

// String returns a placeholder for the key.
func (s Secret) String() string { return "(hidden)" }

// GoString returns a placeholder for the key, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON encodes a placeholder for the key.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// ChattingResult holds the settings for a conversation with a model.
type ChattingResult struct {
	Provider string // "anthropic" or "bedrock"
	Model    string // empty: the provider's default
	Region   string // for Bedrock
	BaseURL  string // empty: the provider's default

	KeyEnv, SecretEnv            string // names of the variables that hold the keys
	Key, SecretKey, SessionToken Secret // empty: not set
	BearerToken                  Secret // for Bedrock; it replaces the keys

	MaxTurns int        // most requests to the model for one question
	MaxCost  float64    // US dollars; 0: no limit
	Prices   price.List // prices of models from the user's settings

	Redact   func(string) string // removes secrets from a text; safe for concurrent use
	Degraded []string
}

// Chatting returns the user's settings for talking to a model. Errors are of KindUsage (the
// settings cannot be used) and KindNoPlace (there is no repository).
func Chatting(ctx context.Context, m *app.Memory) (res ChattingResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	settings, red, err := app.LoadHere(o)
	if err != nil {
		return res, err
	}
	c := settings.Chat
	if err := embedding.RefuseGateway(o, c.Provider, c.BaseURL); err != nil {
		return res, err
	}
	res = ChattingResult{Provider: c.Provider, Model: c.Model, BaseURL: c.BaseURL, MaxTurns: c.MaxTurns, MaxCost: c.MaxCost,
		Prices: settings.PriceList(), Redact: red.Text}
	variable := func(named, usual string) (string, Secret) {
		name := cmp.Or(named, usual)
		return name, Secret{o.Getenv(name)}
	}
	if c.Provider == "anthropic" {
		res.KeyEnv, res.Key = variable(c.KeyEnv, "ANTHROPIC_API_KEY")
		return res, nil
	}
	res.Region = cmp.Or(c.Region, o.Getenv("AWS_REGION"), o.Getenv("AWS_DEFAULT_REGION"))
	res.KeyEnv, res.Key = variable(c.KeyEnv, "AWS_ACCESS_KEY_ID")
	res.SecretEnv, res.SecretKey = variable(c.SecretEnv, "AWS_SECRET_ACCESS_KEY")
	_, res.SessionToken = variable(c.SessionEnv, "AWS_SESSION_TOKEN")
	_, res.BearerToken = variable("", "AWS_BEARER_TOKEN_BEDROCK")
	return res, nil
}

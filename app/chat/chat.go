// Package chat is a conversation with a model, over Anthropic's Messages API or Amazon Bedrock,
// in which the model has memory: Anthropic's memory tool on the folder notes, and memory_search
// over all of memory.
//
// Guarantees: the model can only access memory, with the rights of an agent's session
// (app.AgentSession). Secrets are removed from all text that is sent and stored. Each question
// ends after a number of requests, at a cost, or when no byte arrives for two minutes. A
// message with tool calls that were not run is never stored, so a conversation can always be
// continued.
//
// Not guaranteed: that the cost stays below the limit to the cent. The cost is estimated before
// each request, from the length of the sent text, and the answer is limited to the rest.
//
// The SDKs of Anthropic and AWS provide streams, retries, types and Bedrock's signatures. Keys
// come only from variables, so neither a profile nor a metadata service is read.
package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/run"
	"agentflow/app/setup"
	"agentflow/internal/price"
	"agentflow/memory"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/uuid"
)

// Options configure a conversation. Zero values mean the settings, or the defaults given here.
type Options struct {
	Model    string
	MaxTurns int     // requests to the model for one question
	MaxCost  float64 // US dollars for all questions
	Continue bool    // continue the conversation that was used last
	Resume   string  // continue this conversation: its id, or the end of that

	Tell    func(Event)      // called for each event while a question is answered; may be nil
	Now     func() time.Time // time.Now
	Pause   time.Duration    // before the request for a broken answer is repeated; 1 s, then twice as long
	Idle    time.Duration    // time without a byte after which an answer is abandoned; 2 minutes
	ClearAt int              // number of tokens of a request from which the API clears older tool results; 100,000
}

// Event is an event while a question is answered.
type Event struct {
	Kind EventKind
	Text string
}

// EventKind is the meaning of an event's text.
type EventKind int

// The kinds of events.
const (
	EventText    EventKind = iota + 1 // the next piece of the model's text
	EventTurn                         // the model has finished this text, and continues after its tools
	EventChanged                      // the change in memory, on one line
	EventNotice                       // another notice, on one line
)

// Conversation is a conversation with a model. It is not safe for concurrent use.
type Conversation struct {
	memory   *app.Memory
	agent    *agent.AgentSession
	settings setup.ChattingResult
	options  Options
	client   anthropic.Client
	price    price.Price

	kept     run.Conversation
	messages []anthropic.BetaMessageParam
	system   []anthropic.BetaTextBlockParam
	spent    float64 // US dollars in this process
	context  int64   // tokens of the last request
	warned   bool    // the model knows that older results will be cleared
}

// Begin begins a conversation, or continues one. Errors are of KindUsage (no key is set, or the
// settings cannot be used), KindNotFound (there is no such conversation) and KindNoPlace.
func Begin(ctx context.Context, m *app.Memory, options Options) (*Conversation, error) {
	settings, err := setup.Chatting(ctx, m)
	if err != nil {
		return nil, err
	}
	settings.Model = cmp.Or(options.Model, settings.Model)
	options.MaxTurns = cmp.Or(options.MaxTurns, settings.MaxTurns)
	options.MaxCost = cmp.Or(options.MaxCost, settings.MaxCost)
	options.Pause = cmp.Or(options.Pause, time.Second)
	options.Idle = cmp.Or(options.Idle, 2*time.Minute)
	options.ClearAt = cmp.Or(options.ClearAt, 100_000)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Tell == nil {
		options.Tell = func(Event) {}
	}
	c := &Conversation{memory: m, settings: settings, options: options}
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	if c.client, c.settings.Model, err = newClient(settings); err != nil {
		return nil, err
	}
	c.price = priceOf(settings.Provider, c.settings.Model, settings.Prices)
	c.agent = agent.NewAgentSession(m, fact.Agent{Name: "chat", Session: c.kept.ID})
	return c, nil
}

// open reads the conversation to continue, or makes a new one.
func (c *Conversation) open(ctx context.Context) error {
	if !c.options.Continue && c.options.Resume == "" {
		id, err := uuid.NewV7()
		c.kept = run.Conversation{ID: id.String(), Created: c.options.Now().UTC()}
		return err
	}
	res, err := run.ReadConversation(ctx, c.memory, c.options.Resume)
	if err != nil {
		return err
	}
	c.kept = res.Conversation
	if err := json.Unmarshal(c.kept.Messages, &c.messages); err != nil {
		return fmt.Errorf("reading conversation %s: %w", memory.ShortID(c.kept.ID), err)
	}
	return nil
}

// ID returns the conversation's id, with which it can be continued.
func (c *Conversation) ID() string { return c.kept.ID }

// Ask sends a question to the model and returns its final answer. Changes in memory stay even
// if it returns an error, and api.ChatAnswer lists them. Errors are of KindRefused (a limit was
// reached, or the model refuses to answer), KindUnavailable, KindUsage and KindAgent (the
// provider does not accept the request).
func (c *Conversation) Ask(ctx context.Context, question string) (answer api.ChatAnswer, err error) {
	ctx = app.Quiet(ctx)
	answer = api.ChatAnswer{ID: c.kept.ID, Model: c.settings.Model, Changed: []string{}}
	if question = strings.TrimSpace(question); question == "" {
		return answer, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("there is no question")}
	}
	if c.system == nil {
		c.system = c.front(ctx)
	}
	before, spent := len(c.messages), c.spent
	c.messages = append(c.messages, c.userMessage(ctx, question))
	err = c.answer(ctx, &answer)
	if answer.StopReason == string(anthropic.BetaStopReasonRefusal) {
		c.messages = c.messages[:before] // as the API asks: after a refused question, it refuses all later ones too
	}
	answer.CostUSD = c.spent - spent
	keepErr := c.keep(context.WithoutCancel(ctx))
	if answer.ID = c.kept.ID; err == nil {
		err = keepErr
	}
	if ctx.Err() != nil {
		return answer, ctx.Err()
	}
	return answer, err
}

// keep stores the conversation. If another process continued it in the meantime, that version
// stays, and this one gets a new id.
func (c *Conversation) keep(ctx context.Context) (err error) {
	since := c.kept.Updated
	c.kept.Updated = c.options.Now().UTC()
	if c.kept.Messages, err = json.Marshal(withoutThinking(c.messages)); err != nil {
		return err
	}
	_, err = run.KeepConversation(ctx, c.memory, c.kept, since)
	if !errors.Is(err, run.ErrWentOn) {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	c.kept.ID = id.String()
	c.notice("another process continued this conversation: this one continues as %s", memory.ShortID(c.kept.ID))
	_, err = run.KeepConversation(ctx, c.memory, c.kept, time.Time{})
	return err
}

// withoutThinking returns messages in the form in which they are stored. A model's thoughts are
// signed, so neither another model nor a redacted copy could use them.
func withoutThinking(messages []anthropic.BetaMessageParam) (kept []anthropic.BetaMessageParam) {
	for _, m := range messages {
		m.Content = slices.DeleteFunc(slices.Clone(m.Content), func(b anthropic.BetaContentBlockParamUnion) bool {
			return b.OfThinking != nil || b.OfRedactedThinking != nil
		})
		if len(m.Content) > 0 {
			kept = append(kept, m)
		}
	}
	return kept
}

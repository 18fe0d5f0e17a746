// Package chat is a conversation with a model, over Anthropic's Messages API or
// Amazon Bedrock, in which the model has memory: Anthropic's memory tool on the
// folder notes, and memory_search over all of memory.
//
// Guarantees: the model reaches nothing but memory, and memory only as an
// agent's session does (app.AgentSession). Secrets are taken out of everything
// that is sent and kept. Each question ends: after a number of requests, at a
// cost, or when no byte comes for two minutes. A message whose tool calls were
// not done is never kept: a conversation can always be gone on with.
//
// Not guaranteed: that the cost stays below the limit to the cent. It is
// estimated before each request, from the length of what is sent, and the
// answer is bounded by what is left.
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

	"agentflow/api"
	"agentflow/app"
	"agentflow/internal/price"
	"agentflow/memory"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/uuid"
)

// Options say how a conversation goes. Zero values mean the settings, or what
// is said here.
type Options struct {
	Model    string
	MaxTurns int     // requests to the model for one question
	MaxCost  float64 // US dollars for all questions
	Continue bool    // go on with the conversation that was used last
	Resume   string  // go on with this one: its id, or the end of that

	Tell    func(Event)      // hears what happens while a question is answered; nil: nobody does
	Now     func() time.Time // time.Now
	Pause   time.Duration    // before a broken answer is asked for again; 1 s, then twice as long
	Idle    time.Duration    // without a byte, after which an answer is given up; 2 minutes
	ClearAt int              // tokens of a request from which on the API clears older tool results; 100,000
}

// Event is what happens while a question is answered.
type Event struct {
	Kind EventKind
	Text string
}

// EventKind says what an event's text is.
type EventKind int

// The kinds of events.
const (
	EventText    EventKind = iota + 1 // the next piece of what the model says
	EventTurn                         // the model said all of that, and goes on after its tools
	EventChanged                      // what was changed in memory, on one line
	EventNotice                       // what else happened, on one line
)

// Conversation is a conversation with a model. It is for one goroutine.
type Conversation struct {
	memory   *app.Memory
	agent    *app.AgentSession
	settings app.ChattingResult
	options  Options
	client   anthropic.Client
	price    price.Price

	kept     app.Conversation
	messages []anthropic.BetaMessageParam
	system   []anthropic.BetaTextBlockParam
	spent    float64 // US dollars in this process
	context  int64   // tokens of the last request
	warned   bool    // the model was told that older results will be cleared
}

// Begin begins a conversation, or goes on with one. Errors are of KindUsage (no
// key is set, or the settings cannot be used), KindNotFound (there is no such
// conversation) and KindNoPlace.
func Begin(ctx context.Context, m *app.Memory, options Options) (*Conversation, error) {
	settings, err := m.Chatting(ctx)
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
	c.agent = m.AgentSession(app.Agent{Name: "chat", Session: c.kept.ID})
	return c, nil
}

// open reads the conversation that is gone on with, or makes a new one.
func (c *Conversation) open(ctx context.Context) error {
	if !c.options.Continue && c.options.Resume == "" {
		id, err := uuid.NewV7()
		c.kept = app.Conversation{ID: id.String(), Created: c.options.Now().UTC()}
		return err
	}
	res, err := c.memory.Conversation(ctx, c.options.Resume)
	if err != nil {
		return err
	}
	c.kept = res.Conversation
	if err := json.Unmarshal(c.kept.Messages, &c.messages); err != nil {
		return fmt.Errorf("reading conversation %s: %w", memory.ShortID(c.kept.ID), err)
	}
	return nil
}

// ID is the conversation's id, by which it can be gone on with.
func (c *Conversation) ID() string { return c.kept.ID }

// Ask puts a question to the model and answers with what it says in the end.
// What was changed in memory stays so also with an error, and api.ChatAnswer
// says it. Errors are of KindRefused (a limit was reached, or the model refuses
// to answer), KindUnavailable, KindUsage and KindAgent (the provider does not
// take the request).
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
		c.messages = c.messages[:before] // as the API asks: with it in front, all that follows is refused too
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

// keep writes the conversation down. Where another process went on with it
// meanwhile, that stays, and this is another conversation from here on.
func (c *Conversation) keep(ctx context.Context) (err error) {
	since := c.kept.Updated
	c.kept.Updated = c.options.Now().UTC()
	if c.kept.Messages, err = json.Marshal(withoutThinking(c.messages)); err != nil {
		return err
	}
	_, err = c.memory.KeepConversation(ctx, c.kept, since)
	if !errors.Is(err, app.ErrWentOn) {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return err
	}
	c.kept.ID = id.String()
	c.notice("another process went on with this conversation: here it goes on as %s", memory.ShortID(c.kept.ID))
	_, err = c.memory.KeepConversation(ctx, c.kept, time.Time{})
	return err
}

// withoutThinking are messages as they are kept: what a model thought is signed,
// and neither another model nor a redacted copy of it would be taken back.
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

package chat

import (
	"context"
	"errors"
	"fmt"

	"agentflow/app"
	"agentflow/app/api"

	"github.com/anthropics/anthropic-sdk-go"
)

// step is the step after a message of the model.
type step int

const (
	finish   step = iota // the question is answered
	runTools             // its tools are run, and it continues
	cutTools             // it was cut off in a tool call: no tool is run, and it gets a result that says so
	goOn                 // it paused, and continues
	cutText              // it was cut off in its answer
	refuse               // it refuses to answer
	tooLong              // the conversation does not fit
)

// next returns the step after a message that stopped for the given reason.
func next(reason anthropic.BetaStopReason, calls int) step {
	switch reason {
	case anthropic.BetaStopReasonMaxTokens:
		if calls > 0 {
			return cutTools
		}
		return cutText
	case anthropic.BetaStopReasonPauseTurn:
		return goOn
	case anthropic.BetaStopReasonRefusal:
		return refuse
	case anthropic.BetaStopReasonModelContextWindowExceeded:
		return tooLong
	}
	if calls > 0 { // for any other reason: each call needs a result
		return runTools
	}
	return finish
}

// answer asks the model until the last question of the conversation is answered.
func (c *Conversation) answer(ctx context.Context, a *api.ChatAnswer) error {
	for a.Turns < c.options.MaxTurns {
		last := a.Turns+1 == c.options.MaxTurns
		message, err := c.request(ctx, last)
		if err != nil {
			return err
		}
		a.Turns++
		a.StopReason = string(message.StopReason)
		done, err := c.take(ctx, message, a, last)
		if done || err != nil {
			return err
		}
	}
	return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("the model did not finish within %d turns", a.Turns),
		Hint: "--max-turns, or the setting chat.max_turns, allows more"}
}

// take adds a message of the model to the conversation, with the results of its tools. It
// reports whether the question is answered.
func (c *Conversation) take(ctx context.Context, message *anthropic.BetaMessage, a *api.ChatAnswer, last bool) (done bool, err error) {
	said, calls := parts(message)
	what := next(message.StopReason, len(calls))
	if what == refuse {
		return true, &app.Error{Kind: app.KindRefused, Err: errors.New("the model refuses to answer"), Hint: "put the question in other words"}
	}
	if len(message.Content) > 0 { // the API accepts no empty message
		c.messages = append(c.messages, message.ToParam())
	}
	a.Answer += said
	switch what {
	case finish:
		return true, nil
	case cutText:
		c.notice("the answer was cut off: it is longer than one message may be; say 'continue' for the rest")
		return true, nil
	case tooLong:
		return true, &app.Error{Kind: app.KindRefused, Err: errors.New("the conversation is longer than the model can read"), Hint: "begin a new one"}
	case goOn:
		return false, ctx.Err()
	}
	a.Answer = "" // text before tool calls is not an answer
	c.options.Tell(Event{Kind: EventTurn})
	c.messages = append(c.messages, c.results(ctx, calls, a, refusal(what, last)))
	return false, ctx.Err()
}

// refusal returns why no tool is run, or "" if the tools are run.
func refusal(what step, last bool) string {
	switch {
	case what == cutTools:
		return "Your message was cut off at its greatest length, and nothing was done. Send shorter text: a part in this call, the rest in others."
	case last:
		return "The limit of turns is reached, and nothing was done."
	}
	return ""
}

// parts returns the text of a message, and its tool calls.
func parts(message *anthropic.BetaMessage) (said string, calls []anthropic.BetaContentBlockUnion) {
	for _, block := range message.Content {
		switch block.Type {
		case "text":
			said += block.Text
		case "tool_use":
			calls = append(calls, block)
		}
	}
	return said, calls
}

// results runs the calls in their order, and returns the message with the results. Each call
// has a result, even if ctx ends in the meantime.
func (c *Conversation) results(ctx context.Context, calls []anthropic.BetaContentBlockUnion, a *api.ChatAnswer, refusal string) anthropic.BetaMessageParam {
	var blocks []anthropic.BetaContentBlockParamUnion
	for _, call := range calls {
		text, changed, err := "", "", errors.New(refusal)
		if refusal == "" {
			text, changed, err = c.run(ctx, call.Name, call.Input)
		}
		if err != nil {
			text = problem(err)
		}
		if changed != "" && err == nil {
			a.Changed = append(a.Changed, changed)
			c.options.Tell(Event{EventChanged, changed})
		}
		blocks = append(blocks, anthropic.NewBetaToolResultBlock(call.ID, c.sendable(text), err != nil))
	}
	if reminder := c.reminder(); reminder != "" {
		blocks = append(blocks, anthropic.NewBetaTextBlock(reminder))
	}
	return anthropic.NewBetaUserMessage(blocks...)
}

func (c *Conversation) notice(format string, args ...any) {
	c.options.Tell(Event{EventNotice, fmt.Sprintf(format, args...)})
}

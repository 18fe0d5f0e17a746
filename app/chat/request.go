package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"agentflow/app"
	"agentflow/memory"

	"github.com/anthropics/anthropic-sdk-go"
)

const (
	maxTokens = 8192 // of one answer
	fewTokens = 256  // smallest limit for which an answer is requested
	// brokenAnswers is the maximum number of requests for an answer that breaks off. The SDK
	// retries errors before an answer begins.
	brokenAnswers = 3
)

// errEndless reports an answer that is longer than the requested limit.
var errEndless = errors.New("the answer has no end")

// errCut reports an answer that broke off.
var errCut = errors.New("the answer broke off")

// request asks the model for its next message. The last request of a question offers no tools,
// so that the model answers with the information that it has.
func (c *Conversation) request(ctx context.Context, last bool) (*anthropic.BetaMessage, error) {
	params := c.params(last)
	for attempt := 1; ; attempt++ {
		room, err := c.answerLimit(params)
		if err != nil {
			return nil, err
		}
		params.MaxTokens = room
		message, err := c.stream(ctx, params)
		if err != nil { // the provider reports the usage only at the end
			message.Usage.OutputTokens = max(message.Usage.OutputTokens, written(message))
		}
		c.count(message.Usage)
		if err == nil {
			return message, nil
		}
		if attempt == brokenAnswers || !isBroken(err) || ctx.Err() != nil {
			return nil, requestError(err, c.settings)
		}
		c.notice("%s; asking again", requestError(err, c.settings))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(c.options.Pause << (attempt - 1)):
		}
	}
}

// isBroken reports whether a retry may succeed.
func isBroken(err error) bool {
	var apiErr *anthropic.Error
	if errors.As(err, &apiErr) {
		// In a stream the status was already 200. The SDK has retried the other errors for
		// which that is useful.
		return apiErr.StatusCode == http.StatusOK && apiErr.Type() != anthropic.ErrorTypeInvalidRequestError
	}
	return errors.Is(err, errCut)
}

// stream reads one message of the model, and reports its text as it arrives. With an error it
// returns the part that arrived, because its usage counts.
func (c *Conversation) stream(ctx context.Context, params anthropic.BetaMessageNewParams) (*anthropic.BetaMessage, error) {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	message := &anthropic.BetaMessage{}
	s := c.client.Beta.Messages.NewStreaming(reading, params)
	defer s.Close()
	idle := time.AfterFunc(c.options.Idle, cancel)
	defer idle.Stop()
	complete := false
	for s.Next() {
		idle.Reset(c.options.Idle)
		event := s.Current()
		if err := message.Accumulate(event); err != nil {
			return message, fmt.Errorf("%w: %w", errCut, err)
		}
		switch {
		case event.Type == "content_block_delta" && event.Delta.Type == "text_delta":
			c.options.Tell(Event{EventText, event.Delta.Text})
		case event.Type == "message_stop":
			complete = true
		}
	}
	switch err := s.Err(); {
	case ctx.Err() != nil:
		return message, ctx.Err()
	case errors.As(err, new(*http.MaxBytesError)):
		return message, errEndless
	case complete:
		return message, nil
	case reading.Err() != nil:
		return message, fmt.Errorf("%w: nothing came for %s", errCut, c.options.Idle)
	case err == nil:
		return message, errCut
	case message.ID != "" && !errors.As(err, new(*anthropic.Error)):
		return message, fmt.Errorf("%w: %w", errCut, err)
	default:
		return message, err
	}
}

// params returns a request without the limit of the answer's length.
func (c *Conversation) params(last bool) anthropic.BetaMessageNewParams {
	p := anthropic.BetaMessageNewParams{
		Model:    anthropic.Model(c.settings.Model),
		System:   c.system,
		Messages: c.messages,
		Tools:    tools(),
		Betas:    []anthropic.AnthropicBeta{anthropic.AnthropicBetaContextManagement2025_06_27},
		ContextManagement: anthropic.BetaContextManagementConfigParam{Edits: []anthropic.BetaContextManagementConfigEditUnionParam{{
			OfClearToolUses20250919: &anthropic.BetaClearToolUses20250919EditParam{
				ExcludeTools: []string{memoryTool},
				Trigger: anthropic.BetaClearToolUses20250919EditTriggerUnionParam{
					OfInputTokens: &anthropic.BetaInputTokensTriggerParam{Value: int64(c.options.ClearAt)},
				},
			},
		}}},
	}
	if last {
		p.ToolChoice = anthropic.BetaToolChoiceUnionParam{OfNone: &anthropic.BetaToolChoiceNoneParam{}}
	}
	return p
}

// answerLimit returns the limit of the next answer in tokens, at most maxTokens, so that its request
// stays within the limit of cost.
func (c *Conversation) answerLimit(p anthropic.BetaMessageNewParams) (int64, error) {
	if c.options.MaxCost <= 0 {
		return maxTokens, nil
	}
	sent, err := json.Marshal([]any{p.System, p.Messages, p.Tools})
	if err != nil {
		return 0, err
	}
	left := c.options.MaxCost - c.spent - float64(memory.Tokens(string(sent)))*c.price.Input/1e6
	room := left / c.price.Output * 1e6
	if room < fewTokens {
		return 0, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("the limit of cost is reached: %.2f of %.2f US dollars are spent", c.spent, c.options.MaxCost),
			Hint: "--max-cost, or the setting chat.max_cost, allows more"}
	}
	return int64(min(room, maxTokens)), nil
}

// written returns the approximate number of tokens of an answer.
func written(m *anthropic.BetaMessage) (tokens int64) {
	for _, block := range m.Content {
		tokens += int64(memory.Tokens(block.Text + block.Thinking + string(block.Input)))
	}
	return tokens
}

// count adds the cost of an answer.
func (c *Conversation) count(u anthropic.BetaUsage) {
	cost := max(0, costOf(c.price, u)) // a server cannot increase the limit of cost
	c.spent += cost
	c.kept.CostUSD += cost
	c.context = u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
}

// reminder returns a notice to the model, once, that older results of its tools will be
// cleared soon.
func (c *Conversation) reminder() string {
	if full := c.context >= int64(c.options.ClearAt)*8/10; !full || c.warned {
		c.warned = full
		return ""
	}
	c.warned = true
	return "(The conversation is nearly full: older results of your tools will be cleared soon. Write down results worth keeping with the memory tool now.)"
}

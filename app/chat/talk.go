package chat

import (
	"bufio"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/memory"
)

// Screen shows a conversation to a person.
type Screen struct {
	Prompt func()               // asks for the next question
	Answer func(api.ChatAnswer) // an answer is complete
	Failed func(error)          // a question was not answered; the conversation continues
	Say    func(string)         // anything else, on one line
}

const help = "/forget ID forgets a fact or an entry, /forget WORDS lists what matches, /quit ends; Ctrl-C ends an answer, twice the conversation"

// Talk has a conversation, one question a line, until the lines end, /quit, or the second
// interrupt without a question between them. first is a question to ask before any line is
// read; it may be empty.
func (c *Conversation) Talk(ctx context.Context, first string, lines io.Reader, interrupts <-chan struct{}, show Screen) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	typed := readLines(ctx, lines)
	interrupted := false
	for question := first; ; question = "" {
		if question == "" {
			show.Prompt()
			select {
			case line, more := <-typed:
				if !more {
					return nil
				}
				question, interrupted = strings.TrimSpace(line), false
			case <-interrupts:
				if interrupted {
					return nil
				}
				interrupted = true
				show.Say("once more, or /quit, ends the conversation")
				continue
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if question == "" || c.command(ctx, question, show) {
			if isQuit(question) {
				return nil
			}
			continue
		}
		answer, err := c.askUntil(ctx, question, interrupts)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, context.Canceled):
			interrupted = true
			show.Failed(errors.New("the answer was ended"))
		case err != nil:
			show.Failed(err)
		default:
			show.Answer(answer)
		}
	}
}

// askUntil runs Ask, and also ends at an interrupt.
func (c *Conversation) askUntil(ctx context.Context, question string, interrupts <-chan struct{}) (api.ChatAnswer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-over:
		}
	}()
	return c.Ask(ctx, question)
}

// isQuit reports whether a line ends the conversation: /quit, or what people type where they do not know that.
func isQuit(line string) bool {
	return slices.Contains([]string{"/quit", "/exit", "quit", "exit", ":q"}, line)
}

// command runs a line that begins with a slash. It returns false if the line is a question.
func (c *Conversation) command(ctx context.Context, line string, show Screen) bool {
	if isQuit(line) {
		return true
	}
	if !strings.HasPrefix(line, "/") {
		return false
	}
	name, id, _ := strings.Cut(line, " ")
	switch {
	case name == "/forget" && strings.TrimSpace(id) != "":
		if err := c.forget(ctx, strings.TrimSpace(id), show); err != nil {
			show.Failed(err)
		}
	default:
		show.Say(help)
	}
	return true
}

// forget removes a fact or an entry from memory on behalf of the user. For words it lists the
// matches, and removes nothing.
func (c *Conversation) forget(ctx context.Context, what string, show Screen) error {
	if !forget.IsRef(what) {
		return c.listMatches(ctx, what, show)
	}
	plan, err := forget.PlanForget(ctx, c.memory, forget.Request{IDs: []string{what}})
	if err == nil {
		_, err = forget.ApplyForget(ctx, c.memory, plan)
	}
	if err == nil {
		show.Say("forgotten; 'agentflow memory restore' brings it back")
	}
	return err
}

// listMatches lists the items that match some words, as candidates for /forget.
func (c *Conversation) listMatches(ctx context.Context, words string, show Screen) error {
	plan, err := forget.PlanForget(ctx, c.memory, forget.Request{Query: words})
	if err != nil {
		return err
	}
	for _, t := range plan.Targets {
		show.Say(memory.Title(t.Text) + "  (" + memory.ShortID(t.ID) + ")")
	}
	if len(plan.Targets) == 0 {
		show.Say("nothing matches")
	} else {
		show.Say("which of these? /forget ID takes one out")
	}
	return nil
}

// maxLine limits a line of the user, in bytes.
const maxLine = 1 << 20

// readLines reads lines until there are no more or ctx ends. A read that is blocked at that
// time ends with the next line.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			select {
			case out <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

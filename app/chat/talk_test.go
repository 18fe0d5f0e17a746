package chat

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/internal/testing/modeltest"
)

// person is a person at a terminal, who sees one line for each event.
type person struct {
	t          *testing.T
	typing     *io.PipeWriter
	interrupts chan struct{}
	seen       chan string
	ended      chan error
}

func talk(u *user, first string) *person {
	in, out := io.Pipe()
	p := &person{u.T.(*testing.T), out, make(chan struct{}), make(chan string, 100), make(chan error, 1)}
	c := u.begin(Options{})
	c.options.Tell = func(e Event) { p.seen <- "model: " + e.Text }
	go func() {
		p.ended <- c.Talk(p.t.Context(), first, bufio.NewReader(in), p.interrupts, Screen{
			Prompt: func() { p.seen <- ">" },
			Answer: func(a api.ChatAnswer) { p.seen <- "answer: " + a.Answer },
			Failed: func(err error) { p.seen <- "failed: " + err.Error() },
			Say:    func(text string) { p.seen <- text },
		})
	}()
	p.t.Cleanup(func() { out.Close() })
	return p
}

const patience = 10 * time.Second

// sees waits for the next lines.
func (p *person) sees(want ...string) {
	p.t.Helper()
	for _, w := range want {
		select {
		case got := <-p.seen:
			if !strings.HasPrefix(got, w) {
				p.t.Fatalf("sees %q, want %q", got, w)
			}
		case <-time.After(patience):
			p.t.Fatalf("sees nothing, want %q", w)
		}
	}
}

func (p *person) types(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.typing, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) interrupt() {
	p.t.Helper()
	select {
	case p.interrupts <- struct{}{}:
	case <-time.After(patience):
		p.t.Fatal("nobody takes the interrupt")
	}
}

func (p *person) ends() {
	p.t.Helper()
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Fatal(err)
		}
	case <-time.After(patience):
		p.t.Fatal("the conversation goes on")
	}
}

// TestTalk is a conversation at a terminal.
func TestTalk(t *testing.T) {
	u := newUser(t, modeltest.Say("Hello."), modeltest.Say("Well").Hold(), modeltest.Fail(400, "invalid_request_error", "no"), modeltest.Say("There."))
	text := "Tests need TZ=UTC"
	fact, err := fact.Remember(t.Context(), u.memory, fact.RememberRequest{Change: fact.Change{Text: &text}})
	if err != nil {
		t.Fatal(err)
	}
	p := talk(u, "hi")
	p.sees("model: Hello.", "answer: Hello.", ">")
	p.types("a long one")
	p.sees("model: Well")
	p.interrupt()
	p.sees("failed: the answer was ended", ">")
	p.types("")
	p.sees(">")
	p.types("wrong")
	p.sees("failed: asking anthropic: invalid_request_error: no", ">")
	p.types("/help")
	p.sees("/forget ID", ">")
	p.types("/nonsense")
	p.sees("/forget ID", ">")
	p.types("/forget 000000")
	p.sees("failed: ", ">")
	p.types("/forget such words as nothing has")
	p.sees("nothing matches", ">")
	p.types("/forget " + fact.Fact.Text)
	p.sees("Tests need TZ=UTC", "which of these?", ">")
	p.types("/forget " + fact.Fact.ID)
	p.sees("forgotten", ">")
	p.types("and now?")
	p.sees("model: There.", "answer: There.", ">")
	p.types("/quit")
	p.ends()
	if last := u.requests()[3]; last.Prompt() != "and now?" || len(last.Messages) < 3 {
		t.Errorf("the last request is %+v", last.Messages)
	}
	if list, err := list.List(t.Context(), u.memory, list.Request{Limit: 5}); err != nil || len(list.Facts) != 0 {
		t.Errorf("memory has %+v: %v", list.Facts, err)
	}
}

// TestTalkEnds ends conversations by interrupts and by the end of the lines.
func TestTalkEnds(t *testing.T) {
	p := talk(newUser(t), "")
	p.sees(">")
	p.interrupt()
	p.sees("once more", ">")
	p.types("")
	p.sees(">")
	p.interrupt()
	p.sees("once more", ">")
	p.interrupt()
	p.ends()

	p = talk(newUser(t, modeltest.Say("Well").Hold()), "q")
	p.sees("model: Well")
	p.interrupt()
	p.sees("failed: the answer was ended", ">")
	p.interrupt()
	p.ends()

	p = talk(newUser(t), "")
	p.sees(">")
	p.typing.Close()
	p.ends()
}

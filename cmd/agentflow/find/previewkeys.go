package find

import (
	"context"
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// previewScreen shows a preview on a terminal. A person selects a line with keys and changes
// the item that the line names.
type previewScreen struct {
	*cli.Env
	req     setup.PreviewRequest
	preview api.Preview
	all     bool // the facts that do not fit are listed
	help    bool
	lines   []previewLine
	chosen  int // in lines; never a heading while there is another line
	drawn   int // lines that the terminal shows, including the question
}

const (
	previewAsks  = "arrows choose a line: [p]in, [d]rop from memory, [e]dit; [?] help, [q]uit "
	previewHelps = `j, down   the next line
k, up     the line before
p         pin it, so that it comes first, or unpin it
d         drop it, after a question: memory forgets it, and 'memory restore' brings it back
e         edit it
l         list the facts that do not fit, or hide them
q         end`
)

// previewKeys shows a preview and handles keys, until q or while there is a line to choose.
func previewKeys(ctx context.Context, c *cli.Env, req setup.PreviewRequest, p api.Preview, all bool) error {
	s := &previewScreen{Env: c, req: req, all: all}
	s.show(p)
	for {
		s.draw()
		if len(s.lines) == 0 || s.lines[s.chosen].head {
			hintPreview(s.Env, s.preview)
			return nil
		}
		key := cli.Key(s.Env, textwidth.Cut(previewAsks, terminal.Columns()-2))
		if key == 'q' || key == cli.InterruptKey || key == cli.EndKey {
			return nil
		}
		s.Live.Erase(s.drawn)
		if err := s.press(ctx, key); err != nil {
			return err
		}
	}
}

// press handles a key.
func (s *previewScreen) press(ctx context.Context, key rune) error {
	s.help = key == '?' && !s.help
	switch key {
	case 'j', cli.DownKey:
		s.move(1)
	case 'k', cli.UpKey:
		s.move(-1)
	case 'l':
		s.all = !s.all
		s.show(s.preview)
	case 'p', 'd', 'e':
		return s.change(ctx, key)
	}
	return nil
}

// change pins, drops or edits the item of the chosen line, and reads the preview again.
func (s *previewScreen) change(ctx context.Context, key rune) error {
	l := s.lines[s.chosen]
	if l.id == "" {
		s.Say("only facts and entries can be changed here, and this line is neither: %s", l.why)
		return nil
	}
	if err := s.do(ctx, key, l); err != nil {
		s.Say("%s", cli.CleanLine(err.Error()))
	}
	res, err := setup.Preview(ctx, s.Memory, s.req)
	if err == nil {
		s.show(res.Preview)
	}
	return err
}

func (s *previewScreen) do(ctx context.Context, key rune, l previewLine) error {
	switch key {
	case 'p':
		return s.pin(ctx, l)
	case 'd':
		return s.drop(ctx, l)
	}
	_, err := fact.Edit(ctx, s.Memory, fact.EditRequest{ID: l.id, Editor: cli.EditFile})
	return err
}

// pin pins the item of a line. It unpins a pinned fact, and an entry that was pinned
// before, because the preview does not know which entries are pinned.
func (s *previewScreen) pin(ctx context.Context, l previewLine) error {
	res, err := fact.Pin(ctx, s.Memory, fact.PinRequest{IDs: []string{l.id}, Pinned: !l.pinned})
	if err == nil && !l.pinned && !res.Pins[0].Changed {
		res, err = fact.Pin(ctx, s.Memory, fact.PinRequest{IDs: []string{l.id}})
	}
	if err != nil {
		return err
	}
	done := "unpinned"
	if res.Pins[0].Pinned {
		done = "pinned"
	}
	s.Say("%s %s: %s", done, l.ref(), cli.CleanLine(memory.Title(l.text)))
	return nil
}

// drop removes the item of a line from memory, if the person agrees: letters that were typed for something
// else must not remove anything.
func (s *previewScreen) drop(ctx context.Context, l previewLine) error {
	question := "drop " + l.ref() + " from memory: "
	const answers = "? [y/N] "
	room := terminal.Columns() - textwidth.Cells(question+answers) - 1
	if cli.Key(s.Env, question+textwidth.Cut(cli.CleanLine(memory.Title(l.text)), max(room, 10))+answers) != 'y' {
		return nil
	}
	plan, err := forget.PlanForget(ctx, s.Memory, forget.Request{IDs: []string{l.id}})
	if err == nil {
		_, err = forget.ApplyForget(ctx, s.Memory, plan)
	}
	if err != nil {
		return err
	}
	s.Say("dropped %s from memory: %s", l.ref(), cli.CleanLine(memory.Title(l.text)))
	s.Hint("'agentflow memory restore %s' brings it back", l.ref())
	return nil
}

// show takes the lines of a preview. The chosen line stays chosen while it is there; else the
// line in its place is.
func (s *previewScreen) show(p api.Preview) {
	id := ""
	if s.chosen < len(s.lines) {
		id = s.lines[s.chosen].id
	}
	s.preview, s.lines = p, previewLines(s.Env, p, s.all)
	for i, l := range s.lines {
		if id != "" && l.id == id {
			s.chosen = i
			return
		}
	}
	s.chosen = min(s.chosen, len(s.lines)-1)
	if s.lines[s.chosen].head {
		s.move(1)
	}
	if s.lines[s.chosen].head {
		s.move(-1)
	}
}

// move selects the next or previous line that is no heading, if there is one.
func (s *previewScreen) move(by int) {
	for i := s.chosen + by; i >= 0 && i < len(s.lines); i += by {
		if !s.lines[i].head {
			s.chosen = i
			return
		}
	}
}

// draw writes the lines that fit on the terminal around the chosen one, and below that one why
// it is there.
func (s *previewScreen) draw() {
	columns, foot := terminal.Columns()-1, s.foot()
	room := min(max(terminal.Height()-len(foot)-3, 3), len(s.lines)) // without why, the question and the line before
	first := min(max(s.chosen-room/2, 0), len(s.lines)-room)
	var shown []string
	for i, l := range s.lines[first : first+room] {
		shown = append(shown, s.listed(l, first+i == s.chosen, columns))
		if first+i == s.chosen && !l.head {
			shown = append(shown, s.Dim(textwidth.Cut(strings.Repeat(" ", 10)+l.why, columns)))
		}
	}
	for _, line := range foot {
		shown = append(shown, s.Dim(textwidth.Cut(line, columns)))
	}
	s.drawn = len(shown) + 1 // and the question
	s.AtOnce(func() {
		for _, line := range shown {
			s.Printf("%s\n", line)
		}
	})
}

// listed formats a line, in at most so many columns.
func (s *previewScreen) listed(l previewLine, chosen bool, columns int) string {
	switch text := cli.CleanLine(l.text); {
	case l.head:
		return s.Bold(textwidth.Cut(text, columns))
	case chosen:
		return s.Bold(textwidth.Cut(fmt.Sprintf("> %-6s  %s", l.ref(), text), columns))
	default:
		return textwidth.Cut(fmt.Sprintf("  %-6s  %s", l.ref(), text), columns)
	}
}

// foot returns the lines below the list.
func (s *previewScreen) foot() (lines []string) {
	if more := len(s.preview.Start.More); more > 0 && !s.all {
		lines = append(lines, unfitting(more)+": l lists them")
	}
	if s.help {
		lines = append(lines, strings.Split(previewHelps, "\n")...)
	}
	return lines
}

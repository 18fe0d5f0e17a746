package executor

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/internal/safefile"
)

// ItemKind is the kind of an item of a run.
type ItemKind string

// The kinds of items.
const (
	ItemPrompt  ItemKind = "prompt"  // Text is what the user asked for
	ItemMessage ItemKind = "message" // Text is what the agent said
	ItemTool    ItemKind = "tool"    // Tool was called, on Object
	ItemDenied  ItemKind = "denied"  // Text names a call that was not permitted, without further details
	ItemError   ItemKind = "error"   // Text says why the agent stopped
	ItemLeft    ItemKind = "left"    // Text names tasks that the agent left running, which ended with it
)

// Item is a message, a call or another event in a run or in turns of a session. Its texts are
// redacted, and otherwise unchanged.
type Item struct {
	Kind   ItemKind
	Time   time.Time // when it began; zero if unknown
	Text   string
	Tool   string
	Object string        // a file, a command or a pattern, in one line; empty if unknown
	Took   time.Duration // the duration of a tool call; 0 if its end is unknown
	Failed bool          // the tool call failed
	Denied bool          // the tool call was not permitted
}

// maxItems limits the text of items that are read, in bytes.
const maxItems = 16 << 20

// ReadItems reads the messages and calls of the run, or of the turns of a session, with this
// id, oldest first. Of a larger list it returns the last maxItems bytes, and the number of
// items that it left out. The error matches ErrNoFolder if the run's events are not kept any
// more.
func ReadItems(runsDir, id string, redact func(string) string) (items []Item, leftOut int, err error) {
	dir, j, err := runfolder.Read(runsDir, id)
	if err == nil {
		items, leftOut, err = readItems(dir, j, redact)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("reading the transcript of a run: %w", err)
	}
	return items, leftOut, nil
}

func readItems(dir string, j runfolder.Journal, redact func(string) string) ([]Item, int, error) {
	f, err := safefile.Open(filepath.Join(dir, runfolder.EventsFile), safefile.NoLink)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, runfolder.ErrNoFolder
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	g := itemGatherer{redact: redact, dir: j.Dir}
	if j.Segment == nil && j.Task != "" {
		g.put(Item{Kind: ItemPrompt, Time: j.Started, Text: j.Task})
	}
	if _, err := runfolder.ReadEvents(f, g.add); err != nil {
		return nil, 0, err
	}
	items, leftOut := g.end()
	return items, leftOut, nil
}

// KeptSession is an agent's file of a session, and the part of it to read: from Since up to
// Until. Both may be zero.
type KeptSession struct {
	File         string // absolute; the files of subagents are where the Claude CLI puts them
	Decoder      func() agent.Decoder
	Dir          string // the folder in which the session worked, which is removed from the names of files
	Since, Until time.Time
	Redact       func(string) string
}

// Items reads the session as ReadItems does. It redacts the texts.
func (k KeptSession) Items() (items []Item, leftOut int, err error) {
	var events []agent.Event
	for _, file := range transcripts(k.File) {
		_, found, err := readLines(file, 0, time.Time{}, k.Decoder(), nil)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, fmt.Errorf("reading the agent's own file of the session: %w", err)
		}
		for _, ev := range found {
			if ev.Kind != agent.Activity && !ev.Time.Before(k.Since) && (k.Until.IsZero() || ev.Time.Before(k.Until)) {
				events = append(events, ev)
			}
		}
	}
	slices.SortStableFunc(events, func(a, b agent.Event) int { return a.Time.Compare(b.Time) })
	g := itemGatherer{redact: k.Redact, dir: k.Dir}
	for _, ev := range events {
		ev.Text, ev.Detail = bounded.RedactBounded(k.Redact, ev.Text, agent.MaxMessage), detailWithoutSecrets(k.Redact, ev.Detail)
		g.add(ev)
	}
	items, leftOut = g.end()
	return items, leftOut, nil
}

// itemGatherer makes items of events, which it gets in their order.
type itemGatherer struct {
	redact  func(string) string // for names of files, which events hold unredacted
	dir     string              // the folder in which the agent worked
	items   []Item
	open    map[string]int // the indexes of items of tool calls, by call
	message strings.Builder
	began   time.Time // when the message began
}

func (g *itemGatherer) put(it Item) { g.items = append(g.items, it) }

func (g *itemGatherer) add(ev agent.Event) {
	if ev.Kind != agent.Said {
		g.endMessage()
	}
	switch ev.Kind {
	case agent.Said:
		if g.message.Len() == 0 {
			g.began = ev.Time
		}
		if g.message.WriteString(ev.Text); !ev.More {
			g.endMessage()
		}
	case agent.Asked:
		g.put(Item{Kind: ItemPrompt, Time: ev.Time, Text: ev.Text})
	case agent.ToolStarted:
		if g.open == nil {
			g.open = map[string]int{}
		}
		g.open[ev.Call] = len(g.items)
		g.put(Item{Kind: ItemTool, Time: ev.Time, Tool: ev.Tool, Object: g.objectOf(ev)})
	case agent.ToolEnded:
		if at, known := g.open[ev.Call]; known {
			g.items[at].Took, g.items[at].Failed = max(0, ev.Time.Sub(g.items[at].Time)), ev.Failed
		}
	case agent.Denied:
		if at, known := g.open[ev.Call]; known && ev.Call != "" {
			g.items[at].Denied = true
		} else {
			g.put(Item{Kind: ItemDenied, Time: ev.Time, Text: ev.Text})
		}
	case agent.Left:
		g.put(Item{Kind: ItemLeft, Time: ev.Time, Text: ev.Text})
	case agent.Result:
		g.result(ev)
	}
}

// result adds the final answer of an agent if no earlier message has it, or the error.
func (g *itemGatherer) result(ev agent.Event) {
	text := strings.TrimSpace(ev.Text)
	kind := ItemMessage
	if ev.Failed {
		kind, text = ItemError, cmp.Or(text, string(ev.Cause), "the agent failed")
	}
	said := func(it Item) bool { return it.Kind == kind && strings.TrimSpace(it.Text) == text }
	if text != "" && !slices.ContainsFunc(g.items[max(0, len(g.items)-20):], said) {
		g.put(Item{Kind: kind, Time: ev.Time, Text: text})
	}
}

func (g *itemGatherer) endMessage() {
	if text := g.message.String(); strings.TrimSpace(text) != "" {
		g.put(Item{Kind: ItemMessage, Time: g.began, Text: text})
	}
	g.message.Reset()
}

// end returns the last maxItems bytes of items, at least one item, and the number of items that
// it left out.
func (g *itemGatherer) end() ([]Item, int) {
	g.endMessage()
	bytes := 0
	for i, it := range slices.Backward(g.items) {
		if bytes += len(it.Text) + len(it.Object); bytes > maxItems && i < len(g.items)-1 {
			return g.items[i+1:], i + 1
		}
	}
	return g.items, 0
}

// objectOf returns the object of a tool call. Events of older versions have only the files.
func (g *itemGatherer) objectOf(ev agent.Event) string {
	if ev.Detail != "" {
		return strings.TrimPrefix(ev.Detail, g.dir+string(filepath.Separator))
	}
	return bounded.RedactBounded(g.redact, strings.Join(slices.Concat(ev.Paths, ev.Names), ", "), maxStoredDetail)
}

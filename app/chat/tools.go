package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"agentflow/app"
	appsearch "agentflow/app/search"
	"agentflow/internal/duration"
	"agentflow/internal/memorytool"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/memory/retrieval"

	"github.com/anthropics/anthropic-sdk-go"
)

// The names of the tools in the API.
const (
	memoryTool = "memory"
	searchTool = "memory_search"
)

// maxResult limits the result of a tool, in tokens.
const maxResult = 4000

func tools() []anthropic.BetaToolUnionParam {
	property := func(kind, text string) map[string]any { return map[string]any{"type": kind, "description": text} }
	return []anthropic.BetaToolUnionParam{
		{OfMemoryTool20250818: &anthropic.BetaMemoryTool20250818Param{}},
		{OfTool: &anthropic.BetaToolParam{
			Name:        searchTool,
			Description: anthropic.String("Search the memory of earlier work on this repository: runs, commits, facts and notes, best first, each with its id and its place. Use the words of the question, with the names of files and functions."),
			InputSchema: anthropic.BetaToolInputSchemaParam{Required: []string{"query"}, Properties: map[string]any{
				"query": property("string", "the words to look for"),
				"limit": property("integer", "at most this many hits, 1 to 20; 5 when it is left out"),
				"since": property("string", "only items of this day or later: 2026-11-21, or how long ago: 30d"),
				"until": property("string", "only items older than this day or time"),
				"path":  property("string", "only entries that changed this file, or something below this folder"),
				"type":  property("string", "only with a fact of this type: semantic, episodic or procedural"),
				"tag":   property("string", "only with a fact that has this tag"),
			}},
		}},
	}
}

// search has the arguments of memory_search.
type search struct {
	Query, Since, Until, Path, Type, Tag string
	Limit                                int
}

// call is a tool call of the model: one of its fields is set.
type call struct {
	memory *memorytool.Command
	search *appsearch.SearchRequest
}

// parseCall parses a call of a tool. Its errors are for the model.
func parseCall(name string, input []byte, now time.Time) (c call, err error) {
	switch name {
	case memoryTool:
		c.memory = &memorytool.Command{}
		return c, decode(input, c.memory)
	case searchTool:
		var in search
		if err := decode(input, &in); err != nil {
			return c, err
		}
		c.search, err = in.request(now)
		return c, err
	}
	return c, fmt.Errorf("there is no tool %q: use %s or %s", cut(name, 40), memoryTool, searchTool)
}

// decode decodes arguments: one object with only known fields.
func decode(input []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(input))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("the arguments cannot be read: %s", cut(err.Error(), 300))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("the arguments cannot be read: there is more than one object")
	}
	return nil
}

func (in search) request(now time.Time) (*appsearch.SearchRequest, error) {
	if strings.TrimSpace(in.Query) == "" {
		return nil, errors.New("query is missing: the words to look for")
	}
	req := &appsearch.SearchRequest{Text: in.Query, Limit: min(max(cmp.Or(in.Limit, 5), 1), 20)}
	req.Filter = retrieval.Filter{Path: in.Path}
	if in.Tag != "" {
		req.Filter.Tags = []string{in.Tag}
	}
	if in.Type != "" {
		req.Filter.Types = []memory.FactType{memory.FactType(in.Type)}
	}
	for _, limit := range []struct {
		name, text string
		to         *time.Time
	}{{"since", in.Since, &req.Filter.Since}, {"until", in.Until, &req.Filter.Until}} {
		if limit.text == "" {
			continue
		}
		at, err := duration.ParseDate(limit.text, now)
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", limit.name, err, duration.DateForms)
		}
		*limit.to = at
	}
	return req, nil
}

// run executes a call. changed describes its change of memory in one line.
func (c *Conversation) run(ctx context.Context, name string, input []byte) (text, changed string, err error) {
	asked, err := parseCall(name, input, c.options.Now())
	switch {
	case err != nil:
		return "", "", err
	case asked.search != nil:
		res, err := appsearch.Search(ctx, c.memory, *asked.search)
		return hitsText(res), "", err
	}
	if text, err = c.agent.MemoryTool(ctx, *asked.memory); err == nil && asked.memory.Writes() {
		changed = acknowledgement(*asked.memory)
	}
	return text, changed, err
}

// acknowledgement returns the line for the user about a command's change.
func acknowledgement(m memorytool.Command) string {
	line := func(s string) string { return cut(strings.ReplaceAll(memory.Clean(s), "\n", " "), 200) }
	switch m.Command {
	case memorytool.Create:
		return "stored " + line(m.Path)
	case memorytool.Delete:
		return "deleted " + line(m.Path)
	case memorytool.Rename:
		return "moved " + line(m.OldPath) + " to " + line(m.NewPath)
	}
	return "changed " + line(m.Path)
}

// problem returns an error's text for the model, with its hint. The texts of the memory tool
// are those of its documentation.
func problem(err error) string {
	var documented *memorytool.Error
	if errors.As(err, &documented) {
		return quote.Inline(errorText(err))
	}
	return quote.Problem(err.Error(), app.AsError(err).Hint)
}

// errorText returns an error's text for the user, with its hint.
func errorText(err error) string {
	text := err.Error()
	if hint := app.AsError(err).Hint; hint != "" {
		text = strings.TrimSuffix(text, ".") + ". " + hint
	}
	return text
}

// sendable returns text of memory in the form that leaves the machine: without control
// characters and secrets, and at most maxResult long.
func (c *Conversation) sendable(text string) string {
	text = c.settings.Redact(memory.Clean(text))
	if memory.Tokens(text) <= maxResult {
		return cmp.Or(text, "(nothing)")
	}
	return beginning(text, maxResult) + "\n(There is more: ask for a part of it.)"
}

// cut returns at most the given number of bytes of a text, without cutting a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

package app

import (
	"context"
	"fmt"
	"strings"
	"unicode"
)

// taskOrVerb is task; one that asks for a verb of ours is done by it.
func (a *operation) taskOrVerb(ctx context.Context, o runOptions, words []string) (task string, done bool, err error) {
	task, err = a.task(ctx, o, words)
	if verb, rest, ok := ownVerb(task); ok {
		return task, true, a.runVerb(ctx, o, verb, rest)
	}
	return task, false, err
}

// ownVerb takes a task apart that asks for a verb of ours: "/remember TEXT",
// "/recall TASK" and "/forget ID…" need no agent.
func ownVerb(task string) (verb, rest string, ok bool) {
	end := strings.IndexFunc(task, unicode.IsSpace)
	if end < 0 {
		end = len(task)
	}
	switch word := task[:end]; word {
	case "/remember", "/recall", "/forget":
		return word[1:], strings.TrimSpace(task[end:]), true
	}
	return "", "", false
}

// runVerb does what the verb does that a task asks for, with its exit code.
func (a *operation) runVerb(ctx context.Context, o runOptions, verb, rest string) error {
	args := []string{verb}
	if o.asJSON {
		args = append(args, "--json")
	}
	switch {
	case verb == "remember" && (o.dryRun || o.noRecord):
		return usagef("/remember writes to memory: --dry-run and --no-record do not go with it")
	case verb == "forget" && o.dryRun:
		args = append(args, "--dry-run")
	}
	more, err := verbArgs(verb, rest)
	if err != nil {
		return err
	}
	root := a.root()
	root.SetArgs(append(args, more...))
	return root.ExecuteContext(ctx)
}

// verbArgs are the arguments that stand behind a verb in a task. A text is
// taken as it stands unless flags come first.
func verbArgs(verb, rest string) ([]string, error) {
	flags := len(rest) > 1 && rest[0] == '-' && !unicode.IsSpace(rune(rest[1]))
	switch {
	case rest == "":
		return nil, nil
	case verb != "forget" && !flags:
		return []string{"--", rest}, nil
	}
	words, ok := splitWords(rest)
	if !ok {
		return nil, usagef("/%s: a quotation mark is not closed", verb)
	}
	return words, nil
}

// splitWords cuts a line at its blanks, but not within quotation marks.
func splitWords(line string) (words []string, closed bool) {
	var word strings.Builder
	var quote rune
	begun := false
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'' && !begun:
			quote, begun = r, true
		case unicode.IsSpace(r):
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words, quote == 0
}

// forAgents refuses tasks of --parallel that need no agent: there is nothing
// to run beside the others.
func forAgents(tasks []string) error {
	for i, task := range tasks {
		if verb, _, ok := ownVerb(task); ok {
			return &Error{Kind: KindUsage, Err: fmt.Errorf("%s asks for /%s, which needs no agent", nth(i, len(tasks)), verb),
				Hint: "give it to a run of its own, or use 'agentflow " + verb + "'"}
		}
	}
	return nil
}

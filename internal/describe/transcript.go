package describe

import (
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// Speech is an item of a transcript in words.
type Speech struct {
	Head string // the speaker, or the action, on one line
	Note string // the result; may be empty
	Text []string
}

// Said describes an item of a transcript in words. agent is the agent's name in the transcript.
func Said(agent string, it api.TranscriptItem) Speech {
	switch it.Kind {
	case "prompt":
		return Speech{Head: "you", Text: textLines(it.Text)}
	case "message":
		return Speech{Head: OneLine(agent), Text: textLines(it.Text)}
	case "tool":
		return Speech{Head: strings.TrimSpace(OneLine(it.Tool + " " + it.Object)), Note: callNote(it)}
	case "error":
		return Speech{Head: "error: " + OneLine(it.Text)}
	case "left":
		return Speech{Head: "left running, and ended: " + OneLine(it.Text)}
	}
	return Speech{Head: OneLine(it.Text), Note: it.Kind}
}

func textLines(text string) []string {
	return strings.Split(strings.Trim(memory.Clean(text), "\n"), "\n")
}

// toldFrom is the minimum duration of a tool call that is shown.
const toldFrom = time.Second

func callNote(it api.TranscriptItem) string {
	var notes []string
	switch {
	case it.Denied:
		notes = append(notes, "denied")
	case it.Failed:
		notes = append(notes, "failed")
	}
	if took := time.Duration(it.DurationMS) * time.Millisecond; took >= toldFrom {
		notes = append(notes, plural.Duration(took))
	}
	return strings.Join(notes, ", ")
}

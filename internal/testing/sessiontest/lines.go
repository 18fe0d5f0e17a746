package sessiontest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
)

// line adds a line to the CLI's transcript. It is written to the file at the
// end of the turn.
func (p *Player) line(fields map[string]any) {
	p.T.Helper()
	fields["uuid"], fields["sessionId"], fields["cwd"] = uuid.NewString(), p.ID, p.Dir
	fields["timestamp"] = time.Now().Add(p.Skew).UTC().Format("2006-01-02T15:04:05.000Z")
	fields["isSidechain"], fields["version"] = false, "2.1.197"
	data, err := json.Marshal(fields)
	must(p.T, err)
	p.held = append(append(p.held, data...), '\n')
}

func (p *Player) said(block map[string]any) {
	p.line(map[string]any{"type": "assistant", "message": map[string]any{
		"id": "msg_" + uuid.NewString(), "role": "assistant", "model": "claude-opus-4-8", "content": []any{block},
	}})
}

func (p *Player) call(tool string, input map[string]any) (id string) {
	p.calls++
	id = fmt.Sprintf("toolu_%d_%s", p.calls, p.ID)
	p.said(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	return id
}

func (p *Player) result(call, text string, failed bool, result any) {
	p.line(map[string]any{"type": "user", "toolUseResult": result, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": call, "is_error": failed, "content": text},
	}}})
}

// flush writes the pending lines.
func (p *Player) flush() {
	name := p.Transcript()
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil && len(p.held) > 0 {
		var f *os.File
		if f, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
			_, err = f.Write(p.held)
			f.Close()
		}
	}
	p.held = nil
	if err != nil {
		p.T.Error(err)
	}
}

// Flush writes the pending lines to the CLI's file, as the CLI does every 100
// ms.
func (p *Player) Flush() { p.flush() }

// lastSaid returns the last text among the pending lines.
func (p *Player) lastSaid() string {
	text := ""
	for line := range bytes.Lines(p.held) {
		var l struct {
			Type    string
			Message struct {
				Content json.RawMessage
			}
		}
		var blocks []struct{ Type, Text string }
		if json.Unmarshal(line, &l) == nil && l.Type == "assistant" && json.Unmarshal(l.Message.Content, &blocks) == nil {
			for _, b := range blocks {
				if b.Type == "text" {
					text = b.Text
				}
			}
		}
	}
	return text
}

package modeltest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
)

// deltaSize keeps the events of a huge text small, like those of the real
// server.
const deltaSize = 32 << 10

var (
	messages = protocol{side: Say("side answer"), read: readMessages, refuse: refuseMessage,
		write: func(w http.ResponseWriter, t Turn, model string, seq int) {
			w.Header().Set("Content-Type", "text/event-stream")
			(&stream{w: w}).message(t, model, seq)
		}}
	// bedrock answers like Amazon Bedrock: the model is in the path, and events
	// are frames.
	bedrock = protocol{side: messages.side, read: readMessages, refuse: refuseMessage,
		write: func(w http.ResponseWriter, t Turn, model string, seq int) {
			w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
			(&stream{w: w, frames: true}).message(t, model, seq)
		}}
)

func readMessages(r *Request) error {
	var raw struct{ Messages []Message }
	err := json.Unmarshal(r.Body, &raw)
	r.Messages = raw.Messages
	return err
}

func refuseMessage(w http.ResponseWriter, f failure) {
	w.Header().Set("retry-after-ms", "1") // for the SDK, which otherwise waits longer
	reply(w, f.status, object{"type": "error", "error": object{"type": f.kind, "message": f.message}})
}

// stream writes one message as server-sent events, in the order and shape of
// the Messages API (https://docs.anthropic.com/en/docs/build-with-claude/streaming).
type stream struct {
	w      http.ResponseWriter
	frames bool // in Bedrock's format
	err    error
}

func (s *stream) event(name string, fields object) {
	if s.err != nil {
		return
	}
	fields["type"] = name
	data, err := json.Marshal(fields)
	if err != nil {
		s.err = err
		return
	}
	if s.frames {
		_, s.err = s.w.Write(chunk(data))
		return
	}
	_, s.err = fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", name, data)
}

func (s *stream) flush() {
	if s.err == nil {
		s.err = http.NewResponseController(s.w).Flush()
	}
}

func (s *stream) message(t Turn, model string, seq int) {
	if s.blocks(t, model, seq); !t.hold {
		s.end(t)
	}
}

// blocks sends the message without its end.
func (s *stream) blocks(t Turn, model string, seq int) {
	s.event("message_start", object{"message": object{
		"id": fmt.Sprintf("msg_%04d", seq), "type": "message", "role": "assistant", "model": model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil,
		"usage": object{"input_tokens": cmp.Or(t.input, 100), "output_tokens": 1},
	}})
	for i, b := range t.blocks {
		if b.tool == "" {
			s.text(i, b.text)
		} else {
			s.tool(i, b, fmt.Sprintf("toolu_%04d_%d", seq, i))
		}
		s.event("content_block_stop", object{"index": i})
	}
	s.flush()
}

func (s *stream) text(i int, text string) {
	s.event("content_block_start", object{"index": i, "content_block": object{"type": "text", "text": ""}})
	for len(text) > 0 {
		piece := text[:cut(text, deltaSize)]
		s.event("content_block_delta", object{"index": i, "delta": object{"type": "text_delta", "text": piece}})
		text = text[len(piece):]
	}
}

// cut returns the largest length up to limit that does not split a rune.
func cut(text string, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	n := limit
	for n > limit-4 && text[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

func (s *stream) tool(i int, b block, id string) {
	s.event("content_block_start", object{"index": i, "content_block": object{"type": "tool_use", "id": id, "name": b.tool, "input": object{}}})
	s.event("content_block_delta", object{"index": i, "delta": object{"type": "input_json_delta", "partial_json": string(b.input)}})
}

func (s *stream) end(t Turn) {
	if t.after != nil {
		t.after()
	}
	switch {
	case t.cut:
		panic(http.ErrAbortHandler) // the connection ends here
	case t.broken != nil && s.frames:
		_, s.err = s.w.Write(exception(t.broken.kind, t.broken.message))
		return
	case t.broken != nil:
		s.event("error", object{"error": object{"type": t.broken.kind, "message": t.broken.message}})
		return
	}
	s.event("message_delta", object{
		"delta": object{"stop_reason": t.stopReason(), "stop_sequence": nil},
		"usage": object{"output_tokens": 50},
	})
	s.event("message_stop", object{})
	s.flush()
}

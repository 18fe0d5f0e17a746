package ask

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"agentflow/internal/invisible"
)

// Decode decodes an answer that is one JSON value and nothing else, apart from
// a code fence that models like to put around it. It drops fields that v does
// not have, because models like to add some. The caller has to check required
// fields and their limits.
func Decode(answer string, v any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(Unfence(answer))))
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more follows the JSON value")
		}
	}
	if err != nil {
		return fmt.Errorf("the answer is not the JSON that was asked for: %w (%s)", err, Line(answer))
	}
	return nil
}

// Item is an item of a list in an answer. An item that is not a T has an Err,
// and does not affect the rest of the answer.
type Item[T any] struct {
	Value T // with the fields that could be decoded
	Err   error
}

// UnmarshalJSON decodes the item. It always returns nil: see Err.
func (i *Item[T]) UnmarshalJSON(data []byte) error {
	i.Err = json.Unmarshal(data, &i.Value)
	return nil
}

// Unfence removes the code fence around a text.
func Unfence(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutSuffix(text, "```"); ok {
		if _, rest, ok := strings.Cut(body, "\n"); ok && strings.HasPrefix(body, "```") {
			return rest
		}
	}
	return text
}

// maxLine limits a program's or model's text in a message, in characters.
const maxLine = 200

// Line returns the beginning of a program's or model's text as one printable
// line.
func Line(s string) string {
	return invisible.Line(s[:min(len(s), 4*maxLine)], maxLine)
}

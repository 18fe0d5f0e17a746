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

// Decode reads an answer that is one JSON value and nothing else, apart from
// the code fence that models like to put around it. Fields that v does not have are
// dropped: models like to add some. Which fields must be there, and within which
// bounds, is for v's owner to check.
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

// Item is an item of a list in an answer. One that is no T has an Err, and leaves
// the rest of the answer as it is.
type Item[T any] struct {
	Value T // with the fields that could be read
	Err   error
}

// UnmarshalJSON reads the item. It returns no error: see Err.
func (i *Item[T]) UnmarshalJSON(data []byte) error {
	i.Err = json.Unmarshal(data, &i.Value)
	return nil
}

// Unfence takes off the code fence around a text.
func Unfence(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutSuffix(text, "```"); ok {
		if _, rest, ok := strings.Cut(body, "\n"); ok && strings.HasPrefix(body, "```") {
			return rest
		}
	}
	return text
}

// maxLine bounds a text of a program or a model in a message, in characters.
const maxLine = 200

// Line makes words of a program or a model fit for a message: the beginning,
// in one printable line.
func Line(s string) string {
	return invisible.Line(s[:min(len(s), 4*maxLine)], maxLine)
}

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
// the code fence that models like to put around it. It is strict: a field
// that v does not have is an error. Which fields must be there, and within
// which bounds, is for v's owner to check.
func Decode(answer string, v any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(Unfence(answer))))
	d.DisallowUnknownFields()
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

package embed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"agentflow/internal/ask"
)

// statusError is an answer with another status than 200.
type statusError struct {
	code    int
	message string        // from the server, cleaned
	hint    string        // the remedy
	after   time.Duration // how long the server asks to wait; 0 if it does not say
}

// ErrRefused marks errors of a provider that may be caused by one text: other
// texts, or the same texts in smaller batches, may be accepted. A wrong setting
// can look the same.
var ErrRefused = errors.New("refused")

// Is reports ErrRefused for a bad request, and for a server error that remains
// after retries, because a model may fail on one text.
func (e *statusError) Is(target error) bool {
	switch e.code {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity, http.StatusUnavailableForLegalReasons,
		http.StatusInternalServerError:
		return target == ErrRefused
	}
	return false
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("answered %d %s", e.code, http.StatusText(e.code))
	if e.message != "" {
		text += fmt.Sprintf(" (%s)", e.message)
	}
	if e.hint != "" {
		text += "; " + e.hint
	}
	return strings.TrimSpace(text)
}

// serverMessage returns the message of an error answer: {"error": "…"} from
// Ollama, {"error": {"message": "…"}} from OpenAI. It returns "" if the answer
// is not an error.
func serverMessage(answer []byte) string {
	var outer struct{ Error json.RawMessage }
	if json.Unmarshal(answer, &outer) != nil || len(outer.Error) == 0 || bytes.Equal(outer.Error, []byte("null")) {
		return ""
	}
	var inner struct{ Message string }
	var text string
	if json.Unmarshal(outer.Error, &text) == nil {
		return text
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		return inner.Message
	}
	return string(outer.Error)
}

// clean makes a server's message fit for an error: one short line, without the
// key, which some servers repeat.
func (e *endpoint) clean(message string) string {
	if e.key != "" {
		message = strings.ReplaceAll(message, e.key, "…")
	}
	return ask.Line(message)
}

// numbers is a vector in an answer. It rejects null, which encoding/json would
// decode as 0.
type numbers []float64

func (n *numbers) UnmarshalJSON(data []byte) error {
	if bytes.Contains(data, []byte("null")) {
		return errors.New("null in a vector")
	}
	return json.Unmarshal(data, (*[]float64)(n))
}

// decode decodes a 200 answer into v. It returns an error if the answer
// contains an error object.
func (e *endpoint) decode(answer []byte, v any) error {
	if message := serverMessage(answer); message != "" {
		return fmt.Errorf("answered with an error (%s)", e.clean(message))
	}
	if err := json.Unmarshal(answer, v); err != nil {
		return fmt.Errorf("the answer holds no vectors: %w", err)
	}
	return nil
}

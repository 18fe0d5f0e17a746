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

// statusError is an answer other than 200.
type statusError struct {
	code    int
	message string        // of the server, cleaned
	hint    string        // what to do
	after   time.Duration // the server asks to wait so long; 0: it does not say
}

// ErrRefused is what a provider's error is that may be the fault of one text:
// another text, or the same texts in smaller batches, may be taken. A wrong
// setting can look the same.
var ErrRefused = errors.New("refused")

// Is makes what a server calls a bad request an ErrRefused, and what it cannot
// answer at all, also when asked again: a model may fail on one text.
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

// serverMessage finds the words of an error answer: {"error": "…"} as Ollama
// says it, {"error": {"message": "…"}} as OpenAI does. Empty: no error in it.
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

// clean makes a server's words fit for a message: one short line, without the
// key, which some servers repeat.
func (e *endpoint) clean(message string) string {
	if e.key != "" {
		message = strings.ReplaceAll(message, e.key, "…")
	}
	return ask.Line(message)
}

// numbers is a vector in an answer. null is no number, though encoding/json
// would read it as 0.
type numbers []float64

func (n *numbers) UnmarshalJSON(data []byte) error {
	if bytes.Contains(data, []byte("null")) {
		return errors.New("null in a vector")
	}
	return json.Unmarshal(data, (*[]float64)(n))
}

// decode reads a 200 answer into v; an error object in it is an error.
func (e *endpoint) decode(answer []byte, v any) error {
	if message := serverMessage(answer); message != "" {
		return fmt.Errorf("answered with an error (%s)", e.clean(message))
	}
	if err := json.Unmarshal(answer, v); err != nil {
		return fmt.Errorf("the answer holds no vectors: %w", err)
	}
	return nil
}

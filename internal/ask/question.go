package ask

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Question is what is asked: what to do, and the data to do it with, apart so
// that data is not taken for instructions.
type Question struct{ Instruction, Data string }

// NewQuestion is a question whose data is JSON. data is of a type that always
// has it, such as a struct of texts and numbers; any other panics.
func NewQuestion(instruction string, data any) Question {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		panic("ask: data without JSON: " + err.Error())
	}
	return Question{Instruction: instruction, Data: text.String()}
}

// Label is what a question calls the thing at index i of those that it shows:
// short, and no id of memory, of which a model could make up others.
func Label(i int) string { return fmt.Sprintf("f%d", i+1) }

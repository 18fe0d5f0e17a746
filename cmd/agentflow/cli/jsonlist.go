package cli

import (
	"bytes"

	"agentflow/internal/invisible"
)

// JsonList prints a list as JSON, a page after the other, byte for byte as voice.json
// prints it whole. A jq expression is given the whole list at the end.
type JsonList[T any] struct {
	begun bool
	whole []T // for a jq expression
}

// Add prints a page behind those before.
func (l *JsonList[T]) Add(v *Voice, page []T) error {
	if v.Selection.Filter != nil {
		l.whole = append(l.whole, page...)
		return nil
	}
	text, err := v.Selection.Encode(page)
	if err != nil {
		return selectionError(err)
	}
	members, some := bytes.CutPrefix(bytes.TrimSuffix(text, []byte("\n]\n")), []byte("["))
	if !some || len(page) == 0 {
		return nil
	}
	open := "["
	if l.begun {
		open = ","
	}
	l.begun = true
	_, err = v.Out.Write(append([]byte(open), invisible.EscapeJSON(members)...))
	return err
}

// End ends the list.
func (l *JsonList[T]) End(v *Voice) error {
	end := "[]\n"
	switch {
	case v.Selection.Filter != nil:
		return v.Json(append([]T{}, l.whole...))
	case l.begun:
		end = "\n]\n"
	}
	_, err := v.Out.Write([]byte(end))
	return err
}

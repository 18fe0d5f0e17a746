package main

import (
	"bytes"

	"agentflow/internal/invisible"
)

// jsonList prints a list as JSON, a page after the other, byte for byte as voice.json
// prints it whole. A jq expression is given the whole list at the end.
type jsonList[T any] struct {
	begun bool
	whole []T // for a jq expression
}

// add prints a page behind those before.
func (l *jsonList[T]) add(v *voice, page []T) error {
	if v.selection.Filter != nil {
		l.whole = append(l.whole, page...)
		return nil
	}
	text, err := v.selection.Encode(page)
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
	_, err = v.out.Write(append([]byte(open), invisible.EscapeJSON(members)...))
	return err
}

// end ends the list.
func (l *jsonList[T]) end(v *voice) error {
	end := "[]\n"
	switch {
	case v.selection.Filter != nil:
		return v.json(append([]T{}, l.whole...))
	case l.begun:
		end = "\n]\n"
	}
	_, err := v.out.Write([]byte(end))
	return err
}

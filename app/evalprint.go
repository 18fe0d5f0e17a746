package app

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"agentflow/eval"
)

// object is a JSON object whose names come in an order of its own.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// with adds figures to an object.
func (o object) with(figures []eval.Figure) object {
	for _, f := range figures {
		o = append(o, member{f.Name, f.Value})
	}
	return o
}

// printTable prints rows in columns: the first to the left, numbers to the
// right.
func (a *operation) printTable(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		line := row[0] + pad(row[0], widths[0])
		for i, cell := range row[1:] {
			line += "  " + pad(cell, widths[i+1]) + cell
		}
		if n == 0 {
			line = a.bold(line)
		}
		a.printf("%s\n", line)
	}
}

func pad(cell string, width int) string {
	return strings.Repeat(" ", width-utf8.RuneCountInString(cell))
}

// counting tells how far a measurement is; done ends that.
func (a *operation) counting(what, unit string) (count func(n, all int), done func()) {
	b := a.newBar(what)
	return func(n, all int) { b.count(unit, n, all) }, b.end
}

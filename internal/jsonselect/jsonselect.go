// Package jsonselect encodes values as JSON, or a part of them: some fields of
// each object, or the results of a jq expression. It is pure.
package jsonselect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// Selection selects the part of a value to encode.
type Selection struct {
	Wanted bool        // JSON was requested; Encode ignores it
	Fields []string    // of each object; empty means all
	Filter *gojq.Query // nil means none
}

// UnknownFieldError means that no object has a field.
type UnknownFieldError struct {
	Name  string
	Known []string // the existing fields, sorted
}

func (e *UnknownFieldError) Error() string { return fmt.Sprintf("there is no field %q", e.Name) }

// FilterError means that an expression failed on a value.
type FilterError struct{ Err error }

func (e *FilterError) Error() string { return e.Err.Error() }
func (e *FilterError) Unwrap() error { return e.Err }

// Encode returns a value, or the selected part of it, as JSON. The results of
// Filter are written one per line, and strings without quotes. Errors are
// *UnknownFieldError, *FilterError, or from encoding/json.
func (s Selection) Encode(value any) ([]byte, error) {
	whole, err := encodeJSON(value)
	if err != nil || len(s.Fields) == 0 && s.Filter == nil {
		return whole, err
	}
	var part any
	decoder := json.NewDecoder(bytes.NewReader(whole))
	decoder.UseNumber()
	if err := decoder.Decode(&part); err != nil {
		return nil, err
	}
	if len(s.Fields) > 0 {
		known := Fields(value)
		for _, name := range s.Fields { // an empty list has no object to check
			if len(known) > 0 && !slices.Contains(known, name) {
				return nil, &UnknownFieldError{name, known}
			}
		}
		if part, err = pick(part, s.Fields, known); err != nil {
			return nil, err
		}
	}
	if s.Filter == nil {
		return encodeJSON(part)
	}
	return filtered(s.Filter, part)
}

// encodeJSON encodes one value with indentation. It does not escape HTML
// characters, because the readers are programs and not browsers.
func encodeJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return text.Bytes(), err
}

// pick keeps only these fields of an object, or of each object of a list. known
// are the possible names, or empty if they are unknown.
func pick(value any, fields, known []string) (any, error) {
	switch v := value.(type) {
	case []any:
		for i := range v {
			one, err := pick(v[i], fields, known)
			if err != nil {
				return nil, err
			}
			v[i] = one
		}
	case map[string]any:
		for _, name := range fields {
			if _, ok := v[name]; !ok && !slices.Contains(known, name) {
				return nil, &UnknownFieldError{name, slices.Sorted(maps.Keys(v))}
			}
		}
		maps.DeleteFunc(v, func(name string, _ any) bool { return !slices.Contains(fields, name) })
	}
	return value, nil
}

// Fields returns the sorted names of the fields of a struct, or of the structs
// in a list, including optional fields. It returns none for a type that encodes
// itself.
func Fields(value any) []string {
	t := reflect.TypeOf(value)
	for t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.IsExported() && !f.Anonymous {
			name = f.Name
		}
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// filtered returns the results of a jq expression, one per line.
func filtered(query *gojq.Query, value any) ([]byte, error) {
	var out bytes.Buffer
	for results := query.Run(value); ; {
		result, ok := results.Next()
		if !ok {
			return out.Bytes(), nil
		}
		var halt *gojq.HaltError
		switch r := result.(type) {
		case error:
			if errors.As(r, &halt) && halt.Value() == nil {
				return out.Bytes(), nil
			}
			return nil, &FilterError{r}
		case string:
			out.WriteString(r + "\n")
		default:
			line, err := gojq.Marshal(r)
			if err != nil {
				return nil, err
			}
			out.Write(append(line, '\n'))
		}
	}
}

// Object is a JSON object with members in a given order.
type Object []Member

// Member is a name and a value of an Object.
type Member struct {
	Name  string
	Value any
}

// MarshalJSON encodes the members in their order.
func (o Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.Value)
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

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/itchyny/gojq"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// selection is which part of its JSON a command prints.
type selection struct {
	fields []string    // empty: all
	filter *gojq.Query // nil: none
}

// selectJSON lets --json take fields, --json=id,title, and gives a command and
// those below it --jq, wherever they have --json.
func (v *voice) selectJSON(cmd *cobra.Command) {
	if f := cmd.Flags().Lookup("json"); f != nil {
		f.Value = &fieldsValue{Value: f.Value, selection: &v.selection}
		f.Usage += "; --json=FIELD,… prints only these fields"
		cmd.Flags().Var(&filterValue{json: f, selection: &v.selection}, "jq", "pass the JSON through this jq `expression`; texts are printed as they are")
		_ = cmd.RegisterFlagCompletionFunc("jq", cobra.NoFileCompletions)
	}
	for _, below := range cmd.Commands() {
		v.selectJSON(below)
	}
}

// fieldsValue is a --json flag: a truth value, or a list of fields.
type fieldsValue struct {
	pflag.Value
	selection *selection
}

func (f *fieldsValue) Set(text string) error {
	if _, err := strconv.ParseBool(text); err == nil {
		return f.Value.Set(text)
	}
	f.selection.fields = strings.Split(text, ",")
	return f.Value.Set("true")
}

// filterValue is a --jq flag; it turns --json on.
type filterValue struct {
	text      string
	json      *pflag.Flag
	selection *selection
}

func (f *filterValue) String() string { return f.text }
func (f *filterValue) Type() string   { return "string" }

func (f *filterValue) Set(text string) (err error) {
	f.text = text
	if f.selection.filter, err = gojq.Parse(text); err != nil {
		return fmt.Errorf("reading the jq expression: %w", err)
	}
	f.json.Changed = true
	return f.json.Value.Set("true")
}

// print writes a value as JSON on stdout, or the selected part of it.
func (s selection) encode(value any) ([]byte, error) {
	whole, err := encodeJSON(value)
	if err != nil || len(s.fields) == 0 && s.filter == nil {
		return whole, err
	}
	var part any
	decoder := json.NewDecoder(bytes.NewReader(whole))
	decoder.UseNumber()
	if err := decoder.Decode(&part); err != nil {
		return nil, err
	}
	if len(s.fields) > 0 {
		if part, err = pick(part, s.fields, namesOf(reflect.TypeOf(value))); err != nil {
			return nil, err
		}
	}
	if s.filter == nil {
		return encodeJSON(part)
	}
	return filtered(s.filter, part)
}

// encodeJSON is one indented value. HTML characters stay as they are: the
// readers are programs, not browsers.
func encodeJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return text.Bytes(), err
}

// pick leaves these fields of an object, or of each object of a list. known
// are the names that there may be, empty where nobody can say.
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
				err := usagef("--json: there is no field %q", name)
				err.Hint = "the fields are " + strings.Join(slices.Sorted(maps.Keys(v)), ", ")
				return nil, err
			}
		}
		maps.DeleteFunc(v, func(name string, _ any) bool { return !slices.Contains(fields, name) })
	}
	return value, nil
}

// namesOf are the names of the fields of a struct, or of the structs in a
// list, those that may be left out included.
func namesOf(t reflect.Type) []string {
	for t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// filtered is what a jq expression makes of a value, a result a line.
func filtered(query *gojq.Query, value any) ([]byte, error) {
	var out bytes.Buffer
	for results := query.Run(plainNumbers(value)); ; {
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
			return nil, usagef("--jq: %w", r)
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

// plainNumbers has numbers as gojq takes them.
func plainNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plainNumbers(v[name])
		}
	}
	return value
}

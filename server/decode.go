package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"agentflow/app"
	"agentflow/memory"
)

// maxText limits a value in the path or the query, in bytes.
const maxText = 16 << 10

func usagef(format string, args ...any) error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...)}
}

// hasBody reports whether requests with a method have a body.
func hasBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// decode decodes the parts of a request into a struct, and returns the
// repository that it names. Unknown parameters are an error, because a misspelt
// filter would otherwise let everything pass.
func decode(r *http.Request, to any) (repository string, err error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", usagef("the query of the request: %w", err)
	}
	repository, err = takeOne(query, "repository")
	if err != nil {
		return "", err
	}
	v := reflect.ValueOf(to).Elem()
	for field, tag := range tagged(v.Type()) {
		at := v.FieldByIndex(field.Index)
		if tag.place == "path" {
			err = setValue(at, tag.name, r.PathValue(tag.name))
		} else if at.Kind() == reflect.Slice {
			at.Set(reflect.ValueOf(query[tag.name]))
			delete(query, tag.name)
		} else {
			var text string
			if text, err = takeOne(query, tag.name); text != "" && err == nil {
				err = setValue(at, tag.name, text)
			}
		}
		if err != nil {
			return "", err
		}
	}
	for name := range query {
		return "", usagef("this route has no parameter %q", memory.Clean(name[:min(len(name), 100)]))
	}
	if hasBody(r.Method) {
		err = decodeBody(r.Body, to)
	}
	return repository, err
}

func takeOne(query url.Values, name string) (string, error) {
	values := query[name]
	delete(query, name)
	switch {
	case len(values) > 1:
		return "", usagef("parameter %s is given twice", name)
	case len(values) == 0:
		return "", nil
	case len(values[0]) > maxText || !utf8.ValidString(values[0]):
		return "", usagef("parameter %s is too long, or not UTF-8", name)
	}
	return values[0], nil
}

// setValue parses the text of a parameter.
func setValue(at reflect.Value, name, text string) (err error) {
	switch to := at.Addr().Interface().(type) {
	case *time.Time:
		*to, err = time.Parse(time.RFC3339, text)
	case *bool:
		*to, err = strconv.ParseBool(text)
	case *int:
		*to, err = strconv.Atoi(text)
	case *float64:
		if *to, err = strconv.ParseFloat(text, 64); math.IsNaN(*to) {
			err = strconv.ErrSyntax // nothing is greater or less than NaN
		}
	case *id:
		*to = id(text)
		err = to.check()
	default:
		at.SetString(text)
	}
	if err != nil {
		return usagef("parameter %s: %q is no %s", name, memory.Clean(text[:min(len(text), 100)]), at.Type().Name())
	}
	return nil
}

// decodeBody decodes one JSON object; an empty body is the empty object.
func decodeBody(body io.Reader, to any) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return usagef("the body could not be read: %w", err)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	if !utf8.Valid(text) {
		return usagef("the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return usagef("the body: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return usagef("the body is more than one JSON object")
	}
	return nil
}

// id identifies an entry, a fact or a commit: hexadecimal digits and dashes, or
// "last".
type id string

// maxID is the length of the longest id, which is a SHA-256 commit id.
const maxID = 64

func (i id) check() error {
	if len(i) == 0 || len(i) > maxID || i[0] == '-' {
		return errors.New("no id")
	}
	if i == "last" {
		return nil
	}
	for _, c := range []byte(i) {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return errors.New("no id")
		}
	}
	return nil
}

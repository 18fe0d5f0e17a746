package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Edit is the text of a settings file with a setting in it; everything else,
// comments too, stays as it is. value is written as in TOML, or as plain text.
// It is an error when there is no such setting, when the value does not suit
// it, or when the file is written in a way that only a person can change.
func Edit(data []byte, key, value string) ([]byte, error) {
	if p := Defaults().Set("", key, value); p != nil {
		return nil, fmt.Errorf("%s: %s", key, p.Message)
	}
	f, err := openLines(data)
	if err != nil {
		return nil, err
	}
	literal, parsed := literalOf(value)
	dot := strings.LastIndexByte(key, '.')
	section, name := key[:dot], key[dot+1:]
	switch at, end, found := f.statement(key); {
	case found:
		f.replace(at, end, indentOf(f.lines[at])+name+" = "+literal+commentOf(f.lines[at:end]))
	case f.header(section) >= 0:
		end := f.sectionEnd(f.header(section))
		f.replace(end, end, name+" = "+literal)
	default:
		if len(data) > 0 {
			f.lines = append(f.lines, "")
		}
		f.lines = append(f.lines, "["+section+"]", name+" = "+literal)
	}
	want := f.flat
	want[key] = parsed
	return f.checked(want)
}

// ErrNotSet is the error of Unset for a setting that the file does not hold.
var ErrNotSet = errors.New("it is not set there")

// Unset is the text of a settings file without a setting.
func Unset(data []byte, key string) ([]byte, error) {
	f, err := openLines(data)
	if err != nil {
		return nil, err
	}
	if _, there := f.flat[key]; !there {
		return nil, fmt.Errorf("%s: %w", key, ErrNotSet)
	}
	if at, end, found := f.statement(key); found {
		f.replace(at, end)
	}
	delete(f.flat, key)
	return f.checked(f.flat)
}

// settingsLines is a settings file, line by line.
type settingsLines struct {
	lines []string // without their ends
	at    map[string]int
	flat  map[string]any
}

func openLines(data []byte) (*settingsLines, error) {
	data = bytes.TrimPrefix(data, byteOrderMark)
	flat, err := flatOf(data)
	if err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	text := strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	f := &settingsLines{at: keyLines(data), flat: flat}
	if text != "" {
		f.lines = strings.Split(text, "\n")
	}
	return f, nil
}

func flatOf(data []byte) (map[string]any, error) {
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	flat := map[string]any{}
	flatten(flat, "", tree, maxDepth)
	return flat, nil
}

// statement is where "key = value" stands, from line at to before line end.
func (f *settingsLines) statement(key string) (at, end int, found bool) {
	line, found := f.at[key]
	if !found || f.isHeader(line-1) {
		return 0, 0, false
	}
	at = line - 1
	for end = at + 1; end <= len(f.lines); end++ { // a list may go over several lines
		if _, err := flatOf([]byte(strings.Join(f.lines[at:end], "\n"))); err == nil {
			return at, end, true
		}
	}
	return 0, 0, false
}

func (f *settingsLines) isHeader(line int) bool {
	return strings.HasPrefix(strings.TrimSpace(f.lines[line]), "[")
}

// header is the line of [section]; -1: there is none.
func (f *settingsLines) header(section string) int {
	if line, ok := f.at[section]; ok && f.isHeader(line-1) {
		return line - 1
	}
	return -1
}

// sectionEnd is the line behind the last setting of a section.
func (f *settingsLines) sectionEnd(header int) int {
	end := len(f.lines)
	for _, line := range f.at {
		if line-1 > header && line-1 < end && f.isHeader(line-1) {
			end = line - 1
		}
	}
	for end > header+1 {
		if text := strings.TrimSpace(f.lines[end-1]); text != "" && text[0] != '#' {
			break
		}
		end--
	}
	return end
}

func (f *settingsLines) replace(from, to int, with ...string) {
	f.lines = slices.Replace(f.lines, from, to, with...)
}

// checked is the file's text, if it says what it should.
func (f *settingsLines) checked(want map[string]any) ([]byte, error) {
	text := []byte(strings.Join(f.lines, "\n") + "\n")
	if have, err := flatOf(text); err != nil || !reflect.DeepEqual(have, want) {
		return nil, errors.New("the file is written in a way that only a person can change: edit it by hand")
	}
	return text, nil
}

// literalOf is a value as it stands in TOML, and as it is read back.
func literalOf(value string) (text string, parsed any) {
	if flat, err := flatOf([]byte("v = " + value)); err == nil && len(flat) == 1 && flat["v"] != nil && !strings.ContainsAny(value, "\n#") {
		return value, flat["v"]
	}
	quoted, _ := toml.Marshal(map[string]string{"v": value})
	return strings.TrimSpace(strings.TrimPrefix(string(quoted), "v = ")), value
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// commentOf is the comment behind a value that stands on one line.
func commentOf(lines []string) string {
	if len(lines) > 1 {
		return ""
	}
	for i, r := range lines[0] {
		if r != '#' {
			continue
		}
		if _, err := flatOf([]byte(lines[0][:i])); err == nil {
			return lines[0][len(strings.TrimRight(lines[0][:i], " \t")):]
		}
	}
	return ""
}

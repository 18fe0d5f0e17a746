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

// Edit returns the text of a settings file with a setting changed or added. It
// keeps everything else, including comments. value is written as in TOML, or as
// plain text. It returns an error if there is no such setting, if the value is
// invalid, or if the file is written in a form that only a person can change.
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

// ErrNotSet reports from Unset that the file does not contain the setting.
var ErrNotSet = errors.New("it is not set there")

// Unset returns the text of a settings file without a setting.
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

// settingsLines is a settings file, split into lines.
type settingsLines struct {
	lines []string // without line ends
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

// statement returns the lines of "key = value", from line at to before line
// end.
func (f *settingsLines) statement(key string) (at, end int, found bool) {
	line, found := f.at[key]
	if !found || f.isHeader(line-1) {
		return 0, 0, false
	}
	at = line - 1
	for end = at + 1; end <= len(f.lines); end++ { // a list may span several lines
		if _, err := flatOf([]byte(strings.Join(f.lines[at:end], "\n"))); err == nil {
			return at, end, true
		}
	}
	return 0, 0, false
}

func (f *settingsLines) isHeader(line int) bool {
	return strings.HasPrefix(strings.TrimSpace(f.lines[line]), "[")
}

// header returns the line of [section], or -1 if there is none.
func (f *settingsLines) header(section string) int {
	if line, ok := f.at[section]; ok && f.isHeader(line-1) {
		return line - 1
	}
	return -1
}

// sectionEnd returns the line after the last setting of a section.
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

// checked returns the text of the file, if it has the wanted settings.
func (f *settingsLines) checked(want map[string]any) ([]byte, error) {
	text := []byte(strings.Join(f.lines, "\n") + "\n")
	if have, err := flatOf(text); err != nil || !reflect.DeepEqual(have, want) {
		return nil, errors.New("the file is written in a way that only a person can change: edit it by hand")
	}
	return text, nil
}

// literalOf returns a value as TOML, and the value that TOML decodes it to.
func literalOf(value string) (text string, parsed any) {
	flat, err := flatOf([]byte("v = " + value))
	_, err2 := flatOf([]byte("v = [" + value + "]")) // fails if value ends in a comment
	if err == nil && err2 == nil && len(flat) == 1 && flat["v"] != nil && !strings.Contains(value, "\n") {
		return value, flat["v"]
	}
	quoted, _ := toml.Marshal(map[string]string{"v": value})
	return strings.TrimSpace(strings.TrimPrefix(string(quoted), "v = ")), value
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// commentOf returns the comment after a value on a single line.
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

package memorytool

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"agentflow/memory/quote"
)

// maxView limits the part of a file that an answer shows, in bytes. view_range shows the other
// lines.
const maxView = 100_000

func (f *folder) view(c Command) (Result, error) {
	at, err := cleanPath(c.Path)
	if err != nil {
		return Result{}, err
	}
	if content, ok := f.file(at); ok {
		return viewFile(at, f.show(content), c.ViewRange)
	}
	if below := f.below(at); len(below) > 0 || at == Root {
		return Result{Text: f.listing(at, below)}, nil
	}
	return Result{}, errorf(NotFound, "The path %s does not exist. Please provide a valid path.", named(at))
}

// listing shows a directory and two levels below it, each with the total size of its files in
// bytes.
func (f *folder) listing(dir string, below []string) string {
	const levels = 2
	sizes, order := map[string]int{}, []string{dir}
	for _, file := range below {
		sizes[dir] += len(f.files[file])
		names := strings.Split(strings.TrimPrefix(file, dir+"/"), "/")
		for i := 1; i <= min(len(names), levels); i++ {
			at := dir + "/" + strings.Join(names[:i], "/")
			if _, listed := sizes[at]; !listed {
				order = append(order, at)
			}
			sizes[at] += len(f.files[file])
		}
	}
	slices.SortFunc(order, func(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) })
	var b strings.Builder
	fmt.Fprintf(&b, "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:", named(dir))
	for _, at := range order {
		fmt.Fprintf(&b, "\n%s\t%s", sizeText(sizes[at]), named(at))
	}
	return b.String()
}

// sizeText returns a number of bytes in the tool's form: 0B, 5.5K, 2M.
func sizeText(n int) string {
	size, unit := float64(n), 0
	for size >= 1024 && unit < 3 {
		size, unit = size/1024, unit+1
	}
	if size == float64(int(size)) {
		return fmt.Sprintf("%d%c", int(size), "BKMG"[unit])
	}
	return fmt.Sprintf("%.1f%c", size, "BKMG"[unit])
}

func viewFile(at, content string, lines []int) (Result, error) {
	all := linesOf(content)
	if len(all) > MaxLines {
		return Result{}, tooManyLines(at)
	}
	from, to := 1, len(all)
	if len(lines) > 0 {
		var err error
		if from, to, err = viewRange(lines, len(all)); err != nil {
			return Result{}, err
		}
	}
	text := "Here's the content of " + named(at) + " with line numbers:\n"
	shown, last := numbered(all, from, to, maxView)
	text += shown
	if last < to {
		text += fmt.Sprintf("\n[%s has %d lines: view_range shows those from %d on]", named(path.Base(at)), len(all), last+1)
	}
	return Result{Text: text}, nil
}

// viewRange returns the first and the last line to show of n lines.
func viewRange(lines []int, n int) (from, to int, err error) {
	if len(lines) == 2 {
		from, to = lines[0], lines[1]
		if to == -1 || to > n {
			to = n
		}
		if from >= 1 && (from <= to || n == 0 && from == 1) {
			return from, to, nil
		}
	}
	return 0, 0, errorf(Invalid, "Invalid `view_range` parameter: %s. It should be two lines within the range of lines of the file: [1, %d]", strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), n)
}

// linesOf returns the lines of a file, without their ends.
func linesOf(content string) []string {
	if content == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// numbered returns the lines from from to to with their numbers, and the number of the last
// line that fits into most bytes. It always includes the first line, and cuts it if it is too
// long.
func numbered(lines []string, from, to, most int) (text string, last int) {
	var b strings.Builder
	for i := from; i <= to; i++ {
		line := quote.Safe(lines[i-1])
		if i > from {
			if b.Len()+len(line) > most {
				break
			}
			b.WriteByte('\n')
		} else if len(line) > most {
			line = strings.ToValidUTF8(line[:most], "") + "…"
		}
		fmt.Fprintf(&b, "%6d\t%s", i, line)
		last = i
	}
	return b.String(), max(last, from-1)
}

func tooManyLines(at string) error {
	return errorf(Refused, "File %s exceeds maximum line limit of 999,999 lines.", named(at))
}

// countLines returns len(linesOf(content)).
func countLines(content string) int {
	n := strings.Count(content, "\n")
	if content != "" && !strings.HasSuffix(content, "\n") {
		n++
	}
	return n
}

package app

import (
	"context"
	"strings"
)

// tasks reads the tasks of --parallel.
func (a *operation) tasks(o runOptions, words []string) ([]string, error) {
	file := o.file
	switch {
	case file == "" && len(words) == 1 && words[0] == "-":
		file = "-"
	case file != "" && len(words) == 0:
	default:
		err := usagef("the tasks of --parallel come from a file")
		err.Hint = "agentflow run --parallel 4 -f tasks.txt, or - for standard input"
		return nil, err
	}
	text, err := a.readFile(file)
	if err != nil {
		return nil, err
	}
	list := splitTasks(text)
	if len(list) == 0 {
		err := usagef("%s holds no task", file)
		err.Hint = "write one a line, or longer ones between lines of ---"
		return nil, err
	}
	return list, forAgents(list)
}

// splitTasks takes a list of tasks apart. Where it has lines of ---, what
// stands between them is a task each, as it was written; else each line is
// one, but for empty ones and comments, which begin with #.
func splitTasks(text string) []string {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "\ufeff")
	lines := strings.Split(text, "\n")
	var blocks, single []string
	block, divided := []string{}, false
	end := func() {
		if whole := strings.Trim(strings.Join(block, "\n"), "\n"); strings.TrimSpace(whole) != "" {
			blocks = append(blocks, whole)
		}
		block = block[:0]
	}
	for _, line := range lines {
		if strings.TrimRight(line, " \t") == "---" {
			divided = true
			end()
			continue
		}
		block = append(block, line)
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			single = append(single, line)
		}
	}
	end()
	if divided {
		return blocks
	}
	return single
}

// dryRuns prints what each run would be asked, and runs none.
func (s *site) dryRuns(ctx context.Context, o runOptions, tasks []string) error {
	for n, task := range tasks {
		s.printf("%s\n", s.bold(nth(n, len(tasks))))
		req, err := s.request(o, task, nil)
		if err != nil {
			return err
		}
		s.dryRun(ctx, o, req)
	}
	return nil
}

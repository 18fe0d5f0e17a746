package gitwatch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"agentflow/gitwatch/internal/git"
)

// catFile is one git cat-file that answers for object after object.
type catFile struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func openCat(ctx context.Context, workTree string) (*catFile, error) {
	cmd, err := git.Command(ctx, workTree, "cat-file", "--batch-command")
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &catFile{cmd, in, bufio.NewReaderSize(out, 64<<10)}, nil
}

// object asks for the size first where there is a bound.
func (c *catFile) object(id git.ID, limit int64) (string, []byte, error) {
	if limit < noLimit {
		_, size, err := c.ask("info", id)
		if err != nil {
			return "", nil, err
		}
		if size > limit {
			return "", nil, git.ErrTooLarge
		}
	}
	kind, size, err := c.ask("contents", id)
	if err != nil {
		return "", nil, err
	}
	raw := make([]byte, size+1) // and a line feed
	if _, err := io.ReadFull(c.out, raw); err != nil {
		return "", nil, err
	}
	return kind, raw[:size], nil
}

// ask sends one command and reads the line that answers it: "ID KIND SIZE",
// or "ID missing".
func (c *catFile) ask(command string, id git.ID) (kind string, size int64, err error) {
	if _, err := fmt.Fprintf(c.in, "%s %s\n", command, id); err != nil {
		return "", 0, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return "", 0, err
	}
	fields := strings.Fields(line)
	switch {
	case len(fields) == 2 && fields[1] == "missing":
		return "", 0, errMissing
	case len(fields) != 3 || fields[0] != id.String():
		return "", 0, errors.New("it answered " + git.OneLine(line))
	}
	size, err = strconv.ParseInt(fields[2], 10, 64)
	return fields[1], size, err
}

// close ends git, which has nothing more to say.
func (c *catFile) close() {
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

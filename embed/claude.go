package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// claude embeds by asking the Claude CLI to place each text on named axes. It
// needs no account but that of the agent, and that is all that speaks for it:
// an answer takes seconds and costs money, two dozen axes tell little apart,
// and the same text is placed somewhat differently each time. So it is never
// chosen by itself, and vectors should be kept once they are there. Texts go
// to the CLI's provider.
type claude struct {
	argv    []string
	environ []string
	model   string
	batch   int
	timeout time.Duration
}

// claudeModel is the cheapest that the CLI knows by a name that lasts.
const claudeModel = "haiku"

// newClaude returns an embedder over the Claude CLI.
func newClaude(o Options) (*claude, error) {
	if o.Dimensions != 0 && o.Dimensions != len(axes) {
		return nil, fmt.Errorf("dimensions %d: it has %d axes; leave dimensions in [embed] out", o.Dimensions, len(axes))
	}
	if len(o.Environ) == 0 {
		return nil, errors.New("no environment for the CLI")
	}
	c := &claude{argv: o.Argv, model: o.Model, batch: o.batch(batchClaude), timeout: o.timeout()}
	if len(c.argv) == 0 {
		c.argv = []string{"claude"}
	}
	if c.model == "" {
		c.model = claudeModel
	}
	// Its requests beside the one for the answer are of no use here.
	c.environ = append(append([]string{}, o.Environ...), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1")
	return c, nil
}

// Info implements Embedder. The axes are part of the identity by their
// version.
func (c *claude) Info() Info {
	return Info{
		Identity:   fmt.Sprintf("claude/%d %q %d", axesVersion, c.model, len(axes)),
		Dimensions: len(axes), Batch: c.batch, Weight: weightClaude,
	}
}

// Embed implements Embedder: one run of the CLI a batch.
func (c *claude) Embed(ctx context.Context, _ Role, texts []string) ([][]float32, error) {
	out, err := inBatches(texts, c.batch, func(part []string) ([][]float32, error) {
		answer, err := c.run(ctx, part)
		if err != nil {
			return nil, err
		}
		return claudeVectors(answer, len(part))
	})
	if err != nil {
		return nil, fmt.Errorf("embed %d texts with claude (%s): %w", len(texts), c.argv[0], err)
	}
	return out, nil
}

// run asks once. The texts go to stdin as a JSON list, apart from what is
// asked. The CLI runs outside the repository, whose settings could start
// programs, without tools, and in its safe mode, in which no hook of the user
// runs either: one that asks for memory would ask for vectors again.
func (c *claude) run(ctx context.Context, texts []string) ([]byte, error) {
	input, err := json.Marshal(texts)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	argv := append(append([]string{}, c.argv...), "-p", "--output-format", "json", "--model", c.model,
		"--system-prompt", instruction(),
		"--tools", "", "--strict-mcp-config", "--safe-mode", "--no-session-persistence")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = os.TempDir()
	cmd.Env = c.environ
	cmd.Stdin = strings.NewReader(string(input))
	cmd.WaitDelay = time.Second // for whoever keeps the pipes open after its end
	stdout, stderr := &clipped{most: maxClaudeAnswer}, &clipped{most: maxClaudeAnswer}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, because(ctx, err)
	case stdout.over:
		return nil, fmt.Errorf("the answer is larger than %d bytes", maxClaudeAnswer)
	case err != nil:
		return nil, claudeFailure(err, stdout.data, stderr.data)
	}
	return stdout.data, nil
}

// maxClaudeAnswer bounds what is kept of one run's output.
const maxClaudeAnswer = 1 << 20

// clipped keeps the beginning of what is written to it.
type clipped struct {
	data []byte
	most int
	over bool
}

func (c *clipped) Write(p []byte) (int, error) {
	kept := p[:min(len(p), c.most-len(c.data))]
	c.data = append(c.data, kept...)
	c.over = c.over || len(kept) < len(p)
	return len(p), nil
}

package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/ask"
)

// claude embeds by asking the Claude CLI to place each text on named axes. It
// needs no account but that of the agent, and that is all that speaks for it:
// an answer takes seconds and costs money, two dozen axes tell little apart,
// and the same text is placed somewhat differently each time. So it is never
// chosen by itself, and vectors should be kept once they are there. Texts go
// to the CLI's provider.
type claude struct {
	cli     ask.CLI
	batch   int
	timeout time.Duration
}

// newClaude returns an embedder over the Claude CLI.
func newClaude(o Options) (*claude, error) {
	if o.Dimensions != 0 && o.Dimensions != len(axes) {
		return nil, fmt.Errorf("dimensions %d: it has %d axes; leave dimensions in [embed] out", o.Dimensions, len(axes))
	}
	if len(o.Environ) == 0 {
		return nil, errors.New("no environment for the CLI")
	}
	c := &claude{cli: ask.CLI{Argv: o.Argv, Environ: o.Environ, Model: o.Model}, batch: o.batch(batchClaude), timeout: o.timeout()}
	if len(c.cli.Argv) == 0 {
		c.cli.Argv = []string{"claude"}
	}
	if c.cli.Model == "" {
		c.cli.Model = ask.CheapModel
	}
	return c, nil
}

// Info implements Embedder. The axes are part of the identity by their
// version.
func (c *claude) Info() Info {
	return Info{
		Identity:   fmt.Sprintf("claude/%d %q %d", axesVersion, c.cli.Model, len(axes)),
		Dimensions: len(axes), Batch: c.batch, Weight: weightClaude,
	}
}

// Embed implements Embedder: one run of the CLI a batch.
func (c *claude) Embed(ctx context.Context, _ Role, texts []string) ([][]float32, error) {
	out, err := inBatches(texts, c.batch, func(part []string) ([][]float32, error) {
		answer, err := c.ask(ctx, part)
		if err != nil {
			return nil, err
		}
		return claudeVectors(answer, len(part))
	})
	if err != nil {
		return nil, fmt.Errorf("embed %d texts with claude (%s): %w", len(texts), c.cli.Argv[0], err)
	}
	return out, nil
}

// ask asks once. The texts are a JSON list, apart from what is asked.
func (c *claude) ask(ctx context.Context, texts []string) (string, error) {
	data, err := json.Marshal(texts)
	if err != nil {
		return "", err
	}
	ctx, cancel := withTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.cli.Ask(ctx, ask.Question{Instruction: instruction(), Data: string(data)})
	return answer.Text, err
}

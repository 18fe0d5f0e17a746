package embed

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// claudeResult is what the CLI prints with --output-format json.
type claudeResult struct {
	Type    string
	Subtype string
	IsError bool `json:"is_error"`
	Result  string
}

// claudeVectors reads the vectors of want texts from the CLI's output. The
// words of a model are checked number by number: how many, and that each lies
// within -1 and 1.
func claudeVectors(output []byte, want int) ([][]float32, error) {
	var r claudeResult
	if err := json.Unmarshal(output, &r); err != nil || r.Type != "result" {
		return nil, fmt.Errorf("the CLI printed no result (%s)", oneLine(clip(output)))
	}
	if r.IsError || r.Subtype != "success" {
		return nil, fmt.Errorf("the CLI failed: %s (%s)", oneLine(r.Result), oneLine(r.Subtype))
	}
	var answer []numbers
	if err := json.Unmarshal([]byte(unfence(r.Result)), &answer); err != nil {
		return nil, fmt.Errorf("the answer holds no vectors (%s)", oneLine(clip([]byte(r.Result))))
	}
	vectors := make([][]float64, len(answer))
	for i, v := range answer {
		if len(v) != len(axes) {
			return nil, fmt.Errorf("vector %d has %d numbers for %d axes", i, len(v), len(axes))
		}
		for _, x := range v {
			if math.Abs(x) > 1 {
				return nil, fmt.Errorf("vector %d holds %g, which is not within -1 and 1", i, x)
			}
		}
		vectors[i] = v
	}
	return units(vectors, want, len(axes))
}

// unfence takes off the code fence that models like to put around JSON.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutSuffix(text, "```"); ok {
		if _, rest, ok := strings.Cut(body, "\n"); ok && strings.HasPrefix(body, "```") {
			return rest
		}
	}
	return text
}

// claudeFailure is why a run of the CLI failed: its result says it on stdout,
// whatever the exit code; else stderr may.
func claudeFailure(err error, stdout, stderr []byte) error {
	var r claudeResult
	if json.Unmarshal(stdout, &r) == nil && r.Result != "" {
		return fmt.Errorf("the CLI failed: %s", oneLine(r.Result))
	}
	if said := oneLine(clip(stderr)); said != "" {
		return fmt.Errorf("the CLI failed: %w (%s)", err, said)
	}
	return fmt.Errorf("the CLI failed: %w", err)
}

// clip keeps what a message can hold of a long output.
func clip(b []byte) string { return string(b[:min(len(b), 4*maxMessage)]) }

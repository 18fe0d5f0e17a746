package embed

import (
	"encoding/json"
	"fmt"
	"math"

	"agentflow/internal/ask"
)

// claudeVectors reads the vectors of want texts from the CLI's answer. The
// words of a model are checked number by number: how many, and that each lies
// within -1 and 1.
func claudeVectors(answer string, want int) ([][]float32, error) {
	var list []numbers
	if err := json.Unmarshal([]byte(ask.Unfence(answer)), &list); err != nil {
		return nil, fmt.Errorf("the answer holds no vectors (%s)", ask.Line(answer))
	}
	vectors := make([][]float64, len(list))
	for i, v := range list {
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

package main

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
)

// limitsText holds a line for each measure with a limit: its limit now, its
// final limit, its name.
//
//go:embed limits.txt
var limitsText string

// A limit bounds a measure. A measure may not be above now. It may not be more
// than 5 % below now either, so that now follows, until now is at most final.
type limit struct{ now, final float64 }

// readLimits returns the limits by the names of their measures.
func readLimits() (map[string]limit, error) {
	limits := map[string]limit{}
	for line := range strings.Lines(limitsText) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("limits.txt: %q is not a limit, a final limit and a name", line)
		}
		now, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return nil, err
		}
		final, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			return nil, err
		}
		limits[strings.Join(fields[2:], " ")] = limit{now, final}
	}
	return limits, nil
}

// broken explains how a value breaks the limit, or returns "".
func (l limit) broken(value float64) string {
	allowed := max(l.now, l.final)
	switch {
	case value > allowed:
		return fmt.Sprintf("%s is above the limit %s", number(value), number(allowed))
	case l.now > l.final && value < 0.95*l.now:
		return fmt.Sprintf("%s is more than 5 %% below the limit %s: lower it in limits.txt, to %s at the least", number(value), number(l.now), number(l.final))
	}
	return ""
}

package config

import (
	"fmt"
	"math"
	"time"
)

// Extract holds who is asked about memory, and whether it is asked for
// lasting facts after each run. consolidate --llm asks the same.
type Extract struct {
	Enabled bool
	When    string        // "run": before the command exits; "daemon": left to its next pass
	Agent   string        // claude, or an agent that the user named
	Model   string        // empty: a cheap one
	MaxCost float64       // US dollars a question; 0: none
	Timeout time.Duration // of a question; more than 0
}

func defaultExtract() Extract {
	return Extract{When: "run", Agent: "claude", MaxCost: 0.05, Timeout: time.Minute}
}

// keys are those of [extract]: all spend the user's money, and send what an
// agent said to somebody.
func (Extract) keys() []key {
	g := group{user: true, strict: true}
	return []key{
		g.boolean("extract.enabled", func(c *Config) *bool { return &c.Extract.Enabled }),
		g.text("extract.when", func(c *Config) *string { return &c.Extract.When }, "run", "daemon"),
		g.text("extract.agent", func(c *Config) *string { return &c.Extract.Agent }),
		g.text("extract.model", func(c *Config) *string { return &c.Extract.Model }),
		g.number("extract.max_cost", 0, math.MaxFloat64, func(c *Config) *float64 { return &c.Extract.MaxCost }),
		g.pause("extract.timeout", func(c *Config) *time.Duration { return &c.Extract.Timeout }),
	}
}

func (g group) boolean(name string, at func(*Config) *bool) key {
	return g.key(name, func(c *Config, v any) error {
		b, ok := v.(bool)
		if !ok {
			return fmt.Errorf("want true or false, have %v", v)
		}
		*at(c) = b
		return nil
	}, func(c *Config) any { return *at(c) })
}

package history

import (
	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
)

// printTranscript prints messages and tool calls with their times: messages below
// their speaker, each tool call on a line.
func printTranscript(c *cli.Env, t api.Transcript) {
	if t.From != "" {
		c.Say("the folder of the run is gone; this is from %s", t.From)
	}
	if t.LeftOut > 0 {
		c.Say("%s before this are left out", plural.Count(t.LeftOut, "item"))
	}
	if len(t.Items) == 0 {
		c.Say("nothing was said")
	}
	day, spoke := "", false
	for i, it := range t.Items {
		at := "        "
		if !it.Time.IsZero() {
			local := it.Time.Local()
			at = local.Format("15:04:05")
			if now := local.Format("2006-01-02"); now != day {
				day = now
				c.Printf("%s\n", c.Dim(now))
			}
		}
		s := describe.Said(t.Agent, it)
		if i > 0 && (spoke || s.Text != nil) {
			c.Printf("\n")
		}
		head := s.Head
		if spoke = s.Text != nil; spoke {
			head = c.Bold(head)
		}
		if s.Note != "" {
			s.Note = "  " + c.Dim(s.Note)
		}
		c.Printf("%s  %s%s\n", c.Dim(at), head, s.Note)
		for _, line := range s.Text {
			if line != "" {
				line = "          " + line
			}
			c.Printf("%s\n", line)
		}
	}
}

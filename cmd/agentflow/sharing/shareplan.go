package sharing

import (
	"strings"

	appshare "agentflow/app/share"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/plural"
	"agentflow/internal/share"
)

// printSharePlan prints what would be shared, the destination, and what stays here.
func printSharePlan(c *cli.Env, p appshare.Plan) {
	to := cli.CleanLine(p.Remote)
	if p.Address != p.Remote {
		to += " (" + cli.CleanLine(p.Address) + ")"
	}
	c.Say("would share %s on %s of %s, as %s", p.What, p.Ref, to, cli.CleanLine(p.Author))
	if len(p.Files) == 0 {
		c.Say("there is nothing new to share")
		return
	}
	_, all := p.Counts()
	c.Say("%s in %s, %s", shareCount(all), plural.Count(len(p.Files), "file"), plural.Bytes(p.Bytes))
	for _, text := range p.Sample() {
		c.Line("", "  "+text)
	}
	if more := all.Facts + all.Entries - len(p.Sample()); more > 0 {
		c.Line("", "  and "+plural.Count(more, "more text"))
	}
	c.Say("others find them in search and prompts, under your name; they see no prompts or answers of yours%s", unlessEntries(p.What))
	if p.Unshared > 0 {
		c.Say("not shared: %s with what was asked and changed; '--what entries' shares them too", plural.Count(p.Unshared, "entry"))
	}
	c.Hint("'agentflow share --list' lists the files, 'agentflow share --diff' prints every line")
}

// shareCount describes the contents of some files.
func shareCount(n appshare.Count) string {
	parts := []string{plural.Count(n.Facts, "fact"), plural.Count(n.Entries, "entry"), "of " + plural.Count(n.Days, "day")}
	if n.Removed > 0 {
		parts = append(parts, plural.Count(n.Removed, "removed file"))
	}
	return strings.Join(parts, ", ")
}

// unlessEntries ends the sentence about prompts: entries hold them.
func unlessEntries(what share.What) string {
	if what == share.Facts {
		return ""
	}
	return " except those in entries"
}

// listShared lists the files that would leave.
func listShared(c *cli.Env, p appshare.Plan) {
	files, _ := p.Counts()
	for i, name := range p.Files {
		c.Printf("%s  %s, %s\n", cli.CleanLine(name), shareCount(files[i]), plural.Bytes(int64(len(p.Texts[i]))))
	}
}

// printShared prints every line that would leave.
func printShared(c *cli.Env, p appshare.Plan) {
	for i, name := range p.Files {
		c.Printf("%s:\n%s", cli.CleanLine(name), p.Texts[i])
		if p.Texts[i] == "" {
			c.Printf("(removed from the remote)\n")
		}
	}
}

package main

import (
	"strings"

	appshare "agentflow/app/share"
	"agentflow/internal/plural"
	"agentflow/internal/share"
)

// printSharePlan prints what would be shared, the destination, and what stays here.
func printSharePlan(c *cli, p appshare.SharePlan) {
	to := cleanLine(p.Remote)
	if p.Address != p.Remote {
		to += " (" + cleanLine(p.Address) + ")"
	}
	c.say("would share %s on %s of %s, as %s", p.What, p.Ref, to, cleanLine(p.Author))
	if len(p.Files) == 0 {
		c.say("there is nothing new to share")
		return
	}
	_, all := p.Counts()
	c.say("%s in %s, %s", shareCount(all), plural.Count(len(p.Files), "file"), plural.Bytes(p.Bytes))
	for _, text := range p.Sample() {
		c.line("", "  "+text)
	}
	if more := all.Facts + all.Entries - len(p.Sample()); more > 0 {
		c.line("", "  and "+plural.Count(more, "more text"))
	}
	c.say("others find them in search and prompts, under your name; they see no prompts or answers of yours%s", unlessEntries(p.What))
	if p.Unshared > 0 {
		c.say("not shared: %s with what was asked and changed; '--what entries' shares them too", plural.Count(p.Unshared, "entry"))
	}
	c.hint("'agentflow share --list' lists the files, 'agentflow share --diff' prints every line")
}

// shareCount describes the contents of some files.
func shareCount(n appshare.ShareCount) string {
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
func listShared(c *cli, p appshare.SharePlan) {
	files, _ := p.Counts()
	for i, name := range p.Files {
		c.printf("%s  %s, %s\n", cleanLine(name), shareCount(files[i]), plural.Bytes(int64(len(p.Texts[i]))))
	}
}

// printShared prints every line that would leave.
func printShared(c *cli, p appshare.SharePlan) {
	for i, name := range p.Files {
		c.printf("%s:\n%s", cleanLine(name), p.Texts[i])
		if p.Texts[i] == "" {
			c.printf("(removed from the remote)\n")
		}
	}
}

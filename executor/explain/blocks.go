package explain

import (
	"slices"
	"strings"
)

// block is a paragraph, an item of a list, a row of a table or a heading, on one line.
type block struct {
	text    string
	depth   int // of an item, in spaces; -1: no item
	heading bool
	row     bool // of a table
	code    bool // code follows
	snippet string
}

func (b block) isItem() bool { return b.depth >= 0 }

// blocks are the blocks of a text, without code, quotes, rules and the heads of tables.
func blocks(text string) (list []block) {
	fence, open, row := "", false, 0
	for line := range strings.Lines(text) {
		depth := len(line) - len(strings.TrimLeft(line, " \t"))
		line = strings.TrimSpace(line)
		if mark := line[:min(3, len(line))]; mark == "```" || mark == "~~~" {
			switch n := len(list); fence {
			case "":
				fence = mark
				if n > 0 && isMatch(commits, list[n-1].text) { // its message follows
					fence = "-"
				} else if n > 0 {
					list[n-1].code = true
				}
			case "-":
				fence = ""
			case mark:
				fence = ""
			}
			open = false
			continue
		}
		if !strings.HasPrefix(line, "|") {
			row = 0
		}
		item := numbered().ReplaceAllString(bullet().ReplaceAllString(line, ""), "")
		switch {
		case fence != "" && fence != "-":
			if n := len(list); n > 0 {
				list[n-1].snippet += " " + line
			}
		case line == "" || strings.HasPrefix(line, ">") || strings.Trim(line, "-=*_ ") == "":
			open = false
		case strings.HasPrefix(line, "|"):
			if row++; row > 2 {
				list = append(list, block{text: cells(line), row: true})
			}
			open = false
		case strings.HasPrefix(line, "#"):
			list, open = append(list, block{text: strings.TrimSpace(strings.TrimLeft(line, "#")), depth: -1, heading: true}), false
		case item != line:
			list, open = append(list, block{text: item, depth: depth}), true
		case open:
			list[len(list)-1].text += " " + line
		default:
			list, open = append(list, block{text: line, depth: -1}), true
		}
	}
	for i := range list {
		list[i].text = plain(list[i].text)
		if list[i].code {
			list[i].text = shown(list[i].text, list[i].snippet)
		}
		if i > 0 && list[i].isItem() && isMatch(unfinished, list[i-1].text) {
			list[i].text, list[i-1].text = list[i-1].text+" "+list[i].text, ""
		}
	}
	return slices.DeleteFunc(list, func(b block) bool {
		return b.text == "" || b.isItem() && (isStatus(b.text) || isMatch(passing, b.text)) || isMatch(generic, b.text) || b.heading && (!isMatch(titles, b.text) || isMatch(asking, b.text))
	})
}

// maxSnippet bounds code that is told with the sentence that shows it, in words.
const maxSnippet = 28

// shown is a text with the short code that its last sentence shows. Without the code such a
// sentence says nothing.
func shown(text, snippet string) string {
	at := shows().FindStringIndex(text)
	snippet = strings.Join(strings.Fields(snippet), " ")
	if at == nil {
		return text
	}
	if n := count(snippet); n > 0 && n <= maxSnippet && isMatch(changes, text[at[0]:]) && !strings.Contains(snippet, "`") {
		return text + " `" + snippet + "`."
	}
	if at[0] == 0 {
		return ""
	}
	return text[:at[0]+1]
}

var (
	numbered = lazy(`^(\d{1,2}|[A-Z])[.)] +`)
	bullet   = lazy(`^[-*+•] +`)
	marks    = lazy(`\*\*|__|[✅✓❌✔✗⏳⚠🎉]\x{FE0F}? ?`)
)

// cells is a row of a table as a sentence.
func cells(row string) string {
	list := strings.Split(strings.Trim(row, "| "), "|")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return strings.Join(list, ": ")
}

// plain is a text without marks that only a screen shows.
func plain(text string) string {
	return strings.TrimSpace(numbered().ReplaceAllString(marks().ReplaceAllString(text, ""), ""))
}

// lines are the blocks of a text that say something, each as one or more sentences. What
// introduces a list stands before its first item, or before all of them where they are short.
func lines(text string) (list []string) {
	all := blocks(text)
	for i := 0; i < len(all); i++ {
		b := all[i]
		under := items(all[i+1:], b)
		if said := split(b.text); len(said) > 1 && introduces(b, len(under)) {
			list = append(list, strings.Join(said[:len(said)-1], " "))
			b.text = said[len(said)-1]
		}
		title := strings.TrimRight(b.text, ": ")
		switch {
		case b.heading && len(under) == 0 && i+1 < len(all) && !all[i+1].heading:
			list = append(list, title+": "+ended(all[i+1].text))
			i++
		case len(under) > 0 && strings.HasSuffix(b.text, "?"):
			i += len(under)
		case !b.heading && !b.isItem() && !introduces(b, len(under)):
			list = append(list, b.text)
		case !b.heading && !introduces(b, len(under)):
			list = append(list, ended(b.text))
		case len(under) == 0 && len(strings.Fields(title)) < 4:
		case len(under) == 0:
			list = append(list, ended(title))
		case isMatch(passing, title) || isMatch(choosing, title):
			i += len(under)
		case isChatter(title):
		case short(under):
			list = append(list, joined(title, under))
			i += len(under)
		default:
			list = append(list, title+": "+ended(under[0].text))
			i++
		}
	}
	return list
}

// introduces reports whether a block is no more than the title of the items under it.
func introduces(b block, under int) bool {
	return strings.HasSuffix(b.text, ":") || under > 0 && (b.isItem() && len(strings.Fields(b.text)) <= 4 || !b.isItem() && !strings.ContainsAny(b.text[len(b.text)-1:], ".!?`"))
}

// items are the items that follow a block and belong to it.
func items(rest []block, of block) []block {
	n := 0
	for n < len(rest) && rest[n].isItem() && rest[n].depth > of.depth && rest[n].depth >= rest[0].depth && rest[n].row == rest[0].row {
		n++
	}
	return rest[:n]
}

// Bounds of items that are told in one sentence, in words.
const (
	shortItem = 9
	maxJoined = 36
)

func short(list []block) bool {
	n := 0
	for _, b := range list {
		n += len(strings.Fields(b.text))
	}
	return n <= shortItem*len(list)
}

// joined is a list in one sentence.
func joined(title string, list []block) string {
	words, parts := len(strings.Fields(title)), []string{}
	for _, b := range list {
		n := len(strings.Fields(b.text))
		if b.depth > list[0].depth {
			continue // an item of an item
		}
		if words+n > maxJoined && len(parts) > 0 {
			parts = append(parts, "and more")
			break
		}
		words += n
		parts = append(parts, strings.TrimRight(b.text, ".:;, "))
	}
	return title + ": " + strings.Join(parts, "; ") + "."
}

// ended is a text with an end, as a sentence has.
func ended(text string) string {
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") || strings.HasSuffix(text, "…") || strings.HasSuffix(text, "。") {
		return text
	}
	return strings.TrimRight(text, ":;, ") + "."
}

var sentenceEnd = lazy(`[.!?]["')\x60*]*\s+|[。！？]+\s*`)

// split cuts a line behind its sentences. An abbreviation such as "e.g." does not end one.
func split(line string) (list []string) {
	from := 0
	for _, at := range sentenceEnd().FindAllStringIndex(line, -1) {
		head := line[from:at[0]]
		if next := line[at[1]:]; next == "" || next[0] >= 'a' && next[0] <= 'z' || strings.ContainsAny(next[:1], "-–—→") || strings.HasSuffix(head, "e.g") || strings.HasSuffix(head, "i.e") || strings.HasSuffix(head, "vs") {
			continue
		}
		list = append(list, strings.TrimSpace(line[from:at[1]]))
		from = at[1]
	}
	if rest := strings.TrimSpace(line[from:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

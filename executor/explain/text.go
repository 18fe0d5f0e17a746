package explain

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// block is a paragraph or an item of a list, on one line.
type block struct {
	text string
	item bool
	head int // rank of a heading; 0: none
}

// introduces reports whether a block introduces those that follow.
func (b block) introduces() bool {
	return strings.HasSuffix(b.text, ":") || strings.HasSuffix(b.text, "—")
}

// continues reports whether a block continues a sentence that began before the code above it. A name such as
// go-git may begin one.
func (b block) continues() bool {
	r, _ := utf8.DecodeRuneInString(b.text)
	first, _, _ := strings.Cut(b.text, " ")
	return !b.item && unicode.IsLower(r) && !strings.ContainsAny(first, "-_./(")
}

// blocks returns the blocks of a text, without code, quotes, calls to act and the heads of tables. A row is
// an item. A heading, and a line in bold, introduce the next blocks.
func blocks(text string) (list []block) {
	fence, open, rows := "", false, 0
	var heads []string // of a table's columns
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !strings.HasSuffix(line, "**") {
			line = boldNumber().ReplaceAllString(line, "**")
		}
		mark, item, row := line[:min(3, len(line))], bullet().FindString(line), tableRow().MatchString(line)
		if !row {
			rows = 0
		}
		switch {
		case mark == "```" || mark == "~~~":
			switch fence {
			case "":
				fence, list = mark, append(list, block{}) // text that introduces code introduces nothing else
			case mark:
				fence = ""
			}
			open = false
		case fence != "":
		case strings.Trim(line, "-=*_ ") == "" || strings.Contains(line, "────") || strings.Contains(line, "━━━━") || line[0] == '>' || strings.HasPrefix(line, "<!--") && (!open || strings.HasSuffix(line, "-->")) || strings.HasPrefix(line, "→"):
			open = false
		case row:
			if rows++; rows == 1 {
				heads = columns(line)
			} else if rows > 2 {
				list = append(list, block{text: cells(columns(line), heads), item: true})
			}
			open = false
		case line[0] == '#' || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**"):
			title := strings.TrimRight(strings.Trim(withoutMarks(line), "#:* "), ".!")
			list, open = append(list, block{text: title[len(bullet().FindString(title)):] + ":", head: rank(line)}), false
		case item != "" || label().MatchString(line):
			list, open = append(list, block{text: line[len(item):], item: true}), true
		case open:
			list[len(list)-1].text += " " + line
		default:
			list, open = append(list, block{text: line}), true
		}
	}
	for i := range list {
		list[i].text = strings.TrimSpace(withoutMarks(list[i].text))
	}
	return withoutOffers(list)
}

// maxJoined bounds sentences that are read as one, in words.
const maxJoined = 40

// unit is a sentence with those that depend on it.
type unit struct {
	text string
	nth  int  // of its paragraph; of an item one more
	step bool // an announced change that was made
}

// units returns the informative sentences of a text, each with the sentences that depend on
// it. Short items are part of the sentence that introduces them.
func units(text string) (list []unit) {
	return sentences(blocks(text))
}

func sentences(all []block) (list []unit) {
	for i := 0; i < len(all); i++ {
		said := split(all[i].text)
		if all[i].item && offer().MatchString(all[i].text) || i > 0 && all[i-1].text == "" && all[i].continues() {
			continue
		}
		if !all[i].introduces() {
			if all[i].item && len(said) > 0 {
				said[len(said)-1] = ended(said[len(said)-1])
			}
			for n, s := range joined(said) {
				list = append(list, unit{text: s, nth: n + points(all[i].item, 1)})
			}
			continue
		}
		last := len(said) - 1
		for n, s := range joined(said[:last]) {
			list = append(list, unit{text: s, nth: n})
		}
		lead := said[last]
		under := items(all[i+1:])
		whole, n := introduced(lead, under)
		switch {
		case strings.HasSuffix(strings.TrimRight(lead, ": "), "?"): // the answer may be under it, or not
		case count(lead) > 2 && verdict().MatchString(lead):
			list = append(list, unit{text: ended(lead)})
		case n < len(under) && counts().MatchString(lead): // it counts more than those
		case plans().MatchString(lead) || offers().MatchString(lead) || n < len(under) && conditional().MatchString(lead): // it offers them, or is wrong without the others
			i += len(under)
		case isChatter(lead):
		case n > 0 || count(lead) > 3 && results().MatchString(lead) && !unfinished().MatchString(lead):
			i += n
			list = append(list, unit{text: ended(whole)})
		}
	}
	return list
}

// items returns the items after an introduction, or the paragraph after it.
func items(rest []block) []block {
	n := 0
	for n < len(rest) && rest[n].text != "" && !rest[n].introduces() && (rest[n].item || n == 0) {
		if n++; !rest[n-1].item {
			break
		}
	}
	return rest[:n]
}

// introduced returns a sentence with the items that it introduces, and the number of those items.
func introduced(lead string, under []block) (text string, n int) {
	text, mark := lead, " "
	for n < len(under) && count(text)+count(under[n].text) <= maxJoined {
		if n++; !isChatter(under[n-1].text) {
			text, mark = strings.TrimRight(text, ".")+mark+under[n-1].text, "; "
		}
	}
	return text, n
}

// joined returns the informative sentences of a block, with those that depend on them.
func joined(said []string) (list []string) {
	kept, label := false, ""
	for _, s := range said {
		if of := discovery().FindStringSubmatch(s); of != nil {
			label = "The " + of[1] + ": "
			continue
		}
		s, label = label+s, ""
		if cut := opener().ReplaceAllString(s, ""); cut != s {
			s = upper(cut)
		}
		if isChatter(s) || count(s) < 2 {
			kept = false
			continue
		}
		if n := len(list); kept && depends(s) && count(list[n-1])+count(s) <= maxJoined {
			list[n-1] += " " + s
			continue
		}
		list, kept = append(list, s), true
	}
	return list
}

// depends reports whether a sentence refers to the one before it.
func depends(s string) bool {
	word, _, _ := strings.Cut(s, " ")
	word, _, _ = strings.Cut(strings.TrimRight(word, ",:;"), "'")
	return slices.Contains(references, word)
}

// answers reports whether a sentence refers to the prompt, if it begins a message.
func answers(s string) bool {
	return depends(s) && !strings.HasPrefix(s, "This ") && !strings.HasPrefix(s, "These ")
}

var references = strings.Fields("This These That It They Those So But However Otherwise Which Then Also Same Either")

// isChatter reports whether a sentence only announces the next step, only says that something
// is done, or asks the person, or is an aside.
func isChatter(s string) bool {
	return s == "" || s[0] == '(' || dangling().MatchString(s) || strings.HasSuffix(s, "?") || chatter().MatchString(s) && !delivers().MatchString(s) || clause().MatchString(s) || process().MatchString(s)
}

// split cuts a line behind its sentences. An abbreviation such as "e.g." does not end one.
func split(line string) (list []string) {
	from := 0
	for _, at := range sentenceEnd().FindAllStringIndex(line, -1) {
		next, _ := utf8.DecodeRuneInString(line[at[1]:])
		if at[1] == len(line) || abbreviates(line[from:at[0]+1]) || unicode.IsLower(next) || strings.ContainsRune("-–—→", next) {
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

func abbreviates(head string) bool {
	return strings.HasSuffix(head, "e.g") || strings.HasSuffix(head, "i.e") || strings.HasSuffix(head, "vs")
}

// ended returns a text with an end, as a sentence has.
func ended(text string) string {
	if end := strings.TrimRight(text, `"'`); strings.HasSuffix(end, "…") || strings.HasSuffix(end, "。") || end != "" && strings.ContainsAny(end[len(end)-1:], ".!?") {
		return text
	}
	return strings.TrimRight(text, ":;, ") + "."
}

// upper begins a sentence with a capital, unless it begins with the name of code.
func upper(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if s == "" || strings.ContainsAny(first, "_()/") || strings.Contains(strings.TrimRight(first, ".,:"), ".") {
		return s
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

var (
	conditional = lazy(`(?i)\b(when|if|unless|while|until):$`)
	unfinished  = lazy(`(?i)\b(this|these|show|shows|include|includes|look like|see|is|are|be|with|following|as follows|below|return|returns|print|prints|send|sends|to|of|now|as|like|when|if|unless|while|until|I):?$`)
	dangling    = lazy(`(?i)\b(now|function|message|output|line|entry) (reads|shows|becomes|displays|says|looks like)\W*$`)                                                                                                             // what it says is not in the sentence
	clause      = lazy(`^((When|If|Where|While|Unless|Until)\b[^,:]*$|(Added|Removed|Moved|Updated|Changed) (from|in|into) |I (think I |now )?(understand|see) |Questions\b[^.]*$|I can\b|This is an? (great|good|nice|interesting) )`) // only part of a sentence
	counts      = lazy(`(?i)\b(both|two|three|four|five|six|seven|eight|nine|ten|[2-9]) ([\w-]+ ){0,3}\w+s:?$`)
	offer       = lazy(`(?i)^option (\d|[a-z]\b)`)
	discovery   = lazy(`(?i)^(?:that's |this is |(?:i(?:'ve)? |i have |i can )?(?:now )?(?:found|see|identified|spotted) )(?:the |another |a |the actual |the real )((?:root )?(?:bug|issue|problem|cause))\W*$`) // its description follows
	label       = lazy(`^[A-Z]{1,8}-?\d{1,3}: `)                                                                                                                                                                  // of a finding
	link        = lazy(`(^|[^\x60])\[([^\[\]]+)\]\([^()\s]*\)`)                                                                                                                                                   // not in backticks
	tableRow    = lazy(`^\|([^|]|$)`)
	boldNumber  = lazy(`^\*\*\d{1,2}[.)] +`)
	bullet      = lazy(`^(\d{1,2}[.)]|[A-Z]\)|[-*+•]) +`)
	sentenceEnd = lazy(`(?:[^.][.!?]["')\x60*]*\s+|[。！？]+\s*)`)
	opener      = lazy(`(?i)^(done|good|exactly|sure|got it|fixed|yes|no|perfect|excellent|great|(good|great) (catch|point|question|idea)|you're (absolutely )?right|ok(ay)?|right|(in )?summary)( [—–-]+|[.,:!—–-])( +|$)`)
	chatter     = lazy(`(?i)^((now|next|first|then|ok(ay)?|good|right|also|perfect)[,.:!]? )*(i'll|i will|i'm going to|i( also)? need|i want to|i think i|found (it|another (occurrence|instance|place) of the same \w+|the (issue|problem|bug|cause))\W*$|(the )?(issue|bug|problem) is confirmed\W*$|(the )?(build|implementation|refactoring) (is )?(now )?complete\W*$|(as )?((the|your|my) )?memory (says|holds|has|knows|notes)\b|according to ((the|your|my) )?memory\b|(wait|hmm|actually|oh)\b|you need both\b|(a )?(trivial|minor|easy|quick) (fix|change)\b[^\x60]*$|(why|how) (it|this|that|we)\b[^,:]{0,40}\.$|(and )?(that|this)('s| is) a (much |far |lot )?(better|cleaner|simpler|nicer)\b|the implementation is (now )?complete and ready\b|(the )?(code )?review(er)? (has )?(approved|passed|noted)\b|no lint issues\W*$|(good|solid|clean) (test coverage|implementation)\b|i have|i see|i can see|i understand|let me|let's|looking at|checking|running|need to|want me|would you|do you|shall i|should i|if (you|it|this|that|both|even)\b|let me know|ready to|you can|(here'?s|here (is|are)) (a|the|what)|(in )?summary|what (i|was)|otherwise, |(the )?([\w-]+ ){1,4}(is|are|were) committed|the (only )?(remaining |other )?(modified|untracked|unstaged|uncommitted|unrelated) |the (remaining|other) (modified|untracked|unstaged|uncommitted|unrelated)|the diff (also )?shows (some )?(other|unrelated)|all green\b|also available\b|(before i [^:]{0,30}, )?(one|a) (quick )?question\b|(the |your |all )?changes are (now )?ready (to|for)|(the |these |all |my )?changes (are|remain) (still )?(uncommitted|unstaged)|changes made|(all|both|the) (of )?(the )?([\w-]+ ){0,5}(pass|passing|green|done|good|clean|complete|completed|implemented|applied|addressed|resolved)\b( in \S+)?[^a-z]*$|all (\d+ )?(\w+ )?(tests?|checks) |(lint(er)?|build|tests?)\b.{0,20}\b(pass|clean)|committed|pushed|(working tree|branch) |done\b|(all |already )?fixed\W*$|(i|we)('ve| have)?( just| also| now| successfully)* (found and )?fixed (exactly )?(it|this|that|both|all|the|these|those)( of)?( the)?( \w+)?( bugs?| issues?| problems?| errors?| tests?)?\W*$|(much|perfect|great) (better|fix)\W*$|you('re| are) welcome|thank|sources:|(\w+ )?(compile[sd]?|builds?) clean|fixed and (deployed|pushed)\b|my (take|recommendation)\b|everything (looks|passes|is (clean|green|fine|done))\b|the \w+ ha(s|ve) been (updated|committed|pushed)\W*$|option (\d|[a-z]\b)|(draft )?pr\b|you may want|(now|next|then) (also )?(append|apply|change|extract|implement|insert|resolve|update|add|remove|fix|run|rerun|re-run|retry|create|wire|check|verify|commit|write|replace|refactor|move|make|use) )|let me\b.{0,80}:?$`)
)

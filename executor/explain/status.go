package explain

import (
	"slices"
	"strings"
)

// isStatus reports whether a sentence says only how the repository, a pull request or the
// checks are, or lists numbers.
func isStatus(s string) bool {
	return isMatch(status, s) || mostlyNumbers(s)
}

// mostlyNumbers reports whether two of five words of a text are numbers.
func mostlyNumbers(s string) bool {
	n := len(number().FindAllString(s, -1))
	return n > 1 && n*5 >= len(strings.Fields(s))*2
}

// withoutWithdrawn leaves out what a later message takes back.
func (list sentences) withoutWithdrawn() sentences {
	return slices.DeleteFunc(slices.Clone(list), func(s sentence) bool {
		return slices.ContainsFunc(list, func(later sentence) bool {
			return later.message > s.message && isMatch(takenBack, later.text) && !isMatch(takenBack, s.text) && covers(later.text, s.text, 2)
		})
	})
}

var (
	number    = lazy(`(?m)(^|\s)[~+(<>$−-]*\d\S*`)
	status    = lazy(`(?i)^(clean working tree|(the )?working tree (is )?clean|(the )?(remaining|other|unrelated) (unstaged|uncommitted|modified) |((all )?\d+|(a )?(draft )?|the )?(pr|pull request)( #\d+)? (created|opened|updated|merged|is (up|open))|created( and pushed)?:? [^.]*https?://|(all )?(\d+ )?(of )?(the )?(pr |review |bugbot )*(comments|threads|review threads)\b[^.]{0,30} (are|have been|were) |fixed (and pushed|in \x60?[0-9a-f]{7,40})|all (\d+ )?([a-z]+ )?tests (now )?pass\b|branch is |the branch is |your branch is |no (uncommitted|unstaged) changes|(\S+ ){0,2}cleared\.$|verdict:|build (is )?complete\b|try running |sources:|code (is )?formatted|(no lint issues|clean implementation)\b)`)
	fails     = lazy(`(?i)\b(tests?|builds?|lint(er)?|suite|ci|cases?)\b.{0,40}\b(still |now |also )*(fail(s|ed|ing)?|broken|time(s|d)? out)\b|\b(still|currently) (fail(s|ing)?|broken|hang(s|ing)?)\b|\b(does|did|do)(n't| not) (work|help)\b|\b\d+ (tests? )?fail(ed|ing|ures?)\b|\b(reverted|rolled back|undone|backed out)\b`)
	mended    = lazy(`(?i)\b(fixed|fixes|no longer|now pass(es)?|resolved|(were|was) failing|(will|should|must|to see (it|them)|to|if|when) fail(s|ing)?|before|0 fail\w*|used to|would)\b`)
	takenBack = lazy(`(?i)^([^.]{0,60} )?(reverted|rolled back|undone|backed out|taken back)\b|\b(does|did)(n't| not) work\b`)
)

package explain

import (
	"regexp"
	"sync"
)

const changeVerbs = `added|adds|fixed|fixes|removed|removes|deleted|changed|changes|renamed|replaced|moved|updated|created|implemented|extracted|refactored|rewrote|rewritten|switched|split|dropped|merged|reverted|restored|wired|registered|resolved|introduced|converted|bumped|simplified|documented|cleared|unified|consolidated|inlined|exported|made|kept|set up|addressed|improved|enabled|disabled|corrected|extended|rebased|cherry-picked`

var (
	changes = expression(changeVerbs + `|now|no longer|is (now )?called|will (now|be)|are (now|all)`)
	titles  = lazy(`(?i)^new\b|^(\S+ ){0,4}(` + changeVerbs + `)\b`)
	asking  = lazy(`(?i)^(how|why|what|when|test)\b`)

	causes  = expression(`because|(root|real|actual) cause( is| was|:)|(issue|problem|bug|reason|fix|key|insight|difference)( here)?( is| was|:)|so that|so (the|it|we|that|they|users?|these|both|there)|since|otherwise|due to|caus(e|es|ed|ing)|prevent(s|ed|ing)?|ensur(e|es|ing)|avoid(s|ed|ing)?|which (would|means|meant)|in order to|to (avoid|prevent|make sure|ensure)|would (have|be|cause|fail|break|lose|never|not)|turned out|risks?|must|solves|bug`)
	reasons = expression(`because|so that|since|instead|rather than|otherwise|reason|caused?|why|due to|root cause|decided?|chose|kept|keeps?|avoids?|turned out|would have|means that|now|matches|consistent(ly)?|consistency|redundant|unused|needed|required|simpler|cleaner|easier|safer|faster|missing|never|without|(was|were|did|does|do|is|are)(n't| not)|only|allows?|lets|no longer|to (keep|match|support|allow|handle)|needs?|necessary|outdated|misleading|wrong|incorrect(ly)?|inconsistent|appropriate|actually`)

	rejected = expression(`instead of|rather than|tried|rejected|ruled out|did(n't| not) (work|help)|decided|chose|kept|not an option|would have|on purpose|deliberately|intentional(ly)?|not worth|skipped|dismissed|left (as|alone|out)`)
	open     = expression(`(not|isn't|aren't|wasn't) (yet |been )?(run|tested|done|covered|implemented|supported)|not yet|todo|remain(s|ing)?|still (needs?|fails?|to|missing|open)|follow-up|next step|blocked|not included|pre-existing|limitation|left to do`)
	nothing  = lazy(`(?i)\b(nothing|none|no .{0,20}) (is |are )?(left|remain)`)

	narrates   = lazy(`(?i)(\b(issue|problem) was (that )?(i|my)\b|\bI (accidentally|mistakenly)\b|^(yeah|hmm|haha?|honestly|oh|wait|so far)\b|^((now|next|first|then|ok(ay)?|good|right)[,.]? )*(i'll|i will|i'm going to|i need to|i want to|i have|i see|i found|i can see|i understand|need to|looking (at|back)|checking|running|found it)\b|^(now|next|first|then)[,.]? (also )?(update|add|append|remove|fix|re-?fetch|reply|read|verify|register|check|run|apply|wire|call|write|create|test|commit|find|delete|implement|replace|define|make|switch|move|rename|extract|refactor|convert|handle|use)\b)|\b(let me|let's)\b|^<thinking>|^there it is|^you (were|are) (absolutely )?(right|correct)( to [^.]*)?\.?$|^that('s| is| makes) (a )?(good|sense|odd|correct|right)`)
	closing    = lazy(`(?i)^(committed|pushed)( (it|that|this|everything))?( (as|in|to))?( [^ ]+| "[^"]*")?( and pushed)?[.!]?$|^(all )?(done|committed|pushed|fixed|finished|complete|sure|great|good|ok(ay)?|yes|no|perfect|excellent|clean|right|correct|confirmed|fair point|good (catch|question|idea|point)|great (catch|question|idea|point)|makes sense|the (fix|implementation|change|refactoring) (is )?(now )?(works?|working|complete|done)( correctly)?|you're welcome|go ahead( and [a-z]+)?|(you're|you are) (absolutely |totally )?(right|correct))\b[^a-z]*( (as|in|to|and pushed) [^ ]+)?[.!:]?$`)
	opener     = lazy(`(?i)^(done|got it|good idea|interesting|understood|exactly|ah|fixed|yes|no|perfect|excellent|great|good (catch|point|question)|you're (absolutely )?(right|correct)|clean|confirmed|ok(ay)?|right)( [—–-]+|[,:!—–-]) +`)
	intro      = lazy(`(?i)^(here'?s|here is|here are) (a |the )?(quick |final |brief |complete )?(summary|overview)\b|^(\S+ ){0,8}(here'?s|here is|here are) (a|the|what)\b[^.]{0,80}[.:]?$|^(summary|in summary|final summary|this is what|the (key |main )?(changes?|differences?)|changes( made)?|what (i|was|we)|all (of it )?is in place|key changes)\b[^.]{0,60}[:.]?$`)
	asks       = lazy(`(?i)(\?$|^(let me know|would you like|do you want|shall i|should i|want me to|if you('d| would)? (like|want|prefer)|if you're|anything else|is there anything|happy to|ready (to|for)|you can (now )?(test|try|rebuild|run)|push when|to (test|try) (it|this)))`)
	passing    = lazy(`(?i)^[^.]{0,24}\b(tests?|lint(ing|er)?|checks?|build|suite|fmt|compil\w+|ci)\b[^.]{0,40}\b(pass(es|ed|ing)?|clean(ly)?|green|succe\w+|fine|ok|0 issues)\b[^.]{0,90}\.?$|^(all (passing|green|clean|good)|(it )?(compiles|builds) )`)
	failing    = expression(`fail(s|ed|ing|ure|ures)?|not run|skipped|except|but|slow|flaky|broken`)
	ofTests    = lazy(`\bTest[A-Z]\w+|(?i:^(new |unit |integration |added |updated? |existing |\d+\+? |and )*tests?\b|_test\.go)`)
	testFile   = lazy(`(?i)(_test|\.test|\.spec)\.|(^|/)[a-z0-9]*_?tests?/`)
	generic    = lazy(`(?i)^[^ ]*[/.][^ ]*:?$|^\x60[^\x60]+\x60( \([^)]*\))?:?$|^((the|all|new|other|my|final|code|test|key|core|main|also|and|files?|\d+) )*(files?|changes?|summary|tests?|details?|usage|options?|results?|commits?|files? (changed|modified|created|added)|changes? made|tests? added|behaviou?r|example|scenarios?|output|notes?|here|flow|steps?|benefits?)( \([^)]*\))?:?$|^(here'?s|here is|here are|what i)\b.{0,80}:$|\b(summary|following|changes)\b.{0,40}:$|^(location|files?|lines?|commits?|branch|usage|before|after|examples?|run|tests?):|^added import|^updated imports?`)
	process    = expression(`lint(er|ing)?|compil(e|es|er|ation)|diagnostics?|lsp|import(s|ed)?|undefined|undeclared|stale|unused|flagged|signature|test (file|helper|pattern|fail)\w*|tests? (is|are|was|were)|variables?|err|tests?|TDD|(this|the) (file|package|plan)|edit`)
	shows      = lazy(`(?i)(^|[.!?] +)([^.!?]*\b(like( this)?|reads?|be|this|is|runs?|shows?|see|have|example|output|following|now)( [^ ]+)?|([^ .!?]+ ){0,5}[^ .!?]+):$`)
	plans      = expression(`should|could|would like|recommend(ed)?|propos(e|al|ed)|suggest(ed)?|options?|might|maybe|probably|approach \d|plan`)
	depends    = lazy(`^((This|These|That|It|They|Those|So|But|However|Otherwise|Without it|Which|Then|Also)\b|(Since|If|When|Because) (that|this|it|they)\b)`)
	restates   = lazy(`^((This|That|It)('s| is) (a|the) (real |actual |key )?(bug|problem|issue|root cause)|(This|That|These|It) ([a-z]+ )?(ensures?|solves?|prevents?|fixes|makes|means|lets|allows|avoids|keeps|resolves|eliminates|(were|was) causing))\b`)
	diagnoses  = expression(`(issue|problem|bug|cause)( here)?|because|otherwise|broke|tried|rejected|so (the|it|we|that|they|there)|missing|wrong|incorrect|break(s|ing)?|fails?|lost|los(es|ing)|never|ignored|overwrit\w*|duplicat\w*|race|leak\w*|(does|do|did|is|was|are|were)(n't| not)|caus\w*`)
	strong     = lazy(`(?i)\b(issue|problem|bug|cause)( here)? (is|was)\b|\bis a (real |actual )?(bug|problem|issue)\b|\broot cause\b`)
	fixes      = lazy(`^The fix(:| was\b)`)
	pending    = lazy(`(?i)\b(needs?|have|has|must|should|could|would|may|might)( to)? be [a-z]+`)
	commits    = lazy(`(?i)\b(committed|commit message)( (as|with|in|is))?( \S+)?:$`)
	aside      = lazy(`(?i)^(now )?(back )?(to|regarding|as for|about) (your|the|\x60/)[^.]*(question|\x60)|^ready (to|for)|^the branch is (now )?ready`)
	choosing   = lazy(`(?i)\b(options?|alternatives?|approach would be|should (we|i))\b`)
	unfinished = lazy(`,? (OR|AND|or|and)$`)
	answers    = lazy(`(?i)^(yes|no|in most cases|exactly|correct|so)\b`)
	advises    = lazy(`(?i)^i('d)? (recommend|suggest|propose|would go|prefer)\b`)
	choice     = lazy(`(?i)\b(option|approach) [a-z0-9]\b`)
	hash       = lazy(`\x60[0-9a-f]{7,40}\x60`)
	reverts    = expression(`(revert|undo|roll back|reverting|undoing|rolling back) (my|that|the) ([a-z]+ )?(changes?|edits?|fix|additions?)`)
	intends    = lazy(`(?i)\b(?:let me|i'll|i will|i'm going to|i need to) (?:also |now |just |first |then )*((?:add|fix|remove|change|rename|replace|move|create|implement|extract|refactor|rewrite|switch|split|drop|revert|make|use|convert|simplify|document|merge|handle|store|pass|clear|restore|wire) [^ ]+ .{6,})`)
	vague      = lazy(`(?i)^[a-z]+ (it|this|that|these|them|those|both|all|and) `)
)

func expression(words string) func() *regexp.Regexp {
	return lazy(`(?i)\b(` + words + `)(\W|$)`)
}

// lazy compiles an expression when it is used first.
func lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

func isMatch(of func() *regexp.Regexp, text string) bool { return of().MatchString(text) }

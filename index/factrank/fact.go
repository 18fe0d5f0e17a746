package factrank

import (
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agentflow/internal/words"
)

// fact is a fact prepared for the matcher.
type fact struct {
	Fact
	*text
	scope     *text // its headings and paths
	head      *text // its first clause
	about     [64]float64
	headAbout [64]float64
	topics    []int    // the concepts that it is about
	names     []string // paths and file names in the text
	mass      float64  // sum of the rarity of its telling terms
	code      bool     // it has code
	fixed     []Signal // signals that are the same for every task
}

func newFact(f Fact, v *vocabulary) *fact {
	scope := strings.Join(f.Under, "\n") + "\n" + strings.Join(f.Paths, "\n")
	k := &fact{Fact: f, scope: read(words.Fold(scope), v.learn), names: pathsIn(f.Text), code: strings.Contains(f.Text, "`")}
	folded := words.Fold(f.Text)
	k.text, k.head = readHead(folded, headLength(folded), v.learn)
	k.about = k.strengths(k.scope)
	k.headAbout = k.head.strengths(nil)
	for c, strength := range k.about {
		if strength > 0 {
			k.topics = append(k.topics, c)
		}
	}
	return k
}

// headWords limits the words in the first clause.
const headWords = 8

// headLength returns the length of a text's first clause, which usually names
// the subject of the text.
func headLength(s string) int {
	n := 0
	for i, r := range s {
		switch {
		case r == ' ':
			if n++; n == headWords {
				return i
			}
		case n > 0 && (strings.ContainsRune(":;,(—→?!", r) || r == '.' && strings.HasPrefix(s[i+1:], " ")):
			return i
		}
	}
	return len(s)
}

// pathsIn returns the words of a text that look like paths or file names.
func pathsIn(s string) (list []string) {
	for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(" \t\n`\"'(),;:<>[]", r) }) {
		w = strings.TrimPrefix(strings.Trim(w, ".!?"), "./")
		if strings.Contains(w, "/") && !strings.Contains(w, "//") || len(path.Ext(w)) > 1 && !strings.ContainsAny(w, "=$%") {
			list = append(list, w)
		}
	}
	return list
}

// covers reports whether one of the fact's globs matches a path or a folder above it.
func (f *fact) covers(name string) bool {
	return slices.ContainsFunc(f.Paths, func(glob string) bool {
		glob = strings.Trim(strings.TrimPrefix(glob, "./"), "/")
		for at := name; at != "." && at != "/" && at != ""; at = path.Dir(at) {
			if ok, err := doublestar.Match(glob, at); ok && err == nil {
				return true
			}
		}
		return false
	})
}

// mentions rates how well the text names a path: 1 for the path or its end, 0.5
// for a folder above it.
func (f *fact) mentions(name string) (best float64) {
	for _, n := range f.names {
		n = strings.TrimSuffix(n, "/")
		switch {
		case n == "":
		case n == name || strings.HasSuffix(name, "/"+n):
			return 1
		case strings.HasPrefix(name, n+"/") || strings.Contains(name, "/"+n+"/"):
			best = 0.5
		}
	}
	return best
}

// together reports whether two facts have the same headings or paths.
func (f *fact) together(g *fact) bool {
	return len(f.Paths) > 0 && slices.Equal(f.Paths, g.Paths) || len(f.Under) > 0 && slices.Equal(f.Under, g.Under)
}

// standing returns what use and age add to the log-odds of a fact. The sets
// have neither, so this is chosen, not fitted: ten uses double the odds, three
// years halve them.
func (f *fact) standing(now time.Time) float64 {
	z := 0.3 * math.Log1p(float64(max(0, f.Uses)))
	if !f.Time.IsZero() && !now.IsZero() {
		years := max(0, now.Sub(f.Time).Hours()/24/365)
		z -= min(0.7, 0.23*years)
	}
	return z
}

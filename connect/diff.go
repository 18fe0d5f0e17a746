package connect

import (
	"fmt"
	"strings"
)

// maxDiffLines is how many lines are compared one by one; a larger change is only
// counted.
const maxDiffLines = 2000

// Diff shows the lines that two texts differ in, each with - or + before it; a line
// "@@ line N" stands before each place.
func Diff(before, after []byte) []string {
	a, b := lines(before), lines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	a, b = a[head:], b[head:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > maxDiffLines || len(b) > maxDiffLines {
		return []string{fmt.Sprintf("@@ %d lines from line %d on become %d", len(a), head+1, len(b))}
	}
	return compared(a, b, head)
}

func lines(text []byte) []string {
	list := strings.Split(string(text), "\n")
	for i := range list {
		list[i] = strings.TrimSuffix(list[i], "\r")
	}
	return list
}

// compared lists the differences by a longest common subsequence.
func compared(a, b []string, head int) (out []string) {
	common := make([][]int16, len(a)+1) // of the rests from i and j on
	for i := range common {
		common[i] = make([]int16, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	place := -1 // behind the last difference, in a
	mark := func(i int) {
		if i != place {
			out = append(out, fmt.Sprintf("@@ line %d", head+i+1))
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			mark(i)
			out = append(out, "-"+a[i])
			i++
			place = i
		default:
			mark(i)
			out = append(out, "+"+b[j])
			j++
			place = i
		}
	}
	return out
}

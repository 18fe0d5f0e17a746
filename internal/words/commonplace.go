package words

import (
	"strings"
	"sync"
)

// commonplace holds the stems of words that are common in software projects:
// those in at least 0.3 % of the subjects of commits, in at least four of eight
// public histories (cobra, fzf, bat, ripgrep, Flask, HTTPX, Express, lazygit).
// The list was made by
//
//	go run ./testdata/commonplace GITDIR …
var commonplace = sync.OnceValue(func() map[string]bool {
	return stemsOf(`action ad add allow always api app arg argument assert auto base behavior better binary block buffer bug build bump
	cache call case change changelog check ci clarify clean cleanup cli close cmd code color command comment compat
	complete config configure consistent content context correct create custom debug default delete dep depend deprecate
	description detect dev dir directory disable display doc document dont duplicate empty enable encode entry env environ
	error escape example extension fail feat file filter first fix flag format function generic git github group handle
	header help helper host ignore implement improve include info initial install instead instruction issue json keep key
	line link lint list load local log make man map match md merge message method minor miss mode module move multiple
	name new non note now number one open option os output package page pass path prefix prevent print read readme
	refactor refer release remove rename render replace request require return revert run script section separate set
	setup shell show simplify size skip small sort start status string strip style support switch syntax tab tag template
	test text travis type typo unnecessary unused update upgrade url usage use value variable version warn window word
	work zsh`)
})

func stemsOf(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[Stem(word)] = true
	}
	return set
}

// IsCommonplace reports whether a lower-cased word is common in software
// projects, in any form: "fix", "updated", "tests". If two texts share it, that
// says little about them.
func IsCommonplace(word string) bool { return commonplace()[Stem(word)] }

// IsNumber reports whether a term is a number or a version: "42", "1_21",
// "v0_5".
func IsNumber(term string) bool {
	digits := strings.TrimPrefix(term, "v")
	return digits != "" && strings.Trim(digits, "0123456789_") == ""
}

// IsShortNumber reports whether a term is a number of one or two digits. Such a number is in the
// names and counts of many texts, and says nothing about their subject.
func IsShortNumber(term string) bool {
	return len(term) <= 2 && term != "" && strings.Trim(term, "0123456789") == ""
}

package explain

import (
	"slices"
	"strings"
)

// plansChanged begins the summary of work that changed only plans.
const plansChanged = "Only plans changed. "

// onlyPlans reports whether all changed files are plans.
func onlyPlans(files []string) bool {
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool {
		return !strings.HasSuffix(f, ".md") || !strings.Contains("/"+f, "/plans/")
	})
}

// Package utils replaces the functions with which gitleaks validates its rules:
// these functions write the samples of a rule to standard output.
package utils

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/zricethezav/gitleaks/v8/cmd/generate/config/base"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// Validate writes the samples of a rule.
func Validate(rule config.Rule, secret []string, _ []string) *config.Rule {
	d := detector(rule)
	slices.Sort(secret)
	for _, text := range slices.Compact(secret) {
		tell(d, rule.RuleID, "", text)
	}
	return &rule
}

// ValidateWithPaths writes the samples of a rule that matches paths.
func ValidateWithPaths(rule config.Rule, secret, _ map[string]string) *config.Rule {
	d := detector(rule)
	for path, text := range secret {
		tell(d, rule.RuleID, path, text)
	}
	return &rule
}

func tell(d *detect.Detector, rule, path, text string) {
	var found []string
	for _, f := range d.Detect(detect.Fragment{Raw: text, FilePath: path}) {
		found = append(found, f.Secret)
	}
	err := json.NewEncoder(os.Stdout).Encode(map[string]any{"Name": rule, "Text": text, "Secrets": found})
	if err != nil {
		panic(err)
	}
}

// detector returns a detector with only one rule.
func detector(rule config.Rule) *detect.Detector {
	words := map[string]struct{}{}
	var keywords []string
	for _, k := range rule.Keywords {
		k = strings.ToLower(k)
		if _, ok := words[k]; !ok {
			words[k] = struct{}{}
			keywords = append(keywords, k)
		}
	}
	rule.Keywords = keywords
	c := base.CreateGlobalConfig()
	c.Rules, c.Keywords = map[string]config.Rule{rule.RuleID: rule}, words
	for _, a := range c.Allowlists {
		if err := a.Validate(); err != nil {
			panic(err)
		}
	}
	return detect.NewDetector(c)
}

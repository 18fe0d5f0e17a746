package outline

import (
	"strings"
	"unicode"
)

// pathEndings lists the extensions that make a word without a slash a path,
// and pathNames the names of files without one.
var (
	pathEndings = wordSet(`bash bat bazel c cc cfg clj cmake conf cpp cs css csv cxx dart env erl ex exs fish go gradle graphql h hpp hs
		html ini ipynb java js json jsonl jsx kt kts less lock lua m md mdx mjs mk mm mod nix php pl proto ps1 py pyi r rb rs rst sass
		scala scss sh sql sum svelte svg swift tf toml ts tsx txt vue xml yaml yml zig zsh`)
	pathNames = wordSet("Makefile Dockerfile Jenkinsfile Vagrantfile Gemfile Rakefile Procfile LICENSE CODEOWNERS .gitignore .gitattributes .dockerignore .editorconfig")
	// notPaths lists the first parts of words with a slash that are media types, or branches of a
	// remote.
	notPaths = wordSet("application audio font image multipart text video origin upstream refs")
	// hosts lists the endings of the first part of a word that is an address.
	hosts = wordSet("com dev edu gov io net org")
)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// codePath reads inline code that is clearly a path within a repository: one with a slash, or a
// file name with a common extension. It removes a line number at the end.
func codePath(s string) (string, bool) {
	if len(s) < 3 || len(s) > 200 || strings.IndexFunc(s, notInPath) >= 0 {
		return "", false
	}
	s, _, _ = strings.Cut(s, "#L")
	if at := strings.LastIndexByte(s, ':'); at > 0 && strings.Trim(s[at+1:], "0123456789-") == "" {
		s = s[:at]
	}
	s = strings.TrimPrefix(s, "./")
	folder := strings.HasSuffix(s, "/")
	s = strings.TrimSuffix(s, "/")
	if s == "" || strings.ContainsAny(s, ":#") || !strings.ContainsFunc(s, unicode.IsLetter) {
		return "", false
	}
	parts := strings.Split(s, "/")
	for _, p := range parts {
		if p == "" || strings.Trim(p, ".") == "" || p[0] == '-' {
			return "", false
		}
	}
	name := parts[len(parts)-1]
	at := strings.LastIndexByte(name, '.')
	ending := name[at+1:]
	if at >= 0 && pathEndings[strings.ToLower(ending)] && (at > 0 || len(parts) > 1) || pathNames[name] {
		return s, len(parts) == 1 || !isHost(parts[0])
	}
	if len(parts) == 1 {
		return s, folder
	}
	// A folder, or a file of unknown kind: not yes/no or TCP/IP.
	return s, !notPaths[parts[0]] && !isHost(parts[0]) && strings.ToUpper(s) != s && (folder || len(parts) > 2 || len(parts[0]) > 1 && len(name) > 3)
}

// notInPath reports whether a rune excludes a clear path, even if file systems would allow it.
func notInPath(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/+@:#~", r) || r == unicode.ReplacementChar
}

func isHost(s string) bool {
	at := strings.LastIndexByte(s, '.')
	return at > 0 && hosts[strings.ToLower(s[at+1:])]
}

package checks

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// targets and scripts describe operands of programs that run what a project defines. With
// targets, any operand may name a check. With scripts, only the first one or the one after
// "run" may.
const (
	targets = "*"
	scripts = "run *"
)

// programs lists programs that are checks: always, or with one of these words as the first
// operand.
var programs = map[string][]string{
	"go": {"test", "vet"}, "gotestsum": nil, "golangci-lint": {"run"}, "staticcheck": nil, "gosec": nil, "govulncheck": nil,
	"cargo": {"test", "clippy", "nextest", "check"}, "cargo-nextest": nil,
	"pytest": nil, "py.test": nil, "unittest": nil, "tox": nil, "nox": nil, "mypy": nil, "pyright": nil, "flake8": nil, "pylint": nil, "bandit": nil,
	"ruff": {"check"}, "manage.py": {"test", "check"}, "behave": nil, "doctest": nil,
	"jest": nil, "vitest": nil, "mocha": nil, "ava": nil, "eslint": nil, "tsc": nil, "vue-tsc": nil, "stylelint": nil, "xo": nil, "standard": nil,
	"playwright": {"test"}, "cypress": {"run"}, "biome": {"check", "lint", "ci"}, "oxlint": nil, "deno": {"test", "lint", "check"},
	"npm": {"test", "t", scripts}, "yarn": {scripts}, "pnpm": {scripts}, "bun": {scripts}, "nx": {scripts}, "turbo": {scripts}, "ng": {"test", "lint"},
	"make": {targets}, "gmake": {targets}, "just": {targets}, "task": {targets}, "rake": {targets}, "mage": {targets}, "ninja": {targets},
	"mvn": {targets}, "mvnw": {targets}, "gradle": {targets}, "gradlew": {targets}, "sbt": {targets}, "lein": {targets},
	"dotnet": {"test"}, "rspec": nil, "rubocop": nil, "rails": {"test"}, "mix": {"test", "credo"}, "phpunit": nil, "phpstan": nil, "psalm": nil,
	"composer": {scripts}, "swift": {"test"}, "swiftlint": nil, "ktlint": nil, "flutter": {"test", "analyze"}, "dart": {"test", "analyze"},
	"ctest": nil, "meson": {"test"}, "bazel": {"test"}, "zig": {"test"}, "stack": {"test"}, "cabal": {"test"}, "dune": {"test"}, "bats": nil,
	"shellcheck": nil, "hadolint": nil, "yamllint": nil, "actionlint": nil, "markdownlint": nil, "markdownlint-cli2": nil, "luacheck": nil,
	"terraform": {"validate"}, "helm": {"lint"}, "buf": {"lint"}, "pre-commit": {"run"},
}

// formatters lists programs that are checks only with one of these options.
var formatters = map[string][]string{
	"prettier": {"--check", "-c", "--list-different", "-l"}, "black": {"--check"}, "isort": {"--check", "--check-only", "-c"},
	"rustfmt": {"--check"}, "cargo fmt": {"--check"}, "ruff format": {"--check"}, "node": {"--test"}, "dotnet format": {"--verify-no-changes"},
}

// targetWords mark the names of targets and scripts that are checks.
var targetWords = map[string]bool{
	"test": true, "tests": true, "check": true, "checks": true, "lint": true, "vet": true, "verify": true, "typecheck": true,
	"e2e": true, "spec": true, "specs": true, "clippy": true, "eslint": true, "mypy": true, "tsc": true, "ci": true,
}

// otherwise lists options with which a program checks nothing.
var otherwise = []string{
	"--help", "-h", "--version", "-version", "-V", "--collect-only", "--co", "-list", "--list", "--list-tests", "--listTests",
	"--init", "--print-config", "--showConfig", "--dry-run", "--just-print", "--no-run", "--no-verify",
}

// isCheck reports whether the words of a command run a test or a linter.
func isCheck(words []string) bool {
	words = withoutRunner(words)
	if len(words) == 0 || slices.ContainsFunc(words[1:], isOtherwise) {
		return false
	}
	program, args := programOf(words[0]), words[1:]
	if isScript(words[0]) {
		return true
	}
	operand, rest := operandOf(args)
	if options, ok := formatters[program+" "+operand]; ok {
		return hasOption(rest, options)
	}
	if options, ok := formatters[program]; ok {
		return hasOption(args, options)
	}
	operands, ok := programs[program]
	switch {
	case !ok:
		return false
	case slices.Contains(operands, targets):
		return !slices.Contains(args, "-n") && slices.ContainsFunc(args, isTarget)
	case slices.Contains(operands, scripts) && (operand == "run" || operand == "run-script"):
		name, _ := operandOf(rest)
		return isTarget(name)
	case slices.Contains(operands, scripts) && program != "npm":
		return isTarget(operand) && operand != "ci" || delegates(operand, rest)
	case operands == nil:
		return true
	}
	return slices.Contains(operands, operand) && !(program == "go" && slices.Contains(args, "-c"))
}

// delegates reports whether a package manager runs a program that is a check, as in "yarn
// prettier --check .".
func delegates(program string, args []string) bool {
	operands, ok := programs[program]
	_, formats := formatters[program]
	return (ok && operands == nil || formats) && isCheck(append([]string{program}, args...))
}

func isOtherwise(arg string) bool {
	option, _, _ := strings.Cut(arg, "=")
	return slices.Contains(otherwise, option)
}

func hasOption(args, options []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(options, arg) })
}

// operandOf returns the first argument that is not an option, and the arguments after it.
func operandOf(args []string) (operand string, rest []string) {
	for i, arg := range args {
		if arg != "" && arg[0] != '-' && arg[0] != '+' {
			return arg, args[i+1:]
		}
	}
	return "", nil
}

// runners maps a program to its second word, after which the program that it runs follows.
var runners = map[string]string{
	"uv": "run", "poetry": "run", "pipenv": "run", "pdm": "run", "rye": "run", "hatch": "run", "bundle": "exec", "npm": "exec", "pnpm": "exec",
	"go": "tool", "python": "-m", "python3": "-m", "py": "-m", "coverage": "run",
}

// interpreters run a script.
var interpreters = []string{"python", "python3", "node", "ruby", "bash", "sh", "zsh", "dash", "php"}

// withoutRunner removes programs that only run another one from a command.
func withoutRunner(words []string) []string {
	for len(words) > 1 {
		program := programOf(words[0])
		rest := words[1:]
		switch {
		case runners[program] != "" && rest[0] == runners[program], program == "go" && rest[0] == "run" && len(rest) > 1 && strings.Contains(rest[1], "@"):
			rest = rest[1:]
		case slices.Contains(interpreters, program) && (isScript(rest[0]) || path.Base(rest[0]) == "manage.py"):
		default:
			return words
		}
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") && rest[0] != "-m" {
			rest = rest[1:]
		}
		if len(rest) > 1 && rest[0] == "-m" {
			rest = rest[1:]
		}
		words = rest
	}
	return words
}

// programOf returns the name of a program without its folder, version and ".exe".
func programOf(word string) string {
	word, _, _ = strings.Cut(word, "@")
	return strings.TrimSuffix(path.Base(word), ".exe")
}

// isTarget reports whether a target names a check: "test", "lint:fix", "unit-tests".
func isTarget(name string) bool {
	if name == "" || name[0] == '-' || strings.ContainsAny(name, "/=") {
		return false
	}
	parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return len(parts) > 0 && (targetWords[parts[0]] || targetWords[parts[len(parts)-1]])
}

// scriptEnds lists the file extensions of scripts.
var scriptEnds = []string{".sh", ".bash", ".py", ".js", ".mjs", ".ts", ".rb", ".ps1", ".cmd", ".bat"}

// isScript reports whether a word is a project's script that is a check.
func isScript(word string) bool {
	base, ending := path.Base(word), path.Ext(word)
	known := slices.Contains(scriptEnds, ending)
	switch {
	case strings.HasPrefix(word, "/bin/") || strings.HasPrefix(word, "/usr/") || strings.HasPrefix(word, "-"):
		return false
	case ending != "" && !known, ending == "" && !strings.Contains(word, "/"):
		return false
	}
	return isTarget(strings.TrimSuffix(base, ending))
}

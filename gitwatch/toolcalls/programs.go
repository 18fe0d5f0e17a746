package toolcalls

import (
	"path"
	"slices"
	"strings"
)

// writtenBy returns the arguments that a program writes to, creates or removes. Most arguments are
// only read. For an unknown program, only the file after -o or --output counts.
func writtenBy(program string, args []string) []string {
	files, writes := operands(args), true
	switch program {
	case "rm", "unlink", "rmdir", "touch", "mkdir", "truncate", "shred", "tee", "mv":
		files = append(files, intoFolder(program, files)...)
	case "cp", "ln", "install", "rsync":
		files = append(files[max(0, len(files)-1):], intoFolder(program, files)...)
	case "chmod", "chown", "chgrp", "patch":
	case "sed", "perl", "ruby":
		files, writes = operands(withoutScript(program, args)), slices.ContainsFunc(args, inPlace)
	case "gofmt", "goimports", "clang-format":
		writes = hasAny(args, "-w", "-i")
	case "prettier", "eslint", "biome", "ruff":
		writes = hasAny(args, "--write", "-w", "--fix", "format")
	case "black", "isort", "rustfmt", "autopep8":
		writes = !hasAny(args, "--check", "--diff")
	case "grep", "rg", "ls":
		writes = false
	case "dd":
		files = behindEquals(args, "of=")
	case "git":
		files = gitWrites(args)
	default:
		files = outputs(args)
	}
	if !writes {
		return nil
	}
	return files
}

// inPlace reports whether an option of sed, perl or ruby is -i, possibly combined with other
// letters, or its long form.
func inPlace(arg string) bool {
	letters, short := strings.CutPrefix(arg, "-")
	if strings.HasPrefix(letters, "-") {
		return strings.HasPrefix(letters, "-in-place")
	}
	letters, _, _ = strings.Cut(letters, ".")
	return short && strings.Contains(letters, "i")
}

// withoutScript removes the script from the arguments of sed, perl or ruby: the argument of -e, or
// sed's first operand.
func withoutScript(program string, args []string) []string {
	var out []string
	given := program != "sed"
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case !strings.HasPrefix(arg, "-") && !given:
			given = true
		case strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.HasSuffix(arg, "e"):
			given = true
			i++
		default:
			out = append(out, arg)
		}
	}
	return out
}

// gitWrites returns the paths of the work tree that a git command writes or removes.
func gitWrites(args []string) []string {
	args = withoutGitOptions(args)
	if len(args) == 0 {
		return nil
	}
	switch args[0] {
	case "rm", "mv", "restore", "clean":
		return operands(args[1:])
	case "checkout":
		if i := slices.Index(args, "--"); i >= 0 {
			return args[i+1:]
		}
	}
	return nil
}

// withoutGitOptions removes the options before git's subcommand.
func withoutGitOptions(args []string) []string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-c" || args[0] == "-C" {
			args = args[min(len(args), 2):]
			continue
		}
		args = args[1:]
	}
	return args
}

// listsFiles reports whether a program prints names of files that it only looked at.
func listsFiles(program string, args []string) bool {
	switch program {
	case "ls", "find", "fd", "tree", "grep", "rg", "ag", "cat", "head", "tail", "wc", "stat", "du", "diff", "file", "less":
		return true
	case "git":
		args = withoutGitOptions(args)
		return len(args) == 0 || !slices.Contains([]string{"add", "rm", "mv", "push", "fetch", "init"}, args[0])
	}
	return false
}

// wrappers run the command after them and their options.
var wrappers = map[string]bool{
	"sudo": true, "env": true, "time": true, "nice": true, "command": true, "exec": true, "builtin": true,
	"npx": true, "bunx": true, "nohup": true, "setsid": true, "stdbuf": true, "timeout": true, "xargs": true,
}

// Unwrapped returns a command without the programs that only run it.
func Unwrapped(words []string) []string {
	for len(words) > 1 && wrappers[path.Base(words[0])] && path.Base(words[0]) != "nohup" && path.Base(words[0]) != "setsid" {
		timed := path.Base(words[0]) == "timeout"
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		if timed && len(words) > 0 {
			words = words[1:]
		}
	}
	return words
}

func operands(args []string) []string {
	var out []string
	for i, arg := range args {
		if arg == "--" {
			return append(out, args[i+1:]...)
		}
		if arg != "" && (!strings.HasPrefix(arg, "-") || arg == "-") {
			out = append(out, arg)
		}
	}
	return out
}

func outputs(args []string) []string {
	var out []string
	for i, arg := range args {
		if (arg == "-o" || arg == "--output" || arg == "--out") && i+1 < len(args) {
			out = append(out, args[i+1])
		}
	}
	return append(out, behindEquals(args, "--output=")...)
}

func behindEquals(args []string, prefix string) []string {
	var out []string
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, prefix); ok {
			out = append(out, value)
		}
	}
	return out
}

// intoFolder returns the new names of copied or moved files if the last argument is a folder.
func intoFolder(program string, files []string) []string {
	if len(files) < 2 || !slices.Contains([]string{"mv", "cp", "ln", "install"}, program) {
		return nil
	}
	var out []string
	to := files[len(files)-1]
	for _, from := range files[:len(files)-1] {
		out = append(out, path.Join(to, path.Base(from)))
	}
	return out
}

func hasAny(args []string, options ...string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return slices.Contains(options, arg) })
}

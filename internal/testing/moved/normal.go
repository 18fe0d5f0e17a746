package main

import (
	"bytes"
	"crypto/sha256"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/scanner"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// form is a function in its normal form, which stays the same when the function moves to another package: it has no
// comments, no names of our packages before a name, no keys in literals, no case of letters in names, and renamed
// things have their earlier names. All receivers have one name and no type, and fields that hold a part of a type that
// was divided are left out, so that the form also stays the same when a method moves to a part.
type form struct {
	name string
	hash [sha256.Size]byte
}

// renamed lists the earlier names, in lower case, of what was renamed because the new package had the name already.
var renamed = map[string]string{
	"repo": "openmemory", "newforgettarget": "forgettarget", "newhighlighter": "highlighter",
	"uninstallhooksat": "uninstallhooks", "installedhooks": "hooks", "deferredextractionmark": "deferredextraction", "gather": "recall",
	"rememberin": "remember", "listschedules": "schedules", "find": "search", "describe": "text", "createdat": "created",
	"updatedat": "updated", "infile": "file", "ispinned": "pinned", "ismergedinto": "mergedinto",
	"place": "options", "undoplan": "plan", "planfor": "planundo", "edits": "files", "unchanged": "same", "candidates": "holding",
	"spare": "fallback", "loadseen": "load", "readseen": "read", "newview": "new", "iswholefile": "iswhole", // of writeback
}

// parts lists the fields, in lower case, that hold a part of a type that was divided.
var parts = map[string]bool{
	"turn": true, "logs": true, "folder": true, "archive": true, "view": true, // of writeback's writer
	"settler": true, "appender": true, "amender": true, "changer": true, "purger": true,
	"plan": true, "scan": true, "search": true, "repo": true, "runner": true, "jobrunner": true, "operation": true, "worktree": true, // formerly embedded
	"stored": true, "versions": true, "makers": true, "remains": true, "current": true, // of whyFinder
}

// formsOf returns the forms of the functions that a Go file declares, without those without a body.
func formsOf(name string, text []byte) (forms []form, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	packages := ourPackages(file)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		f.Doc = nil
		dropKeys(f)
		markPackages(f, packages)
		dropParts(f)
		var b bytes.Buffer
		if err := printer.Fprint(&b, set, f); err != nil {
			return nil, err
		}
		forms = append(forms, form{earlier(f.Name.Name), sha256.Sum256([]byte(normal(b.Bytes())))})
	}
	return forms, nil
}

// ourPackages returns the names by which a file knows packages of this module.
func ourPackages(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, i := range file.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil || !strings.HasPrefix(p, "agentflow/") {
			continue
		}
		names[path.Base(p)] = true
		if i.Name != nil {
			names[i.Name.Name] = true
		}
	}
	return names
}

// dropKeys takes keys that are names out of literals: those of fields, which a literal without keys gets when it leaves
// the package, and constants in maps.
func dropKeys(f *ast.FuncDecl) {
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.CompositeLit); ok {
			for i, e := range l.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					switch kv.Key.(type) {
					case *ast.Ident, *ast.SelectorExpr:
						l.Elts[i] = kv.Value
					}
				}
			}
		}
		return true
	})
}

// qualifier is written in place of the name of a package of this module.
const qualifier = "qualifier__"

// markPackages replaces names of packages. A local variable may have the same name.
func markPackages(f *ast.FuncDecl, packages map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && packages[x.Name] {
				x.Name = qualifier
			}
		}
		return true
	})
}

// receiver is written in place of the name of a receiver.
const receiver = "receiver__"

// dropParts renames the receiver, drops its type, and takes the fields that hold parts out of selectors.
func dropParts(f *ast.FuncDecl) {
	var named *ast.Ident
	if f.Recv != nil {
		r := f.Recv.List[0]
		if len(r.Names) > 0 {
			named = r.Names[0]
			r.Names = nil
		}
		r.Type = ast.NewIdent(receiver)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if named != nil && n.Obj == named.Obj {
				n.Name = receiver
			}
		case *ast.SelectorExpr:
			for inner, ok := n.X.(*ast.SelectorExpr); ok && parts[strings.ToLower(inner.Sel.Name)]; inner, ok = n.X.(*ast.SelectorExpr) {
				n.X = inner.X
			}
		}
		return true
	})
}

// normal returns the tokens of a function without those that a move changes.
func normal(text []byte) string {
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(text)), text, nil, 0)
	var out []string
	for afterQualifier := false; ; {
		_, t, literal := s.Scan()
		switch {
		case t == token.EOF:
			return strings.Join(out, " ")
		case t == token.SEMICOLON, t == token.COMMA, literal == qualifier, afterQualifier: // a comma may end a literal on several lines
		case t == token.IDENT:
			out = append(out, earlier(literal))
		default:
			out = append(out, t.String()+literal)
		}
		afterQualifier = literal == qualifier
	}
}

// earlier returns the earlier name of a thing in lower case.
func earlier(name string) string {
	name = strings.ToLower(name)
	if was, ok := renamed[name]; ok {
		return was
	}
	return name
}

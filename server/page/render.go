package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"agentflow/app/fact"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
	"agentflow/memory"
)

//go:embed templates static
var assets embed.FS

// names lists the views, each in a separate file.
var names = []string{"search", "timeline", "live", "entry", "fact", "similar", "facts", "contradictions", "review", "memory", "files", "health", "problem"}

// templates parses the templates once. Each view defines the blocks "view" and
// "part".
var templates = sync.OnceValue(func() map[string]*template.Template {
	base := template.Must(template.New("").Funcs(functions).ParseFS(assets, "templates/layout.html", "templates/pieces.html"))
	all := map[string]*template.Template{}
	for _, name := range names {
		all[name] = template.Must(template.Must(base.Clone()).ParseFS(assets, "templates/"+name+".html"))
	}
	return all
})

// render writes a page, or only its variable part.
func render(w io.Writer, name string, part bool, p page) error {
	block := "layout"
	if part {
		block = "part"
	}
	return templates()[name].ExecuteTemplate(w, block, p)
}

// static serves the style sheet, the script and the icon.
func static(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	text, err := assets.ReadFile("static/" + path.Base(name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable") // the address includes the version
	_, _ = w.Write(text)                                                    // an error cannot be reported to anyone
}

// assetVersion identifies the contents of the style sheet and the script: a
// browser caches them until it changes.
var assetVersion = sync.OnceValue(func() string {
	sum := sha256.New()
	for _, name := range []string{"page.css", "page.js", "icon.svg"} {
		text, err := assets.ReadFile("static/" + name)
		if err != nil {
			panic(err) // impossible, because it is embedded
		}
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
})

// functions are the functions of the templates. Text from memory must pass
// through clean.
var functions = template.FuncMap{
	"clean": memory.Clean,
	"short": memory.ShortID,
	"price": memory.Price,
	"bytes": func(n any) string {
		switch n := n.(type) {
		case int:
			return plural.Bytes(int64(n))
		case int64:
			return plural.Bytes(n)
		}
		return ""
	},
	"count":    plural.Count,
	"version":  assetVersion,
	"said":     sourceText,
	"order":    func(by fact.Order) string { return orders[by] },
	"outcome":  func(o memory.Outcome) string { return strings.ReplaceAll(string(o), "_", " ") },
	"file":     func(name string) string { return strings.TrimPrefix(memory.Clean(name), "memory/") },
	"duration": func(ms int64) string { return plural.Duration(time.Duration(ms) * time.Millisecond) },
	"clock":    func(t time.Time) string { return t.Local().Format("15:04") },
	"moment":   func(t time.Time) string { return t.Local().Format("2006-01-02 15:04") },
	"iso":      func(t time.Time) string { return t.Format(time.RFC3339) },
	"ago":      ago,
	"known":    known,
	"why":      describe.WhyShown,
	"title":    memory.Title,
	"choice":   func(own any, all ...string) choice { return choice{fmt.Sprint(own), all} },
	"add":      func(a, b int) int { return a + b },
}

// orders describes the orders of facts in words.
var orders = map[fact.Order]string{"created": "newest first", "updated": "changed last", "importance": "most important", "namespace": "by namespace", "key": "by key", "uses": "most used"}

// sourceText describes the source of a fact in words: by hand, from run 3f9a1c.
func sourceText(source string) string {
	switch {
	case source == memory.ByHand:
		return "by hand"
	case source == memory.ByAgent:
		return "by an agent"
	case known(source):
		return "from run " + memory.ShortID(source)
	}
	return "from " + memory.Clean(source)
}

// choice is a list of options with the selected one.
type choice struct {
	Own string
	All []string
}

// ago describes how long ago a time was, in the largest unit that fits.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case t.IsZero():
		return "undated"
	case d < 0:
		return "in " + span(-d)
	case d < time.Minute:
		return "just now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	const day = 24 * time.Hour
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"year", 365 * day}, {"month", 30 * day}, {"day", day}, {"hour", time.Hour}} {
		if d >= u.size {
			return plural.Count(int(d/u.size), u.name)
		}
	}
	return plural.Count(max(int(d/time.Minute), 1), "minute")
}

// known reports whether a text from memory, which may be anything, has the form
// of an id of an entry or a fact for a path.
func known(id string) bool {
	if len(id) < 4 || len(id) > 64 || id[0] == '-' {
		return false
	}
	for _, c := range []byte(id) {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}

// Package when finds dates in what people ask: "what broke last Tuesday?" It
// knows English and German, the same forms of both; a language is here whole
// or not at all.
package when

// Package when finds dates in what people ask: "what broke last Tuesday?" It
// knows English, and the German names of months and days.
package when

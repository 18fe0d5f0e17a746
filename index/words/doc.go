// Package words makes search terms of text: it cuts text into tokens, takes
// words down to their stems, knows which words say nothing, and lists the
// spellings near a word that nobody wrote. It is pure, and holds no state.
package words

package highlight

// Names for the tests in package highlight_test.
const SnippetLines = snippetLines

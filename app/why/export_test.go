package why

// Names for the tests in package why_test.
const MaxBlameFile = maxBlameFile

package purge

// Names for the tests in package purge_test.
var BeginPurge = beginPurge

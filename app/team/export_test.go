package team

// Names for the tests in package team_test.
var Refresh = refresh

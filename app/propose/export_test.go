package propose

// Names for the tests in package propose_test.
const MaxProposals = maxProposals

var ChangeProposals = changeProposals

package api

import "time"

// Token is a right to ask a team's server.
type Token struct {
	Name         string    `json:"name"`             // of the person or program
	Repositories []string  `json:"repositories"`     // that it is for; empty: all
	Writes       bool      `json:"writes"`           // it may change memory
	Created      time.Time `json:"created"`          // when it was made
	Expires      time.Time `json:"expires,omitzero"` // when it ends; absent when it does not
}

// TeamChange is what somebody changed through a team's server.
type TeamChange struct {
	Time       time.Time `json:"time"`       // when it was written
	Name       string    `json:"name"`       // of the token
	Repository string    `json:"repository"` // whose memory was changed
	Operation  string    `json:"operation"`  // the command that does the same
	IDs        []string  `json:"ids"`        // of what was written
}

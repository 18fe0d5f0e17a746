package main

import (
	"agentflow/api"
	"agentflow/app"
)

type runObject = api.Run

const deferredExtraction = app.DeferredExtraction

package main

import (
	"agentflow/app/api"
	"agentflow/app/settle"
)

type runObject = api.Run

const deferredExtraction = settle.DeferredExtraction

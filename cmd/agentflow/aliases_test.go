package main

import (
	"agentflow/api"
	"agentflow/app/settle"
)

type runObject = api.Run

const deferredExtraction = settle.DeferredExtraction

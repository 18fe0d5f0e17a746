package main

import "agentflow/app"

type runObject = app.RunObject

const deferredExtraction = app.DeferredExtraction

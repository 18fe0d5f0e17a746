package factrank

import "math"

// A Signal is one input of a model.
type Signal struct {
	Index int32
	Value float32
}

// The signals of a task and a fact that do not belong to a block.
const (
	bias          = iota
	size          // of the memory
	match         // BM25
	ofBest        // share of the best BM25
	ofTask        // share of the task's words
	ofFact        // share of the fact's words
	rarest        // rarity of the rarest word in both
	common        // words in both that are common in software projects
	named         // identifiers and paths in both
	neighbours    // pairs of words in both
	begins        // words with the same beginning
	scoped        // words of the task in the fact's headings and paths
	titled        // words of the first line
	headed        // words in the fact's first clause
	grouped       // the best fact with the same headings or paths
	alike         // concepts in both, as a cosine
	alikeBest     // the strongest concept in both
	alikePlain    // alikeBest, if the fact has only plain words
	alikeOblige   // alikeBest, if the fact makes a general rule
	alikeShare    // share of the memory's facts about a concept
	alikeHead     // concepts in the first clause
	sensed        // senses in both
	sensedFact    // share of the fact's senses
	sensedBest    // rarity of the rarest sense in both
	sameKind      // kinds of the task that the fact names
	sameKindHead  // kinds of the task that the fact's first clause names
	called        // the strongest concept that a kind of task calls for
	calledSum     // sum over all called concepts
	calledPlain   // called, and the fact has only plain words
	calledOblige  // called, and the fact makes a general rule
	calledCode    // called, and the fact has code
	calledPaths   // called, and the fact has paths
	calledShare   // share of the memory's facts about the concept
	calledHead    // strongest called concept of the first clause
	calledHeadFew // higher if few facts are about that concept
	inPaths       // chance of a file that the fact's globs match
	offPaths      // the fact's globs match no likely file
	hasPaths      // the fact has globs
	here          // the fact's globs match the working directory
	mentioned     // chance of a file that the fact's text names
	pathWords     // rarity of the words that the fact shares with likely paths
	length        // of the fact
	specific      // rarity of its words
	plainness     // share of plain words
	hasCode
	hasNames
	plainSignals // number of these signals
)

// A block has a signal for each pair of a line of one table and a line of
// another. The smaller the scale, the more evidence a weight in the block
// needs.
type block struct {
	first, second []string
	scale         float64
}

// The blocks, in the order in which they follow the plain signals.
const (
	factConcepts = iota
	factActs
	headActs
	bothKinds
	bothConcepts
	kindConcepts
	kindActs
)

func blocks() []block {
	one := []string{""}
	return []block{
		factConcepts: {one, concepts(), 1},
		factActs:     {one, acts(), 1},
		headActs:     {one, acts(), 1},
		bothKinds:    {one, kinds(), 0.5},
		bothConcepts: {one, concepts(), 0.5},
		kindConcepts: {kinds(), concepts(), 0.4},
		kindActs:     {kinds(), acts(), 0.4},
	}
}

// SignalCount returns the number of signals of a task and a fact.
func SignalCount() int {
	n := Plain
	for _, b := range blocks() {
		n += len(b.first) * len(b.second)
	}
	return n
}

// Plain counts the signals before the blocks.
const Plain = plainSignals

// collector collects signals.
type collector struct {
	list   []Signal
	blocks []block
	starts []int
}

func newCollector() *collector {
	c := &collector{blocks: blocks()}
	at := Plain
	for _, b := range c.blocks {
		c.starts = append(c.starts, at)
		at += len(b.first) * len(b.second)
	}
	return c
}

func (c *collector) plain(i int, v float64) {
	if v != 0 {
		c.list = append(c.list, Signal{int32(i), float32(v)})
	}
}

func (c *collector) block(b, first, second int, v float64) {
	at := c.starts[b] + first*len(c.blocks[b].second) + second
	c.list = append(c.list, Signal{int32(at), float32(v * c.blocks[b].scale)})
}

// fixed returns the signals of a fact that are the same for every task.
func (m *Matcher) fixed(f *fact, c *collector) []Signal {
	c.list = nil
	c.plain(bias, 1)
	c.plain(size, math.Log(float64(len(m.facts))))
	c.plain(length, math.Log1p(float64(f.count)))
	c.plain(specific, f.mass/float64(len(f.terms)+1))
	c.plain(plainness, f.plainness())
	c.plain(hasCode, one(f.code))
	c.plain(hasNames, one(len(f.names) > 0))
	c.plain(hasPaths, one(len(f.Paths) > 0))
	for _, t := range f.topics {
		c.block(factConcepts, 0, t, f.about[t])
	}
	for act := range f.acts.list() {
		c.block(factActs, 0, act, 1)
	}
	for act := range f.head.acts.list() {
		c.block(headActs, 0, act, 1)
	}
	return c.list
}

// one returns 1 if the condition holds, and 0 otherwise.
func one(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// signals collects the signals of the task and fact i.
func (a *asked) signals(i int, c *collector) {
	f := a.facts[i]
	var x [plainSignals]float64
	a.byWords(i, &x)
	a.byConcepts(f, &x)
	a.bySenses(f, &x)
	a.byCalls(f, &x)
	a.byFiles(f, &x)
	for at, v := range x {
		c.plain(at, v)
	}
	c.list = append(c.list, f.fixed...)
	for k := range (a.kinds & f.kinds).list() {
		c.block(bothKinds, 0, k, 1)
	}
	for _, t := range f.topics {
		if a.about[t] > 0 {
			c.block(bothConcepts, 0, t, f.about[t]*a.about[t])
		}
	}
	a.crossKinds(f, c)
}

// crossKinds collects the signals that combine the kinds of the task with the
// concepts and acts of the fact.
func (a *asked) crossKinds(f *fact, c *collector) {
	for k := range a.kinds.list() {
		for _, t := range f.topics {
			c.block(kindConcepts, k, t, f.about[t])
		}
		for act := range f.acts.list() {
			c.block(kindActs, k, act, 1)
		}
	}
}

package factrank

import "sync"

// kindTable lists what a task asks for, a line each, by the words that say so. A task
// is of every kind of which it has a word.
const kindTable = `
fix: fix* bug* fail* crash* broken break* wrong* error* incorrect* regress* panic* hang* exception* doesnt dont isnt cant cannot wont instead unexpected* missing leak* corrupt* lost loses vanish* disappear* flicker* complain* blank stuck problem* kaputt fehler* erreur* falla* nothing garbage refused invalid corrige*
add: add adds support* implement* introduc* allow* feat feature* want* need* let lets also expos* accept* provide* offer* ajout* anad* agreg* hinzu* could should optional option make new give send put remind* ability
change: change* move* replace* convert* switch* bump* updat* upgrade* increas* decreas* reduc* set extend* improv* adjust* turn raise* relax* tweak* port andern cambi* chang* modifi* rename* longer shorter use
remove: remove* delete* drop disable* rid kill strip* prune* entfern* supprim* elimin* unused dead
tidy: refactor* clean* tidy simplif* simplify extract* split* duplicat* restructur* modernis* moderniz* rewrite* readab* lint*
write: draft* translat* summari* letter* poem* limerick* slide* presentation* blog* proofread* polite* haiku* traduis redige ubersetz* mermaid csv regex cron
works:
idle:
ask: how why whats which where when who may does what explain* understand* difference wie warum wo pourquoi como cual quel* happens possible
test: test tests testing spec specs cover* reproduc* flaky suite fuzz* assertion*
release: release* publish* deploy* ship tag version* rollout rollback hotfix* production prod staging
commit: commit* merge* rebase* push* pr prs mr pull branch* cherry review* squash* backport*
document: docs doc document* readme manual* guide* changelog* describe* faq man tutorial
upgrade: upgrade* bump* dependenc* dependab* latest newest renovate outdated
data: migration* migrat* column* table schema* index backfill* sql quer* database* rows
look: button* dialog* page pages css style* dark theme* layout* icon* color* colour* menu* screen* modal* mobile dropdown* form text label* tooltip* checkbox* animation* hover show shows hide* display* header list dashboard* box link preferences visible
speed: slow* perf* fast* faster speed* latency benchmark* profil* timeout* cpu memory optimi*
safety: security vulnerab* leak* token* password* permission* private public expos* attack* xss csrf ssrf cve unauthori* secret* steal* login* access* guess*
operate: alert* server* production prod staging restart* incident* outage* cluster* backup* restor* install* setup locally local laptop machine config* live
endpoint: api apis endpoint* get post put json request* response* route* webhook* graphql returns status
option: flag flags option* argument* parameter* cli config* setting* env values default*
mail: mail* email* digest* newsletter* notif* remind*
`

// actTable lists what a fact does, a line each, by the words that show it.
const actTable = `
forbid: never not dont no forbidden cannot isnt arent wont doesnt must only nie niemals kein* nicht jamais nunca ne pas
oblige: must always every each all any needs need has required require* mandatory whoever everything anything whatever immer jede* toujours chaque tout* siempre cada todo*
run: run runs use call execute start make npm yarn mix cargo bin script scripts sh bash lance* ejecut*
change: change changes changed changing touch touches edit edits add adds adding new modify fix fixes pr commit update updating anderung* changement* cambio*
before: before after once until first then finally done hand finish* call calling pushing push commit merging merged open opening avant apres vor nach antes despues
ask: ask asks okay ok approve* approval review* reviewer* sign signoff talk ping inform owner owns tell decides wants frag* demand* pregunt*
because: because since reason incident outage lost otherwise else why burned learned happened weil sonst sinon parce porque
place: lives live under below inside folder directory file files located holds contains belongs belong
meaning: is are means mean called stands equals counts defined
when: when if where whenever case unless except wenn si quand cuando
number: min minutes seconds ms hours days kb mb gb percent
`

// The kinds that decide whether a task asks for a change of the repository: the first of
// the table.
const (
	fixKind conceptSet = 1 << iota
	addKind
	changeKind
	removeKind
	tidyKind
	writeKind
	worksKind
	idleKind
)

var (
	kinds = sync.OnceValue(func() *lexicon { return readLexicon(kindTable) })
	acts  = sync.OnceValue(func() *lexicon { return readLexicon(actTable) })
)

// kindsOf returns the kinds of a task: those of its words, and whether it asks for a change.
func kindsOf(t *text) conceptSet {
	const change = fixKind | addKind | changeKind | removeKind | tidyKind
	if t.kinds&change != 0 && t.kinds&writeKind == 0 {
		return t.kinds | worksKind
	}
	return t.kinds | idleKind
}

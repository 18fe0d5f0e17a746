package factrank

// kindTable lists kinds of tasks, one per line, with the words that show them.
// A task has every kind that one of its words shows.
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

// The first kinds of the table, which decide whether a task asks for a change
// of the repository.
const (
	fixKind set = 1 << iota
	addKind
	changeKind
	removeKind
	tidyKind
	writeKind
	worksKind
	idleKind
)

// kindsOf returns the kinds shown by a task's words, and worksKind if the task
// asks for a change or idleKind if not.
func kindsOf(t *text) set {
	const change = fixKind | addKind | changeKind | removeKind | tidyKind
	if t.kinds&change != 0 && t.kinds&writeKind == 0 {
		return t.kinds | worksKind
	}
	return t.kinds | idleKind
}

// callTable lists for each kind of task the concepts of the facts that it calls
// for.
const callTable = `
fix: test regress
add: test changelog docs lint
change: test lint changelog
works: test lint changelog build review
remove: compat changelog remove test
tidy: test lint refactor
test: test fixture flaky
release: release changelog deploy
commit: git review lint changelog ticket
document: docs
upgrade: dependency changelog runtime
data: migration database
look: ui i18n a11y mobile review typing lint
speed: perf
safety: security permission privacy auth secret
operate: deploy setup config container
endpoint: api permission docs error compat
option: option config docs changelog
mail: mail i18n account
`

// actTable lists what facts do, one act per line, with the words that show it.
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

// obligeAct is the line of actTable for facts that make a general rule.
const obligeAct = 1

// techTable lists languages, frameworks, products and formats. If a task names
// one that no fact names, the memory is probably about another subject.
const techTable = `
python django flask fastapi pandas numpy pytest ruby rails sinatra rspec php laravel symfony wordpress java kotlin spring
maven gradle junit scala clojure swift swiftui xcode objective dart flutter golang rust tokio cargo haskell elixir phoenix
erlang ocaml lua perl julia fortran cobol pascal delphi csharp dotnet asp unity unreal javascript typescript node deno bun
express nextjs nuxt react redux preact vue vuex pinia svelte angular ember jquery jest vitest playwright cypress webpack vite
rollup esbuild babel eslint prettier tailwind bootstrap sass electron tauri android ios ipados macos windows linux ubuntu
debian fedora arch nixos nix freebsd openbsd raspberry arduino esp32 powershell bash zsh fish vim neovim emacs vscode
intellij pycharm eclipse iterm tmux docker podman kubernetes helm terraform pulumi ansible puppet chef vagrant nomad consul
vault istio envoy nginx apache caddy traefik haproxy aws s3 ec2 lambda dynamodb cloudfront azure gcp firebase heroku vercel
netlify cloudflare postgres postgresql mysql mariadb sqlite oracle mongodb cassandra redis memcached elasticsearch opensearch
kafka rabbitmq nats clickhouse snowflake bigquery dbt airflow spark hadoop grafana prometheus loki datadog sentry splunk
kibana jenkins gitlab bitbucket circleci travis argocd jira confluence notion slack teams discord trello asana figma excel
word powerpoint outlook gmail latex markdown mermaid graphql grpc protobuf openapi swagger stripe paypal shopify salesforce
sap hubspot wordpress ghost drupal joomla moodle tensorflow pytorch keras opencv ffmpeg imagemagick k6 locust selenium
homebrew apt yum npm yarn pnpm pip conda poetry gem composer nuget
`

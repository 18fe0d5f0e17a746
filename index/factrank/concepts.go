package factrank

// conceptTable lists the subjects of software work, one per line: the name of
// the concept and its words, in English, German, French and Spanish. A word
// ending in * matches every word with that prefix. The words are general: none
// belongs to a product's domain.
const conceptTable = `
test: test* spec specs suite pytest jest rspec vitest mocha junit unittest* testcase* assert* coverage tdd e2e prueba* playwright cypress
regress: regress* bug* fix fixes fixed reproduc* hotfix* fehler* bogue*
fixture: fixture* mock* stub* factory factories fake* golden snapshot* seed seeds testdata vcr cassette* faker
flaky: flaky flake* intermittent* sporadic* sleep sleeps wait* retry retries random* nondetermin* hang hangs timing race
changelog: changelog* unreleased changes history news visible facing notice* announce* changelogs
release: release* tag tags tagged tagging publish* ship shipping version* semver veroffentlich* publi* milestone*
deploy: deploy* rollback production prod staging canary rollout rolling einspielen desplieg* preprod
dependency: dependenc* dep deps library libraries package packages upgrade* vendor* lockfile* crate* gem gems npm yarn pnpm pip poetry bundler gemfile abhangigkeit* dependan* renovate dependabot outdated requirements
migration: migration* migrate* migrating schema* column* backfill* alter ddl nullable constraint* spalte* columna* colonne* index indexes
database: database* db sql quer* postgres* mysql sqlite clickhouse redis table tables row rows select insert delete transaction* join* records orm activerecord ecto datenbank* scan
docs: doc docs document* readme manual* manpage man guide* tutorial* faq wiki handbuch website site
comment: comment* docstring* godoc jsdoc rustdoc moduledoc kommentar* todo
option: flag flags option* argument* arg args parameter* switch switches cli subcommand* opcion* command
config: config* setting* env environment toml ini dotenv default* einstellung* konfigur* yaml values
ci: ci pipeline* workflow* runner* gitlab jenkins travis nightly actions
lint: lint* format* formatter* fmt prettier eslint rubocop credo ruff black clippy gofmt rustfmt stylelint whitespace indent*
typing: typed typing typings typecheck* typescript tsc mypy dialyzer annotation* generics any
build: build* compil* makefile cmake webpack bundle* linker binary binaries artifact* warning* werror toolchain
log: log logs logging logger logged debug* trace traces tracing verbose print* printf stdout stderr sentry protokoll* kibana
metrics: metric* alert* grafana prometheus telemetry analytic* track* statistic* stats monitor* measure* counter*
auth: auth* login* logins signin password* passphrase* token* session* oauth sso saml 2fa totp credential* cookie* kennwort* passwort* contrasena* logged
permission: permission* role roles access* forbid* forbidden admin* staff moderator* polic* guard* privilege* restrict* unauthoriz* berechtigung* owner owners viewer* allowed
security: securit* secur* vulnerab* cve exploit* xss csrf ssrf injection sanitiz* sanitis* escap* attack* disclos* embargo untrusted sicherheit* segurid* malicious
secret: secret* encrypt* decrypt* cipher* crypto* certificate* tls ssl signature* hmac vault private
privacy: privacy gdpr pii personal* anonym* ip ips consent* erase* erasure retention dsgvo rgpd legal* lawyer* datenschutz
i18n: i18n l10n translat* locale* language* crowdin gettext polish german french spanish english arabic hebrew rtl plural* wording string strings sentence* placeholder* ubersetz* traduc* traduit sprache* idioma*
git: git commit* branch* rebase* merge* squash* cherry backport* fork fork's upstream push pushed pushing trailer* rebased
review: review* pr prs mr pull approv* reviewer* codeowner* screenshot* merged diff
people: ask asks talk ping inform team teams colleague* okay ok lead maintainer* signoff frag* pregunt* demand* veto decides owns
ticket: issue* ticket* jira tracker triage* reporter* label labels close closes
perf: perf performan* slow* fast* faster speed* latency benchmark* bench* profil* hyperfine optimi* throughput cpu preload* n+1 hot
memory: memory alloc* malloc free freed leak* heap buffer* overflow* oom gc pointer*
concurrent: concurren* thread* goroutine* async* await mutex lock* race races parallel* deadlock* atomic* blocking lease* simultan*
cache: cache* caching memoi* invalidat* stale ttl expire* expir*
job: job jobs worker* queue* background cron schedul* sidekiq oban celery enqueue* periodic* nightly
api: api apis endpoint* rest graphql json rpc route* routes public export exported exports sdk serializ* controller* payload* breaking
network: network* http https socket* proxy prox* dns url urls host hosts port ports tcp connection* timeout* redirect* header* webhook* request*
ui: ui ux frontend front component* react vue ember svelte css scss html button* dialog* modal* menu* layout* style styles theme* dark light icon* color* colour* sidebar toolbar checkbox* tooltip* screen* browser* dropdown form forms banner* client page pages show shows shown hide hides display* visible header dashboard* list
a11y: accessib* a11y aria keyboard focus contrast reader wcag barriere*
mobile: mobile* phone* touch* tablet* ipad iphone android ios safari narrow responsive
server: backend back server* service* controller* model models domain middleware business handler*
error: error* exception* raise* crash* panic* fail* abort* throw* throws errno exit fehler* erreur*
input: valid* invalid* pars* limit* length* malformed empty nil null blank overflow
compat: compat* backward* deprecat* break breaks breaking legacy old older oldest stable stability consumers downgrade* obsolete peers rename* renaming
platform: windows linux macos mac darwin unix posix alpine ubuntu debian fedora arm x86 architecture platform* portab* separator crlf
runtime: node ruby python golang rust erlang elixir java php jdk interpreter nvm rbenv asdf newest oldstable lts msrv minimum
container: docker* container* kubernetes k8s helm chart* pod pods compose cluster* namespace* registry terraform nomad image
file: file files folder* director* filename* symlink* disk datei* fichier* archivo* path paths
storage: upload* download* s3 bucket* attachment* images picture* photo* avatar* blob* minio cdn
transfer: import* export* csv xlsx dump* restore* backup* convert* conversion roundtrip serializ* deserializ* load save saved
time: timezone* date dates datetime utc day days hour* clock* calendar* week* month* year* dst zeit* heure* timestamp*
money: billing invoice* payment* pay paid price* pricing subscription* customer* trial* currency tax vat refund* charge* revenue
mail: mail* email* newsletter* digest* notif* smtp inbox sms messages remind*
account: user users account* profile* member* signup register* invite* invitation* onboard* people person* visitor*
search: search* filter* find ranking sort* order* pagina* match* matches matching
naming: name names naming rename* prefix* suffix* convention* camelcase snake_case kebab called title titles
codegen: generat* regenerat* codegen protobuf swagger openapi hand generated
setup: install* setup bootstrap* laptop machine machines locally local checkout clone prerequisite* devcontainer
plugin: plugin* extension* addon* hook hooks integration* embed* third host
toggle: toggle* experiment* beta gradual* enable* disable* off behind optin
ai: ai llm gpt chatgpt openai claude copilot agent agents prompt* embedding*
license: license* licence* copyright cla dco agpl gpl mit apache spdx trademark logo
remove: remove* removal delete* deletion drop dropped dropping prune* cleanup unused obsolete entfern* supprim* elimin*
refactor: refactor* restructur* extract* simplif* duplicat* dry rewrite* rewrit* split tidy modernis* moderniz* style small
`

// endingTable lists file endings that belong to a concept.
const endingTable = `
ui: .css .scss .less .html .tsx .jsx .vue .svelte .hbs .gjs .erb .heex .haml
docs: .md .rst .adoc .ronn .1
database: .sql
i18n: .po .pot
`

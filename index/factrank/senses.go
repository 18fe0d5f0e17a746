package factrank

// senseTable lists words that people use for one another when they speak about
// software and the work around it, in English, German, French and Spanish, one
// sense per line. A word ending in * matches every word with that prefix. The
// senses are general: none belongs to a product's domain.
const senseTable = `
delete remov* erase* erasure wipe* purge* drop destroy* clear* prune* losch* entfern* supprim* effac* elimin* borr*
vanish* disappear* lost lose loses losing gone missing verschw* verlor* disparu* perd*
create* creat* add adds added adding insert* introduc* new erstell* anleg* neue* ajout* nouve* crear anad* nuev*
change* changing edit* modif* alter* update* touch* adjust* tweak* ander* anpass* changer changement* cambi* actualiz*
move* relocat* transfer* migrat* shift* verschieb* deplac* mover traslad*
rename* renam* name names naming called umbenenn* renomm* nombre nom
replace* swap* substitut* switch* exchange* ersetz* remplac* reemplaz*
split separate* divide* apart cut trenn* aufteil* separ*
merge* merging combine* join* unify consolidat* zusammen* fusion* unir
copy copies clone* duplicat* twice double* repeat* again idempotent* unique uniq dedup* doppelt mehrfach duplic* deux
show* display* render* visible view* appear* anzeig* sichtbar* affich* visible* mostr*
hide* hidden conceal* invisible mask* collapse* versteck* cach* ocult*
picture* image* photo* avatar* icon* logo* screenshot* thumbnail* bild* imag* foto*
font* typeface* typograph* glyph* schrift* police* fuente*
color* colour* hex palette theme* shade* farb* couleur* dark light background* contrast*
button* click* link* tap press clickable knopf bouton* boton*
dialog* modal* popup* confirm* sure prompt prompts overlay toast
form forms field* input inputs checkbox* textbox dropdown select formular* champ* campo*
page pages screen* view views seite* pantalla* ecran*
list* table* grid row rows column* overview liste* tabla*
layout* position* align* left right margin* padding overlap* direction rtl arrow* width
text* string* wording label* caption* sentence* copy phrase* title* heading* texte* titulo* titel*
translat* language* locale* i18n french german spanish english polish italian russian chinese japanese arabic hebrew ubersetz* sprache* traduc* traduit idioma* langue*
message* mail* email* letter* notif* newsletter* digest* nachricht* courrier* correo* mensaje*
weekly daily monthly nightly hourly schedul* cron recurring periodic* wochentlich taglich hebdo* semanal
summary summar* digest* overview report* recap zusammenfass* resum*
user* member* people person* account* customer* client* subscriber* visitor* human* nutzer* benutzer* kunde* utilisateur* client* usuario* cliente*
admin* staff moderator* operator* owner* maintainer* superuser root
group* team* organi* crew department*
role* permission* right rights allow* access* privilege* authori* guard* policy policies forbidden restricted berechtig* zugriff droit* permis*
forbid* forbidden ban* prohibit* never disallow* reject* refus* deny denied block* verbot* interdi* prohib*
password* passphrase* credential* secret* login* pin kennwort* passwort* contrasena* clave mot
token* key keys api_key bearer cookie* session*
encrypt* decrypt* cipher* crypto* hash* sign signed signature* hmac salt verschlussel* chiffr* cifr*
leak* expos* reveal* disclos* outside public visible guess* enumerat* attack* exploit* vulnerab* security sicherheit* securite seguridad
personal private privacy anonym* identif* gdpr pii fingerprint* track* recogni* consent* datenschutz
address* ip ips url urls uri link links host* domain* adress* direcci*
download* fetch* retriev* request* outgoing external outbound http internet network* herunter* telecharg* descarg*
upload* attach* attachment* file files datei* fichier* archivo* subir hochlad*
import* ingest* load loads loading read reads reading intake einles* lire leer
export* dump* extract* csv xlsx spreadsheet* download report*
save saves saved saving store* stored persist* write writes written keep kept remember speicher* enregistr* guard* retain* retention
backup* restor* recover* snapshot* rollback* revert* undo undone wiederherstell* restaur*
cache* memoi* stale outdated old buffer* warm* fresh*
slow* fast* speed* perf* latency quick* optimi* throughput expensive cost* langsam* schnell* lent* rapid* rendimiento
memory ram heap alloc* leak* gc malloc free
cpu load cores processor* hot path
timeout* deadline* wait* hang* stuck slow delay* late later retry retries again abort* attente espera*
wrong incorrect* bug* broken defect* error* fault* fail* issue* problem* invalid* mistake* fehler* falsch* kaputt erreur* bogue* fallo* error*
crash* panic* segfault* abort* exception* die dies killed absturz* plant*
count* sum sums total* number* amount* figure* aggregate* average mean rate percent* add up zahl* summe* nombre compt* total*
compare* comparison differ* versus previous mismatch vergleich* compar*
sort* order* rank* first top reihenfolge tri orden*
filter* search* find query quer* lookup match* such* recherch* busc*
limit* cap max* maximum quota* bound* threshold throttl* rate burst grenze* limite*
size* length long big large bytes kilobyte* huge width grosse taille tamano
small* tiny compact narrow minimal short klein petit* peque*
time* clock* hour* minute* second* timezone* utc midnight zeit* uhr heure* hora* 
date* day days week* month* year* calendar tag tage woche* jour* mois semaine* dia dias mes semana
start* begin* boot* launch* open* init* startup beginn* demarr* inici*
stop* end ends halt* shutdown quit exit* kill* terminat* pause* beend* arret* detener
restart* deploy* rollout* release* ship* production prod live rolling redeploy* handover ausliefer* deploi* desplieg*
staging preprod* test demo sandbox
server* node nodes box boxes machine* instance* host hosts cluster* replica* shard* serveur* servidor*
browser* safari chrome firefox edge webkit client
mobile* phone* ipad* iphone* tablet* android touch* device* handy telefon* 
keyboard* focus tab a11y accessib* aria reader barriere*
database* db postgres* mysql sqlite clickhouse sql redis store datenbank* base
migration* schema* column* ddl alter backfill* spalte* colonne* columna*
index indexes indices indexing lookup
transaction* lock* concurren* race* parallel* simultan* thread* mutex atomic*
queue* job* worker* background async* task* sidekiq oban celery enqueue* warteschlange cola file
log* trace* print* debug* console output stdout stderr journal* protokoll*
monitor* alert* metric* dashboard* observ* grafana prometheus sentry telemetry uberwach* surveill*
event* hit hits pageview* visit* click* tracking
statistic* stats analytic* report* chart* graph* figure* 
price* pricing plan plans tier* tarif* billing invoice* pay* subscription* charge* fee revenue currency money preis* rechnung* prix factur* precio* 
contract* legal law* agreement* lawyer* compliance court* regulation clause vertrag* contrat*
license* licence* copyright* lizenz*
country countries region* city europe* american geo location* land pays pais
test* spec specs suite verify verif* check* assert* pruf* essai* prueba*
fixture* factory factories mock* stub* fake* sample* seed* example* builder*
flaky random* intermittent* sporadic* sometimes nondetermin*
coverage uncovered untested branch
reproduc* regress* 
lint* format* style* prettier eslint fmt tidy clean indent* convention*
type* typed typing mypy tsc typescript annotation* signature*
warning* deprecat* notice* warn*
compile* compil* build* bundle* make binary artifact* kompilier*
dependency dependenc* package* library libraries module* gem* crate* third abhangig* paquet* biblio*
upgrade* bump* update* newer latest newest outdated version* aktualisier* mise
install* setup set-up laptop machine local* checkout onboarding einricht* instal*
config* setting* option* preference* parameter* toggle* knob* default* einstell* reglage* ajuste* opcion*
flag* switch* argument* cli command* subcommand*
env environment* variable* dotenv
document* docs readme manual* guide* explain* describe* description* man wiki doku* handbuch
changelog* release note* notes news unreleased announce* 
commit* push* branch* rebase* squash* cherry git
review* approve* approval* sign okay ok ask* permission look pr mr pull genehmig* freigab* valid* revis* aprob*
upstream fork* vendor* sync* patch* backport*
issue* ticket* report* tracker jira label* triage
ci pipeline* workflow* runner* check* automation
plugin* extension* addon* hook* integration* embed* module* erweiter*
theme* skin* template* css scss stylesheet*
component* widget* element* control*
api apis endpoint* route* rest json graphql rpc response* request* schnittstelle*
status code codes 200 201 400 401 402 403 404 409 422 429 500
export* public expose* interface* surface package* api
break* breaking compat* backward* legacy old older oldest stable downgrade* kompatib*
unused dead obsolete leftover* cruft stale
generat* regenerat* codegen automatic* produced derived generier* gener*
comment* docstring* annotation* remark*
secret* confidential internal private
symlink* path* folder* director* ordner* pfad* dossier* carpeta* ruta*
windows linux mac macos darwin unix posix platform* 
character* unicode utf encoding* charset ascii emoji whitespace newline* zeichen* caracter*
regex* pattern* glob* expression* wildcard*
parse* parser* parsing syntax token* grammar lexer
number* integer* float* digit* decimal round* precision
empty null nil none blank undefined absent leer vide vacio
first once initial* only
every each all always any immer jede* toujours chaque siempre cada
container* docker* image* pod* kubernetes k8s helm chart* 
namespace* scope* prefix* 
certificate* tls ssl https cert
proxy prox* gateway* cdn balancer cloudflare forward* header*
webhook* callback* hook* 
third external vendor* saas service* provider* remote
ai llm gpt chatgpt claude openai model prompt* 
old archive* history past former before previous earlier
meeting* people ask person call talk phone
wait* sleep* delay* poll* 
stream* chunk* buffer* pipe* flush* 
compress* zip gzip zstd tar archive* decompress*
draft* propose* sketch* suggest* plan design* idea* vorschlag* propos*
`

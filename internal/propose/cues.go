package propose

import "sync"

// language has the cues of one language.
type language struct {
	no       pattern // begins a sentence that contradicts
	lead     pattern // begins a sentence and says nothing
	rule     pattern // says how things are always done
	contrast pattern // one thing in place of another
	refusal  pattern // says enough where it answers an action
	forNow   pattern // is about the work at hand
	unnamed  pattern // is no contrast or refusal for good: it names what only the work at hand explains
	excluded pattern // is no rule though it has the words of one
	order    pattern // asks for something
}

// languages have known cues.
var languages = sync.OnceValue(func() []language {
	return []language{english(), german(), french(), spanish(), portuguese()}
})

const (
	// doing are verbs of how people work, as an order has them.
	doing = `(?:use|using|put|commit|push|write|add|import|mock|touch|edit|change|run|create|delete|remove|rebase|squash|merge|release|deploy|log|store|hardcode|format|name|prefix|keep|ship|install|vendor|pin|call|wrap|return|throw|catch|swallow|test|document|generate|regenerate|bump|tag|force[- ]push|amend|skip|rely|depend|abbreviate|leave|start|open|link|sort|set|make|prefer|avoid|ask|check|update|include|reference|place|expose|sign|build)`
	// clause is the condition before a rule: "in tests, …".
	clause = `(?:(?:in|for|when|whenever|before|after|on|if|with|within|inside)\b[^,.]{1,80}, ?(?:then )?)?`
	// deictic begins an object that only the work at hand explains.
	deictic = `(?:a|an|the|this|that|these|those|it|them|him|her|my|your|its|anything|one)\b`
)

func english() language {
	return language{
		no:   expression(`^(?:no|nope|nah|stop|wait|wrong|not like that|actually|hold on|hey)\b(?:[,.!:;—–-]| -)*\s*`),
		lead: expression(`^(?:and|but|so|also|ok(?:ay)?|well|yes|right|oh|again|please|pls|just|sorry|fyi|reminder|btw|by the way|as i said(?: before)?|like i said|i (?:told|said)(?: you)?(?: before)?|for the (?:record|future)|note|remember(?: that)?|keep in mind(?: that)?|the rule(?: here)? is(?: that)?)\b[,:;.—–-]*\s+`),
		rule: expression(`^` + clause + `(?:` +
			// always and never, of what we do
			`(?:(?:we|everyone|all of us|you (?:should|must|have to|need to)|i (?:want|need|would like|expect) you to|make sure (?:you|to|that you)|be sure to|let's)(?: \w+)? )?(?:always|never)(?: ever)? (?:\w+ (?:and|or) )?` + doing + `\b` +
			`|(?:all |every |each |new |any |our )?[a-z][\w-]*(?: [a-z][\w-]*)? (?:must|should|have to) (?:always|never)\b` +
			`|we should (?:be using|use|prefer|avoid|always|never)\b.*\b(?:wherever|everywhere|always|never)\b` +
			// what we do here
			`|we (?:do not|don['’]t|dont|no longer|only|always|never|stopped) (?:ever |just |really )?` + doing + `\b` +
			`|(?:in|here in|for) (?:this|our) (?:repo|repository|project|codebase|monorepo|team|company),? (?:we|always|never|use|only|don['’]t|do not|prefer|all|every|tests?|errors?)\b` +
			`|(?:we|here we) ` + doing + ` [^.]*\b(?:here|instead|everywhere|throughout|in (?:this|our) (?:repo|repository|project|codebase|monorepo|team)|not \S+|rather than|instead of)` +
			// from now on
			`|(?:from (?:now|here|today) on(?:wards?)?|going forward|in (?:the )?future|as a rule|by convention|by policy|every time you|each time you|whenever you)\b` +
			`|(?:don['’]t|dont|do not) ever ` + doing + `\b` +
			// conventions
			`|(?:our|the) (?:\w+ )?(?:convention|rule|policy|standard|guideline|house style)s? (?:here |in this (?:repo|project) )?(?:is|are|says?)\b|it['’]s (?:our|a|the) (?:convention|rule|policy) ` +
			`|(?:i|we) (?:strongly |really |usually |generally )?prefer ` + `|prefer ` +
			// forbidden, with a reason, a scope or what to do in its place
			`|(?:don['’]t|dont|do not|avoid|stop|no more) ` + doing + ` (?:.*\b(?:ever|anywhere|in (?:this|our) (?:repo|repository|project|codebase|monorepo)|in (?:tests?|prod|production|ci|commits?|migrations?))\b)` +
			`)` +
			`|\b(?:from (?:now|here|today) on(?:wards?)?|going forward)[.!]?$` +
			`|^(?:please )?` + doing + `\b.* (?:before|after|with|for) (?:every|each|any) (?:commit|push|pr|pull request|merge|release|deploy|deployment|change|new \w+|test run)s?\b`),
		contrast: expression(`^` + clause + `(?:` +
			`(?:don['’]t|dont|do not|never|stop|avoid|no) (?:use|using|install|installing|run|running|call|calling|import|importing|add|adding|write|writing) (?:\S+ ){0,5}?\S+(?:[,;.]| -| —|,? but|,? and)? (?:use|prefer|we use|it['’]s|run|write) \S+` +
			`|(?:use|prefer|run|write|install|call) (?:\S+ ){1,4}?(?:,? ?not|instead of|rather than|over|and not|never) \S+` +
			`|\S+,? (?:and )?not \S+, (?:in|for|everywhere)` +
			`|we use \S+` +
			`|(?:don['’]t|dont|do not|avoid|stop) ` + doing + ` .+\b(?:because|since|as (?:it|they|that)|it breaks?|they break)\b` +
			`)`),
		refusal:  expression(`^(?:(?:please )?(?:use|run|call|prefer|write|put) \S+|(?:don['’]t|dont|do not|never|avoid|stop) ` + doing + `\b|we (?:use|run|never|don['’]t|do not|only|always)\b|that(?:['’]s| is) (?:generated|vendored|managed|owned)\b|\S+(?: \S+)? (?:is|are) (?:generated|vendored|managed|off limits|read-only|deprecated|forbidden|not allowed)\b)`),
		forNow:   expression(`\b(?:for now|for the (?:time being|moment|demo|poc)|until\b|in this (?:pr|mr|branch|commit|change|file|function|test|case|task|session|step|patch|round|ticket)|this (?:time|once|week|sprint)|just (?:this|here)|here only|in the meantime|temporarily|(?:too|either|as well)\?$|next (?:step|time you run)|as (?:a )?first step|not yet|any more than|like (?:you|we) did)\b`),
		excluded: expression(`^(?:maybe|perhaps|i (?:think|guess|wonder|believe|doubt)|what if|could (?:we|you)|can (?:we|you)|should (?:we|i)|would|why|how|when (?:do|does|did|should)|is it|do (?:we|you|i|they)|does|did|are|has|have (?:we|you)|had|was|were|will|may|whose|whom|what|which|who|where|it (?:looks|seems|says)|the (?:docs?|readme|error|log|comment|ticket|issue|spec|linter) )|\b(?:says?|said|claims?|claimed|according to|complains?|reports?|suggests?|used to|nice to have|would be nice|never mind|never ?theless|always (?:has|have|had|been|was|were)|can always|(?:never|always) (?:used|called|run) (?:by|in|from|anywhere)|why we|how we|whether we)\b|^(?:the|this|that|these|those|it|its|a|an|like|there|here) .*\b(?:must|should|may|can|have to|will|would) (?:always|never)\b`),
		unnamed:  expression(`^\w+ ` + deictic + `|\b(?:use|prefer) ` + deictic + `|\b(?:this|that|these|those|them)\b`),
		order:    expression(`^(?:always |never |(?:don['’]t|do not) )?` + doing + `\b|^(?:don['’]t|do not|never|always|make sure|be sure|remember to)\b`),
	}
}

// The cues of other languages are few: the words for always, never and from now on where an
// order or "we" has them, and one thing in place of another.

func german() language {
	verb := `(?:nimm|nehmt|nutze?|benutze?|verwende|schreibe?|mache?|committe?|pushe?|lege?|lass|füge?|teste?|setze?|starte?|führe?|rufe?|installiere?|importiere?|ändere?|lösche?|halte?|baue?)`
	return language{
		no:       expression(`^(?:nein|nee|nö|halt|stopp?|falsch|nicht so|moment)\b[,.!:;—–-]*\s*`),
		lead:     expression(`^(?:und|aber|also|ok(?:ay)?|bitte|übrigens|nochmal|wie gesagt|merk dir|denk dran|achtung|hinweis)\b[,:;.]*\s+`),
		rule:     expression(`^(?:wir|hier|bei uns|in diesem (?:repo|projekt)|in unserem (?:repo|projekt))\b.*\b(?:immer|nie|niemals|grundsätzlich|stets|keine?n?|nicht mehr|nur noch)\b|^` + verb + `\b.*\b(?:immer|nie|niemals|grundsätzlich|stets)\b|^(?:immer|nie|niemals|grundsätzlich) .*\b\w+en\b|^(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|in zukunft|zukünftig)\b|\b(?:du sollst|du darfst|sollst du|ihr sollt|man soll) .*\b(?:immer|nie|niemals)\b|\b(?:vor|nach|bei) jede[mnr] (?:commit|push|release|merge|änderung|pr)\b`),
		contrast: expression(`^` + verb + ` (?:\S+ ){0,4}?(?:statt|anstatt|anstelle von|und nicht|, nicht|nicht) \S+|^` + verb + ` keine?n? \S+(?:,| sondern|, sondern)? .*\b(?:sondern|nimm|nutze?|benutze?|verwende)\b|^wir (?:nehmen|nutzen|benutzen|verwenden|haben) \S+`),
		refusal:  expression(`^` + verb + ` \S+|^wir\b|^(?:nicht|nie|kein)\b|\bist (?:generiert|verboten)\b`),
		forNow:   expression(`\b(?:erstmal|erst mal|vorerst|fürs erste|in diesem (?:pr|branch|commit|fall|test)|hier nur|bis auf weiteres|solange)\b`),
		excluded: expression(`^(?:warum|wieso|weshalb|wie|was|wann|wo|wer|welche\w*|kann|können|könnten|sollen wir|sollten wir|ist|sind|haben wir|vielleicht|eventuell|ich (?:glaube|denke|frage))\b|\b(?:schlägt|sagt|steht|angeblich|laut|hatten|waren|war)\b`),
		order:    expression(`^(?:bitte )?` + verb + `\b`),
	}
}

func french() language {
	verb := `(?:utilise[zr]?|mets|mettez|écri[st]|écrivez|fais|faites|lance[zr]?|ajoute[zr]?|commite?[zr]?|pousse[zr]?|installe[zr]?|garde[zr]?|nomme[zr]?|teste[zr]?|touche[zr]?|modifie[zr]?)`
	return language{
		no:       expression(`^(?:non|stop|attends|arrête|pas comme ça)\b[,.!:;—–-]*\s*`),
		lead:     expression(`^(?:et|mais|donc|ok|s['’]il te plaît|stp|svp|rappel|pour rappel)\b[,:;.]*\s+`),
		rule:     expression(`^(?:ici,? |dans ce (?:projet|dépôt|repo),? )?(?:on|nous|il faut|tu dois|vous devez) .*\b(?:toujours|jamais|plus|uniquement)(?:\s|[.,!]|$)|^(?:` + verb + `|n['’]` + verb + `|ne ` + verb + `)\s(?:.*\s)?(?:toujours|jamais|systématiquement)(?:\s|[.,!]|$)|^(?:toujours|ne jamais|jamais) \S+|^(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir)(?:\s|,)|\bavant chaque (?:commit|push|release|merge)\b`),
		contrast: expression(`^(?:n['’]?|ne )?` + verb + ` (?:pas )?(?:\S+ ){0,4}?(?:au lieu de|plutôt que|et pas|, pas|pas) \S+|^n['’]utilise[zr]? pas \S+.*\butilise[zr]?\b|^on utilise \S+`),
		refusal:  expression(`^` + verb + ` \S+|^on \S+|^n['’e]`),
		forNow:   expression(`(?:pour l['’]instant|pour le moment|cette fois|maintenant[.,!]?$|dans (?:cette|ce) (?:pr|branche|commit|fichier|cas)|aujourd['’]hui|provisoirement)`),
		excluded: expression(`^(?:pourquoi|comment|quand|où|qui|que|quel\w*|est-ce|peut-on|peux-tu|pouvez-vous|devrait-on|faut-il|peut-être|je (?:crois|pense))(?:\s|$)|\b(?:dit|selon|échoue)\b`),
		order:    expression(`^` + verb + `\b`),
	}
}

func spanish() language {
	verb := `(?:usa|use[ns]?|usar|utiliza|utilice|pon|ponga|escribe|escriba|haz|haga|hagas|ejecuta|ejecute|añade|añadas|agrega|agregues|instala|instales|toques|toca|pongas|escribas|guarda|prueba|nombra)`
	return language{
		no:       expression(`^(?:no|para|espera|así no|mal)[,.!:;—–-]+\s*`),
		lead:     expression(`^(?:y|pero|entonces|ok|vale|por favor|recuerda(?: que)?|ojo)\b[,:;.]*\s+`),
		rule:     expression(`^(?:aquí,? |en este (?:repo|proyecto|repositorio),? )?(?:nosotros )?(?:siempre|nunca|jamás) \S+|^` + verb + `\b.*\b(?:siempre|nunca|jamás)(?:\s|[.,!]|$)|^(?:aquí,? )?(?:siempre|nunca)\b|^(?:en este (?:repo|proyecto|repositorio),? |aquí,? )(?:no )?(?:se )?us(?:amos|a)\b|^(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro)(?:\s|,)|\bantes de cada (?:commit|push|release|merge)\b`),
		contrast: expression(`^(?:no )?` + verb + ` (?:\S+ ){0,4}?(?:en vez de|en lugar de|y no|, no) \S+|^no (?:uses|usen|instales|utilices) \S+.*\b(?:usa|utiliza|instala)\b|^(?:no )?usamos \S+`),
		refusal:  expression(`^(?:no )?` + verb + ` \S+|^(?:no )?usamos`),
		forNow:   expression(`(?:por ahora|de momento|esta vez|ahora mismo|en (?:este|esta) (?:pr|rama|commit|archivo|caso)|hoy|temporalmente)\b`),
		excluded: expression(`^(?:¿|por qué|cómo|cuándo|dónde|quién|qué|cuál|podemos|puedes|deberíamos|quizás|tal vez|creo)|\b(?:siempre|nunca) (?:falla|ha|había|fue|funciona|pasa|termina|devuelve)\b|\b(?:dice|según)\b`),
		order:    expression(`^` + verb + `\b`),
	}
}

func portuguese() language {
	verb := `(?:usa|use|usar|utilize|coloque|coloca|escreva|escreve|faça|faz|execute|rode|adicione|instale|mexa|toque|altere|mantenha|teste|nomeie)`
	return language{
		no:       expression(`^(?:não|pare|espera|espere|assim não|errado)[,.!:;—–-]+\s*`),
		lead:     expression(`^(?:e|mas|então|ok|por favor|lembre(?:-se)?(?: que| de que)?|atenção)\b[,:;.]*\s+`),
		rule:     expression(`^(?:aqui,? |neste (?:repo|projeto|repositório),? )?(?:nós |a gente )?(?:sempre|nunca|jamais) \S+|^` + verb + `\b.*\b(?:sempre|nunca|jamais)(?:\s|[.,!]|$)|^(?:neste (?:repo|projeto|repositório),? |aqui,? )(?:não )?(?:se )?us(?:amos|a)\b|^(?:a partir de agora|daqui (?:para|pra) frente|de agora em diante|no futuro)(?:\s|,)|\bantes de cada (?:commit|push|release|merge)\b`),
		contrast: expression(`^(?:não )?` + verb + ` (?:\S+ ){0,4}?(?:em vez de|ao invés de|no lugar de|e não|, não) \S+|^não (?:use|usa|instale|utilize) \S+.*\b(?:use|usa|utilize|instale)\b|^(?:não )?usamos \S+`),
		refusal:  expression(`^(?:não )?` + verb + ` \S+|^(?:não )?usamos`),
		forNow:   expression(`(?:por enquanto|por agora|desta vez|dessa vez|agora mesmo|neste (?:pr|branch|commit|arquivo|caso)|hoje|temporariamente)\b`),
		excluded: expression(`^(?:por que|como|quando|onde|quem|que|qual|podemos|pode|deveríamos|talvez|acho)\b|\b(?:sempre|nunca) (?:falha|foi|funciona|passa|termina|retorna|dá)(?:\s|$)|\b(?:diz|segundo)\b`),
		order:    expression(`^` + verb + `\b`),
	}
}

//! Words of English that the rules ask about: function words, verbs, words that name no thing.

mod verbs;

use std::collections::HashSet;
use std::sync::LazyLock;

pub(super) use verbs::{is_auxiliary, is_finite, is_noun_verb, is_participle, is_verb_base};

/// What is said to whoever reads, and to programs above all.
pub(super) const ORDERS: [&str; 6] = [
    "ignore all",
    "ignore your",
    "ignore previous",
    "previous instructions",
    "your instructions",
    "system prompt",
];

type Words = LazyLock<HashSet<&'static str>>;

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

static DETERMINERS: Words = LazyLock::new(|| set("the a an"));

static PRONOUNS: Words = LazyLock::new(|| {
    set("i you he she it we they this that these those there here who which what my your his her \
         its our their me him us them one ones someone somebody anyone anybody everyone everybody \
         nobody something anything everything nothing mine yours ours theirs myself yourself itself \
         themselves both each either neither all some any none many most few several others \
         another other such same whose whom whoever whatever whichever")
});

/// Words that begin sentences and are part of no name there.
static STARTERS: Words = LazyLock::new(|| {
    set(
        "about above according across actually additionally after afterwards again against ago also \
         although always among amongst an and another any are as aside assuming at based basically \
         because been before being below besides between beyond both briefly but by can certain \
         common commonly compared consequently considering contrary conversely could currently \
         depending despite did different do does don't due during each earlier early either else \
         especially essentially even eventually every everyone everything except few finally first \
         firstly following for formerly from fortunately further furthermore generally given had has \
         have having hence here hi historically how however if imagine importantly in including \
         indeed initially inside instead into is it it's its just last lastly later latest less let \
         let's like likewise little long many maybe meanwhile might more moreover most mostly much \
         multiple must my namely near nearly neither never nevertheless new next no none nonetheless \
         nor not note notably nothing now obviously occasionally of off often on once one only \
         optional optionally or originally other others otherwise our out outside over overall \
         particularly perhaps please popular possible presumably previously primarily prior probably \
         rather recent recently regarding regardless same second secondly see several shall she \
         should similar similarly simply since so some something sometimes soon specifically still \
         subsequently such sure surely technically than thankfully that that's the their them then \
         there there's therefore these they third thirdly this those though three through throughout \
         thus to today together too toward towards traditionally two typically ultimately under \
         unfortunately unless unlike until up upon us use used using usually various very via was we \
         well were what whatever when whenever where whereas wherever whether which while who whom \
         whose why will with within without would yes yet you your modern four five six seven eight \
         nine ten half part parts major minor good great best better old older newer large small \
         high low full own certain main current additional available default custom",
    )
});

/// What leads a clause in before its subject.
static LEADS: Words = LazyLock::new(|| {
    set("in on at as with since after before during by for from like unlike until within without \
         today however originally additionally also historically currently recently previously \
         traditionally typically usually generally finally first second third then later now here \
         instead moreover furthermore therefore thus nevertheless nonetheless meanwhile similarly \
         likewise besides further although though while when if because given despite once under \
         through over throughout according compared based fortunately unfortunately initially \
         eventually technically basically essentially specifically notably importantly interestingly \
         overall still yet often sometimes together among between along beyond following prior and \
         but so to per upon whereas")
});

static ADVERBS: Words = LazyLock::new(|| {
    set("also now often never always still only just not already first then once almost even ever \
         instead later nowadays sometimes soon thus today therefore however both all each thereby \
         hence again long well further alone itself himself herself themselves simply further")
});

/// Words that name no thing by themselves: headings, parts of pages, talk about the text.
static GENERIC: Words = LazyLock::new(|| {
    set("abstract about accessibility account acknowledgements acknowledgments actions activities \
         activity advanced advantages advice agenda aim aims alternatives amount announcement answer \
         answers appendix application applications approach approaches architecture archive area \
         article articles aspect assignment audience author authors availability background badges \
         basics before benefit benefits bibliography blog book books bonus bug bugs build building \
         business case cases categories category caution challenge challenges changelog changes \
         chapter chapters checklist choice citation class classes code collection comment comments \
         community comparison compatibility component components concept concepts conclusion \
         conclusions conference config configuration considerations contact content contents context \
         contributing contribution contributions contributor contributors copyright cost course \
         courses credits criteria customers danger data date dates day days definition definitions \
         demo demos dependencies deployment description design detail details development \
         difference differences directory disadvantages disclaimer discussion discussions docs \
         documentation donate download downloads edit editor email end environment episode error \
         errors evaluation event events everyone everything exam example examples exception exercise \
         exercises experience explanation extensions fact facts faq faqs feature features feedback \
         field fields figure figures file files filter first fix fixes folder footer form forum forums \
         framework free function functionality functions funding future gallery general getting \
         glossary goal goals group groups guidance guide guidelines guides header heading help here \
         highlights hint hints history home homepage how idea ideas image images impact implementation \
         important improvement improvements index info information ingredients input installation \
         installing instructions instructor intro introduction issue issues item items job jobs \
         journal key keywords kind kinds lab language languages last latest learning lesson lessons \
         level library licence license licensing limitations line lines link links list lists log \
         login logo main maintainers maintenance management manual material materials members menu \
         message method methodology methods migration milestones mission mode model models module \
         modules more motivation name names navigation need needs new news newsletter next note notes \
         notice number numbers objective objectives objects one option options organisation \
         organization others outcome outcomes outlook output outputs overview package packages page \
         pages paper papers paragraph parameters part participants parts people performance person \
         phase philosophy photo plan planning platform player point points policy post posts \
         preface prerequisites presentation press previous price pricing principles privacy problem \
         problems procedure process product production products program programme project projects \
         properties property proposal purpose query question questions quickstart quote reader readers \
         reason reasons recipe recipes recommendation recommendations reference references related \
         release releases report reports repository request requirement requirements research \
         resource resources response result results return review reviews roadmap role roles rule \
         rules running safety sample schedule scope screenshot screenshots search section sections \
         security see series server service services session set setting settings setup share side \
         site sites size slides software solution solutions source sources speaker speakers \
         specification sponsors staff stage standard start started statement statistics status step \
         steps storage story strategy structure student students style subject submission \
         subscribe suggestion suggestions summary support supported syntax system systems table \
         tables tag tags task tasks team teams technique techniques technology term terminology terms \
         test testing tests text thanks theory thing things time times tip tips title titles tool \
         toolkit tools top topic topics training troubleshooting tutorial tutorials type types \
         updates upgrade upgrading usage use user users value values version versions video videos \
         view views warning warnings way ways web webinar website week weeks welcome what why wiki \
         work workflow workshop workshops world year years yes no ok true false null none todo \
         advanced copy submit button click screen window dialog tab option column row cell \
         chapter morning evening night afternoon weekend north south east west northern southern \
         eastern western man men woman women child children friend friends family life place places \
         president minister king queen professor doctor director manager chairman founder engineer \
         mr mrs ms dr prof sir internet god readme license.md notebook default")
});

/// Nouns that make a phrase talk about the text or about nothing in particular.
static EMPTY_HEADS: Words = LazyLock::new(|| {
    set(
        "way ways thing things reason reasons example examples problem problems advantage advantages \
         disadvantage benefit benefits goal goals idea ideas result results step steps question \
         questions answer answers point points part parts aspect aspects difference differences \
         purpose aim rest option options approach approaches note notes tip tips issue issues case \
         cases section page guide article chapter post tutorial lesson document list table figure \
         number amount majority lot couple pair set series rule trick key focus challenge challenges \
         solution solutions fact facts person people user users time times place day year exception \
         alternative alternatives choice choices concern concerns downside upside drawback drawbacks \
         best first second third last next latter former following above same other others one ones \
         use usage author authors team following default",
    )
});

/// Adjectives that say what to think of something, not what it is.
static WEIGHING: Words = LazyLock::new(|| {
    set(
        "key good great bad better best worse worst major minor important common big huge small nice \
         popular crucial critical essential vital valuable useful helpful excellent wonderful perfect \
         real serious significant matter must bit lot fun challenge natural little simple easy \
         difficult hard complex powerful strong early late growing recurring central",
    )
});

/// Nouns that say what kind of thing the name before them is: `the Alias directive`.
static KINDS: Words = LazyLock::new(|| {
    set("directive command function object method class protocol format language library module \
         framework driver tool app application package plugin extension utility program service \
         server client database engine algorithm standard specification operator attribute element \
         property option setting variable keyword statement macro header component widget API model \
         system platform project product organization organisation foundation institute university \
         company team agency museum bridge river mountain island city town village temple church \
         award prize programme convention interface compiler interpreter runtime distribution \
         effect filter node parameter flag event hook decorator type field role header dataset \
         file game series album film novel book magazine newspaper website site mission spacecraft \
         telescope satellite programming operating")
});

fn has(words: &Words, word: &str) -> bool {
    words.contains(word) || (word.contains('’') && words.contains(word.replace('’', "'").as_str()))
}

/// An article.
pub(super) fn is_determiner(word: &str) -> bool {
    has(&DETERMINERS, word)
}

/// Stands for a name, or asks for one.
pub(super) fn is_pronoun(word: &str) -> bool {
    has(&PRONOUNS, word)
}

/// Begins sentences; no name begins with it there.
pub(super) fn is_starter(word: &str) -> bool {
    has(&STARTERS, word) || is_pronoun(word) || is_determiner(word)
}

/// Leads in what stands before the subject.
pub(super) fn is_lead(word: &str) -> bool {
    has(&LEADS, word) || (word.len() > 4 && word.ends_with("ly"))
}

/// May stand between a subject and its verb.
pub(super) fn is_adverb(word: &str) -> bool {
    has(&ADVERBS, word) || (word.len() > 4 && word.ends_with("ly"))
}

/// Names no thing by itself.
pub(super) fn is_generic(word: &str) -> bool {
    has(&GENERIC, word)
}

/// A noun that says nothing of what something is: `way`, `example`.
pub(super) fn is_empty_head(word: &str) -> bool {
    has(&EMPTY_HEADS, word)
}

/// Weighs something instead of defining it.
pub(super) fn is_weighing(word: &str) -> bool {
    has(&WEIGHING, word)
}

/// A noun that may stand behind a name and say what it is.
pub(super) fn is_kind(word: &str) -> bool {
    has(&KINDS, word)
}

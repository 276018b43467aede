//! Verbs, told by lists and endings.

use std::sync::LazyLock;

use super::{Words, has, set};

static AUXILIARIES: Words = LazyLock::new(|| {
    set(
        "is are was were has have had can could will would may might must should shall does do did \
         isn't aren't wasn't weren't hasn't haven't hadn't can't cannot couldn't won't wouldn't \
         doesn't don't didn't shouldn't needn't needs",
    )
});

static IRREGULAR_PAST: Words = LazyLock::new(|| {
    set("became began broke brought built bought came chose cost cut drew drove fell felt fought \
         found flew gave got grew held kept knew laid led left lent lost made meant met paid put ran \
         read rose said saw sent set shot showed shut sang sat slept sold sought spent spoke spread \
         stood struck sought took taught thought told understood undertook underwent went withdrew \
         woke won wore wrote arose beat bore caught dealt died forbade foresaw oversaw overcame \
         rebuilt sank split sprang stuck swept threw hit let quit rid shrank spun swam tore")
});

/// Base forms of verbs that tell what something is or does.
static VERBS: Words = LazyLock::new(|| {
    set(
        "abandon abstract accelerate accept access accommodate accompany accomplish account achieve \
         acknowledge acquire act activate adapt add address adhere adjust admit adopt advance \
         advertise advise affect agree aim alert align allocate allow alter amount analyze analyse \
         announce answer appeal appear apply appoint appreciate approach approve argue arise arrange \
         arrive ask assemble assert assess assign assist associate assume assure attach attack \
         attempt attend attract attribute author automate avoid award back balance ban base be bear \
         beat become begin behave believe belong benefit bind block boast boost borrow bounce branch \
         break bridge bring broadcast bridge brew build bundle burn buy cache calculate call cancel \
         capture care carry cast catch cause celebrate center change characterise characterize \
         charge check choose claim classify clean clear climb close coincide collaborate collapse \
         collect combine come command commission commit communicate compare compete compile complement \
         complete comply compose comprise compress compute concern conclude conduct configure confirm \
         conform connect conquer consider consist constitute constrain construct consume contain \
         continue contract contrast contribute control convert convey cook coordinate cope copy \
         correct correspond cost count cover crash create credit cross dance date deal debut decide \
         declare decline decode decompose decouple decrease dedicate deem default defend defer define \
         delegate delete deliver demand demonstrate denote deny depend depict deploy deprecate derive \
         descend describe deserve design desire destroy detail detect determine develop deviate \
         devote diagnose dictate die differ differentiate direct disable discard discontinue discover \
         discuss display dissolve distinguish distribute divide document dominate donate double draw \
         drain drive drop dry earn ease edit educate elect eliminate embed embody embrace emerge \
         emit emphasise emphasize employ empower emulate enable encapsulate encode encompass encounter \
         encourage encrypt end endorse enforce engage enhance enjoy ensure entail enter enumerate \
         equal equip escape establish estimate evaluate evolve examine exceed exchange exclude execute \
         exercise exert exhibit exist expand expect experience expire explain exploit explore export \
         expose express extend extract face facilitate fail fall favor favour feature feed feel fetch \
         fight file fill filter find finish fit fix flow fly focus follow forbid force forget form \
         format forward foster found frame free fulfil fulfill function fund gain gather generate \
         get give go govern grant group grow guarantee guard guide handle hang happen harm hash have \
         head help hide highlight hinder hire hit hold host house identify ignore illustrate imply \
         impact implement import impose improve include incorporate increase incur indicate induce \
         influence inform inherit inhibit initialise initialize initiate inject insert inspect \
         inspire install instantiate instruct integrate intend interact intercept interface interfere \
         interpret introduce invent invest investigate invite invoke involve issue isolate iterate \
         join judge jump justify keep kill know label lack land last launch lay lead leak lean learn \
         leave lend let leverage license lie lift limit link list listen live load locate lock log \
         look lose love lower maintain make manage manipulate manufacture map mark market marry match \
         matter maximise maximize mean measure meet melt merge migrate mimic minimise minimize mirror \
         miss mitigate mix model modify monitor mount move name need neglect negotiate network \
         normalise normalize note notice notify number obey observe obtain occupy occur offer open \
         operate oppose opt optimise optimize orbit orchestrate order organise organize originate \
         outline outperform overlap override oversee own pack package paint pair parse partition \
         partner pass pause pay peak perform permit persist pioneer pick place plan plant play point \
         popularise popularize populate port pose possess post power practice praise precede predict \
         prefer prepare present preserve press prevent print prioritise prioritize probe proceed \
         process produce profit program prohibit project promise promote prompt propagate propose \
         protect prove provide provision proxy publish pull pump purchase pursue push put query quote \
         raise range rank rate reach react read realise realize receive recognise recognize recommend \
         reconcile record recover redirect reduce refer reference refine reflect refuse regard \
         register regulate reinforce reject relate relax relay release rely remain remember remind \
         remove rename render renew repair repeat replace replicate report represent reproduce \
         request require rescue research resemble reserve reset reside resist resolve respect respond \
         rest restart restore restrict result resume retain retire retrieve return reuse reveal \
         reverse review revise revolve reward rise roast roll rotate round route rule run sacrifice \
         satisfy save say scale scan schedule score search secure see seek select sell send separate \
         serialise serialize serve set settle shape share shield shift ship shoot shorten show shut \
         sign signal signify simplify simulate sit sleep slow smell solve sort sound source span \
         spark speak specialise specialize specify speed spend split sponsor spread stabilise stand \
         standardise standardize start state stay stem step stick stimulate stop store streamline \
         strengthen stress stretch strike strive structure struggle study submit subscribe succeed \
         suffer suggest suit summarise summarize supersede supplement supply support suppress surpass \
         surround survive suspend sustain swap switch synchronise synchronize tackle take talk target \
         taste teach tell tend terminate test thank think thrive throw tie toggle top touch tour \
         trace track trade train transfer transform translate transmit transport travel treat trigger \
         try turn twist underpin undergo understand undertake unify unite unlock update upgrade upload \
         use utilise utilize validate value vary verify view violate visit wait walk want warn wash \
         watch weigh welcome win wish work wrap write yield",
    )
});

/// Verbs in -s that are as often plural nouns: a verb behind them makes them one.
static NOUN_VERBS: Words = LazyLock::new(|| {
    set(
        "accounts acts aims answers attacks attempts attributes authors bases benefits blocks branches \
         breaks bridges builds bundles calls captures causes centers changes charges checks claims \
         commands commits compounds concerns conducts contracts contrasts controls copies costs counts \
         covers crashes credits dates deals debuts decreases defaults demands designs details displays \
         documents drives drops edits ends exchanges exercises experiences exploits exports faces \
         features feeds fields files fills filters fits flows forces formats forms frames functions \
         funds gains grants groups guards guides handles heads helps hits hosts houses impacts imports \
         increases influences interfaces issues judges jumps keeps labels lacks lands lays leads leaks \
         lends licenses lies lifts limits links lists loads locks logs looks loves maps marks markets \
         matches matters measures mirrors misses models monitors mounts moves names needs networks \
         notes notices numbers offers opens orders outlines packages packs paints pairs partitions \
         partners passes pauses peaks permits picks places plans plants plays points ports posts \
         powers practices presents presses prints processes produces profits programs projects promises \
         prompts proposes proxies pulls pumps purchases pushes queries quotes raises ranges ranks rates \
         reaches reads records references releases remains renders reports requests researches reserves \
         resets respects results returns reviews rewards rises rolls rotates rounds routes rules runs \
         scales scans schedules scores searches sells sends serves services sets shapes shares shields \
         shifts ships shoots shows signals signs sits sounds sources spans speeds splits sponsors stands \
         starts states stays steps stops stores strikes structures studies supplements supplies supports \
         switches takes talks targets tests ties tops touches tours traces tracks trades trains transfers \
         transforms transports travels treats triggers turns twists updates upgrades uploads uses values \
         views visits waits walks warns washes watches wins wishes works wraps yields",
    )
});

/// Whether a word in lower case is a verb as it stands in a statement: `is`, `supports`, `was`,
/// `released`. Base forms (`support`) are, behind plural subjects only.
pub(in crate::extract) fn is_finite(word: &str, plural: bool) -> bool {
    is_auxiliary(word)
        || has(&IRREGULAR_PAST, word)
        || is_third_person(word)
        || is_past(word)
        || (plural && VERBS.contains(word))
}

fn is_third_person(word: &str) -> bool {
    let Some(stem) = word.strip_suffix('s') else { return false };
    VERBS.contains(stem)
        || stem.strip_suffix('e').is_some_and(|stem| {
            VERBS.contains(stem)
                || stem.strip_suffix('i').is_some_and(|y| VERBS.contains(format!("{y}y").as_str()))
        })
}

/// Whether a word in lower case may be a past participle: `built`, `designed`.
pub(in crate::extract) fn is_participle(word: &str) -> bool {
    is_past(word)
        || has(&IRREGULAR_PAST, word)
        || matches!(
            word,
            "written" | "known" | "given" | "taken" | "shown" | "driven" | "grown" | "born"
        )
}

/// `is`, `has`, `can`, `did`: needs no other verb to be one.
pub(in crate::extract) fn is_auxiliary(word: &str) -> bool {
    has(&AUXILIARIES, word)
}
/// Whether a word is a verb in -s or, as often, a plural noun.
pub(in crate::extract) fn is_noun_verb(word: &str) -> bool {
    has(&NOUN_VERBS, word)
}

/// Whether a word is a regular past form.
pub(in crate::extract) fn is_past(word: &str) -> bool {
    let Some(stem) = word.strip_suffix("ed") else { return false };
    let mut chars = stem.chars().rev();
    let doubled = matches!((chars.next(), chars.next()), (Some(a), Some(b)) if a == b);
    VERBS.contains(stem)
        || VERBS.contains(&word[..word.len() - 1])
        || stem.strip_suffix('i').is_some_and(|y| VERBS.contains(format!("{y}y").as_str()))
        || (doubled && stem.is_ascii() && VERBS.contains(&stem[..stem.len() - 1]))
}

/// Whether a word in lower case is the base form of a verb: at the start of a sentence it commands.
pub(in crate::extract) fn is_verb_base(word: &str) -> bool {
    VERBS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_told_by_their_forms() {
        for (word, plural, expected) in [
            ("is", false, true),
            ("supports", false, true),
            ("released", false, true),
            ("carries", false, true),
            ("dropped", false, true),
            ("reaches", false, true),
            ("support", false, false),
            ("support", true, true),
            ("cluster", true, false),
            ("became", false, true),
            ("pods", false, false),
            ("used", false, true),
            ("applied", false, true),
            ("", false, false),
            ("s", false, false),
            ("ed", false, false),
        ] {
            assert_eq!(is_finite(word, plural), expected, "{word}");
        }
    }
}

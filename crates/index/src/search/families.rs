//! English words that a question and what answers it say for the same: forms of irregular verbs, and what
//! was done beside the label under which a table has it, as `built` and `Builder`. Pure.
//!
//! They are for telling whether a statement answers, not for finding it.

use elophanto_base::lexical::Analyzer;

/// In each row every word may stand for every other.
const FAMILIES: &[&[&str]] = &[
    &["abbreviation", "acronym", "stand", "symbol", "symbolise", "symbolize"],
    &["accident", "crash"],
    &["acquire", "acquisition", "bought", "buy", "purchase"],
    &["admitted", "enter", "entered", "inducted"],
    &["age", "aged", "old"],
    &["aid", "assist", "help"],
    &["aim", "goal", "purpose"],
    &["allow", "let", "permit"],
    &["alma", "educated", "education", "enrolled", "graduated", "studied", "study"],
    &["alter", "change", "modify"],
    &["altitude", "elevation", "level", "sea"],
    &["answer", "reply"],
    &["appearance", "game", "match"],
    &["area", "big", "extent", "large", "size"],
    &["ate", "diet", "eat", "eaten", "feed"],
    &["attend", "attended", "participant", "present"],
    &["author", "screenplay", "script", "write", "writer", "written", "wrote"],
    &["automobile", "car", "vehicle"],
    &["award", "oscar", "prize"],
    &["beat", "beaten", "defeat"],
    &["began", "begin", "begun", "commence", "start"],
    &["birth", "birthplace", "born"],
    &["border", "boundary", "edge"],
    &["break", "broke", "broken"],
    &["bring", "brought"],
    &["bug", "error", "fault"],
    &["build", "builder", "built", "manufacturer", "shipyard"],
    &["called", "entitled", "known", "name", "named", "titled"],
    &["came", "come", "origin", "originated", "originating"],
    &["cast", "featuring", "play", "played", "portrayed", "star", "starring"],
    &["cease", "end", "finish", "stop"],
    &["chief", "head", "leader", "led"],
    &["child", "children", "kid"],
    &["chip", "cpu", "processor"],
    &["choose", "chose", "chosen", "pick", "select"],
    &["cinematography", "filmed", "photographed", "shot"],
    &["close", "closed", "shut"],
    &["coach", "taught", "teach", "teacher"],
    &["complement", "crew", "men", "sailors"],
    &["compose", "composer", "music"],
    &["contributed", "contributor"],
    &["copy", "duplicate"],
    &["cost", "fee", "price"],
    &["create", "created", "creator", "invented", "inventor"],
    &["dad", "father"],
    &["dead", "death", "die", "died"],
    &["delete", "erase", "remove"],
    &["detect", "notice", "recognise", "recognize"],
    &["differ", "difference", "different", "unlike"],
    &["direct", "directed", "director"],
    &["directory", "folder"],
    &["disband", "dissolve", "split"],
    &["disease", "illness", "sick"],
    &["display", "show"],
    &["distributed", "publish"],
    &["doctor", "physician"],
    &["edit", "editing", "editor"],
    &["employ", "employee", "employees", "staff"],
    &["endorse", "support"],
    &["established", "founded", "founder"],
    &["execute", "operate", "ran", "run"],
    &["fall", "fallen", "fell"],
    &["fast", "quick"],
    &["film", "movie"],
    &["first", "inaugural", "initial", "original"],
    &["fix", "mend", "repair"],
    &["fortune", "rich", "wealth"],
    &["gave", "give", "given"],
    &["gestation", "pregnancy", "pregnant"],
    &["grew", "grow", "grown", "raised"],
    &["headquarters", "headquartered", "seat"],
    &["held", "hold", "place"],
    &["highest", "max", "maximum", "peak", "top"],
    &["husband", "marriage", "married", "marry", "spouse", "wife"],
    &["inhabit", "inhabitants", "live", "population", "residents"],
    &["job", "occupation", "profession"],
    &["keep", "kept"],
    &["kill", "murder"],
    &["knew", "know"],
    &["licence", "license"],
    &["little", "small"],
    &["location", "outlet", "shop", "store"],
    &["lose", "loss", "lost"],
    &["lowest", "min", "minimum"],
    &["mic", "microphone"],
    &["mother", "mum"],
    &["own", "owned", "owner"],
    &["paid", "pay"],
    &["part", "participate", "represent"],
    &["percent", "percentage", "share"],
    &["photo", "photograph", "picture"],
    &["probe", "spacecraft"],
    &["produce", "producer"],
    &["rescue", "save"],
    &["road", "street"],
    &["sale", "sell", "sold"],
    &["sang", "sing", "singer", "sung"],
    &["sank", "sink", "sunk"],
    &["send", "sent"],
    &["speak", "spoke", "spoken"],
    &["take", "taken", "took"],
    &["update", "upgrade"],
    &["victory", "win", "winner", "won"],
];

/// For each of some terms those of what may be said for it.
pub(super) fn alike(terms: &[String], analyzer: &Analyzer) -> Vec<Vec<String>> {
    let family = |words: &&[&'static str]| -> Vec<_> {
        words.iter().filter_map(|word| analyzer.term(word)).collect()
    };
    let families: Vec<Vec<_>> = FAMILIES.iter().map(family).collect();
    let others = |term: &String| {
        let own = families.iter().filter(|family| family.iter().any(|it| it == term));
        let mut others: Vec<String> = own
            .flatten()
            .filter(|other| *other != term)
            .map(|it| it.clone().into_owned())
            .collect();
        others.sort_unstable();
        others.dedup();
        others
    };
    terms.iter().map(others).collect()
}

/// Whether a term is one of these words: no name, and no misspelt word.
pub(super) fn is_known(term: &str, analyzer: &Analyzer) -> bool {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .any(|word| analyzer.term(word).is_some_and(|known| known == term))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_in_one_family_and_in_order() {
        let all: Vec<&str> = FAMILIES.iter().flat_map(|family| family.iter().copied()).collect();
        let mut once = all.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), all.len());
        assert!(FAMILIES.is_sorted_by_key(|family| family[0]));
    }

    #[test]
    fn deeds_and_labels_are_alike() {
        let analyzer = Analyzer::new("english");
        let of = |word: &str| alike(&analyzer.terms(word), &analyzer).remove(0);
        for (asked, said) in
            [("built", "Builder"), ("live", "Population"), ("gave", "given"), ("movie", "films")]
        {
            let said = analyzer.terms(said).remove(0);
            assert!(of(asked).contains(&said), "{asked} {said} {:?}", of(asked));
        }
        assert_eq!(of("otter"), [""; 0]);
    }
}

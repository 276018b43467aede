//! The words that tell what a full stop means: short forms, and what stands before and behind them.

/// Short forms that are never the last word of a sentence, in lower case.
pub(super) const NEVER_LAST: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "cf", "vs", "viz", "approx", "resp", "incl", "excl", "esp", "ibid",
    "z.b", "d.h", "u.a", "v.a", "i.d.r", "o.g", "s.o", "s.u", "z.t", "m.e", "u.u", "p.ex", "p.ej",
    "bzw", "ca", "vgl", "ggf", "evtl", "inkl", "exkl", "zzgl", "abzgl", "bspw", "insb", "sog",
    "mind", "entspr", "urspr", "geb", "gest", "engl", "dt", "frz", "lat", "env", "aka", "a.k.a",
    "med", "rer", "nat", "phil", "est", "av", "approx", "éd", "coll", "hab", "im", "núm",
];
/// Titles before a name, as they are written.
pub(super) const TITLES: &[&str] = &[
    "Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Ste", "Mt", "Ft", "Gen", "Lt", "Col", "Sgt", "Capt",
    "Cllr", "Cmdr", "Rev", "Hon", "Sen", "Rep", "Gov", "Pres", "Hr", "Fr", "Dipl", "Ing", "Mme",
    "Mlle", "Sra", "Srta", "dr", "prof", "mr", "mrs", "ms",
];
/// Short forms that a number follows; else they are words, or end a sentence. In lower case.
pub(super) const BEFORE_NUMBERS: &[&str] = &[
    "no", "nos", "nr", "num", "fig", "figs", "sec", "secs", "sect", "ch", "chap", "vol", "vols",
    "pp", "pg", "art", "eq", "eqs", "tab", "abb", "abs", "kap", "bd", "jh", "ver", "rev", "ed",
    "op", "ref", "refs", "app", "tel", "ext", "jan", "feb", "mar", "apr", "jun", "jul", "aug",
    "sep", "sept", "oct", "okt", "nov", "dec", "dez", "ziff", "art", "par", "max", "min",
];
/// Short forms that stand inside of a sentence or at its end: the next word tells. In lower case.
pub(super) const MAYBE_LAST: &[&str] = &[
    "etc", "inc", "ltd", "corp", "co", "bros", "jr", "sr", "al", "usw", "ph.d", "m.sc", "b.sc",
    "llc", "plc", "ave", "blvd", "rd", "str", "dept", "univ", "assn", "mio", "mrd", "max", "min",
    "sec", "ed", "eds", "vol", "std", "temp", "avg", "ca", "chr",
];
/// Words that begin sentences far more often than they are names, in lower case.
pub(super) const BEGINNERS: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "it", "its", "he", "she", "they", "we",
    "you", "i", "there", "here", "in", "on", "at", "for", "from", "with", "without", "to", "by",
    "as", "if", "when", "where", "while", "after", "before", "since", "once", "until", "because",
    "so", "then", "thus", "and", "but", "or", "nor", "yet", "however", "also", "not", "no", "yes",
    "all", "each", "every", "some", "any", "most", "both", "only", "note", "see", "use", "run",
    "do", "does", "did", "is", "are", "was", "were", "what", "who", "how", "why", "which", "our",
    "their", "his", "her", "my", "your", "today", "now", "later", "der", "die", "das", "ein",
    "eine", "es", "er", "sie", "wir", "ihr", "dies", "diese", "dieser", "dieses", "im", "am",
    "mit", "ohne", "bei", "für", "wenn", "nach", "vor", "und", "aber", "oder", "auch", "nur",
    "alle", "jede", "jeder", "dann", "danach", "dort", "hier", "was", "wer", "wie", "le", "la",
    "les", "il", "elle", "un", "une", "el", "los", "las", "ces", "ce", "cette",
];
/// Verbs behind the first word of a sentence.
pub(super) const BEHIND_SUBJECTS: &[&str] =
    &["can", "does", "has", "is", "may", "runs", "supports", "uses", "was", "will"];
/// Months as German dates name them behind a day.
pub(super) const MONTHS: &[&str] = &[
    "januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september",
    "oktober", "november", "dezember",
];
/// Words that a German ordinal follows.
pub(super) const BEFORE_ORDINALS: &[&str] = &[
    "am", "vom", "zum", "zur", "im", "dem", "den", "der", "die", "das", "des", "ab", "bis", "seit",
    "beim", "jeder", "jede", "jedes",
];

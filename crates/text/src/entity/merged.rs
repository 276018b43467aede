//! Which page speaks for which, by the `merged-into` lines that count.

use std::collections::BTreeMap;

/// Follows every page to the one at the end of its chain, given where each leads. A chain that
/// comes back to itself ends at the least slug of the circle; one that leads to no page of
/// `targets` ends before. Linear.
pub(super) fn settle<'a>(
    targets: &BTreeMap<&'a str, Option<&'a str>>,
) -> BTreeMap<&'a str, &'a str> {
    let mut ends: BTreeMap<&str, &str> = BTreeMap::new();
    for start in targets.keys() {
        // The pages of this chain that are not settled yet, with their places in it.
        let (mut chain, mut places) = (Vec::new(), BTreeMap::new());
        let mut page = *start;
        let end = loop {
            if let Some(end) = ends.get(page) {
                break *end;
            }
            if let Some(place) = places.insert(page, chain.len()) {
                let circle: &[&str] = chain.get(place..).unwrap_or_default();
                break circle.iter().min().copied().unwrap_or(page);
            }
            chain.push(page);
            match targets.get(page).copied().flatten().filter(|next| targets.contains_key(next)) {
                Some(next) => page = next,
                None => break page,
            }
        };
        ends.extend(chain.into_iter().map(|page| (page, end)));
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a>b` leads there, `a` leads nowhere.
    fn check(pages: &str, expected: &str) {
        let leads = |page: &'static str| match page.split_once('>') {
            Some((page, target)) => (page, Some(target)),
            None => (page, None),
        };
        let pages: &'static str = pages.to_owned().leak();
        let ends = settle(&pages.split(' ').map(leads).collect());
        let found: Vec<String> = ends.iter().map(|(page, end)| format!("{page}>{end}")).collect();
        assert_eq!(found.join(" "), expected, "{pages}");
    }

    #[test]
    fn chains_end_the_same_everywhere() {
        check("a", "a>a");
        check("a>b b", "a>b b>b");
        check("a>b b>c c", "a>c b>c c>c");
        check("a>x", "a>a");
        check("a>a", "a>a");
        check("a>b b>x", "a>b b>b");
        check("a>b b>a", "a>a b>a");
        check("a>c b>c c>d d>b", "a>b b>b c>b d>b");
        check("b>c c>b x>y y>c", "b>b c>b x>b y>b");
    }
}

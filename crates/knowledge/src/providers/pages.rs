//! From what services show of pages to the pages.

use std::{
    collections::HashSet,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use url::Url;

use super::Finding;
use elophanto_net::web::Fetcher;
use elophanto_text::reading::{self, Hint};

/// Pages fetched at once.
const THREADS: usize = 4;

/// Most pages of one call.
const MOST: usize = 100;

/// For reading one page, after it is fetched.
const READING: Duration = Duration::from_secs(10);

/// Replaces the text of the first `most` findings with different addresses by that of their pages,
/// four at a time. Order and number stay; where a page can't be had, so does its finding.
pub fn read_pages(mut findings: Vec<Finding>, fetcher: &Fetcher, most: usize) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let wanted: Vec<(usize, String)> = findings
        .iter()
        .enumerate()
        .filter_map(|(at, finding)| {
            let mut url = Url::parse(finding.url.as_deref()?).ok()?;
            url.set_fragment(None);
            let is_new = !finding.full && seen.insert(url.clone());
            is_new.then(|| (at, url.into()))
        })
        .take(most.min(MOST))
        .collect();
    let next = AtomicUsize::new(0);
    let pages = Mutex::new(Vec::with_capacity(wanted.len()));
    let work = || {
        while let Some((at, url)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let page = page(fetcher, url);
            let mut pages = pages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            pages.extend(page.map(|page| (*at, page)));
        }
    };
    thread::scope(|scope| {
        for _ in 0..THREADS.min(wanted.len()) {
            // A system that gives no thread leaves the snippets.
            let _ = thread::Builder::new().name("pages".to_owned()).spawn_scoped(scope, work);
        }
    });
    for (at, page) in pages.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        let Some(finding) = findings.get_mut(at) else { continue };
        finding.title = page.title.or_else(|| finding.title.take());
        finding.image = page.image.or_else(|| finding.image.take());
        finding.url = page.url;
        finding.byline = page.byline;
        finding.text = page.text;
        finding.full = true;
    }
    findings
}

/// The page at `url`, if it can be fetched and read.
fn page(fetcher: &Fetcher, url: &str) -> Option<Finding> {
    let fetched = fetcher.get(url).ok()?;
    let hint = Hint { media_type: Some(&fetched.media_type), name: Some(fetched.url.path()) };
    let options = reading::Options { limit: READING, base: Some(fetched.url.clone()) };
    let read = reading::read_with(&fetched.bytes, hint, &options).ok()?;
    let url = Some(fetched.url.into());
    let (title, text, image, byline) = (read.title, read.text, read.image, read.byline);
    Some(Finding { title, url, text, image, byline, full: true })
}

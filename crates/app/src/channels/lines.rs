//! What waits to be said on a channel, place by place, and when it may be. Pure but for the clock, which is
//! handed in.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use uuid::Uuid;

use elophanto_channels::{Button, Limits, Place, Posted, Text};

/// Posts that wait in a place; of more, those that nobody asked for are dropped.
const MOST_WAITING: usize = 200;
/// The first wait after something did not work, and the longest.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// Something to be said.
#[derive(Debug, Clone)]
pub struct Post {
    pub about: About,
    /// The message that it answers.
    pub to: Option<String>,
    /// What is left to be said of it.
    pub parts: VecDeque<Text>,
    /// Name and text of a file that comes before.
    pub file: Option<(String, String)>,
    /// Below the last part.
    pub buttons: Vec<Button>,
}

impl Post {
    pub fn new(about: About, to: Option<String>, parts: Vec<Text>) -> Self {
        Self { about, to, parts: parts.into(), file: None, buttons: Vec::new() }
    }
}

/// What a post is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// The answer to a message.
    Answer(Uuid),
    /// An approval of this id.
    Approval(Uuid),
    /// What is to stand in the place of a message.
    Settled(Posted),
    /// Anything that nobody comes back to.
    Other,
}

/// An answer while it is made.
#[derive(Debug, Clone, Default)]
pub struct Live {
    pub id: Uuid,
    pub to: String,
    pub text: String,
    /// What goes on besides.
    pub doing: String,
    pub posted: Option<Posted>,
    /// What was said of it where nobody knows whether it is there: said again as it was, until that is known.
    pub tried: Option<Text>,
    is_changed: bool,
}

#[derive(Debug)]
struct Line {
    queue: VecDeque<Post>,
    live: Option<Live>,
    is_typing: bool,
    /// The first of the queue is on its way.
    is_saying: bool,
    due: Instant,
    fails: u32,
}

/// The next thing to do.
#[derive(Debug, Clone)]
pub enum Job {
    /// Post this there.
    Post(Place, Post),
    /// Show there how far a run is, in the place of what was shown.
    Live(Place, Live),
    /// Say there that an answer is being written.
    Typing(Place),
}

/// What waits, place by place.
#[derive(Debug, Default)]
pub struct Lines(BTreeMap<Place, Line>);

impl Lines {
    fn line(&mut self, place: &Place) -> &mut Line {
        self.0.entry(place.clone()).or_insert_with(|| Line {
            queue: VecDeque::new(),
            live: None,
            is_typing: false,
            is_saying: false,
            due: Instant::now(),
            fails: 0,
        })
    }

    pub fn push(&mut self, place: &Place, post: Post) {
        let line = self.line(place);
        if post.about != About::Other || line.queue.len() < MOST_WAITING {
            line.queue.push_back(post);
        }
    }

    /// The answer to a message as it is made.
    pub fn live(&mut self, place: &Place, id: Uuid, to: &str, posted: Option<Posted>) -> &mut Live {
        let line = self.line(place);
        let is_it = line.live.as_ref().is_some_and(|live| live.id == id);
        let kept = line.live.take().filter(|_| is_it);
        let live = line.live.insert(kept.unwrap_or_else(|| Live {
            id,
            to: to.to_owned(),
            posted,
            ..Live::default()
        }));
        live.is_changed = true;
        live
    }

    /// That something goes on there is shown once.
    pub fn typing(&mut self, place: &Place) {
        self.line(place).is_typing = true;
    }

    /// An answer is whole: what shows it as it was made, which the whole takes the place of.
    pub fn ended(&mut self, place: &Place, id: Uuid) {
        let line = self.line(place);
        line.is_typing = false;
        if let Some(live) = line.live.as_mut().filter(|live| live.id == id) {
            live.is_changed = false;
        }
    }

    /// An answer as it was shown while it was made.
    pub fn live_of(&self, place: &Place, id: Uuid) -> Option<Live> {
        self.0.get(place)?.live.clone().filter(|live| live.id == id)
    }

    /// What came of showing an answer first: where it is, or what it is not known of whether it is there.
    pub fn began(&mut self, place: &Place, id: Uuid, posted: Result<Posted, Text>) {
        let Some(live) = self.line(place).live.as_mut().filter(|live| live.id == id) else {
            return;
        };
        match posted {
            Ok(posted) => (live.posted, live.tried) = (Some(posted), None),
            Err(text) => live.tried = Some(text),
        }
    }

    /// An approval needs no answer any more: it is not shown if it was not yet.
    pub fn withdraw(&mut self, request: Uuid) {
        let about = About::Approval(request);
        for line in self.0.values_mut() {
            let first = line.queue.pop_front();
            line.queue.retain(|post| post.about != about);
            if let Some(first) = first.filter(|post| line.is_saying || post.about != about) {
                line.queue.push_front(first);
            }
        }
    }

    /// Something that may be done now, or when there is.
    pub fn next(&mut self, now: Instant) -> Result<Job, Option<Instant>> {
        let job = |(place, line): (&Place, &Line)| {
            let job = match (line.queue.front(), &line.live) {
                (Some(post), _) => Job::Post(place.clone(), post.clone()),
                (None, Some(live)) if live.is_changed => Job::Live(place.clone(), live.clone()),
                _ if line.is_typing => Job::Typing(place.clone()),
                _ => return None,
            };
            Some((line.due, job))
        };
        let first = self.0.iter().filter_map(job).min_by_key(|(due, _)| *due);
        match first {
            Some((due, job)) if due <= now => {
                if let Job::Post(place, _) = &job {
                    self.line(place).is_saying = true;
                }
                Ok(job)
            }
            first => Err(first.map(|(due, _)| due)),
        }
    }

    /// A part was said, or a file handed over; whether the post is whole by that.
    pub fn said(&mut self, place: &Place, limits: Limits, now: Instant) -> bool {
        let line = self.line(place);
        (line.due, line.fails, line.is_saying) = (now + limits.between, 0, false);
        let Some(post) = line.queue.front_mut() else { return true };
        if post.file.take().is_none() {
            post.parts.pop_front();
        }
        if !post.parts.is_empty() {
            return false;
        }
        let about = line.queue.pop_front().map(|post| post.about);
        if let (Some(About::Answer(id)), Some(live)) = (about, &line.live)
            && live.id == id
        {
            line.live = None;
        }
        true
    }

    /// An answer is shown as far as it is made.
    pub fn shown(&mut self, place: &Place, shown: &Live, limits: Limits, now: Instant) {
        let line = self.line(place);
        (line.due, line.fails) = (now + limits.between, 0);
        if let Some(live) = line.live.as_mut().filter(|live| live.id == shown.id) {
            live.is_changed &= live.text != shown.text || live.doing != shown.doing;
            live.posted.clone_from(&shown.posted);
        }
    }

    pub fn typed(&mut self, place: &Place) {
        self.line(place).is_typing = false;
    }

    /// It did not work now.
    pub fn later(&mut self, place: &Place, wait: Option<Duration>, now: Instant) {
        let line = self.line(place);
        line.fails += 1;
        line.is_saying = false;
        line.due = now + wait.unwrap_or_default().max(back_off(line.fails));
    }

    /// What is said next there is not said; what it was.
    pub fn drop_next(&mut self, place: &Place) -> Option<About> {
        let line = self.line(place);
        (line.live, line.is_saying) = (None, false);
        line.queue.pop_front().map(|post| post.about)
    }
}

/// How long to wait after so many failures in a row.
pub fn back_off(fails: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << fails.saturating_sub(1).min(16)).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { between: Duration::from_secs(1), between_all: Duration::ZERO, file: 0 };

    fn post(about: About, parts: &[&str]) -> Post {
        let text = |text: &&str| Text { rich: (*text).to_owned(), plain: (*text).to_owned() };
        Post {
            about,
            to: None,
            parts: parts.iter().map(text).collect(),
            file: None,
            buttons: Vec::new(),
        }
    }

    #[test]
    fn in_order_and_not_too_fast() {
        let place = |chat: &str| Place { chat: chat.to_owned(), thread: None };
        let (a, b, id) = (place("a"), place("b"), Uuid::new_v4());
        let mut lines = Lines::default();
        let said = |job: Result<Job, Option<Instant>>| match job {
            Ok(Job::Post(place, post)) => format!("{}{}", place.chat, post.parts[0].plain),
            Ok(Job::Live(place, live)) => format!("{}~{}", place.chat, live.text),
            Ok(Job::Typing(place)) => format!("{}...", place.chat),
            Err(when) => format!("wait {}", when.is_some()),
        };
        lines.live(&a, id, "1", None).text.push_str("He");
        let now = Instant::now();
        let Ok(Job::Live(_, live)) = lines.next(now) else { panic!() };
        lines.began(&a, id, Err(Text::default()));
        assert!(lines.live_of(&a, id).is_some_and(|live| live.tried.is_some()));
        let posted = Posted { place: a.clone(), message: "7".to_owned() };
        lines.began(&a, id, Ok(posted.clone()));
        let live = Live { posted: Some(posted.clone()), ..live };
        lines.live(&a, id, "1", None).text.push_str("llo");
        lines.shown(&a, &live, LIMITS, now);
        let shown = lines.live_of(&a, id).unwrap();
        assert_eq!((shown.posted, shown.tried), (Some(posted), None));
        assert!(lines.live_of(&b, id).is_none());
        // It changed meanwhile, and is shown again when a second is over.
        assert_eq!(said(lines.next(now)), "wait true");
        assert_eq!(said(lines.next(now + LIMITS.between)), "a~Hello");
        lines.ended(&a, id);
        lines.push(&a, post(About::Answer(id), &["1", "2"]));
        lines.push(&b, post(About::Other, &["x"]));
        let now = Instant::now();
        assert_eq!(said(lines.next(now)), "bx");
        assert!(lines.said(&b, LIMITS, now));
        let now = Instant::now() + LIMITS.between;
        assert_eq!(said(lines.next(now)), "a1");
        assert!(!lines.said(&a, LIMITS, now));
        lines.later(&a, Some(Duration::from_secs(5)), now);
        assert_eq!(said(lines.next(now + Duration::from_secs(4))), "wait true");
        let now = now + Duration::from_secs(5);
        assert_eq!(said(lines.next(now)), "a2");
        assert!(lines.said(&a, LIMITS, now));
        assert_eq!(said(lines.next(now)), "wait false");
        for _ in 0..300 {
            lines.push(&a, post(About::Other, &["x"]));
        }
        lines.push(&a, post(About::Answer(id), &["kept"]));
        assert_eq!(lines.0[&a].queue.len(), MOST_WAITING + 1);
        lines.push(&b, post(About::Approval(id), &["?"]));
        lines.withdraw(id);
        assert!(lines.0[&b].queue.is_empty());
        lines.0.remove(&a);
        // One that is on its way is said, and what comes after it as well.
        lines.push(&b, post(About::Approval(id), &["?"]));
        lines.push(&b, post(About::Other, &["next"]));
        let now = now + Duration::from_secs(60);
        assert_eq!(said(lines.next(now)), "b?");
        lines.withdraw(id);
        assert!(lines.said(&b, LIMITS, now));
        assert_eq!(said(lines.next(now + LIMITS.between)), "bnext");
    }

    #[test]
    fn waits_grow() {
        let millis: Vec<u128> = (1..9).map(|fails| back_off(fails).as_millis()).collect();
        assert_eq!(millis, [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
        assert_eq!(back_off(u32::MAX), LONGEST_WAIT);
    }
}

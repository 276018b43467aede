//! So many a minute. Pure: the time comes in.

use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// Counts what happens in each minute, which begins with the first that happens.
#[derive(Debug)]
pub struct Window {
    limit: u32,
    began: Option<Instant>,
    count: u32,
}

impl Window {
    pub fn new(limit: u32) -> Self {
        Self { limit, began: None, count: 0 }
    }

    /// Counts one more.
    ///
    /// # Errors
    /// How long until there is room again.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let passed = self.began.map(|began| now.saturating_duration_since(began));
        if passed.is_none_or(|passed| passed >= MINUTE) {
            (self.began, self.count) = (Some(now), 0);
        }
        if self.count >= self.limit {
            return Err(MINUTE.saturating_sub(passed.unwrap_or_default()));
        }
        self.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_has_room_for_so_many() {
        let (mut window, start) = (Window::new(2), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(window.take(at(0)), Ok(()));
        assert_eq!(window.take(at(10)), Ok(()));
        assert_eq!(window.take(at(20)), Err(Duration::from_secs(40)));
        assert_eq!(window.take(at(60)), Ok(()));
        assert_eq!(window.take(at(61)), Ok(()));
        assert_eq!(window.take(at(61)), Err(Duration::from_secs(59)));
        assert_eq!(Window::new(0).take(at(0)), Err(MINUTE));
    }
}

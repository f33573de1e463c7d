//! Pauses that grow, so that what takes hours is not looked at every moment.

use std::time::Duration;

/// A pause, and the next ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pauses {
    next: Duration,
    longest: Duration,
}

/// Each pause is so much longer than the one before, up to so many first ones.
const GROWTH: f64 = 1.5;
const MOST: u32 = 20;
/// No first pause is longer, whatever the settings say.
const LONGEST: Duration = Duration::from_secs(86_400);

impl Pauses {
    pub(super) fn from(first: Duration) -> Self {
        let first = first.min(LONGEST);
        Self { next: first, longest: first.saturating_mul(MOST) }
    }

    /// Waits for the next pause.
    pub(super) async fn wait(&mut self) {
        let pause = self.next;
        self.next = pause.mul_f64(GROWTH).min(self.longest);
        tokio::time::sleep(pause).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_to_twentyfold() {
        let mut pauses = Pauses::from(Duration::from_secs(8));
        let mut lengths = Vec::new();
        for _ in 0..12 {
            let start = Instant::now();
            pauses.wait().await;
            lengths.push(start.elapsed().as_secs());
        }
        assert_eq!(lengths, [8, 12, 18, 27, 40, 60, 91, 136, 160, 160, 160, 160]);
    }
}

//! Numbers that look chosen by chance and can be had again.

use std::time::Duration;

/// A generator of its own for each launch, so that the order of threads does not matter.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64, launch: u64) -> Self {
        let mut chance = Self(seed ^ launch.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
        chance.next();
        chance
    }

    /// The next number, by the xorshift-multiply step that is known as `splitmix64`.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of these.
    pub(super) fn one_of<T: Copy>(&mut self, these: &[T]) -> T {
        let place = self.next() % these.len() as u64;
        these[usize::try_from(place).expect("it is below a length")]
    }

    /// A time up to this.
    pub(super) fn up_to(&mut self, longest: Duration) -> Duration {
        let micros = u64::try_from(longest.as_micros()).unwrap_or(u64::MAX).max(1);
        Duration::from_micros(self.next() % micros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers_and_another_launch_others() {
        let numbers = |seed, launch| {
            let mut chance = Chance::new(seed, launch);
            [(); 8].map(|()| chance.up_to(Duration::from_secs(1)))
        };
        assert_eq!(numbers(1, 2), numbers(1, 2));
        assert_ne!(numbers(1, 2), numbers(1, 3));
        assert_ne!(numbers(1, 2), numbers(2, 2));
        let mut chance = Chance::new(0, 0);
        let drawn: std::collections::BTreeSet<_> =
            (0..100).map(|_| chance.one_of(&['a', 'b', 'c'])).collect();
        assert_eq!(drawn.len(), 3);
    }
}

//! A fast stream of numbers: the same seed gives the same inputs on every machine.

/// The generator called `SplitMix64`.
pub(crate) struct Chance(u64);

impl Chance {
    /// The stream of a name and a number.
    pub(crate) fn of(name: &str, number: u64) -> Self {
        let word = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let mut chance =
            Self(name.bytes().fold(0xcbf2_9ce4_8422_2325, word) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        chance.bits();
        chance
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number below `bound`; 0 where `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.bits()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// True once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A number up to `most`, small ones far more often than large ones.
    pub(crate) fn few(&mut self, most: usize) -> usize {
        let bound = self.below(most) + 1;
        let bound = self.below(bound) + 1;
        self.below(bound + 1)
    }
}

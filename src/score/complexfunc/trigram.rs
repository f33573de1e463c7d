//! How alike calls are by their runs of three letters.
//!
//! Calls that look alike tie, and then the last bit of a product decides who is matched with whom. The figures that the
//! vectors hold come from a matrix product whose last bits depend on the place in the matrix, so that even equal rows
//! differ. The order of its additions (numpy's, on a processor with AVX2) is repeated here.

use super::alike::real;
use super::golden::call_text;
use crate::record::FunctionCall;

/// Places that runs of letters are hashed to.
const PLACES: usize = 256;

/// The places of a vector that hold something, in order.
#[derive(Debug, PartialEq)]
struct Sparse(Vec<(usize, f64)>);

/// In which order products are added.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// One after the other, each rounded together with its product.
    Fused,
    /// Every fourth by itself, fused; then the first with the second, and the third with the fourth.
    FusedNeighbours,
    /// Every fourth by itself, fused; then the first with the third, and the second with the fourth.
    FusedHalves,
    /// The same, each product rounded before it is added.
    Halves,
    /// Every second by itself, each product rounded.
    Pairs,
}

/// How alike each predicted call is to each golden one: a row for each predicted call.
pub(super) fn similarity<'c>(
    predicted: impl Iterator<Item = &'c FunctionCall>,
    golden: impl Iterator<Item = &'c FunctionCall>,
) -> Vec<f64> {
    let predicted: Vec<Sparse> = predicted.map(|call| Sparse::of(&call_text(call))).collect();
    let golden: Vec<Sparse> = golden.map(|call| Sparse::of(&call_text(call))).collect();
    let (rows, columns) = (predicted.len(), golden.len());
    let mut matrix = Vec::with_capacity(rows * columns);
    for (row, one) in predicted.iter().enumerate() {
        for (column, other) in golden.iter().enumerate() {
            matrix.push(one.dot(other, Order::at((row, rows), (column, columns))));
        }
    }
    matrix
}

impl Order {
    /// The order at a place of the matrix: a matrix is done in blocks of four columns and two rows, and what is only one
    /// row or one column by itself.
    fn at((row, rows): (usize, usize), (column, columns): (usize, usize)) -> Self {
        if rows == 1 || columns == 1 {
            let (at, length) = (row.max(column), rows.max(columns));
            return match at.checked_sub(length - length % 4) {
                None => Self::FusedHalves,
                Some(rest) if length % 4 >= 2 && rest < 2 => Self::Pairs,
                Some(_) => Self::Halves,
            };
        }
        let is_last_of_odd = rows % 2 == 1 && row + 1 == rows;
        if is_last_of_odd && column < columns - columns % 4 { Self::FusedNeighbours } else { Self::Fused }
    }
}

impl Sparse {
    /// A text's runs of three letters, hashed and counted, as a vector of length 1.
    fn of(text: &str) -> Self {
        let text: Vec<char> = format!("\u{2}{}\u{3}", text.to_lowercase()).chars().collect();
        let mut counts = [0_usize; PLACES];
        for run in text.windows(3) {
            if let Some(count) = counts.get_mut(place(run)) {
                *count += 1;
            }
        }
        let length = real(counts.iter().map(|count| count * count).sum::<usize>()).sqrt();
        let counted = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        Self(counted.map(|(place, count)| (place, real(count) / length)).collect())
    }

    /// The product of two vectors. To add nothing changes nothing, so that places with nothing are passed over.
    fn dot(&self, other: &Self, order: Order) -> f64 {
        let (lanes, is_fused) = match order {
            Order::Fused => (1, true),
            Order::FusedNeighbours | Order::FusedHalves => (4, true),
            Order::Halves => (4, false),
            Order::Pairs => (2, false),
        };
        let mut sums = [0.0_f64; 4];
        for (place, one, other) in self.shared(other) {
            let sum = &mut sums[place % lanes];
            *sum = if is_fused { one.mul_add(other, *sum) } else { *sum + one * other };
        }
        let [first, second, third, fourth] = sums;
        match order {
            Order::FusedNeighbours => (first + second) + (third + fourth),
            _ => (first + third) + (second + fourth),
        }
    }

    /// The places where both hold something.
    fn shared<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = (usize, f64, f64)> + 's {
        let mut others = other.0.iter().peekable();
        self.0.iter().filter_map(move |(place, one)| {
            while others.next_if(|(other, _)| other < place).is_some() {}
            others.next_if(|(other, _)| other == place).map(|(_, other)| (*place, *one, *other))
        })
    }
}

/// FNV-1a of the letters' bytes, 64 bits, of which the last eight are taken.
fn place(run: &[char]) -> usize {
    let mut buffer = [0; 4];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for letter in run {
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    usize::from(hash.to_le_bytes()[0])
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::call;
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn vectors_have_length_one_and_case_says_nothing() {
        let (one, other) = (Sparse::of("Search {\"area\": \"서울\"}"), Sparse::of("search {\"AREA\": \"서울\"}"));
        assert!(near(one.dot(&one, Order::Fused), 1.0) && one == other);
        assert!(one.dot(&Sparse::of("Detail"), Order::Fused) < 0.5);
    }

    #[test]
    fn a_run_is_hashed_as_others_hash_it() {
        // 64-bit FNV-1a of "abc" is e71fa2190541574b.
        assert_eq!(place(&['a', 'b', 'c']), 0x4b);
    }

    #[test]
    fn equal_calls_differ_in_the_last_bit_by_their_row() {
        let (given, wanted) = (call("Find_Town", "{}"), ["Hill", "Mill", "Lake", "Ford"]);
        let wanted = wanted.map(|name| call("Find_Town", &format!(r#"{{"query": "{name} by the river"}}"#)));
        let matrix = similarity([&given, &given, &given].into_iter(), wanted.iter());
        let rows: Vec<&[f64]> = matrix.chunks(4).collect();
        assert!(rows[0] == rows[1] && rows[0] != rows[2], "{rows:?}");
        assert!(rows[0].iter().zip(rows[2]).all(|(one, other)| near(*one, *other)));
    }

    proptest! {
        #[test]
        fn every_order_gives_nearly_the_same(one in ".{0,40}", other in ".{0,40}") {
            let (one, other) = (Sparse::of(&one), Sparse::of(&other));
            let orders = [Order::Fused, Order::FusedNeighbours, Order::FusedHalves, Order::Halves, Order::Pairs];
            let products = orders.map(|order| one.dot(&other, order));
            prop_assert!(products.iter().all(|product| near(*product, products[0])));
        }
    }
}

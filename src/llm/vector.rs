//! A text as a vector of length 1.

use std::fmt;
use std::sync::Arc;

/// A vector of length 1, so that a product of two says how alike their texts are; cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Arc<[f32]>);

impl Vector {
    /// A vector in this direction; one of zeros has none, and is like nothing.
    pub fn new(numbers: Vec<f32>) -> Self {
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "it came in single precision")]
        let scaled = |number: f32| if length > 0.0 { (f64::from(number) / length) as f32 } else { 0.0 };
        Self(numbers.into_iter().map(scaled).collect())
    }

    /// How alike two are, from -1 to 1; of different lengths, which no model gives, they are not alike at all.
    pub fn dot(&self, other: &Self) -> f64 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        self.0.iter().zip(&*other.0).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    }

    /// Reads what [`Display`](fmt::Display) wrote. It is of length 1 already, and stays as it is to the last bit.
    pub(super) fn read(text: &str) -> Option<Self> {
        let numbers: Vec<f32> = serde_json::from_str(text).ok()?;
        (!numbers.is_empty()).then(|| Self(numbers.into()))
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(&*self.0).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn alike_is_what_points_the_same_way() {
        let [one, same, across, against] =
            [vec![3.0, 4.0], vec![6.0, 8.0], vec![-4.0, 3.0], vec![-3.0, -4.0]].map(Vector::new);
        for (other, wanted) in [(&same, 1.0), (&across, 0.0), (&against, -1.0)] {
            assert!((one.dot(other) - wanted).abs() < 1e-6, "{other}");
        }
        assert_eq!(one.to_string(), "[0.6,0.8]");
    }

    #[test]
    fn what_has_no_direction_or_other_places_is_like_nothing() {
        let (zero, one) = (Vector::new(vec![0.0, 0.0]), Vector::new(vec![1.0, 0.0]));
        let products = [zero.dot(&zero), zero.dot(&one), one.dot(&Vector::new(vec![1.0]))];
        assert!(products.iter().all(|product| product.abs() < f64::EPSILON), "{products:?}");
        assert_eq!([Vector::read("[]"), Vector::read("[null]"), Vector::read("x")], [const { None }; 3]);
    }

    proptest! {
        #[test]
        fn a_vector_is_read_as_it_was_written_and_is_no_longer_than_one(numbers in prop::collection::vec(-1e6_f32..1e6, 1..40)) {
            let vector = Vector::new(numbers);
            prop_assert_eq!(Vector::read(&vector.to_string()), Some(vector.clone()));
            prop_assert!(vector.dot(&vector) <= 1.0 + 1e-6);
        }
    }
}

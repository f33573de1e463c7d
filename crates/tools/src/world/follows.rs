//! Values that follow from others of the same row or call.

use super::World;
use crate::toolset::{Domain, Field};
use fcgen_core::locale::Pack;
use fcgen_core::record::{Chance, Value};

/// The value that follows; none where nothing is known of one of the others, or where nothing is left.
/// `known` has the value of a field or parameter, or of a field of what it refers to (`fromAccountId.balance`).
pub(super) fn follow(
    (domain, pack): (&Domain, &Pack),
    field: &Field,
    known: &dyn Fn(&str) -> Option<Value>,
    chance: &mut Chance,
) -> Option<Value> {
    let follows = field.follows.as_ref()?;
    if field.type_name == "string" {
        return known(follows.product.first()?);
    }
    let number = |name: &String| {
        let value = known(name)?;
        let worth = || domain.worth.get(value.as_str()?).copied();
        value.as_number().map(fcgen_core::record::Number::as_f64).or_else(worth)
    };
    let product = follows.product.iter().map(number).product::<Option<f64>>()?;
    let over = follows.over.iter().map(number).product::<Option<f64>>()?;
    let [least, most] = follows.by;
    let whole = product / over * (least + (most - least) * chance.share());
    let numbers = field.content.kind().and_then(|kind| pack.kinds.get(kind)?.numbers.as_ref());
    let decimals = numbers.map_or(0, |it| it.decimals);
    // What follows by a fixed factor is exact.
    let (least, step) = numbers.filter(|_| least < most).map_or((0.0, 0.0), |it| (it.least, it.step));
    Value::read(&rounded(whole, (least, step), decimals)?).ok()
}

/// A number in the steps of a kind that begins with `least`, never more than it was; in finer ones where it is less than one.
fn rounded(number: f64, (least, step): (f64, f64), decimals: usize) -> Option<String> {
    let finest = 0.1_f64.powi(i32::try_from(decimals).ok()?);
    let grids = [(least % step.max(finest), step.max(finest)), (0.0, step / 10.0), (0.0, finest)];
    let (first, step) = grids.into_iter().find(|(first, step)| *step >= finest && number >= first + step)?;
    // A number that is all but the next one is the next one.
    Some(format!("{:.decimals$}", ((number - first) / step + 1e-6).floor() * step + first))
}

impl World {
    /// The value that follows from those that are known for a call.
    pub fn follow(&self, field: &Field, known: &dyn Fn(&str) -> Option<Value>, chance: &mut Chance) -> Option<Value> {
        follow((self.domain(), self.pack()), field, known, chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::{Content, Formula};
    use crate::world::testing::{bank, pack};

    fn following(product: &[&str], over: &[&str], by: [f64; 2]) -> Option<f64> {
        let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let follows = Some(Formula { product: names(product), over: names(over), by });
        let field = Field { content: Content::Kind("amount".to_owned()), follows, ..Field::default() };
        let known = |name: &str| match name {
            "pallets" => Some(Value::from(370)),
            "months" => Some(Value::from(12)),
            "currency" => Some(Value::from("yen")),
            _ => None,
        };
        let mut domain = bank("en", 3).domain().as_ref().clone();
        domain.worth.insert("yen".to_owned(), 0.01);
        let value = follow((&domain, &pack("en")), &field, &known, &mut Chance::of(&[b"follow"]))?;
        value.as_number().map(fcgen_core::record::Number::as_f64)
    }

    #[test]
    fn a_part_is_never_more_than_the_whole() {
        let part = following(&["pallets"], &[], [0.2, 0.9]).unwrap();
        assert!((74.0..=333.0).contains(&part), "{part}");
        assert_eq!(following(&["pallets"], &[], [1.0, 1.0]), Some(370.0));
    }

    #[test]
    fn a_product_is_divided_and_a_text_has_its_worth() {
        assert_eq!(following(&["pallets", "months"], &["months"], [1.0, 1.0]), Some(370.0));
        assert_eq!(following(&["pallets", "currency"], &[], [1.0, 1.0]), Some(3.0));
        assert_eq!(following(&["pallets"], &["weeks"], [1.0, 1.0]), None, "nobody knows");
    }

    #[test]
    fn a_number_keeps_its_kind_of_steps_as_long_as_it_is_large_enough() {
        assert_eq!(rounded(1234.9, (10.0, 50.0), 0).as_deref(), Some("1210"));
        assert_eq!(rounded(34.9, (50.0, 50.0), 0).as_deref(), Some("30"));
        assert_eq!(rounded(0.4, (50.0, 50.0), 0), None);
        assert_eq!(rounded(52.4, (0.99, 1.0), 2).as_deref(), Some("51.99"));
        assert_eq!(rounded(19.99, (0.0, 0.0), 2).as_deref(), Some("19.99"));
    }
}

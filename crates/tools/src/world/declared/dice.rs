//! Chance for expressions: `chance.share(row.id, day)` is the same number whenever it is asked for.

use crate::toolset::{Cell, text_of};
use fcgen_core::record::Chance;
use minijinja::value::{Object, ObjectRepr};
use minijinja::{Error, ErrorKind, State};
use std::sync::Arc;

/// What expressions draw from, by the world's seed and whatever they name.
#[derive(Debug)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn chance(&self, method: &str, keys: &[Cell]) -> Chance {
        let texts: Vec<String> = keys.iter().map(text_of).collect();
        let seed = self.0.to_le_bytes();
        let mut words: Vec<&[u8]> = vec![&seed, method.as_bytes()];
        words.extend(texts.iter().map(String::as_bytes));
        Chance::of(&words)
    }

    fn number(&self, least: &Cell, most: &Cell, keys: &[Cell]) -> Result<Cell, Error> {
        let bound = |cell: &Cell| i64::try_from(cell.clone());
        let (least, most) = (bound(least)?, bound(most)?);
        let span = usize::try_from(most.saturating_sub(least).saturating_add(1)).unwrap_or(0);
        let drawn = self.chance("number", keys).below(span);
        Ok(Cell::from(least.saturating_add(i64::try_from(drawn).unwrap_or(0))))
    }

    fn pick(&self, list: &Cell, keys: &[Cell]) -> Result<Cell, Error> {
        let choices: Vec<Cell> = list.try_iter()?.collect();
        Ok(self.chance("pick", keys).pick(&choices).cloned().unwrap_or_default())
    }
}

impl Object for Dice {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call_method(self: &Arc<Self>, _: &mut State<'_, '_>, method: &str, args: &[Cell]) -> Result<Cell, Error> {
        match (method, args) {
            ("share", keys) => Ok(Cell::from(self.chance("share", keys).share())),
            ("happens", [probability, keys @ ..]) => {
                let probability = f64::try_from(probability.clone())?;
                Ok(Cell::from(self.chance("happens", keys).happens(probability)))
            }
            ("number", [least, most, keys @ ..]) => self.number(least, most, keys),
            ("pick", [list, keys @ ..]) => self.pick(list, keys),
            _ => Err(Error::new(
                ErrorKind::UnknownMethod,
                format!(
                    "`chance` has no `{method}` with {} arguments; expected `share`, `happens`, `number` or `pick`",
                    args.len()
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::{Expression, from_cell};
    use crate::world::declared::layer::Scope;
    use indexmap::IndexMap;
    use proptest::prelude::*;

    fn eval(seed: u64, text: &str) -> Result<String, String> {
        let scope = Scope::new(IndexMap::from([("chance".to_owned(), Cell::from_object(Dice(seed)))]));
        Ok(from_cell(&Expression::compile(text)?.eval(&scope.cell())?).to_string())
    }

    #[test]
    fn the_same_keys_draw_the_same() {
        for text in ["chance.share('a', 1)", "chance.number(1, 900, 'a')", "chance.pick([1, 2, 3, 4, 5, 6, 7], 'a')"] {
            assert_eq!(eval(7, text), eval(7, text));
            let drawn: std::collections::BTreeSet<String> = (0..9).map(|seed| eval(seed, text).unwrap()).collect();
            assert!(drawn.len() > 3, "{text}: {drawn:?}");
        }
        assert_eq!(eval(1, "chance.happens(1, 'x') and not chance.happens(0, 'x')").unwrap(), "true");
    }

    #[test]
    fn numbers_keep_their_bounds_and_nothing_is_picked_of_nothing() {
        for key in 0..50 {
            let drawn: i64 = eval(3, &format!("chance.number(-2, 2, {key})")).unwrap().parse().unwrap();
            assert!((-2..=2).contains(&drawn));
        }
        assert_eq!(eval(3, "chance.number(5, 1)").unwrap(), "5");
        assert_eq!(eval(3, "chance.pick([])").unwrap(), "null");
        assert!(eval(3, "chance.roll(6)").unwrap_err().contains("no `roll` with 1 arguments"));
        assert!(eval(3, "chance.number('a', 'b')").is_err());
    }

    proptest! {
        #[test]
        fn what_is_drawn_hangs_on_the_seed_the_method_and_every_key(seed in any::<u64>(), key in "[a-z]{1,6}") {
            let share = |seed: u64, keys: &str| eval(seed, &format!("chance.share({keys})")).unwrap();
            let one = share(seed, &format!("'{key}'"));
            prop_assert_eq!(&one, &share(seed, &format!("'{key}'")));
            prop_assert_ne!(&one, &share(seed ^ 1, &format!("'{key}'")));
            prop_assert_ne!(&one, &share(seed, &format!("'{key}', 1")));
            let value: f64 = one.parse().unwrap();
            prop_assert!((0.0..1.0).contains(&value));
        }
    }
}

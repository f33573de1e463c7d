//! The known name that was meant where an unknown one stands.

/// Most names that are listed.
const LISTED: usize = 8;

/// `did you mean ...?`, or what there is.
pub(super) fn nearest_name(name: &str, known: &[&str]) -> String {
    let lower = name.to_lowercase();
    let reach = (name.chars().count() / 3).max(1);
    let distance = |known: &str| strsim::damerau_levenshtein(&lower, &known.to_lowercase());
    let near = known.iter().map(|known| (distance(known), *known)).filter(|(far, _)| *far <= reach).min();
    if let Some((_, near)) = near {
        return format!("did you mean `{near}`?");
    }
    if known.is_empty() {
        return "none is defined".to_owned();
    }
    let listed: Vec<String> = known.iter().take(LISTED).map(|known| format!("`{known}`")).collect();
    let more = known.len().saturating_sub(LISTED);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("expected one of {}{rest}", listed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_mended_and_anything_else_is_answered_with_what_there_is() {
        assert_eq!(nearest_name("prise", &["name", "price"]), "did you mean `price`?");
        assert_eq!(nearest_name("zebra", &["name", "price"]), "expected one of `name`, `price`");
        assert_eq!(nearest_name("zebra", &[]), "none is defined");
        let many: Vec<String> = (0..11).map(|at| format!("column{at}{at}{at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(nearest_name("zebra", &many).ends_with("`column777` and 3 more"));
    }
}

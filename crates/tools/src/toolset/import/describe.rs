//! Descriptions as models and people are shown them: marked-up text becomes plain, and what is long ends with a sentence.

/// Most characters of a tool's description: what OpenAI's API takes.
pub(super) const LONGEST: usize = 1024;

/// Tags that descriptions hold.
const TAGS: &str = "a b i p br ul ol li em code pre strong div span h1 h2 h3 h4 img table tr td th tbody thead sup sub hr details summary blockquote tt";

/// A text without the marks of Markdown and HTML, on one line.
pub(super) fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches(['#', '>', ' ', '\t']));
    let kept = lines.filter(|line| !line.starts_with("```") && !line.starts_with("[!")).collect::<Vec<_>>().join("\n");
    let text = without_tags(&without_links(&kept));
    text.replace("**", "").replace("__", "").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `[text](target)` and `![text](target)` become their text.
fn without_links(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(label, tail)| Some((label, tail.split_once(')')?.1)));
        if let Some((label, tail)) = link.filter(|(label, _)| !label.contains(['[', '\n'])) {
            out.push_str(before.strip_suffix('!').unwrap_or(before));
            out.push_str(label);
            rest = tail;
        } else {
            out.push_str(before);
            out.push('[');
            rest = after;
        }
    }
    out + rest
}

/// `<p>` and its like become spaces; a lone `<` stays.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        // What stands between `<` and `>` without being markup is a placeholder: `<name>`.
        if let Some((_, tail)) = after.split_once('>').filter(|(tag, _)| is_markup(tag)) {
            out.push(' ');
            rest = tail;
        } else {
            out.push('<');
            rest = after;
        }
    }
    out + rest
}

/// Whether what stands between `<` and `>` is a tag of HTML.
fn is_markup(tag: &str) -> bool {
    let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
    TAGS.split(' ').any(|known| known.eq_ignore_ascii_case(&name)) && !tag.contains(['<', '\n'])
}

/// Summary and description as one text: the summary first, unless the description begins with it.
pub(super) fn told(summary: &str, description: &str) -> String {
    let (summary, description) = (plain(summary), plain(description));
    let same = |one: &str, other: &str| one.trim_end_matches('.').eq_ignore_ascii_case(other.trim_end_matches('.'));
    match (summary.is_empty(), description.is_empty()) {
        (true, _) => description,
        (_, true) => summary,
        _ if description.to_lowercase().starts_with(summary.trim_end_matches('.').to_lowercase().as_str()) => {
            description
        }
        _ if same(&summary, &description) => summary,
        _ => format!("{}. {description}", summary.trim_end_matches('.')),
    }
}

/// The text, cut behind the last sentence (or else word) that ends within so many characters; and whether it was cut.
pub(super) fn cut(text: &str, most: usize) -> (String, bool) {
    if text.chars().count() <= most {
        return (text.to_owned(), false);
    }
    let head: String = text.chars().take(most).collect();
    let sentence =
        head.rsplit_once(". ").map(|(kept, _)| format!("{kept}.")).filter(|kept| kept.chars().count() > most / 4);
    let word = || head.rsplit_once(' ').map_or_else(|| head.clone(), |(kept, _)| kept.to_owned());
    (sentence.unwrap_or_else(word), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_words_stay() {
        assert_eq!(
            plain("# Get **a** [plant](/docs/plant).\n\n> [!NOTE]\n> It `grows`<br/>fast."),
            "Get a plant. It `grows` fast."
        );
        assert_eq!(plain("![icon](x.png)Take [one] of <name> if a < b"), "iconTake [one] of <name> if a < b");
        assert_eq!(plain("see [the (docs"), "see [the (docs");
    }

    #[test]
    fn a_summary_is_not_said_twice() {
        assert_eq!(told("List plants", "List plants of a shelf."), "List plants of a shelf.");
        assert_eq!(told("List plants.", "Newest first."), "List plants. Newest first.");
        assert_eq!((told("", "x"), told("x", ""), told("", "")), ("x".to_owned(), "x".to_owned(), String::new()));
    }

    #[test]
    fn what_is_long_ends_with_a_sentence_or_a_word() {
        assert_eq!(cut("One two. Three four. Five", 22), ("One two. Three four.".to_owned(), true));
        assert_eq!(cut("aaaa bbbb cccc", 11), ("aaaa bbbb".to_owned(), true));
        assert_eq!(cut("short", 5), ("short".to_owned(), false));
    }
}

//! Follows `$ref`s within one document.

use serde_json::Value as Json;

/// Most references that may lead from one to the next.
const LONGEST: usize = 32;

/// A value of the document with the place where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Found<'d> {
    pub(crate) value: &'d Json,
    /// Its JSON pointer.
    pub(crate) place: String,
}

impl<'d> Found<'d> {
    /// What stands under a key of it.
    pub(crate) fn at(&self, key: &str) -> Option<Self> {
        let value = match self.value {
            Json::Array(list) => list.get(key.parse::<usize>().ok()?)?,
            other => other.get(key)?,
        };
        Some(Self { value, place: format!("{}/{}", self.place, escaped(key)) })
    }

    /// Its keys with what stands under them; none where it is no object.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'d str, Self)> + use<'d> {
        let place = self.place.clone();
        self.value
            .as_object()
            .into_iter()
            .flatten()
            .map(move |(key, value)| (key.as_str(), Self { value, place: format!("{place}/{}", escaped(key)) }))
    }

    /// Its elements; none where it is no list.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Self> + use<'d> {
        let place = self.place.clone();
        let list = self.value.as_array().into_iter().flatten().enumerate();
        list.map(move |(index, value)| Self { value, place: format!("{place}/{index}") })
    }

    /// The text under a key; a blank one is none.
    pub(crate) fn text(&self, key: &str) -> Option<&'d str> {
        self.value.get(key)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Whether `true` stands under a key.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.value.get(key).and_then(Json::as_bool).unwrap_or(false)
    }
}

/// What a reference names, or why it cannot be followed.
pub(crate) fn look_up<'d>(root: &'d Json, reference: &str) -> Result<Found<'d>, String> {
    let Some(pointer) = reference.strip_prefix('#') else {
        return Err(format!("external reference `{reference}` is not supported"));
    };
    let pointer = percent_decoded(pointer);
    let known = pointer.is_empty() || pointer.starts_with('/');
    let value =
        root.pointer(&pointer).filter(|_| known).ok_or_else(|| format!("unresolved reference `{reference}`"))?;
    Ok(Found { value, place: pointer })
}

/// The value itself, or what its references lead to.
pub(crate) fn follow<'d>(root: &'d Json, from: Found<'d>) -> Result<Found<'d>, String> {
    let mut found = from;
    for _ in 0..LONGEST {
        match found.value.get("$ref").and_then(Json::as_str) {
            Some(reference) => found = look_up(root, reference)?,
            None => return Ok(found),
        }
    }
    Err("circular references".to_owned())
}

/// A key as a JSON pointer writes it.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A text with its `%41`s read; one that is not well formed stays as it is.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digit =
            |byte: Option<u8>| byte.and_then(|it| char::from(it).to_digit(16)).and_then(|it| u8::try_from(it).ok());
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                bytes.push(high * 16 + low);
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reference_is_a_pointer_into_the_document() {
        let root = json!({"a": {"x/y": {"z": 1}, "{id}": 2}});
        assert_eq!(look_up(&root, "#/a/x~1y/z").unwrap().value, &json!(1));
        assert_eq!(look_up(&root, "#/a/%7Bid%7D").unwrap().value, &json!(2));
        assert_eq!(look_up(&root, "#").unwrap().value, &root);
        assert_eq!(look_up(&root, "#/b").unwrap_err(), "unresolved reference `#/b`");
        assert_eq!(look_up(&root, "#name").unwrap_err(), "unresolved reference `#name`");
        assert_eq!(look_up(&root, "other.yaml#/a").unwrap_err(), "external reference `other.yaml#/a` is not supported");
    }

    #[test]
    fn references_are_followed_to_their_end_and_never_round() {
        let root =
            json!({"a": {"$ref": "#/b"}, "b": {"$ref": "#/c"}, "c": 3, "r": {"$ref": "#/s"}, "s": {"$ref": "#/r"}});
        let from = |key: &str| look_up(&root, &format!("#/{key}")).unwrap();
        let found = follow(&root, from("a")).unwrap();
        assert_eq!((found.value, found.place.as_str()), (&json!(3), "/c"));
        assert_eq!(follow(&root, from("r")).unwrap_err(), "circular references");
    }

    #[test]
    fn a_found_value_knows_its_place() {
        let root = json!({"a/b": [{"t": " x ", "f": true}]});
        let whole = look_up(&root, "#").unwrap();
        let first = whole.at("a/b").unwrap().at("0").unwrap();
        assert_eq!(
            (first.place.as_str(), first.text("t"), first.flag("f"), first.flag("t")),
            ("/a~1b/0", Some("x"), true, false)
        );
        assert_eq!(
            whole.entries().map(|(key, found)| (key, found.place)).collect::<Vec<_>>(),
            [("a/b", "/a~1b".to_owned())]
        );
        assert_eq!(whole.at("a/b").unwrap().elements().count(), 1);
        assert!(first.elements().next().is_none() && whole.at("a/b").unwrap().at("x").is_none());
    }
}

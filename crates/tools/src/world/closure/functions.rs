//! What the closure knows of functions: their parameters, and the places in answers from which these are filled.

use crate::toolset::{Declaration, Format, Function, Param};
use fcgen_core::record::{Source, Tool, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// The functions of a toolset.
#[derive(Debug, Default)]
pub(super) struct Functions {
    pub(super) offers: IndexMap<String, Offer>,
    /// What each function's answers are read for.
    pub(super) shapes: IndexMap<String, Vec<Shape>>,
    /// How many fields are read in all.
    spots: usize,
}

/// One function.
#[derive(Debug, Default)]
pub(super) struct Offer {
    pub(super) free: bool,
    pub(super) changes: Vec<String>,
    pub(super) reads: Vec<String>,
    pub(super) params: IndexMap<String, Param>,
    /// Where each parameter's values stand; a field of a list's elements is named `legs.day`.
    pub(super) spots: IndexMap<String, Vec<Spot>>,
    /// The required parameters; those that one item fills together stand together.
    pub(super) groups: Vec<Group>,
}

/// Items of an answer: a JSON pointer in which `0` stands for each of a list, and the fields that are read of them.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) item: String,
    pub(super) fields: Vec<(String, usize)>,
}

/// One field of a function's items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) tool: String,
    pub(super) shape: usize,
    pub(super) field: usize,
    /// Its number among all fields.
    pub(super) number: usize,
    /// Whether an answer has one such item at most.
    pub(super) single: bool,
}

/// Parameters that are filled together.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) params: Vec<String>,
    /// The sorts of item that fill them: the spot of each parameter that has one there.
    pub(super) places: Vec<IndexMap<String, Spot>>,
}

impl Functions {
    /// The functions of a declared world.
    pub(super) fn declared(declaration: &Declaration) -> Self {
        let offer = |function: &Function| Offer {
            free: function.free,
            changes: function.changes().into_iter().map(str::to_owned).collect(),
            reads: function.reads().into_iter().map(str::to_owned).collect(),
            params: function.parameters.clone(),
            ..Offer::default()
        };
        let offers = declaration.functions.iter().map(|(name, function)| (name.clone(), offer(function)));
        Self { offers: offers.collect(), ..Self::default() }.linked()
    }

    /// The functions as tools tell of them.
    pub(super) fn of_tools(tools: &[Arc<Tool>]) -> Self {
        let offer = |tool: &Tool| {
            let params = tool.parameters.properties.keys().map(|name| (name.clone(), param(tool, name)));
            Offer { params: params.collect(), ..Offer::default() }
        };
        let offers = tools.iter().map(|tool| (tool.name.clone(), offer(tool)));
        Self { offers: offers.collect(), ..Self::default() }.linked()
    }

    fn linked(mut self) -> Self {
        let mut offers = std::mem::take(&mut self.offers);
        for offer in offers.values_mut() {
            offer.spots = offer.params.iter().flat_map(|(name, param)| sources(name, param)).fold(
                IndexMap::new(),
                |mut spots, (name, from)| {
                    let own: Vec<Spot> = from.iter().map(|source| self.spot(source)).collect();
                    spots.insert(name, own);
                    spots
                },
            );
            offer.groups = groups(offer);
        }
        Self { offers, ..self }
    }

    /// The spot of a source; it is made at its first mention.
    fn spot(&mut self, source: &Source) -> Spot {
        let (item, field) = split(&source.field);
        let shapes = self.shapes.entry(source.tool.clone()).or_default();
        let shape = shapes.iter().position(|shape| shape.item == item).unwrap_or_else(|| {
            shapes.push(Shape { item: item.to_owned(), fields: Vec::new() });
            shapes.len() - 1
        });
        let fields = &mut shapes[shape].fields;
        let at = fields.iter().position(|(known, _)| known == field).unwrap_or_else(|| {
            fields.push((field.to_owned(), self.spots));
            self.spots += 1;
            fields.len() - 1
        });
        let number = fields[at].1;
        Spot { tool: source.tool.clone(), shape, field: at, number, single: item.is_empty() }
    }
}

impl Offer {
    /// Whether a parameter's value is taken apart before anybody asks where it comes from.
    pub(super) fn is_compound(&self, name: &str) -> bool {
        self.params.get(name).is_some_and(is_compound)
    }

    /// A parameter's spots.
    pub(super) fn spots_of(&self, name: &str) -> &[Spot] {
        self.spots.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a call of it changes something.
    pub(super) fn writes(&self) -> bool {
        !self.changes.is_empty()
    }
}

pub(super) fn is_compound(param: &Param) -> bool {
    param.set || !param.fields.is_empty() || ["array", "object"].contains(&param.type_name.as_str())
}

/// A pointer to an item and that to the field within it; the whole answer is an item too.
fn split(pointer: &str) -> (&str, &str) {
    let parts = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]).collect::<Vec<_>>();
    let mut ends = parts.windows(2).filter(|pair| pointer.get(pair[0]..pair[1]) == Some("/0"));
    let end = ends.next_back().map_or(0, |pair| pair[1]);
    pointer.split_at_checked(end).unwrap_or(("", pointer))
}

/// The sources of a parameter and of the fields of its elements.
fn sources<'p>(name: &str, param: &'p Param) -> Vec<(String, &'p [Source])> {
    let own = (!param.from.is_empty()).then(|| (name.to_owned(), param.from.as_slice()));
    let inner = param.fields.iter().flat_map(|(field, inner)| sources(&format!("{name}.{field}"), inner));
    own.into_iter().chain(inner).collect()
}

/// The required parameters; one joins the group of another where both can stand in one item, at different fields.
fn groups(offer: &Offer) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (name, _) in offer.params.iter().filter(|(_, param)| param.required && !is_compound(param)) {
        let spots = offer.spots_of(name);
        let beside = |group: &&mut Group| {
            let others = || group.params.iter().flat_map(|other| offer.spots_of(other));
            let near = |spot: &Spot| others().any(|it| it.tool == spot.tool && it.shape == spot.shape);
            spots.iter().any(near) && !spots.iter().any(|spot| others().any(|it| it.number == spot.number))
        };
        let at = groups.iter_mut().find(beside);
        match at {
            Some(group) => group.params.push(name.clone()),
            None => groups.push(Group { params: vec![name.clone()], places: Vec::new() }),
        }
    }
    for group in &mut groups {
        group.places = places(offer, &group.params);
    }
    groups
}

fn places(offer: &Offer, params: &[String]) -> Vec<IndexMap<String, Spot>> {
    let mut places: IndexMap<(String, usize), IndexMap<String, Spot>> = IndexMap::new();
    for name in params {
        for spot in offer.spots_of(name) {
            places.entry((spot.tool.clone(), spot.shape)).or_default().insert(name.clone(), spot.clone());
        }
    }
    places.into_values().collect()
}

/// A parameter as far as a tool tells of it.
fn param(tool: &Tool, name: &str) -> Param {
    let Some(schema) = tool.parameters.properties.get(name) else { return Param::default() };
    let format = schema.more.get("format").and_then(serde_json::Value::as_str);
    Param {
        type_name: schema.type_name().to_owned(),
        kind: tool.kinds.get(name).cloned(),
        required: tool.parameters.required.iter().any(|it| it == name),
        default: schema.more.get("default").cloned().map(Value::from),
        listed: schema.values.as_ref().map(|values| values.iter().cloned().map(Value::from).collect()),
        format: [Format::Date, Format::Time].into_iter().find(|it| format == Some(word(*it))),
        from: tool.from.get(name).cloned().unwrap_or_default(),
        ..Param::default()
    }
}

fn word(format: Format) -> &'static str {
    match format {
        Format::Date => "date",
        Format::Time => "time",
        Format::Numbers => "numbers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(functions: &Functions, name: &str) -> Vec<String> {
        functions.offers[name].groups.iter().map(|group| group.params.join("+")).collect()
    }

    #[test]
    fn values_of_one_item_stand_together_and_values_of_the_same_field_do_not() {
        let toolset = crate::fixtures::toolset("travel", "en");
        let functions = Functions::declared(toolset.world.as_ref().unwrap());
        let hotels = grouped(&functions, "Search_Hotels");
        assert_eq!(hotels[..2], ["dest_id+search_type".to_owned(), "arrival_date".to_owned()], "{hotels:?}");
        assert_eq!(grouped(&functions, "Search_Flights")[..2], ["fromId".to_owned(), "toId".to_owned()]);
        let taxi = grouped(&functions, "Search_Taxi_By_Coordinates");
        assert!(taxi.contains(&"pick_up_latitude+pick_up_longitude".to_owned()), "{taxi:?}");
        assert!(taxi.contains(&"drop_off_latitude+drop_off_longitude".to_owned()), "{taxi:?}");
        let place = &functions.offers["Search_Hotels"].groups[0].places[0];
        assert_eq!(place["dest_id"].tool, "Search_Hotel_Destination");
        assert_eq!(functions.shapes["Search_Hotel_Destination"][place["dest_id"].shape].item, "/data/0");
    }

    #[test]
    fn a_pointer_ends_its_item_at_the_last_list() {
        assert_eq!(split("/data/hotels/0/property/latitude"), ("/data/hotels/0", "/property/latitude"));
        assert_eq!(split("/data/filters/0/options/0/generic_id"), ("/data/filters/0/options/0", "/generic_id"));
        assert_eq!(split("/data/latitude"), ("", "/data/latitude"));
        assert_eq!((split("/0"), split("")), (("/0", ""), ("", "")));
    }

    #[test]
    fn tools_without_a_declaration_tell_their_types_and_sources() {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let functions = Functions::of_tools(&toolset.tools);
        let offer = &functions.offers["Search_Inns"];
        assert!(offer.params["town_id"].required && !offer.writes() && !offer.free);
        assert_eq!(
            offer.params["town_id"].from,
            toolset.world.as_ref().unwrap().functions["Search_Inns"].parameters["town_id"].from
        );
        assert!(!offer.is_compound("town_id") && functions.offers["Plan_Tour"].is_compound("legs"));
    }
}

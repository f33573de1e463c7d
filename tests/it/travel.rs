//! The declared world of `toolsets/travel`: what its description promises, over whole searches and arbitrary calls.

use fcgen::locale::Pack;
use fcgen::record::{Constraint, Object, Value};
use fcgen::toolset::{Declaration, Function, Toolset, lint};
use fcgen::world::{CallFault, DeclaredSession, DeclaredWorld, Sampler, world_faults};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

struct Ground {
    toolset: Toolset,
    pack: Arc<Pack>,
    world: DeclaredWorld,
}

static GROUNDS: LazyLock<[Ground; 3]> = LazyLock::new(|| {
    ["en", "ko", "zh"].map(|locale| {
        let toolset = Toolset::load(fcgen::assets(), "travel", locale).unwrap();
        let mut pack = Pack::load(fcgen::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        let pack = Arc::new(pack);
        let world = DeclaredWorld::new(toolset.world.clone().unwrap(), pack.clone(), 11).unwrap();
        Ground { toolset, pack, world }
    })
});

fn declaration() -> &'static Declaration {
    GROUNDS[0].world.declaration()
}

fn session() -> DeclaredSession<'static> {
    GROUNDS[0].world.session()
}

fn object(json: &str) -> Object {
    serde_json::from_str(json).unwrap()
}

/// The data of a call that must go well.
fn data(tool: &str, json: &str) -> serde_json::Value {
    let answer = session().call(tool, &object(json)).unwrap_or_else(|fault| panic!("{tool} {json}: {fault}"));
    serde_json::Value::from(&answer)["data"].clone()
}

#[test]
fn five_domains_have_at_least_43_functions_whose_names_openai_takes() {
    let world = declaration();
    assert_eq!(world.domains(), ["attractions", "car_rental", "flights", "hotels", "taxi"]);
    assert!(world.functions.len() >= 43, "{}", world.functions.len());
    let legal = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    assert!(world.functions.keys().all(|name| name.len() <= 64 && name.chars().all(legal)));
}

#[test]
fn all_thirteen_sorts_of_argument_occur() {
    let params = declaration().functions.values().flat_map(|function| function.parameters.values());
    let found: BTreeSet<Constraint> = params.filter_map(|param| param.constraint).collect();
    assert_eq!(found.len(), Constraint::ALL.len(), "{found:?}");
}

#[test]
fn every_domain_has_a_free_lookup_and_the_flags_of_the_scorer_are_there() {
    let world = declaration();
    let free: Vec<&Function> = world.functions.values().filter(|function| function.free).collect();
    assert!(world.domains().iter().all(|domain| free.iter().any(|function| function.domain == *domain)));
    assert_eq!(free.iter().filter(|function| !function.forgiven).count(), 1);
    assert!(world.overlap("Search_Hotel_Destination", "Location_To_Coordinates"));
    assert!(world.functions["Search_Hotels"].free_when.contains_key("search_type"));
    let any = |holds: fn(&fcgen::toolset::Param) -> bool| {
        world.functions.values().any(|function| function.parameters.values().any(holds))
    };
    assert!(any(|param| param.set) && any(|param| param.protected));
    let exact: usize = world.exact_parameters().values().map(Vec::len).sum();
    assert!(exact > 100, "{exact}");
}

#[test]
fn nothing_is_found_wrong_in_any_language() {
    for ground in &*GROUNDS {
        assert_eq!(lint(fcgen::assets(), &ground.toolset, &ground.pack), [], "{}", ground.pack.code);
        assert_eq!(world_faults(&ground.toolset, &ground.pack), [], "{}", ground.pack.code);
        assert!(ground.world.lengthened().is_ok(), "{}: there are too few names for long answers", ground.pack.code);
    }
}

#[test]
fn long_answers_have_room_for_every_identifier_on_other_seeds() {
    let ground = &GROUNDS[0];
    for seed in [8, 29] {
        let world = DeclaredWorld::new(ground.toolset.world.clone().unwrap(), ground.pack.clone(), seed).unwrap();
        let faults = world.lengthened().err();
        assert!(faults.is_none(), "{seed}: {faults:?}");
    }
}

#[test]
fn the_languages_share_one_structure() {
    let [en, others @ ..] = &*GROUNDS;
    let names =
        |ground: &'static Ground| ground.toolset.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>();
    for other in others {
        for (table, columns) in
            [("hotels", ["id", "base_price"]), ("flights", ["number", "departs"]), ("vehicles", ["id", "daily"])]
        {
            for column in columns {
                assert_eq!(en.world.column(table, column), other.world.column(table, column), "{table}.{column}");
            }
        }
        assert_ne!(en.world.column("hotels", "name"), other.world.column("hotels", "name"));
        assert_eq!(names(en), names(other));
    }
}

#[test]
fn the_same_calls_get_the_same_answers_from_a_world_drawn_anew() {
    let ground = &GROUNDS[1];
    let again = DeclaredWorld::new(ground.toolset.world.clone().unwrap(), ground.pack.clone(), 11).unwrap();
    let (mut one, mut two) = (Sampler::new(&ground.world), Sampler::new(&again));
    for name in declaration().functions.keys() {
        assert_eq!(one.sample(name, true, 3), two.sample(name, true, 3), "{name}");
    }
}

/// Everything at a pointer whose `0` stands for each element of a list.
fn each_at<'v>(value: &'v Value, pointer: &str) -> Vec<&'v Value> {
    pointer.split('/').skip(1).fold(vec![value], |values, part| {
        let inside = |value: &'v Value| match value {
            Value::List(list) => list.iter().collect::<Vec<_>>(),
            Value::Object(object) => object.get(part).into_iter().collect(),
            _ => Vec::new(),
        };
        values.into_iter().flat_map(inside).collect()
    })
}

#[test]
fn whatever_a_search_hands_out_opens_its_details() {
    let mut opened = 0;
    for function in declaration().functions.values() {
        let mut required = function.parameters.iter().filter(|(_, param)| param.required);
        let (Some((name, param)), None) = (required.next(), required.next()) else { continue };
        for source in param.from.iter().filter(|source| source.tool != function.name) {
            let mut sampler = Sampler::new(&GROUNDS[0].world);
            let Some(answer) = sampler.sample(&source.tool, false, 5).and_then(|sample| sample.answer.ok()) else {
                continue;
            };
            for value in each_at(&answer, &source.field) {
                let call = Object::from([(name.clone(), value.clone())]);
                // Bookings live in the session that made them.
                let made = function.parameters[name]
                    .of
                    .as_ref()
                    .is_some_and(|of| ["rides", "attraction_bookings"].contains(&of.as_str()));
                let answer = session().call(&function.name, &call);
                assert!(answer.is_ok() || made, "{} {call:?}: {answer:?}", function.name);
                opened += 1;
            }
        }
    }
    assert!(opened > 150, "{opened}");
}

#[test]
fn tokens_and_keys_are_as_long_as_real_ones() {
    let flights = data(
        "Search_Flights",
        r#"{"fromId": "LIS.AIRPORT", "toId": "JFK.AIRPORT", "departDate": "2024-11-05", "returnDate": "2024-11-12"}"#,
    );
    let token = flights["flight_offers"][0]["token"].as_str().unwrap();
    assert_eq!(token.len(), 560);
    let details = data("Get_Flight_Details", &format!(r#"{{"token": "{token}"}}"#));
    assert_eq!(details["segments"], flights["flight_offers"][0]["segments"]);
    assert_eq!(details["price_breakdown"]["total"], flights["flight_offers"][0]["price_breakdown"]["total"]);
    let changed =
        format!(r#"{{"token": "{}A"}}"#, token.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric()));
    assert!(matches!(session().call("Get_Flight_Details", &object(&changed)), Err(CallFault::NotFound { .. })));
}

#[test]
fn a_journey_crosses_domains() {
    let mut session = session();
    let mut call = |tool: &str, json: &str| {
        let answer = session.call(tool, &object(json)).unwrap_or_else(|fault| panic!("{tool} {json}: {fault}"));
        serde_json::Value::from(&answer)["data"].clone()
    };
    let flights =
        call("Search_Flights", r#"{"fromId": "LIS.AIRPORT", "toId": "BER.AIRPORT", "departDate": "2024-11-05"}"#);
    let details = call("Get_Flight_Details", &format!(r#"{{"token": {}}}"#, flights["flight_offers"][0]["token"]));
    let arrival = &details["segments"][0]["arrival"];
    let place = call("Search_Hotel_Destination", r#"{"query": "Berlin"}"#)[0].clone();
    let hotels = call(
        "Search_Hotels",
        &format!(
            r#"{{"dest_id": {}, "search_type": {}, "arrival_date": {}, "departure_date": "2024-11-09"}}"#,
            place["dest_id"], place["search_type"], arrival["date"]
        ),
    );
    let hotel = &hotels["hotels"][0]["property"];
    let airport = call("Search_Flight_Location", r#"{"query": "BER"}"#)[0]["coordinates"].clone();
    let taxis = call(
        "Search_Taxi_By_Coordinates",
        &format!(
            r#"{{"pick_up_latitude": {}, "pick_up_longitude": {}, "drop_off_latitude": {}, "drop_off_longitude": {}, "pick_up_date": {}, "pick_up_time": {}}}"#,
            airport["latitude"],
            airport["longitude"],
            hotel["latitude"],
            hotel["longitude"],
            arrival["date"],
            arrival["time"]
        ),
    );
    let booked = call("Book_Taxi", &format!(r#"{{"offer_token": {}}}"#, taxis["results"][0]["offer_token"]));
    assert_eq!(booked["pick_up"]["time"], arrival["time"]);
    let id = format!(r#"{{"booking_id": {}}}"#, booked["booking_id"]);
    assert_eq!(call("Cancel_Taxi_Booking", &id)["state"], "cancelled");
    assert_eq!(call("Get_Taxi_Booking", &id)["state"], "cancelled");
    let cars = call(
        "Search_Car_Rentals",
        &format!(
            r#"{{"pick_up_latitude": {0}, "pick_up_longitude": {1}, "drop_off_latitude": {0}, "drop_off_longitude": {1}, "pick_up_date": "2024-11-07", "drop_off_date": "2024-11-08", "pick_up_time": "09:00", "drop_off_time": "18:30"}}"#,
            hotel["latitude"], hotel["longitude"]
        ),
    );
    assert_eq!(cars["rental_days"], 2);
}

fn hotels(city: usize, more: &str) -> (Vec<serde_json::Value>, u64) {
    let dest = &GROUNDS[0].world.column("cities", "dest_id")[city];
    let (mut found, mut count) = (Vec::new(), 0);
    for page in 1..4 {
        let json = format!(
            r#"{{"dest_id": {dest}, "search_type": "city", "arrival_date": "2024-11-05", "departure_date": "2024-11-08", "page_number": {page}{more}}}"#
        );
        let answer = data("Search_Hotels", &json);
        count = answer["meta"]["count"].as_u64().unwrap();
        found.extend(answer["hotels"].as_array().unwrap().iter().map(|hotel| hotel["property"].clone()));
    }
    (found, count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn pages_partition_orders_hold_and_filters_hold(city in 0_usize..27, class in 2_u64..6) {
        let (all, count) = hotels(city, r#", "sort_by": "price""#);
        prop_assert_eq!(all.len() as u64, count);
        let ids: BTreeSet<&str> = all.iter().map(|hotel| hotel["id"].as_str().unwrap()).collect();
        prop_assert_eq!(ids.len(), all.len());
        let price = |hotel: &serde_json::Value| hotel["price_breakdown"]["gross_price"].as_f64().unwrap();
        prop_assert!(all.is_sorted_by(|one, two| price(one) <= price(two)));
        let filters = format!(r#", "categories_filter": "class::{class},free_cancellation::1""#);
        let (some, _) = hotels(city, &filters);
        let passes = |hotel: &&serde_json::Value| hotel["property_class"] == class && hotel["free_cancellation"] == true;
        prop_assert_eq!(some.iter().filter(passes).count(), some.len());
        prop_assert_eq!(all.iter().filter(passes).count(), some.len());
    }

    #[test]
    fn a_filter_promises_as_many_hotels_as_it_leaves(city in 0_usize..27) {
        let dest = &GROUNDS[0].world.column("cities", "dest_id")[city];
        let json = format!(r#"{{"dest_id": {dest}, "search_type": "city", "arrival_date": "2024-11-05", "departure_date": "2024-11-08"}}"#);
        for filter in data("Get_Hotel_Filters", &json)["filters"].as_array().unwrap() {
            for option in filter["options"].as_array().unwrap() {
                let (found, _) = hotels(city, &format!(r#", "categories_filter": {}"#, option["generic_id"]));
                prop_assert_eq!(found.len() as u64, option["count_not_auto_extended"].as_u64().unwrap(), "{}", option);
            }
        }
    }
}

/// Any JSON that a model might write for an argument.
fn any_argument() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        (-200.0_f64..200.0).prop_map(serde_json::Value::from),
        prop::sample::select(vec![
            "2024-11-05",
            "2024-11-30",
            "10:00",
            "7",
            "5,9",
            "EUR",
            "LIS.AIRPORT",
            "city",
            "class::4",
            "BEST",
            "Paris"
        ])
        .prop_map(serde_json::Value::from),
        ".{0,12}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(serde_json::Value::from),
            prop::collection::btree_map("fromId|toId|date|x", inner, 0..3).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn arbitrary_arguments_get_an_answer_or_a_typed_error(
        at in any::<prop::sample::Index>(), draw in 0_u32..4, changes in prop::collection::vec((any::<prop::sample::Index>(), any_argument()), 0..4),
    ) {
        let function = declaration().functions.get_index(at.index(declaration().functions.len())).unwrap().1;
        let mut arguments = Sampler::new(&GROUNDS[0].world).sample(&function.name, draw % 2 == 0, draw).unwrap().call.arguments;
        for (place, value) in changes {
            let (name, _) = function.parameters.get_index(place.index(function.parameters.len())).unwrap();
            arguments.insert(name.clone(), Value::from(value));
        }
        let mut session = session();
        if let Err(fault) = session.call(&function.name, &arguments) {
            prop_assert!(!format!("{fault:?}").contains("Broken"), "{} {arguments:?}: {fault}", function.name);
            let told = session.refusal(&function.name, &fault).to_string();
            prop_assert!(told.starts_with(r#"{"status":false,"message":[{"#), "{told}");
        }
    }
}

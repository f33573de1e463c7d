//! Joins the files of a declared world with what a locale says, and checks that everything named is there.

use super::super::folder::Source;
use super::super::functions::function::{Declaration, Function, Param};
use super::super::functions::parameters::{Ground, written_out};
use super::super::functions::sayings::sayings;
use super::super::names::Names;
use super::super::structure::{FileText, FunctionText};
use super::super::tables::Place;
use super::course::Course;
use super::order::in_order;
use super::reader::Reader;
use super::template::Node;
use super::text::WorldText;
use crate::toolset::Fault;
use crate::toolset::resources::source::File;
use fcgen_core::assets::Assets;
use fcgen_core::locale::{FunctionPhrases, KindText, Stamp};
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use toml::Spanned;

/// Everything that was read, and what is wrong with it.
pub(crate) struct Join<'a> {
    pub(crate) assets: &'a Assets,
    pub(crate) folder: &'a str,
    pub(crate) locale: &'a str,
    pub(crate) sources: &'a [Source],
    pub(crate) worlds: &'a [FileText],
    pub(crate) texts: &'a [WorldText],
    pub(crate) kinds: &'a IndexMap<String, KindText>,
    pub(crate) phrases: &'a FunctionPhrases,
    pub(crate) faults: Vec<Fault>,
}

/// Names that a parameter must not have, for they mean something in every expression.
const RESERVED: [&str; 9] = ["row", "rows", "count", "outer", "chance", "today", "data", "errors", "at"];

impl Join<'_> {
    pub(crate) fn declaration(&mut self, name: &str) -> Declaration {
        let mut world = Declaration { name: name.to_owned(), phrases: self.phrases.clone(), ..Declaration::default() };
        self.settings(&mut world);
        self.tables(&mut world);
        for at in 0..self.sources.len() {
            self.functions(&mut world, at);
        }
        self.link(&mut world);
        self.sayings(&world);
        world
    }

    fn reader(&mut self, at: usize) -> Option<Reader<'_>> {
        let source = self.sources.get(at)?;
        Some(Reader { file: File::new(&source.world_path, &source.world_text), faults: &mut self.faults })
    }

    fn settings(&mut self, world: &mut Declaration) {
        let (worlds, mut names) = (self.worlds, Names::default());
        names.add("data");
        names.add("errors");
        for (at, file) in worlds.iter().enumerate() {
            let Some(mut reader) = self.reader(at) else { continue };
            let settings = &file.settings;
            if let Some(today) = &settings.today {
                if Stamp::read(today.get_ref()).and_then(|stamp| stamp.date).is_none() {
                    reader.fault(today.span(), format!("`{today}` is not a date; expected the form `2024-11-05`"));
                }
                world.today.clone_from(today.get_ref());
            }
            let mut node =
                |text: &Option<Spanned<_>>| text.as_ref().map(|it| reader.node(it, &names, &IndexMap::new()));
            let (success, failure) = (node(&settings.success), node(&settings.failure));
            for (field, table) in &settings.named {
                if !worlds.iter().any(|file| file.tables.contains_key(table.get_ref().as_str())) {
                    reader.fault(table.span(), format!("unknown table `{table}`"));
                }
                world.named.insert(field.clone(), table.get_ref().clone());
            }
            world.envelope.success = success.or(world.envelope.success.take());
            world.envelope.failure = failure.or(world.envelope.failure.take());
        }
    }

    fn tables(&mut self, world: &mut Declaration) {
        let (worlds, kinds, folder, locale) = (self.worlds, self.kinds, self.folder, self.locale);
        let names: Vec<&str> = worlds.iter().flat_map(|file| file.tables.keys()).map(String::as_str).collect();
        let place =
            Place { assets: self.assets, folder, locale, tables: &names, kinds: &|kind| kinds.contains_key(kind) };
        for (at, file) in worlds.iter().enumerate() {
            for (name, text) in &file.tables {
                let Some(mut reader) = self.reader(at) else { continue };
                let table = reader.table(name, text, place);
                if world.tables.insert(name.clone(), table).is_some() {
                    reader.fault(text.span(), format!("duplicate table `{name}`"));
                }
            }
        }
        match in_order(&world.tables) {
            Ok(order) => world.tables.sort_by_key(|name, _| order.iter().position(|it| it == name)),
            Err(name) => {
                let at = worlds.iter().position(|file| file.tables.contains_key(&name)).unwrap_or(0);
                let span =
                    worlds.get(at).and_then(|file| file.tables.get(&name)).map(Spanned::span).unwrap_or_default();
                if let Some(mut reader) = self.reader(at) {
                    reader.fault(span, format!("circular dependency between tables: `{name}`"));
                }
            }
        }
    }

    fn functions(&mut self, world: &mut Declaration, at: usize) {
        let (worlds, texts, sources) = (self.worlds, self.texts, self.sources);
        let (Some(file), Some(text), Some(source)) = (worlds.get(at), texts.get(at), sources.get(at)) else { return };
        for (name, function) in &file.functions {
            if let Some(checked) = self.function(world, at, name, function) {
                if world.functions.insert(name.clone(), checked).is_some() {
                    let message = format!("duplicate function `{name}`");
                    self.reader(at).into_iter().for_each(|mut reader| reader.fault(function.span(), message.clone()));
                }
            }
        }
        for name in text.functions.keys().filter(|name| !file.functions.contains_key(*name)) {
            let message = format!("text for an unknown function `{name}`; not in `{}`", source.world_path);
            self.faults.push(Fault { path: source.text_path.clone(), line: None, message });
        }
    }

    fn function(
        &mut self,
        world: &Declaration,
        at: usize,
        name: &str,
        text: &Spanned<FunctionText>,
    ) -> Option<Function> {
        let (worlds, texts, sources, kinds) = (self.worlds, self.texts, self.sources, self.kinds);
        let (file, own, source) = (worlds.get(at)?, texts.get(at)?, sources.get(at)?);
        // What one domain says about a parameter holds for all that say nothing, a shared file being one.
        let texts: Vec<&WorldText> =
            std::iter::once(own).chain(texts.iter().filter(|it| it.functions.is_empty())).collect();
        let tables: Vec<&str> = world.tables.keys().map(String::as_str).collect();
        let has_column = |table: &str, column: &str| {
            world.tables.get(table).is_some_and(|table| table.fields().any(|field| field == column))
        };
        let ground = Ground {
            function: name,
            tables: &tables,
            has_column: &has_column,
            kinds: &|kind| kinds.contains_key(kind),
            texts: &texts,
        };
        let given = text.get_ref();
        let mut reader = self.reader(at)?;
        if !name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)) || name.len() > 64 {
            reader.fault(
                text.span(),
                format!("`{name}` is not a valid function name; expected at most 64 letters, digits, `_` and `-`"),
            );
        }
        let mut parameters = IndexMap::new();
        for (parameter, text) in &given.parameters {
            // Nothing is computed from what a live server takes.
            let is_taken = RESERVED.contains(&parameter.as_str()) || tables.contains(&parameter.as_str());
            if is_taken && !given.live {
                reader
                    .fault(text.span(), format!("`{parameter}` is a reserved name and cannot be used for a parameter"));
            }
            parameters.insert(parameter.clone(), reader.parameter(parameter, text, ground));
        }
        let Some(said) = own.functions.get(name) else {
            self.faults.push(Fault {
                path: source.text_path.clone(),
                line: None,
                message: format!("no text for the function `{name}`"),
            });
            return None;
        };
        for stray in said.parameters.keys().filter(|it| !has_parameter(&parameters, it)) {
            let message = format!("text for an unknown parameter `{stray}` of `{name}`");
            self.faults.push(Fault { path: source.text_path.clone(), line: None, message });
        }
        let mut reader = self.reader(at)?;
        let free_when = reader.free_when(given, &parameters);
        let errors = own.errors.clone();
        reader.relations(given, &parameters);
        let (steps, give) = reader.body(world, file, given, &parameters, &errors);
        Some(Function {
            name: name.to_owned(),
            domain: source.domain.clone(),
            description: said.description.clone(),
            free: given.free,
            forgiven: given.forgiven.unwrap_or(given.free),
            free_when,
            overlap: given.overlap.clone(),
            data: world.envelope.place(),
            goal_fields: given.goal_fields.clone(),
            picks: IndexMap::new(),
            tallies: IndexMap::new(),
            forks: IndexMap::new(),
            sayings: sayings(said, &texts),
            parameters,
            errors,
            live: given.live,
            writes: given.writes,
            steps,
            give,
        })
    }

    /// Gives every parameter the places that its values come from, and writes the descriptions out.
    fn link(&mut self, world: &mut Declaration) {
        let (worlds, phrases) = (self.worlds, self.phrases);
        let gives: IndexMap<String, Node> =
            world.functions.values().map(|it| (it.name.clone(), it.give.clone())).collect();
        let functions: Vec<&str> = gives.keys().map(String::as_str).collect();
        let place = world.envelope.place();
        for (at, file) in worlds.iter().enumerate() {
            for (name, text) in &file.functions {
                let (Some(mut reader), Some(function)) = (self.reader(at), world.functions.get_mut(name)) else {
                    continue;
                };
                let parameters: Vec<&str> = function.parameters.keys().map(String::as_str).collect();
                let pick = |(name, text): (&String, &Spanned<_>)| {
                    Some((name.clone(), reader.pick(text, &function.give, &parameters, &place)?))
                };
                function.picks = text.get_ref().picks.iter().filter_map(pick).collect();
                reader.looked_up(text.get_ref(), function, (&functions, &place));
                for (parameter, text) in &text.get_ref().parameters {
                    let Some(param) = function.parameters.get_mut(parameter) else { continue };
                    let sources = reader.sources(text.get_ref(), &functions, &gives, &place);
                    param.description = written_out(param, &sources, phrases);
                    param.from = sources.into_iter().map(|(source, _)| source).collect();
                    for (field, text) in &text.get_ref().fields {
                        let Some(inner) = param.fields.get_mut(field) else { continue };
                        let sources = reader.sources(text.get_ref(), &functions, &gives, &place);
                        inner.description = written_out(inner, &sources, phrases);
                        inner.from = sources.into_iter().map(|(source, _)| source).collect();
                    }
                }
            }
        }
    }
}

/// Whether there is such a parameter, or such a field of one.
fn has_parameter(parameters: &IndexMap<String, Param>, path: &str) -> bool {
    match path.split_once('.') {
        Some((name, field)) => parameters.get(name).is_some_and(|param| param.fields.contains_key(field)),
        None => parameters.contains_key(path),
    }
}

impl Reader<'_> {
    /// The picks and the calls that hang on a quality, and what lists come to.
    fn looked_up(&mut self, given: &FunctionText, function: &mut Function, (functions, place): (&[&str], &str)) {
        let mut qualities = IndexMap::new();
        let mut chosen = Vec::new();
        for (name, text) in &given.qualities {
            let Some(quality) = self.quality(text, &function.give, place) else { continue };
            chosen.extend(self.chosen((name, text), &quality, &function.picks));
            let forking = self.forking(text, &quality, functions);
            function.forks.extend(forking.map(|forking| (name.clone(), forking)));
            qualities.insert(name.clone(), quality);
        }
        for (name, text) in &given.tallies {
            let tally = self.tally(text, (&function.give, place), &qualities);
            function.tallies.extend(tally.map(|tally| (name.clone(), tally)));
        }
        for (name, _) in &chosen {
            function.sayings.picks.insert(name.clone(), function.sayings.chosen.clone());
        }
        function.picks.extend(chosen);
    }

    /// Checks that parameters which lean on others name them.
    fn relations(&mut self, given: &FunctionText, parameters: &IndexMap<String, Param>) {
        let known: Vec<&str> = parameters.keys().map(String::as_str).collect();
        let named = given
            .parameters
            .values()
            .flat_map(|text| [&text.get_ref().after, &text.get_ref().like, &text.get_ref().near]);
        for name in named.flatten().filter(|name| !known.contains(&name.get_ref().as_str())) {
            self.unknown(name.span(), "parameter", name.get_ref(), &known);
        }
    }

    fn free_when(&mut self, given: &FunctionText, parameters: &IndexMap<String, Param>) -> Object {
        let mut free = Object::new();
        for (name, value) in &given.free_when {
            if !parameters.contains_key(name) {
                let known: Vec<&str> = parameters.keys().map(String::as_str).collect();
                self.unknown(value.span(), "parameter", name, &known);
            }
            free.insert(name.clone(), Value::from(value.get_ref().as_str()));
        }
        free
    }

    fn body(
        &mut self,
        world: &Declaration,
        file: &FileText,
        given: &FunctionText,
        parameters: &IndexMap<String, Param>,
        errors: &IndexMap<String, String>,
    ) -> (Vec<super::step::Step>, Node) {
        let mut names = Names::default();
        let known = world.tables.keys().map(String::as_str).chain(["chance", "today"]);
        known.chain(parameters.keys().map(String::as_str)).for_each(|name| names.add(name));
        let parameters: Vec<&str> = parameters.keys().map(String::as_str).collect();
        let errors: Vec<&str> = errors.keys().map(String::as_str).collect();
        let course = Course {
            tables: &world.tables,
            shared: &file.steps,
            parameters: &parameters,
            errors: &errors,
            within: None,
        };
        let steps = self.steps(&given.steps, &mut names, course);
        if names.missing("row").is_none() {
            names.add_like("rows", "row");
        }
        names.add("count");
        let give = self.node(&given.give, &names, &file.parts);
        (steps, give)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Toolset;
    use crate::toolset::declared::testing::{inn, text_faults, told, toolset_of, world_faults};

    #[test]
    fn structure_and_text_must_name_the_same_things() {
        let faults = text_faults("[Get_Inn]", "[Get_Inns]");
        assert!(faults.contains(&"en/inns.toml: no text for the function `Get_Inn`".to_owned()), "{faults:?}");
        assert!(faults.iter().any(|it| it.contains("text for an unknown function `Get_Inns`")), "{faults:?}");
        let faults = text_faults("guests = \"Number of guests.\"", "gests = \"Number of guests.\"");
        assert!(
            faults.iter().any(|it| it.contains("no text for the parameter `guests` of `Search_Inns`")),
            "{faults:?}"
        );
        let faults = text_faults(
            "description = \"Looks a town up by its name.\"",
            "description = \"x\"\n[Find_Town.parameters]\nqueri = \"x\"",
        );
        assert_eq!(faults, ["en/inns.toml: text for an unknown parameter `queri` of `Find_Town`"]);
    }

    #[test]
    fn names_that_mean_something_else_are_refused() {
        let faults = world_faults("functions.Get_Inn", "functions.\"Get Inn\"");
        assert!(faults.iter().any(|it| it.contains("`Get Inn` is not a valid function name")), "{faults:?}");
        let faults = world_faults("query = {", "rows = {");
        assert!(faults.iter().any(|it| it.contains("`rows` is a reserved name")), "{faults:?}");
        let faults = world_faults("town = \"towns\" }", "town = \"inns\" }");
        assert!(faults.iter().any(|it| it.contains("circular dependency between tables: `inns`")), "{faults:?}");
        let faults = world_faults("today = \"2024-10-13\"", "today = \"soon\"");
        assert_eq!(faults, ["world/inns.toml:2: `soon` is not a date; expected the form `2024-11-05`"]);
    }

    #[test]
    fn an_answer_names_what_the_steps_give() {
        let faults = world_faults("id = \"row.id\", name", "id = \"row.di\", name");
        assert!(faults[0].contains("`row.di`: unknown name `row.di`; did you mean `id`?"), "{faults:?}");
        let faults = world_faults("{ part = \"card\" }", "{ part = \"crad\" }");
        assert!(faults[0].contains("unknown part `crad`; did you mean `card`?"), "{faults:?}");
        let faults = world_faults("{ for = \"row in rows\", give", "{ for = \"row of rows\", give");
        assert!(faults[0].contains("expected `{ for = \"NAME in LIST\", give = ... }`"), "{faults:?}");
    }

    const TEXT: &str = "[F]\ndescription = \"f\"\n";

    fn told_of(world: &str, text: &str) -> String {
        toolset_of(world, text).err().unwrap_or_default().join("\n")
    }

    #[test]
    fn settings_are_checked_where_they_stand() {
        insta::assert_snapshot!(told(&[
            ("today = \"2024-10-13\"", "today = \"13.10.\""),
            ("data = \"data\" }", "data = \"dat\" }"),
            ("message = \"errors\" }", "message = \"data.x + y\" }"),
        ]));
    }

    #[test]
    fn every_name_that_means_something_else_is_refused_as_a_parameter() {
        for name in RESERVED {
            let world = format!("[functions.F]\ngive = 1\n[functions.F.parameters]\n{name} = {{}}\n");
            let wanted = format!("world/w.toml:4: `{name}` is a reserved name and cannot be used for a parameter");
            assert_eq!(told_of(&world, &format!("{TEXT}[F.parameters]\n{name} = \"x\"\n")), wanted);
        }
        let world =
            "[tables.places]\nfrom = \"places.json\"\n[functions.F]\ngive = 1\n[functions.F.parameters]\nplaces = {}\n";
        assert!(
            told_of(world, &format!("{TEXT}[F.parameters]\nplaces = \"x\"\n")).contains("`places` is a reserved name")
        );
    }

    #[test]
    fn names_of_functions_are_those_that_models_may_call() {
        let long = "F".repeat(65);
        for name in ["F.G", "F G", "F(x)", "\u{c5ec}\u{d589}", long.as_str()] {
            let told = told_of(
                &format!("[functions.\"{name}\"]\ngive = 1\n"),
                &format!("[\"{name}\"]\ndescription = \"f\"\n"),
            );
            assert!(told.contains("is not a valid function name; expected at most 64 letters"), "{name}: {told}");
        }
        let fine = "F".repeat(64);
        assert_eq!(
            told_of(&format!("[functions.{fine}]\ngive = 1\n"), &format!("[{fine}]\ndescription = \"f\"\n")),
            ""
        );
    }

    #[test]
    fn what_stands_twice_in_two_files_is_told() {
        let file = |more: &str| format!("[tables.places]\nfrom = \"places.json\"\n[functions.F]\ngive = 1\n{more}");
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("a.toml", file("")), ("b.toml", file("[settings]\ntoday = \"2024-01-01\"\n"))] {
            for (place, text) in [("world", text.as_str()), ("en", TEXT)] {
                std::fs::create_dir_all(folder.path().join(place)).unwrap();
                std::fs::write(folder.path().join(place).join(name), text).unwrap();
            }
        }
        std::fs::write(folder.path().join("world/places.json"), "[{\"id\": \"a\"}]").unwrap();
        let told =
            Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "en").unwrap_err().to_string();
        assert!(told.contains("world/b.toml:1: duplicate table `places`"), "{told}");
        assert!(told.contains("world/b.toml:3: duplicate function `F`"), "{told}");
    }

    #[test]
    fn tables_that_need_each_other_are_told_and_others_are_drawn_in_their_order() {
        let table = |name: &str, of: &str| {
            format!(
                "[tables.{name}]\nrows = 1\n[tables.{name}.columns]\nid = {{ shape = \"A##\" }}\nof = {{ of = \"{of}\" }}\n"
            )
        };
        let circle = [table("a", "b"), table("b", "c"), table("c", "a")].concat();
        let told = told_of(&circle, "");
        assert!(told.starts_with("world/w.toml:") && told.contains("circular dependency between tables: `"), "{told}");
        let line = "[tables.c]\nrows = 1\n[tables.c.columns]\nid = { shape = \"C##\" }\n";
        let toolset = toolset_of(&[&table("a", "b"), &table("b", "c"), line].concat(), "").unwrap();
        let world = toolset.world.unwrap();
        assert_eq!(world.tables.keys().collect::<Vec<_>>(), ["c", "b", "a"]);
    }

    #[test]
    fn a_lookup_is_forgiven_unless_it_says_otherwise_and_some_calls_are_as_free() {
        let world = inn("en");
        let flags = |name: &str| (world.functions[name].free, world.functions[name].forgiven);
        assert_eq!(
            ["Find_Town", "Locate_Town", "Search_Inns"].map(flags),
            [(true, true), (true, false), (false, false)]
        );
        assert_eq!(world.functions["Search_Inns"].free_when["sort"].as_str(), Some("stars"));
        let faults = world_faults("free_when = { sort = \"stars\" }", "free_when = { sorted = \"stars\" }");
        assert!(faults[0].ends_with("unknown parameter `sorted`; did you mean `sort`?"), "{faults:?}");
    }

    #[test]
    fn fields_have_their_texts_and_sources_like_parameters() {
        let world = inn("en");
        let legs = &world.functions["Plan_Tour"].parameters["legs"].fields;
        assert_eq!(legs["town_id"].description, "Town of the leg. Comes from Find_Town ([].id).");
        assert_eq!(legs["town_id"].from[0].field, "/data/0/id");
        assert!(legs["day"].from.is_empty() && legs["day"].required);
        let faults = text_faults("\"legs.day\" = \"Day of the leg.\"", "\"legs.days\" = \"Day of the leg.\"");
        assert!(
            faults.iter().any(|it| it.ends_with("no text for the parameter `legs.day` of `Plan_Tour`")),
            "{faults:?}"
        );
        let stray = "en/inns.toml: text for an unknown parameter `legs.days` of `Plan_Tour`";
        assert!(faults.contains(&stray.to_owned()), "{faults:?}");
    }

    #[test]
    fn messages_are_those_of_the_own_file_in_the_language() {
        let errors = |locale: &str| inn(locale).functions["Search_Inns"].errors["late"].clone();
        assert!(errors("en").starts_with("The departure must") && errors("en") != errors("ko"));
        let faults = text_faults("late = \"", "later = \"");
        assert!(faults[0].ends_with("unknown message `late`; did you mean `later`?"), "{faults:?}");
    }

    /// A toolset of several files below `world/` and `en/`, or what is wrong with it.
    fn of_files(files: &[(&str, &str)]) -> Result<Toolset, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "en")
            .map_err(|error| error.to_string())
    }

    #[test]
    fn files_of_one_folder_are_one_world() {
        let finds = "[functions.Find]\nsteps = [{ from = [\"places\"] }]\ngive = { for = \"row in rows\", give = { id = \"row.id\" } }\n";
        let gets = "[functions.Get]\ngive = { id = \"id\" }\n[functions.Get.parameters]\nid = { of = \"places\", from = [\"Find: [].id\"] }\n";
        let toolset = of_files(&[
            ("world/a.toml", finds),
            ("en/a.toml", "title = \"A\"\nscenario = \"a\"\n[Find]\ndescription = \"Finds.\"\n"),
            ("world/b.toml", gets),
            ("en/b.toml", "title = \"B\"\nscenario = \"b\"\n[Get]\ndescription = \"Gets.\"\n"),
            (
                "world/shared.toml",
                "[settings]\ntoday = \"2024-05-01\"\nsuccess = { data = \"data\" }\n[tables.places]\n[tables.places.columns]\nid = { shape = \"P##\" }\n",
            ),
            ("en/shared.toml", "[parameters]\nid = \"Place id.\"\n"),
        ]);
        let world = toolset.unwrap().world.unwrap();
        assert_eq!((world.domains(), world.today.as_str()), (vec!["a", "b"], "2024-05-01"));
        let id = &world.functions["Get"].parameters["id"];
        assert_eq!(
            (id.description.as_str(), id.from[0].field.as_str()),
            ("Place id. Comes from Find ([].id).", "/data/0/id")
        );
    }

    #[test]
    fn what_one_domain_says_of_its_parameters_is_not_said_for_another() {
        let function = |name: &str| format!("[functions.{name}]\ngive = 1\n[functions.{name}.parameters]\nid = {{}}\n");
        let told = of_files(&[
            ("world/a.toml", &function("F")),
            ("en/a.toml", "[parameters]\nid = \"Id.\"\n[F]\ndescription = \"f\"\n"),
            ("world/b.toml", &function("G")),
            ("en/b.toml", "[G]\ndescription = \"g\"\n"),
        ]);
        let told = told.unwrap_err();
        assert!(
            told.contains("world/b.toml:4: no text for the parameter `id` of `G`") && !told.contains("of `F`"),
            "{told}"
        );
    }
}

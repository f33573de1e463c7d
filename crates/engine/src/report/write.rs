//! Tables as text, Markdown, CSV, TSV and JSON.

use super::table::{Cell, Figure, Table};
use serde_json::{Value, json};
use std::io;

/// A form of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Columns for people.
    Text,
    /// Markdown.
    Markdown,
    /// One line for each figure, separated by commas.
    Csv,
    /// One line for each figure, separated by tabs.
    Tsv,
    /// Everything, for programs.
    Json,
}

/// Headings of the forms that have a line for each figure.
const LONG: [&str; 9] = ["table", "row", "column", "part", "value", "low", "high", "n", "text"];

/// Writes tables, with what people should know of all of them: which profile, which version, how intervals are made.
pub fn write(tables: &[Table], notes: &[(&str, String)], form: Form) -> io::Result<String> {
    write_with(tables, notes, &[], form)
}

/// The same, with further fields for programs.
pub fn write_with(
    tables: &[Table],
    notes: &[(&str, String)],
    further: &[(&str, Value)],
    form: Form,
) -> io::Result<String> {
    match form {
        Form::Text => Ok(text(tables, notes)),
        Form::Markdown => Ok(markdown(tables, notes)),
        Form::Csv => long(tables, b','),
        Form::Tsv => long(tables, b'\t'),
        Form::Json => Ok(serde_json::to_string_pretty(&all(tables, notes, further))?),
    }
}

fn text(tables: &[Table], notes: &[(&str, String)]) -> String {
    let mut out: Vec<String> = notes.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    for table in tables {
        let rows: Vec<Vec<String>> = std::iter::once(table.headings()).chain(shown(table)).collect();
        let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
        let widths: Vec<usize> = (0..table.columns.len()).map(|at| width(at).unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
                if at < table.labels { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        out.extend([String::new(), heading(table)]);
        out.extend(rows.iter().map(line));
    }
    out.join("\n")
}

fn markdown(tables: &[Table], notes: &[(&str, String)]) -> String {
    let mut out: Vec<String> = notes.iter().map(|(name, text)| format!("- {name}: {text}")).collect();
    let line = |cells: &[String]| {
        format!("| {} |", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
    };
    for table in tables {
        let rule = (0..table.columns.len()).map(|at| if at < table.labels { "---" } else { "---:" }.to_owned());
        out.extend([String::new(), format!("### {}", heading(table)), String::new()]);
        out.extend([line(&table.headings()), line(&rule.collect::<Vec<_>>())]);
        out.extend(shown(table).map(|row| line(&row)));
    }
    out.join("\n")
}

fn heading(table: &Table) -> String {
    if table.name.starts_with(|letter: char| letter.is_ascii_digit()) {
        format!("Table {}: {}", table.name, table.title)
    } else {
        table.title.clone()
    }
}

fn shown(table: &Table) -> impl Iterator<Item = Vec<String>> {
    table.rows.iter().map(|row| row.iter().map(Cell::shown).collect())
}

fn long(tables: &[Table], separator: u8) -> io::Result<String> {
    let mut writer = csv::WriterBuilder::new().delimiter(separator).from_writer(Vec::new());
    writer.write_record(LONG)?;
    for table in tables {
        for row in &table.rows {
            let name: Vec<String> = row.iter().take(table.labels).map(Cell::code).collect();
            for (column, cell) in table.columns.iter().zip(row).skip(table.labels) {
                for (part, fields) in parts(cell) {
                    let place = [table.name.as_str(), &name.join(" / "), column, part].map(str::to_owned);
                    writer.write_record(place.into_iter().chain(fields))?;
                }
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

/// The parts of a cell, each with its last five fields.
fn parts(cell: &Cell) -> Vec<(&'static str, [String; 5])> {
    let figure = |part: &'static str, figure: &Option<Figure>| {
        figure.map(|it| {
            (part, [it.value.to_string(), it.low.to_string(), it.high.to_string(), it.n.to_string(), String::new()])
        })
    };
    let plain = |value: String, text: String| [value, String::new(), String::new(), String::new(), text];
    match cell {
        Cell::Text(text) | Cell::Named { code: text, .. } => vec![("text", plain(String::new(), text.clone()))],
        Cell::Count(count) => vec![("count", plain(count.to_string(), String::new()))],
        Cell::Share(it) | Cell::Number(it) => figure("value", it).into_iter().collect(),
        Cell::Change(base, change) => figure("without", base).into_iter().chain(figure("change", change)).collect(),
    }
}

fn all(tables: &[Table], notes: &[(&str, String)], further: &[(&str, Value)]) -> Value {
    let notes: serde_json::Map<String, Value> =
        notes.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect();
    let cell = |cell: &Cell| match cell {
        Cell::Text(text) | Cell::Named { code: text, .. } => json!(text),
        Cell::Count(count) => json!(count),
        Cell::Share(figure) | Cell::Number(figure) => json!(figure),
        Cell::Change(base, change) => json!({"without": base, "change": change}),
    };
    let table = |table: &Table| {
        let row = |row: &Vec<Cell>| -> serde_json::Map<String, Value> {
            table.columns.iter().cloned().zip(row.iter().map(cell)).collect()
        };
        json!({"name": table.name, "title": table.title, "rows": table.rows.iter().map(row).collect::<Vec<_>>()})
    };
    let mut all = json!({"notes": notes, "tables": tables.iter().map(table).collect::<Vec<_>>()});
    for (name, value) in further {
        all[*name] = value.clone();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::table;
    use super::*;

    fn written(form: Form) -> String {
        write(&[table().compact()], &[("profile", "strict".to_owned())], form).unwrap()
    }

    #[test]
    fn columns_line_up() {
        insta::assert_snapshot!(written(Form::Text));
    }

    #[test]
    fn markdown_has_a_rule_below_its_headings() {
        insta::assert_snapshot!(written(Form::Markdown));
    }

    #[test]
    fn each_figure_has_a_line() {
        insta::assert_snapshot!(written(Form::Csv));
        assert_eq!(written(Form::Tsv).lines().count(), written(Form::Csv).lines().count());
    }

    #[test]
    fn programs_get_everything() {
        let json: Value = serde_json::from_str(&written(Form::Json)).unwrap();
        assert_eq!(json["notes"]["profile"], "strict");
        assert_eq!(json["tables"][0]["rows"][0]["Acc."]["n"], 40);
        assert_eq!(json["tables"][0]["rows"][0]["Change"]["change"]["value"], -0.125);
        assert_eq!(json.as_object().unwrap().len(), 2);
        let further = [("summary", json!({"chains": 3}))];
        let with = |form| write_with(&[table()], &[], &further, form).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&with(Form::Json)).unwrap()["summary"]["chains"], 3);
        assert_eq!(with(Form::Csv), write(&[table()], &[], Form::Csv).unwrap());
    }
}

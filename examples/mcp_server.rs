//! A small live MCP server: the archive of a village, with shelves, records, keepers and loans. It serves tests, and shows
//! what `fcgen toolset import --mcp` reads.
//!
//! `cargo run --example mcp_server` speaks over standard input and output, `-- --http 8931` over HTTP on this machine alone.
//! Its data are the same at every start; a loan lasts as long as the process.

use serde_json::{Map, Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Records: number, title, shelf, year, keeper.
const RECORDS: [(&str, &str, &str, u32, &str); 12] = [
    ("R-1041", "Map of the Lower Mill", "S-maps", 1874, "K-2"),
    ("R-1042", "Map of the Salt Road", "S-maps", 1902, "K-1"),
    ("R-1043", "Map of the Old Orchard", "S-maps", 1911, "K-3"),
    ("R-2210", "Ledger of the Ferry House", "S-books", 1866, "K-2"),
    ("R-2211", "Ledger of the Glass Works", "S-books", 1893, "K-1"),
    ("R-2212", "Ledger of the Winter Fair", "S-books", 1921, "K-3"),
    ("R-3307", "Letters of the Bell Founder", "S-letters", 1858, "K-1"),
    ("R-3308", "Letters of the Night Watch", "S-letters", 1880, "K-2"),
    ("R-3309", "Letters of the Bee Keeper", "S-letters", 1935, "K-3"),
    ("R-4415", "Picture of the Harvest Dance", "S-pictures", 1908, "K-3"),
    ("R-4416", "Picture of the Stone Bridge", "S-pictures", 1889, "K-1"),
    ("R-4417", "Picture of the Long Market", "S-pictures", 1927, "K-2"),
];

const SHELVES: [(&str, &str); 4] =
    [("S-maps", "Maps"), ("S-books", "Account books"), ("S-letters", "Letters"), ("S-pictures", "Pictures")];

/// Keepers: number, name, room, mail.
const KEEPERS: [(&str, &str, u32, &str); 3] = [
    ("K-1", "Orla Fennick", 12, "orla@example.com"),
    ("K-2", "Tam Brisco", 14, "tam@example.com"),
    ("K-3", "Ines Quill", 21, "ines@example.com"),
];

/// How many tools a page of the list holds.
const PAGE: usize = 3;

/// The archive while the process lives.
#[derive(Default)]
struct Archive {
    loans: Vec<Value>,
}

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().position(|word| word == "--http") {
        Some(at) => serve_http(arguments.get(at + 1).map_or("0", String::as_str)),
        None => serve_lines(),
    }
}

fn serve_lines() -> io::Result<()> {
    let mut archive = Archive::default();
    for line in io::stdin().lock().lines() {
        if let Some(answer) = archive.answer(&line?) {
            let mut out = io::stdout().lock();
            writeln!(out, "{answer}")?;
            out.flush()?;
        }
    }
    Ok(())
}

fn serve_http(port: &str) -> io::Result<()> {
    let listener = TcpListener::bind(format!("127.0.0.1:{port}"))?;
    writeln!(io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    io::stdout().flush()?;
    let mut archive = Archive::default();
    for stream in listener.incoming() {
        // A caller who goes away takes nobody else along.
        let _gone = converse(&mut archive, &stream?).is_err();
    }
    Ok(())
}

/// One request of a connection, which is closed then.
fn converse(archive: &mut Archive, stream: &TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    reader.read_line(&mut head)?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((_, value)) = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    let answer = if head.starts_with("POST") { archive.answer(&body) } else { None };
    let status = match (&answer, head.starts_with("GET")) {
        (Some(_), _) => "200 OK",
        (None, true) => "405 Method Not Allowed",
        (None, false) => "202 Accepted",
    };
    let body = answer.map(|it| it.to_string()).unwrap_or_default();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

impl Archive {
    /// The answer to a message; none where it wants none.
    fn answer(&mut self, line: &str) -> Option<Value> {
        let message: Value = serde_json::from_str(line).ok()?;
        let id = message.get("id")?.clone();
        let parameters = message.get("params").cloned().unwrap_or_default();
        let result = match message.get("method")?.as_str()? {
            "initialize" => Ok(json!({
                "protocolVersion": parameters.get("protocolVersion").cloned().unwrap_or_else(|| json!("2025-06-18")),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "archive", "version": "1.0.0"},
            })),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(page(&parameters)),
            "tools/call" => self.call(&parameters),
            other => Err((-32601, format!("no method {other}"))),
        };
        Some(match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err((code, message)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}),
        })
    }

    fn call(&mut self, parameters: &Value) -> Result<Value, (i32, String)> {
        let empty = Map::new();
        let given = parameters.get("arguments").and_then(Value::as_object).unwrap_or(&empty);
        let text = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let answer = match parameters.get("name").and_then(Value::as_str).unwrap_or_default() {
            "list_shelves" => Ok(json!({"shelves": SHELVES.map(|(id, name)| json!({"shelf_id": id, "name": name}))})),
            "search_records" => Ok(search(&text("query"), given.get("shelf_id").and_then(Value::as_str))),
            "get_record" => record(&text("record_id")),
            "get_keeper" => keeper(&text("keeper_id")),
            "list_loans" => record(&text("record_id")).map(|_| self.loans_of(&text("record_id"))),
            "create_loan" => self.lend(&text("record_id"), &text("reader")),
            other => return Err((-32602, format!("no tool {other}"))),
        };
        Ok(match answer {
            Ok(answer) => {
                json!({"content": [{"type": "text", "text": answer.to_string()}], "structuredContent": answer})
            }
            Err(message) => json!({"content": [{"type": "text", "text": message}], "isError": true}),
        })
    }

    fn loans_of(&self, record: &str) -> Value {
        let before = json!({"loan_id": format!("L-{}", record.trim_start_matches("R-")), "record_id": record, "reader": "Wilma Hask", "since": "2025-03-04"});
        let since = self.loans.iter().filter(|it| it.get("record_id").and_then(Value::as_str) == Some(record));
        json!({"loans": std::iter::once(before).chain(since.cloned()).collect::<Vec<_>>()})
    }

    fn lend(&mut self, record_id: &str, reader: &str) -> Result<Value, String> {
        record(record_id)?;
        let loan = json!({"loan_id": format!("L-9{:03}", self.loans.len()), "record_id": record_id, "reader": reader, "since": "2025-05-01"});
        self.loans.push(loan.clone());
        Ok(loan)
    }
}

fn search(query: &str, shelf: Option<&str>) -> Value {
    let query = query.to_lowercase();
    let found = RECORDS
        .iter()
        .filter(|(_, title, on, ..)| title.to_lowercase().contains(&query) && shelf.is_none_or(|shelf| shelf == *on));
    let found = found
        .map(|(id, title, shelf, year, _)| json!({"record_id": id, "title": title, "shelf_id": shelf, "year": year}));
    json!({"records": found.collect::<Vec<_>>()})
}

fn record(wanted: &str) -> Result<Value, String> {
    let found = RECORDS.iter().find(|(id, ..)| *id == wanted);
    let (id, title, shelf, year, keeper) = found.ok_or_else(|| format!("no record {wanted}"))?;
    let pages = 40 + year % 97;
    Ok(json!({"record_id": id, "title": title, "shelf_id": shelf, "year": year, "keeper_id": keeper, "pages": pages}))
}

fn keeper(wanted: &str) -> Result<Value, String> {
    let found = KEEPERS.iter().find(|(id, ..)| *id == wanted);
    let (id, name, room, mail) = found.ok_or_else(|| format!("no keeper {wanted}"))?;
    Ok(json!({"keeper_id": id, "name": name, "room": room, "mail": mail}))
}

/// A page of the list of tools.
fn page(parameters: &Value) -> Value {
    let from = parameters.get("cursor").and_then(Value::as_str).and_then(|it| it.parse().ok()).unwrap_or(0_usize);
    let tools = tools();
    let next = from + PAGE;
    let mut page = json!({"tools": tools.iter().skip(from).take(PAGE).collect::<Vec<_>>()});
    if let Some(page) = page.as_object_mut().filter(|_| next < tools.len()) {
        page.insert("nextCursor".to_owned(), json!(next.to_string()));
    }
    page
}

fn tools() -> Vec<Value> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let record = json!({"record_id": text("Number of the record.")});
    vec![
        tool("list_shelves", "List the shelves of the archive.", json!({}), &[], true),
        tool(
            "search_records",
            "Find records of the archive by words of their titles.",
            json!({"query": text("Words of the title."), "shelf_id": text("Number of the shelf, if only one is of interest.")}),
            &["query"],
            true,
        ),
        tool("get_record", "Show the details of a record.", record.clone(), &["record_id"], true),
        tool(
            "get_keeper",
            "Show who a keeper is and in which room they sit.",
            json!({"keeper_id": text("Number of the keeper.")}),
            &["keeper_id"],
            true,
        ),
        tool("list_loans", "List who has borrowed a record.", record.clone(), &["record_id"], true),
        tool(
            "create_loan",
            "Lend a record to a reader.",
            json!({"record_id": text("Number of the record."), "reader": text("Name of the reader.")}),
            &["record_id", "reader"],
            false,
        ),
    ]
}

#[expect(clippy::needless_pass_by_value, reason = "it is given what was just made")]
fn tool(name: &str, description: &str, properties: Value, required: &[&str], reads: bool) -> Value {
    json!({
        "name": name,
        "description": description,
        "inputSchema": {"type": "object", "properties": properties, "required": required},
        "annotations": {"readOnlyHint": reads},
    })
}

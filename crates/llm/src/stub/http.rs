//! As much of HTTP/1.1 as chat completions need: requests with a length, kept-alive connections.

use std::io;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

/// One connection.
pub(super) type Connection = BufStream<TcpStream>;

/// A request as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RawRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

/// Larger heads and bodies are somebody's mistake.
const LARGEST_HEAD: u64 = 64 * 1024;
const LARGEST_BODY: usize = 64 * 1024 * 1024;

/// Reads the next request; `None` where the other side has left.
pub(super) async fn read_request(connection: &mut Connection) -> io::Result<Option<RawRequest>> {
    let mut lines = Vec::new();
    let mut head = connection.take(LARGEST_HEAD);
    loop {
        let mut line = String::new();
        if head.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        lines.push(line.to_owned());
    }
    let mut request = parse_head(&lines).ok_or(io::ErrorKind::InvalidData)?;
    request.body = read_body(connection, &request.headers).await?;
    Ok(Some(request))
}

async fn read_body(connection: &mut Connection, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
    let value = |name: &str| headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str());
    if value("expect").is_some_and(|wish| wish.eq_ignore_ascii_case("100-continue")) {
        connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
        connection.flush().await?;
    }
    let length = value("content-length").unwrap_or("0").parse().map_err(|_| io::ErrorKind::InvalidData)?;
    if length > LARGEST_BODY {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await?;
    Ok(body)
}

fn parse_head(lines: &[String]) -> Option<RawRequest> {
    let (first, rest) = lines.split_first()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let header = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    let path = path.split('?').next().unwrap_or(path);
    let (method, path, headers) = (method.to_owned(), path.to_owned(), rest.iter().filter_map(header).collect());
    Some(RawRequest { method, path, headers, body: Vec::new() })
}

/// The head of an answer, with the length of the body that is to follow.
pub(super) fn head(status: u16, headers: &[(String, String)], length: usize) -> String {
    let lines: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} {}\r\n{}content-length: {length}\r\n\r\n", reason(status), lines.concat())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    async fn read(text: &str) -> io::Result<Option<RawRequest>> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut sender = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (receiver, _) = listener.accept().await.unwrap();
        sender.write_all(text.as_bytes()).await.unwrap();
        drop(sender);
        read_request(&mut BufStream::new(receiver)).await
    }

    #[tokio::test]
    async fn a_request_with_a_body_is_read() {
        let request =
            read("POST /v1/chat?x=1 HTTP/1.1\r\nContent-Length: 2\r\nX-A:  b \r\n\r\n{}rest").await.unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat"));
        assert_eq!(request.body, b"{}");
        assert!(request.headers.contains(&("x-a".to_owned(), "b".to_owned())));
    }

    #[tokio::test]
    async fn nonsense_is_an_error_and_silence_an_end() {
        assert!(read("hello\r\n\r\n").await.is_err());
        assert!(read("POST / HTTP/1.1\r\ncontent-length: many\r\n\r\n").await.is_err());
        assert!(read("POST / HTTP/1.1\r\ncontent-length: 99\r\n\r\n{}").await.is_err());
        assert_eq!(read("").await.unwrap(), None);
    }

    #[test]
    fn the_head_tells_the_length() {
        let headers = [("retry-after".to_owned(), "1".to_owned())];
        assert_eq!(
            head(429, &headers, 5),
            "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 5\r\n\r\n"
        );
    }
}

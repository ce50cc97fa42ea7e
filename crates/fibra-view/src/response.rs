//! Answers to HTTP requests.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// How an answer went. Names as in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    PartialContent,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RangeNotSatisfiable,
    HeadTooLarge,
    Internal,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::PartialContent => "206 Partial Content",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::MethodNotAllowed => "405 Method Not Allowed",
            Status::RangeNotSatisfiable => "416 Range Not Satisfiable",
            Status::HeadTooLarge => "431 Request Header Fields Too Large",
            Status::Internal => "500 Internal Server Error",
        }
    }
}

/// An answer, ready to be sent.
pub(super) struct Response {
    pub(super) status: Status,
    pub(super) content_type: &'static str,
    pub(super) content: Content,
    /// Length of the whole that the content is a part of [bytes].
    pub(super) whole: Option<u64>,
}

/// What is sent.
pub(super) enum Content {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// Bytes of the program itself.
    Embedded(&'static [u8]),
    /// A part of a file.
    File { file: File, range: Range<u64> },
}

impl Content {
    fn len(&self) -> u64 {
        match self {
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Embedded(bytes) => bytes.len() as u64,
            Content::File { range, .. } => range.end - range.start,
        }
    }
}

/// On every answer. The page is one file, with the script of its worker inside, which asks for nothing but this server's data; others may not embed it or read from it.
const EVERYWHERE: &str = "Cache-Control: no-store\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
    img-src 'self' data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Accept-Ranges: bytes\r\n";

impl Response {
    /// An answer that has its content in memory.
    pub(super) fn bytes(content_type: &'static str, bytes: Vec<u8>) -> Response {
        Response { status: Status::Ok, content_type, content: Content::Bytes(bytes), whole: None }
    }

    /// A refusal, or what went wrong.
    pub(super) fn plain(status: Status, message: &str) -> Response {
        let content = Content::Bytes(format!("{message}\n").into_bytes());
        Response { status, content_type: "text/plain; charset=utf-8", content, whole: None }
    }

    /// Writes head and content, file content piece by piece.
    pub(super) fn write(self, out: &mut impl Write, head_only: bool, keep_alive: bool) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {}\r\n{EVERYWHERE}", self.status.line());
        head += &format!("Content-Type: {}\r\nContent-Length: {}\r\n", self.content_type, self.content.len());
        match (self.status, self.whole, &self.content) {
            (Status::PartialContent, Some(whole), Content::File { range, .. }) => {
                head += &format!("Content-Range: bytes {}-{}/{whole}\r\n", range.start, range.end - 1);
            }
            (Status::RangeNotSatisfiable, Some(whole), _) => head += &format!("Content-Range: bytes */{whole}\r\n"),
            (Status::MethodNotAllowed, ..) => head += "Allow: GET, HEAD\r\n",
            _ => {}
        }
        head += if keep_alive { "Connection: keep-alive\r\n\r\n" } else { "Connection: close\r\n\r\n" };
        out.write_all(head.as_bytes())?;
        if !head_only {
            match self.content {
                Content::Bytes(bytes) => out.write_all(&bytes)?,
                Content::Embedded(bytes) => out.write_all(bytes)?,
                Content::File { mut file, range } => {
                    file.seek(SeekFrom::Start(range.start))?;
                    let length = range.end - range.start;
                    // A file that shrinks under our hands leaves an answer short; the connection must not go on then.
                    if io::copy(&mut file.take(length), out)? != length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
        out.flush()
    }
}

//! HTTP responses.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// HTTP status of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Ok,
    PartialContent,
    BadRequest,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RangeNotSatisfiable,
    HeaderTooLarge,
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
            Status::HeaderTooLarge => "431 Request Header Fields Too Large",
            Status::Internal => "500 Internal Server Error",
        }
    }
}

/// A response.
pub(super) struct Response {
    pub(super) status: Status,
    pub(super) content_type: &'static str,
    pub(super) content: Content,
    /// Length of the whole file if the content is a byte range [bytes].
    pub(super) file_length: Option<u64>,
}

/// Body of a response.
pub(super) enum Content {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// Bytes embedded in the program.
    Embedded(&'static [u8]),
    /// A byte range of a file.
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

/// Headers of every response. The page is one file that includes the script of its worker and requests only data of this server. Other sites may
/// neither embed nor read it.
const COMMON_HEADERS: &str = "Cache-Control: no-store\r\n\
    Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; \
    img-src 'self' data: blob:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n\
    Accept-Ranges: bytes\r\n";

impl Response {
    /// Creates a response with content in memory.
    pub(super) fn bytes(content_type: &'static str, bytes: Vec<u8>) -> Response {
        Response { status: Status::Ok, content_type, content: Content::Bytes(bytes), file_length: None }
    }

    /// Creates an error response with a message.
    pub(super) fn plain(status: Status, message: &str) -> Response {
        let content = Content::Bytes(format!("{message}\n").into_bytes());
        Response { status, content_type: "text/plain; charset=utf-8", content, file_length: None }
    }

    /// Writes header and body; files are copied in chunks.
    pub(super) fn write(self, out: &mut impl Write, is_head: bool, keep_alive: bool) -> io::Result<()> {
        let mut header = format!("HTTP/1.1 {}\r\n{COMMON_HEADERS}", self.status.line());
        header += &format!("Content-Type: {}\r\nContent-Length: {}\r\n", self.content_type, self.content.len());
        match (self.status, self.file_length, &self.content) {
            (Status::PartialContent, Some(file_length), Content::File { range, .. }) => {
                header += &format!("Content-Range: bytes {}-{}/{file_length}\r\n", range.start, range.end - 1);
            }
            (Status::RangeNotSatisfiable, Some(file_length), _) => {
                header += &format!("Content-Range: bytes */{file_length}\r\n")
            }
            (Status::MethodNotAllowed, ..) => header += "Allow: GET, HEAD\r\n",
            _ => {}
        }
        header += if keep_alive { "Connection: keep-alive\r\n\r\n" } else { "Connection: close\r\n\r\n" };
        out.write_all(header.as_bytes())?;
        if !is_head {
            match self.content {
                Content::Bytes(bytes) => out.write_all(&bytes)?,
                Content::Embedded(bytes) => out.write_all(bytes)?,
                Content::File { mut file, range } => {
                    file.seek(SeekFrom::Start(range.start))?;
                    let length = range.end - range.start;
                    // If the file was truncated meanwhile, the response is too short and the connection must be closed.
                    if io::copy(&mut file.take(length), out)? != length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
            }
        }
        out.flush()
    }
}

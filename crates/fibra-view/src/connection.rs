//! One client's connection: receives requests and sends the responses in the same order.

use super::request::{MAX_HEADER_BYTES, Request};
use super::response::{Response, Status};
use std::io::{self, BufWriter, Read};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Timeout for receiving a request header and for sending a chunk of a response.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Size of the chunks in which files are sent [bytes]. Smaller chunks would need too many system calls.
const CHUNK: usize = 256 * 1024;
/// Maximum number of requests per connection. The connection is then closed, so that no client occupies a slot forever.
const MAX_REQUESTS: usize = 10_000;

/// Handles the requests of one client until it disconnects, sends invalid HTTP, or exceeds a timeout.
pub(super) fn serve_connection(stream: &TcpStream, answer: impl Fn(&Request) -> Response) -> io::Result<()> {
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    let mut headers = HeaderReader { stream, buffer: Vec::new() };
    for count in 1..=MAX_REQUESTS {
        let request = match headers.next()? {
            None => break,
            Some(Ok(header)) => Request::parse(&header),
            Some(Err(status)) => Err(status),
        };
        let mut out = BufWriter::with_capacity(CHUNK, stream);
        match request {
            Ok(request) => {
                let keep_alive = request.keep_alive && count < MAX_REQUESTS;
                answer(&request).write(&mut out, request.is_head, keep_alive)?;
                if !keep_alive {
                    break;
                }
            }
            Err(status) => {
                Response::plain(status, "this request is not supported").write(&mut out, false, false)?;
                break;
            }
        }
    }
    stream.shutdown(Shutdown::Both)
}

/// Reads request headers from a stream.
struct HeaderReader<'a> {
    stream: &'a TcpStream,
    /// Received bytes that are not part of a returned header.
    buffer: Vec<u8>,
}

impl HeaderReader<'_> {
    /// Returns the next header including its empty line; `None` if the client has disconnected.
    fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, Status>>> {
        let deadline = Instant::now() + TIMEOUT;
        let mut stream = self.stream;
        loop {
            if let Some(end) = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let rest = self.buffer.split_off(end + 4);
                return Ok(Some(Ok(std::mem::replace(&mut self.buffer, rest))));
            }
            if self.buffer.len() > MAX_HEADER_BYTES {
                return Ok(Some(Err(Status::HeaderTooLarge)));
            }
            // The deadline applies to the whole header, so that a client cannot extend it by sending single bytes.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.stream.set_read_timeout(Some(left))?;
            let mut chunk = [0; 4096];
            match stream.read(&mut chunk)? {
                0 => return Ok(None),
                count => self.buffer.extend_from_slice(&chunk[..count]),
            }
        }
    }
}

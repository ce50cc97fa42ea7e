//! One client's connection: requests come one after the other and are answered in their order.

use super::request::{MOST_BYTES, Request};
use super::response::{Response, Status};
use std::io::{self, BufWriter, Read};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// How long a client may take to send a head, or to take a piece of an answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// Files are sent in pieces of this size [bytes]; small ones cost more calls than bytes.
const PIECE: usize = 256 * 1024;
/// Requests on one connection; then it is closed, so that a seat is not held for ever.
const MOST_REQUESTS: usize = 10_000;

/// Answers the requests of one client until it goes, asks for something that is not HTTP, or tries our patience.
pub(super) fn attend(stream: &TcpStream, answer: impl Fn(&Request) -> Response) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let mut heads = Heads { stream, buffer: Vec::new() };
    for count in 1..=MOST_REQUESTS {
        let request = match heads.next()? {
            None => break,
            Some(Ok(head)) => Request::parse(&head),
            Some(Err(status)) => Err(status),
        };
        let mut out = BufWriter::with_capacity(PIECE, stream);
        match request {
            Ok(request) => {
                let keep_alive = request.keep_alive && count < MOST_REQUESTS;
                answer(&request).write(&mut out, request.head_only, keep_alive)?;
                if !keep_alive {
                    break;
                }
            }
            Err(status) => {
                Response::plain(status, "this is no request that is answered here").write(&mut out, false, false)?;
                break;
            }
        }
    }
    stream.shutdown(Shutdown::Both)
}

/// The heads that come in on a stream.
struct Heads<'a> {
    stream: &'a TcpStream,
    /// What came in and belongs to no head yet.
    buffer: Vec<u8>,
}

impl Heads<'_> {
    /// The next head with its empty line; none when the client has gone.
    fn next(&mut self) -> io::Result<Option<Result<Vec<u8>, Status>>> {
        let deadline = Instant::now() + PATIENCE;
        let mut stream = self.stream;
        loop {
            if let Some(end) = self.buffer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                let rest = self.buffer.split_off(end + 4);
                return Ok(Some(Ok(std::mem::replace(&mut self.buffer, rest))));
            }
            if self.buffer.len() > MOST_BYTES {
                return Ok(Some(Err(Status::HeadTooLarge)));
            }
            // The deadline is for the whole head: who sends a byte at a time does not get more.
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            self.stream.set_read_timeout(Some(left))?;
            let mut piece = [0; 4096];
            match stream.read(&mut piece)? {
                0 => return Ok(None),
                count => self.buffer.extend_from_slice(&piece[..count]),
            }
        }
    }
}

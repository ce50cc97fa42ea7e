//! The head of an HTTP request, taken apart.

use super::response::Status;

/// Longest head that is read [bytes].
pub(super) const MOST_BYTES: usize = 16 * 1024;

/// What a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Whether only the head of the answer is wanted.
    pub(super) head_only: bool,
    /// Path, without what follows a question mark.
    pub(super) path: String,
    /// The host it takes us for.
    pub(super) host: Option<String>,
    /// The page that sends it, as far as the browser tells.
    pub(super) origin: Option<String>,
    /// How the page that sends it is related to us, and what for, as far as the browser tells.
    pub(super) fetch_site: Option<String>,
    pub(super) fetch_mode: Option<String>,
    /// The part of the content that is wanted.
    pub(super) range: Option<String>,
    /// Whether another request may follow on the same connection.
    pub(super) keep_alive: bool,
}

impl Request {
    /// Takes a head apart: all lines up to the empty one.
    pub(super) fn parse(head: &[u8]) -> Result<Request, Status> {
        let head = std::str::from_utf8(head).map_err(|_| Status::BadRequest)?;
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) = (method, target, version, words.next())
        else {
            return Err(Status::BadRequest);
        };
        let head_only = match method {
            "GET" => false,
            "HEAD" => true,
            _ => return Err(Status::MethodNotAllowed),
        };
        if !target.starts_with('/') {
            return Err(Status::BadRequest);
        }
        let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
        let keep_alive = version == Some("HTTP/1.1");
        let (host, origin, fetch_site, fetch_mode, range) = (None, None, None, None, None);
        let mut request = Request { head_only, path, host, origin, fetch_site, fetch_mode, range, keep_alive };
        for line in lines.take_while(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':').ok_or(Status::BadRequest)?;
            request.take(&name.to_ascii_lowercase(), value.trim())?;
        }
        Ok(request)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), Status> {
        let slot = match name {
            "host" => &mut self.host,
            "origin" => &mut self.origin,
            "sec-fetch-site" => &mut self.fetch_site,
            "sec-fetch-mode" => &mut self.fetch_mode,
            "range" => &mut self.range,
            "connection" => {
                self.keep_alive &= !value.eq_ignore_ascii_case("close");
                return Ok(());
            }
            // What has a body asks for more than a page needs, and its end would be taken for the next request.
            "content-length" if value == "0" => return Ok(()),
            "content-length" | "transfer-encoding" => return Err(Status::BadRequest),
            _ => return Ok(()),
        };
        // Two hosts are one too many: who reads the other one may be misled.
        if slot.replace(value.to_owned()).is_some() { Err(Status::BadRequest) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_browser_s_request_is_understood() {
        let head = b"GET /frames/0007.safetensors?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nrange: bytes=0-7\r\nAccept: */*\r\n\r\n";
        let request = Request::parse(head).unwrap();
        assert_eq!(request.path, "/frames/0007.safetensors");
        assert_eq!(request.host.as_deref(), Some("127.0.0.1:80"));
        assert_eq!(request.range.as_deref(), Some("bytes=0-7"));
        assert!(request.keep_alive && !request.head_only && request.origin.is_none());
        assert!(!Request::parse(b"HEAD / HTTP/1.1\r\nConnection: Close\r\n\r\n").unwrap().keep_alive);
    }

    #[test]
    fn what_is_no_plain_request_is_refused() {
        for (head, status) in [
            ("", Status::BadRequest),
            ("GET /\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/2\r\n\r\n", Status::BadRequest),
            ("GET http://a.b/ HTTP/1.1\r\n\r\n", Status::BadRequest),
            ("POST / HTTP/1.1\r\n\r\n", Status::MethodNotAllowed),
            ("GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/1.1\r\nno colon\r\n\r\n", Status::BadRequest),
        ] {
            assert_eq!(Request::parse(head.as_bytes()), Err(status), "{head}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_safe(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Request::parse(&bytes);
        }
    }
}

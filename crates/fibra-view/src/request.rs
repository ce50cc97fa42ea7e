//! Parses the header of an HTTP request.

use super::response::Status;

/// Maximum length of a request header [bytes].
pub(super) const MAX_HEADER_BYTES: usize = 16 * 1024;

/// The parts of a request that the server uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Whether the method is HEAD: the response has no body.
    pub(super) is_head: bool,
    /// Path without query and fragment.
    pub(super) path: String,
    /// The `Host` header.
    pub(super) host: Option<String>,
    /// The `Origin` header: the site of the page that sends the request.
    pub(super) origin: Option<String>,
    /// The `Sec-Fetch-Site` header: the relation of the page that sends the request to this server.
    pub(super) fetch_site: Option<String>,
    /// The `Sec-Fetch-Mode` header: the purpose of the request.
    pub(super) fetch_mode: Option<String>,
    /// The `Range` header.
    pub(super) range: Option<String>,
    /// Whether another request may follow on the same connection.
    pub(super) keep_alive: bool,
}

impl Request {
    /// Parses a request header, which ends with an empty line.
    pub(super) fn parse(header: &[u8]) -> Result<Request, Status> {
        let header = std::str::from_utf8(header).map_err(|_| Status::BadRequest)?;
        let mut lines = header.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        let (Some(method), Some(target), Some("HTTP/1.1" | "HTTP/1.0"), None) = (method, target, version, words.next())
        else {
            return Err(Status::BadRequest);
        };
        let is_head = match method {
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
        let mut request = Request { is_head, path, host, origin, fetch_site, fetch_mode, range, keep_alive };
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
            // The server does not read bodies: a body would be parsed as the next request.
            "content-length" if value == "0" => return Ok(()),
            "content-length" | "transfer-encoding" => return Err(Status::BadRequest),
            _ => return Ok(()),
        };
        // Repeated headers are rejected: another program may use the first value where we use the last.
        if slot.replace(value.to_owned()).is_some() { Err(Status::BadRequest) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_of_a_browser_is_parsed() {
        let head = b"GET /frames/0007.safetensors?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nrange: bytes=0-7\r\nAccept: */*\r\n\r\n";
        let request = Request::parse(head).unwrap();
        assert_eq!(request.path, "/frames/0007.safetensors");
        assert_eq!(request.host.as_deref(), Some("127.0.0.1:80"));
        assert_eq!(request.range.as_deref(), Some("bytes=0-7"));
        assert!(request.keep_alive && !request.is_head && request.origin.is_none());
        assert!(!Request::parse(b"HEAD / HTTP/1.1\r\nConnection: Close\r\n\r\n").unwrap().keep_alive);
    }

    #[test]
    fn unsupported_requests_are_rejected() {
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
        fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Request::parse(&bytes);
        }
    }
}

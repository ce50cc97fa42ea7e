//! Maps requests to responses.

use super::response::{Content, Response, Status};
use super::{ServedRun, body_mesh, byte_range, describe, request::Request};
use std::fs::File;
use std::path::Path;

/// The page, built by `npm run build` in `viewer/`.
const PAGE: &[u8] = include_bytes!("../../../viewer/dist/index.html");

const JSON: &str = "application/json";
const BINARY: &str = "application/octet-stream";

/// The resources of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resource {
    Page,
    Report,
    Frames,
    Appearance,
    Frame(u32),
    Body(usize),
    BodyAt(usize, u32),
}

/// Creates the response to a request.
pub(super) fn answer(served: &ServedRun, request: &Request) -> Response {
    if !is_from_our_page(request) {
        return Response::plain(Status::Forbidden, "only requests from the page of this server are accepted");
    }
    let Some(resource) = resource_of(&request.path) else { return not_found() };
    match resource {
        Resource::Page => Response {
            status: Status::Ok,
            content_type: "text/html; charset=utf-8",
            content: Content::Embedded(PAGE),
            file_length: None,
        },
        Resource::Report => file(&served.run.report_path(), JSON, request),
        Resource::Frames => match describe::frames(served) {
            Ok(text) => Response::bytes(JSON, text.into_bytes()),
            Err(error) => Response::plain(Status::Internal, &error.to_string()),
        },
        Resource::Appearance => Response::bytes(JSON, describe::appearance(served).into_bytes()),
        Resource::Frame(index) => file(&served.run.frame_path(index), BINARY, request),
        Resource::Body(body) => {
            body_mesh::rigid_mesh(served, body).map_or_else(not_found, |mesh| Response::bytes(BINARY, mesh))
        }
        Resource::BodyAt(body, frame) => {
            body_mesh::deforming_mesh(served, body, frame).map_or_else(not_found, |mesh| Response::bytes(BINARY, mesh))
        }
    }
}

fn not_found() -> Response {
    Response::plain(Status::NotFound, "not found")
}

/// Returns whether a request comes from our page or from a program on this machine. Pages of other sites cannot forge these headers: the browser
/// sets the host name of the request and the origin of the page. The port may differ from ours if it is forwarded from another machine.
fn is_from_our_page(request: &Request) -> bool {
    let Some(host) = request.host.as_deref() else { return false };
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if number(port).is_some() { name } else { host });
    let is_this_host = matches!(name, "127.0.0.1" | "localhost");
    let is_same_origin = request.origin.as_deref().is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    // Links to the page are allowed from any site. For images and scripts, browsers send the site in `Sec-Fetch-Site`.
    let is_link = request.path == "/" && request.fetch_mode.as_deref() == Some("navigate");
    let is_page_request = matches!(request.fetch_site.as_deref(), None | Some("same-origin" | "none"));
    is_this_host && is_same_origin && (is_page_request || is_link)
}

/// Parses a request path. Paths are never used as file names; only numbers are parsed from them.
fn resource_of(path: &str) -> Option<Resource> {
    let tensors = |name: &str| name.strip_suffix(".safetensors").and_then(number);
    let parts: Vec<&str> = path.strip_prefix('/')?.splitn(4, '/').collect();
    match parts[..] {
        [""] => Some(Resource::Page),
        ["run.json"] => Some(Resource::Report),
        ["frames.json"] => Some(Resource::Frames),
        ["appearance.json"] => Some(Resource::Appearance),
        ["frames", name] => tensors(name).map(Resource::Frame),
        ["bodies", name] => tensors(name).map(|body| Resource::Body(body as usize)),
        ["bodies", body, name] => Some(Resource::BodyAt(number(body)? as usize, tensors(name)?)),
        _ => None,
    }
}

fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// Creates a response with a file of the run or with the requested range of the file.
fn file(path: &Path, content_type: &'static str, request: &Request) -> Response {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let Ok((metadata, file)) = opened else { return not_found() };
    if !metadata.is_file() {
        return not_found();
    }
    let length = metadata.len();
    match byte_range::requested(request.range.as_deref(), length) {
        Ok(None) => {
            let content = Content::File { file, range: 0..length };
            Response { status: Status::Ok, content_type, content, file_length: None }
        }
        Ok(Some(range)) => {
            let content = Content::File { file, range };
            Response { status: Status::PartialContent, content_type, content, file_length: Some(length) }
        }
        Err(status) => {
            Response { file_length: Some(length), ..Response::plain(status, "the requested range is outside the file") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_are_parsed_to_resources() {
        assert_eq!(resource_of("/"), Some(Resource::Page));
        assert_eq!(resource_of("/frames/0012.safetensors"), Some(Resource::Frame(12)));
        assert_eq!(resource_of("/bodies/3.safetensors"), Some(Resource::Body(3)));
        assert_eq!(resource_of("/bodies/3/0001.safetensors"), Some(Resource::BodyAt(3, 1)));
        for nothing in [
            "",
            "/index.html",
            "/frames/",
            "/frames/x.safetensors",
            "/frames/-1.safetensors",
            "/frames/+1.safetensors",
            "/frames/99999999999.safetensors",
            "/frames/../run.json",
            "/../etc/passwd",
            "//etc/passwd",
            "/frames/%2e%2e/run.json",
            "/scene.toml",
            "/checkpoint.safetensors",
            "/frames/.safetensors",
            "/bodies/1/2/3.safetensors",
        ] {
            assert_eq!(resource_of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_requests_from_our_page_are_accepted() {
        let request = |host: Option<&str>, origin: Option<&str>| Request {
            is_head: false,
            path: "/".to_owned(),
            host: host.map(str::to_owned),
            origin: origin.map(str::to_owned),
            fetch_site: None,
            fetch_mode: None,
            range: None,
            keep_alive: true,
        };
        let accepts = |host, origin| is_from_our_page(&request(host, origin));
        assert!(accepts(Some("127.0.0.1:8000"), None));
        assert!(accepts(Some("localhost:8000"), Some("http://localhost:8000")));
        assert!(accepts(Some("localhost"), Some("http://localhost")));
        assert!(!accepts(None, None));
        for host in
            ["evil.example:8000", "127.0.0.1.evil.example:8000", "localhost:evil.example", ":8000", "", "127.0.0.1:"]
        {
            assert!(!accepts(Some(host), None), "{host}");
        }
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001", ""] {
            assert!(!accepts(Some("127.0.0.1:8000"), Some(origin)), "{origin}");
        }
        let fetched = |path: &str, site: &str, mode: &str| {
            is_from_our_page(&Request {
                path: path.to_owned(),
                fetch_site: Some(site.to_owned()),
                fetch_mode: Some(mode.to_owned()),
                ..request(Some("127.0.0.1:8000"), None)
            })
        };
        let frame = "/frames/0000.safetensors";
        assert!(fetched(frame, "same-origin", "cors") && fetched("/", "none", "navigate"));
        assert!(fetched("/", "cross-site", "navigate"));
        for (site, mode) in [("cross-site", "no-cors"), ("same-site", "no-cors"), ("cross-site", "navigate")] {
            assert!(!fetched(frame, site, mode), "{site} {mode}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_paths_do_not_panic(path in "(/|frames|bodies|\\.\\.|[0-9]{1,12}|\\.safetensors|%2e|\\PC){0,12}") {
            let _ = resource_of(&path);
        }
    }
}

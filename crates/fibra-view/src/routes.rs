//! From a request to an answer.

use super::response::{Content, Response, Status};
use super::{Show, body_mesh, byte_range, describe, request::Request};
use std::fs::File;
use std::path::Path;

/// The page, built from `viewer/` by `npm run build` there.
const PAGE: &[u8] = include_bytes!("../../../viewer/dist/index.html");

const JSON: &str = "application/json";
const BINARY: &str = "application/octet-stream";

/// What a client may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Page,
    Report,
    Frames,
    Appearance,
    Frame(u32),
    Body(usize),
    BodyAt(usize, u32),
}

/// Answers a request.
pub(super) fn answer(show: &Show, request: &Request) -> Response {
    if !is_from_our_page(request) {
        return Response::plain(Status::Forbidden, "only the page of this address may ask here");
    }
    let Some(wanted) = wanted(&request.path) else { return not_found() };
    match wanted {
        Wanted::Page => Response {
            status: Status::Ok,
            content_type: "text/html; charset=utf-8",
            content: Content::Embedded(PAGE),
            whole: None,
        },
        Wanted::Report => file(&show.run.report_path(), JSON, request),
        Wanted::Frames => match describe::frames(show) {
            Ok(text) => Response::bytes(JSON, text.into_bytes()),
            Err(error) => Response::plain(Status::Internal, &error.to_string()),
        },
        Wanted::Appearance => Response::bytes(JSON, describe::appearance(show).into_bytes()),
        Wanted::Frame(index) => file(&show.run.frame_path(index), BINARY, request),
        Wanted::Body(body) => body_mesh::still(show, body).map_or_else(not_found, |mesh| Response::bytes(BINARY, mesh)),
        Wanted::BodyAt(body, frame) => {
            body_mesh::deformed(show, body, frame).map_or_else(not_found, |mesh| Response::bytes(BINARY, mesh))
        }
    }
}

fn not_found() -> Response {
    Response::plain(Status::NotFound, "there is nothing of this name")
}

/// Whether a request can only come from our page, or from a program on this machine. A page of another site cannot choose these headers: the
/// browser writes the name it has looked us up by, and the site of the page that asks. The port may be another, where one is forwarded to us from another
/// machine.
fn is_from_our_page(request: &Request) -> bool {
    let Some(host) = request.host.as_deref() else { return false };
    let name = host.rsplit_once(':').map_or(host, |(name, port)| if number(port).is_some() { name } else { host });
    let is_us = matches!(name, "127.0.0.1" | "localhost");
    let is_ours = request.origin.as_deref().is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    // A link may lead to the page from anywhere; images and scripts of other pages say whose they are.
    let is_link = request.path == "/" && request.fetch_mode.as_deref() == Some("navigate");
    let is_called = matches!(request.fetch_site.as_deref(), None | Some("same-origin" | "none"));
    is_us && is_ours && (is_called || is_link)
}

/// What a path names. Paths are never looked up among files: numbers are read from them.
fn wanted(path: &str) -> Option<Wanted> {
    let tensors = |name: &str| name.strip_suffix(".safetensors").and_then(number);
    let parts: Vec<&str> = path.strip_prefix('/')?.splitn(4, '/').collect();
    match parts[..] {
        [""] => Some(Wanted::Page),
        ["run.json"] => Some(Wanted::Report),
        ["frames.json"] => Some(Wanted::Frames),
        ["appearance.json"] => Some(Wanted::Appearance),
        ["frames", name] => tensors(name).map(Wanted::Frame),
        ["bodies", name] => tensors(name).map(|body| Wanted::Body(body as usize)),
        ["bodies", body, name] => Some(Wanted::BodyAt(number(body)? as usize, tensors(name)?)),
        _ => None,
    }
}

fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// A file of the run, or the part of it that is wanted.
fn file(path: &Path, content_type: &'static str, request: &Request) -> Response {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let Ok((metadata, file)) = opened else { return not_found() };
    if !metadata.is_file() {
        return not_found();
    }
    let length = metadata.len();
    match byte_range::wanted(request.range.as_deref(), length) {
        Ok(None) => {
            let content = Content::File { file, range: 0..length };
            Response { status: Status::Ok, content_type, content, whole: None }
        }
        Ok(Some(range)) => {
            let content = Content::File { file, range };
            Response { status: Status::PartialContent, content_type, content, whole: Some(length) }
        }
        Err(status) => Response { whole: Some(length), ..Response::plain(status, "the file has no such part") },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_name_numbers() {
        assert_eq!(wanted("/"), Some(Wanted::Page));
        assert_eq!(wanted("/frames/0012.safetensors"), Some(Wanted::Frame(12)));
        assert_eq!(wanted("/bodies/3.safetensors"), Some(Wanted::Body(3)));
        assert_eq!(wanted("/bodies/3/0001.safetensors"), Some(Wanted::BodyAt(3, 1)));
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
            assert_eq!(wanted(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn only_our_own_page_is_answered() {
        let request = |host: Option<&str>, origin: Option<&str>| Request {
            head_only: false,
            path: "/".to_owned(),
            host: host.map(str::to_owned),
            origin: origin.map(str::to_owned),
            fetch_site: None,
            fetch_mode: None,
            range: None,
            keep_alive: true,
        };
        let ours = |host, origin| is_from_our_page(&request(host, origin));
        assert!(ours(Some("127.0.0.1:8000"), None));
        assert!(ours(Some("localhost:8000"), Some("http://localhost:8000")));
        assert!(ours(Some("localhost"), Some("http://localhost")));
        assert!(!ours(None, None));
        for host in
            ["evil.example:8000", "127.0.0.1.evil.example:8000", "localhost:evil.example", ":8000", "", "127.0.0.1:"]
        {
            assert!(!ours(Some(host), None), "{host}");
        }
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001", ""] {
            assert!(!ours(Some("127.0.0.1:8000"), Some(origin)), "{origin}");
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
        fn any_path_is_safe(path in "(/|frames|bodies|\\.\\.|[0-9]{1,12}|\\.safetensors|%2e|\\PC){0,12}") {
            let _ = wanted(&path);
        }
    }
}

//! The web server of `fibra view`: its routes, and the requests that it rejects.

use fibra_core::frame::{Frame, Pose};
use fibra_core::random::CounterRng;
use fibra_run::folder::{IfTaken, RunFolder};
use fibra_run::report::RunReport;
use fibra_view::Server;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const SCENE: &str = r#"
title = "A ball and a wall"
method = "mpm"
[time]
frames = 2
[mpm]
dx = 0.02
[[object]]
name = "ball"
shape.sphere = { center = [0, 0.6, 0], radius = 0.2 }
material.sand = {}
[[collider]]
name = "wall"
shape.box = { center = [0, 0, 0], size = [1, 1, 1] }
"#;

/// Starts a server for a run with two frames. Returns its address and the bytes of the second frame.
fn serve() -> (SocketAddr, Vec<u8>) {
    let (address, folder) = serve_folder();
    (address, std::fs::read(folder.join("frames/0001.safetensors")).unwrap())
}

/// Starts a server for a run with two frames. Returns its address and the run folder. The server runs until the tests end.
fn serve_folder() -> (SocketAddr, PathBuf) {
    let folder = tempfile::tempdir().unwrap().keep();
    let run = RunFolder::create(&folder, IfTaken::Refuse, SCENE, &RunReport::new("toy", "0")).unwrap();
    let pose = Pose { translation: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
    for index in 0..2 {
        let frame = Frame {
            index,
            object: vec![0; 100],
            points: vec![[0.5; 3]; 100],
            velocities: vec![[0.0; 3]; 100],
            colliders: vec![pose],
            ..Frame::default()
        };
        frame.write(&run.frame_path(index)).unwrap();
    }
    std::fs::write(folder.join("secret.txt"), "secret").unwrap();
    let server = Server::open(run, 0).unwrap();
    let address = server.url().trim_start_matches("http://").trim_end_matches('/').parse().unwrap();
    std::thread::spawn(move || server.serve());
    (address, folder)
}

/// Sends bytes on a new connection and returns the response, up to the end of the connection.
fn send(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    response
}

/// Requests a path with additional headers and returns the status and the body.
fn get(address: SocketAddr, path: &str, headers: &str) -> (u16, Vec<u8>) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n");
    parse_response(&send(address, request.as_bytes()))
}

fn parse_response(response: &[u8]) -> (u16, Vec<u8>) {
    let end = response.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("the response has a header");
    let header = std::str::from_utf8(&response[..end]).unwrap();
    (header.split(' ').nth(1).unwrap().parse().unwrap(), response[end + 4..].to_vec())
}

#[test]
fn all_routes_of_the_page_respond() {
    let (address, frame) = serve();
    let (status, page) = get(address, "/", "");
    assert_eq!(status, 200);
    assert!(page.starts_with(b"<!doctype html>") || page.starts_with(b"<!DOCTYPE html>"));
    let json = |path| serde_json::from_slice::<serde_json::Value>(&get(address, path, "").1).unwrap();
    assert_eq!(json("/frames.json")["frames"], serde_json::json!([0, 1]));
    assert_eq!(json("/run.json")["scene"], "toy");
    let appearance = json("/appearance.json");
    assert_eq!(appearance["objects"][0]["material"], "sand");
    assert_eq!(appearance["bodies"][0]["shape"]["kind"], "mesh");
    let group = &appearance["quantity_groups"][0];
    assert_eq!(
        (&group["title"], &group["section"], &group["total"]),
        (&"energy [J]".into(), &"Energies".into(), &"total".into())
    );
    assert_eq!(group["members"][0], serde_json::json!({ "quantity": "kinetic_energy", "label": "kinetic" }));
    assert_eq!(get(address, "/frames/0001.safetensors", ""), (200, frame.clone()));
    assert_eq!(get(address, "/frames/0001.safetensors", "Range: bytes=8-19\r\n"), (206, frame[8..20].to_vec()));
    let (status, mesh) = get(address, "/bodies/0.safetensors", "");
    assert!(status == 200 && mesh.len() > 24 * 12);

    // Several requests on one connection get their responses in order.
    let two = format!("GET /run.json HTTP/1.1\r\nHost: {address}\r\n\r\nHEAD / HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let responses = send(address, two.as_bytes());
    assert_eq!(responses.windows(12).filter(|bytes| bytes == b"HTTP/1.1 200").count(), 2);
}

#[test]
fn other_files_cannot_be_requested() {
    let (address, _) = serve();
    for path in [
        "/secret.txt",
        "/../secret.txt",
        "/frames/../secret.txt",
        "/frames/..%2fsecret.txt",
        "/frames/%2e%2e/secret.txt",
        "//etc/passwd",
        "/..\\..\\secret.txt",
        "/frames/0001.safetensors/..",
        "/frames/0007.safetensors",
        "/frames/4294967296.safetensors",
        "/scene.toml",
        "/checkpoint.safetensors",
        "/bodies/7.safetensors",
        "/bodies/0/0001.safetensors",
    ] {
        let (status, content) = get(address, path, "");
        assert_eq!(status, 404, "{path}");
        assert!(!content.windows(6).any(|bytes| bytes == b"secret"), "{path}");
    }
}

#[test]
fn foreign_origins_and_invalid_ranges_are_rejected() {
    let (address, frame) = serve();
    let length = frame.len();
    let path = "/frames/0001.safetensors";
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"] {
        assert_eq!(get(address, path, &format!("Origin: {origin}\r\n")).0, 403, "{origin}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example", &format!("evil.example:{}", address.port())] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(parse_response(&send(address, request.as_bytes())).0, 403, "{host}");
    }
    assert_eq!(parse_response(&send(address, b"GET / HTTP/1.0\r\n\r\n")).0, 403);
    for range in [format!("{length}-"), "18446744073709551615-".to_owned(), "9-3".to_owned()] {
        assert_eq!(get(address, path, &format!("Range: bytes={range}\r\n")).0, 416, "{range}");
    }
    let all = get(address, path, "Range: bytes=0-18446744073709551615\r\n");
    assert_eq!(all, (206, frame));
    let post = format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: 9\r\n\r\nsomething");
    assert_eq!(parse_response(&send(address, post.as_bytes())).0, 405);
    let long = format!("GET / HTTP/1.1\r\nHost: {address}\r\nX: {}\r\n\r\n", "x".repeat(100_000));
    let response = send(address, long.as_bytes());
    assert!(response.is_empty() || parse_response(&response).0 == 431);
}

#[test]
fn a_replaced_run_gets_a_new_identifier() {
    let (address, folder) = serve_folder();
    let json = |path| serde_json::from_slice::<serde_json::Value>(&get(address, path, "").1).unwrap();
    let first = json("/frames.json")["run"].clone();
    std::thread::sleep(Duration::from_millis(20));
    let other = SCENE.replace("name = \"ball\"", "name = \"other\"");
    RunFolder::create(&folder, IfTaken::Replace, &other, &RunReport::new("other", "1")).unwrap();
    assert_ne!(json("/frames.json")["run"], first);
    assert_eq!(json("/frames.json")["frames"], serde_json::json!([]));
    assert_eq!(json("/appearance.json")["objects"][0]["name"], "other");
}

/// Sends requests with some bytes changed, truncated or duplicated. The server responds or closes the connection at once, and keeps working.
#[test]
fn damaged_requests_do_not_stop_the_server() {
    let (address, _) = serve();
    let seeds = [
        format!("GET /frames/0001.safetensors HTTP/1.1\r\nHost: {address}\r\nRange: bytes=0-99\r\n\r\n"),
        format!("GET / HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n\r\n"),
        format!("HEAD /bodies/0.safetensors HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"),
    ];
    let count: u64 = std::env::var("FIBRA_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let rng = CounterRng::new(9);
    let start = Instant::now();
    for round in 0..count {
        let pick = |what: u64, below: usize| ((rng.uniform(&[round, what]) * below as f64) as usize).min(below - 1);
        let mut bytes = seeds[pick(0, seeds.len())].clone().into_bytes();
        for edit in 0..1 + pick(1, 4) as u64 {
            let at = pick(10 + edit, bytes.len());
            match pick(20 + edit, 4) {
                0 => bytes[at] = pick(30 + edit, 256) as u8,
                1 => bytes.truncate(at.max(1)),
                2 => bytes.extend_from_within(at..),
                _ => bytes.insert(at, b'9'),
            }
        }
        send(address, &bytes);
    }
    assert!(start.elapsed() < Duration::from_secs(30 + count / 100), "{:?}", start.elapsed());
    assert_eq!(get(address, "/frames.json", "").0, 200);
}

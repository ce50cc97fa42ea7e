//! The web server of `fibra view`: it serves a run and a page that plays it in the browser.
//!
//! | path | response |
//! |---|---|
//! | `/` | the page, built from `viewer/` and embedded in the program |
//! | `/run.json` | the report of the run |
//! | `/frames.json` | the status of the run and the list of its frames |
//! | `/frames/NNNN.safetensors` | a frame, or the byte range that a `Range` header requests |
//! | `/appearance.json` | the data that is constant over the run, and the groups of quantities that share a plot |
//! | `/bodies/K.safetensors` | the mesh of a rigid body |
//! | `/bodies/K/NNNN.safetensors` | the mesh of a deforming body at a frame |
//!
//! The server listens only on the loopback interface and accepts only requests from its own page. It rejects requests for another host name and
//! requests from pages of other sites, so that no site can read a run through a visitor's browser. Request paths contain numbers but no file
//! names. Memory is bounded: headers are limited, files are sent in chunks, and the number of connections is limited.

mod body_mesh;
mod byte_range;
mod connection;
mod describe;
mod request;
mod response;
mod routes;

use fibra_core::appearance::Appearance;
use fibra_run::appearance::{RunSceneError, appearance_of, scene_of};
use fibra_run::folder::RunFolder;
use fibra_scene::Scene;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Maximum number of concurrent connections; a browser opens about six for a page.
const MAX_CONNECTIONS: usize = 64;

/// A web server for one run.
pub struct Server {
    listener: TcpListener,
    served: ServedRun,
}

/// The served run.
struct ServedRun {
    run: RunFolder,
    address: SocketAddr,
    scene_data: Mutex<Arc<SceneData>>,
}

/// Data that is constant over the run. It is reloaded when another run replaces this one.
struct SceneData {
    /// Modification time of the scene file, which is the time when the run was started or resumed.
    started: Option<SystemTime>,
    scene: Scene,
    appearance: Appearance,
}

impl SceneData {
    fn of(run: &RunFolder) -> Result<SceneData, RunSceneError> {
        let started = started(run);
        let scene = scene_of(run)?;
        let appearance = appearance_of(&scene)?;
        Ok(SceneData { started, scene, appearance })
    }
}

/// Returns the modification time of the run's scene file.
fn started(run: &RunFolder) -> Option<SystemTime> {
    std::fs::metadata(run.scene_path()).and_then(|metadata| metadata.modified()).ok()
}

impl Server {
    /// Listens on the loopback interface; on any free port if `port` is 0.
    pub fn open(run: RunFolder, port: u16) -> Result<Server, ViewError> {
        let scene_data = Mutex::new(Arc::new(SceneData::of(&run)?));
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|source| ViewError::Port { port, source })?;
        Ok(Server { listener, served: ServedRun { run, address, scene_data } })
    }

    /// Returns the address of the page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.served.address)
    }

    /// Handles requests until the program ends.
    pub fn serve(&self) {
        let open = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for stream in self.listener.incoming() {
                // Ignore clients that disconnect before they are accepted.
                let Ok(stream) = stream else { continue };
                if open.load(Ordering::Relaxed) >= MAX_CONNECTIONS {
                    continue;
                }
                open.fetch_add(1, Ordering::Relaxed);
                let slot = ConnectionSlot(&open);
                let serve_connection = move || {
                    let _slot = slot;
                    self.served.serve_connection(stream);
                };
                // If no thread can be created, the connection is dropped; the page retries.
                let _ = std::thread::Builder::new().spawn_scoped(scope, serve_connection);
            }
        });
    }
}

/// One of the available connections. Dropping it frees the connection, also during a panic.
struct ConnectionSlot<'a>(&'a AtomicUsize);

impl Drop for ConnectionSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ServedRun {
    /// Returns the constant data, reloaded if another run has replaced the previous one.
    fn scene_data(&self) -> Arc<SceneData> {
        let mut scene_data = self.scene_data.lock().unwrap_or_else(PoisonError::into_inner);
        // If the new scene cannot be read, it is still being written. The old data is used until then.
        if started(&self.run) != scene_data.started
            && let Ok(new) = SceneData::of(&self.run)
        {
            *scene_data = Arc::new(new);
        }
        Arc::clone(&scene_data)
    }

    /// Handles the requests of one client until it disconnects.
    fn serve_connection(&self, stream: TcpStream) {
        // An error means that the client has disconnected.
        let _ = connection::serve_connection(&stream, |request| routes::answer(self, request));
    }
}

/// Error from starting the server.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The appearance of the run cannot be read.
    #[error(transparent)]
    Appearance(#[from] RunSceneError),
    /// The port is not available.
    #[error(
        "cannot listen on port {port} of 127.0.0.1: {source}\n  choose another port with --port, or omit --port to use any free port"
    )]
    Port {
        /// The port.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
}

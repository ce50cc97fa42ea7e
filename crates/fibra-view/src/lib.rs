//! A page in the browser that plays a run: `fibra view`.
//!
//! | path | answers |
//! |---|---|
//! | `/` | the page, built from `viewer/` and embedded in the program |
//! | `/run.json` | the run's report |
//! | `/frames.json` | how far the run is and which frames are there |
//! | `/frames/NNNN.safetensors` | a frame, or the part of it that a `Range` header asks for |
//! | `/appearance.json` | what stays the same from frame to frame, and which quantities are plotted together |
//! | `/bodies/K.safetensors`, `/bodies/K/NNNN.safetensors` | the mesh of a body; that of one that deforms, at a frame |
//!
//! The server listens on loopback alone and speaks to nobody but its own page: requests that name another host, or that another site's page
//! sends, are refused, so that no site can read a run through a visitor's browser. Clients name numbers, never files. Whatever is sent,
//! answers take little memory: heads are short, files are sent piece by piece, and there are only so many connections.

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

/// Connections at a time; a browser opens about six for a page.
const MOST_CONNECTIONS: usize = 64;

/// A server of one run.
pub struct Server {
    listener: TcpListener,
    show: Show,
}

/// What is served.
struct Show {
    run: RunFolder,
    address: SocketAddr,
    cast: Mutex<Arc<Cast>>,
}

/// What stays the same from frame to frame, until the run is replaced by another.
struct Cast {
    /// When the run was begun.
    begun: Option<SystemTime>,
    scene: Scene,
    appearance: Appearance,
}

impl Cast {
    fn of(run: &RunFolder) -> Result<Cast, RunSceneError> {
        let begun = begun(run);
        let scene = scene_of(run)?;
        let appearance = appearance_of(&scene)?;
        Ok(Cast { begun, scene, appearance })
    }
}

/// When a run's scene was written, which is when it was begun or went on.
fn begun(run: &RunFolder) -> Option<SystemTime> {
    std::fs::metadata(run.scene_path()).and_then(|metadata| metadata.modified()).ok()
}

impl Server {
    /// Listens on loopback, on any free port where `port` is 0.
    pub fn open(run: RunFolder, port: u16) -> Result<Server, ViewError> {
        let cast = Mutex::new(Arc::new(Cast::of(&run)?));
        let listen = || {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
            let address = listener.local_addr()?;
            Ok((listener, address))
        };
        let (listener, address) = listen().map_err(|source| ViewError::Port { port, source })?;
        Ok(Server { listener, show: Show { run, address, cast } })
    }

    /// Where the page is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.show.address)
    }

    /// Answers until the program ends.
    pub fn serve(&self) {
        let open = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for stream in self.listener.incoming() {
                // A client that is gone before it was heard is no reason to stop.
                let Ok(stream) = stream else { continue };
                if open.load(Ordering::Relaxed) >= MOST_CONNECTIONS {
                    continue;
                }
                open.fetch_add(1, Ordering::Relaxed);
                let seat = Seat(&open);
                let attend = move || {
                    let _seat = seat;
                    self.show.attend(stream);
                };
                // A machine without room for another thread answers later.
                let _ = std::thread::Builder::new().spawn_scoped(scope, attend);
            }
        });
    }
}

/// A place among the connections, given back when it is dropped, also while a panic passes.
struct Seat<'a>(&'a AtomicUsize);

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Show {
    /// What stays the same, read anew where another run has taken the place of the one that was here.
    fn cast(&self) -> Arc<Cast> {
        let mut cast = self.cast.lock().unwrap_or_else(PoisonError::into_inner);
        // What cannot be read is being written: the last one serves until then.
        if begun(&self.run) != cast.begun
            && let Ok(new) = Cast::of(&self.run)
        {
            *cast = Arc::new(new);
        }
        Arc::clone(&cast)
    }

    /// Answers what one client asks, until it goes.
    fn attend(&self, stream: TcpStream) {
        // An error here means that nobody listens any more.
        let _ = connection::attend(&stream, |request| routes::answer(self, request));
    }
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// It cannot be told how the run looks.
    #[error(transparent)]
    Appearance(#[from] RunSceneError),
    /// The port is not to be had.
    #[error(
        "cannot listen on port {port} of 127.0.0.1: {source}\n  choose another with --port, or leave it out for any that is free"
    )]
    Port {
        /// The port.
        port: u16,
        /// The system's reason.
        source: io::Error,
    },
}

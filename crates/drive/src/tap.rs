//! Between a real client and a real server: every byte is passed on as it comes, and only then
//! judged.
//!
//! One event loop serves both directions. Each has one buffer and is read again only when it is
//! empty, so that whoever is slow slows the other down as without us. Nothing is ever changed,
//! whatever the detector says.

mod client;
mod end;
mod signals;

use std::future::pending;
use std::time::Duration;

use inspect::Detector;
use model::{EventKind, ExitStatus, Held, Phase, Side, Verdict};
use tokio::time::{Instant, sleep_until};

use self::client::{ClientLines, phase};
use self::end::{Flow, Turn};
use self::signals::Signals;
use crate::budget::Caps;
use crate::feed::{Feed, Observer};
use crate::launch::{ContainmentSpec, LaunchError, LaunchSpec, Prepared};
use crate::process::Leader;
use crate::transcript::Transcript;

pub use self::end::ClientPipes;

/// How long descendants of the server may still write after it has ended.
const LEAK_WINDOW: Duration = Duration::from_secs(2);

/// What passed.
#[derive(Debug)]
pub struct Tapped {
    /// What the detector made of it.
    pub verdict: Verdict,
    /// What happened, as far as it was kept.
    pub transcript: Transcript,
    /// How the server ended. None if that is not known.
    pub exit_status: Option<ExitStatus>,
}

/// Launches a server whose stderr is ours, and passes on what it and the client say until it
/// has ended. Must be called within a current-thread runtime with its IO and time drivers on.
///
/// # Errors
///
/// If the server cannot be launched, or the machine has no room to watch it.
pub async fn tap<'a>(
    launch: &LaunchSpec,
    pipes: ClientPipes,
    detector: Box<dyn Detector + 'a>,
    observer: &'a mut dyn Observer,
    caps: &Caps,
) -> Result<Tapped, LaunchError> {
    let system = |action| move |source| LaunchError::System { action, source };
    let prepared = Prepared::new(launch)?.sharing_stderr();
    let (launched, _) = prepared.spawn(&ContainmentSpec::Group).await?;
    let ClientPipes { input, output } = pipes;
    let leader = Leader::new(launched.process).map_err(system("watch the process"))?;
    let pipes = system("set up the pipes");
    let mut tap = Tap {
        feed: Feed::new(detector, observer, caps),
        leader,
        to_server: Flow::new(input, launched.stdin).map_err(&pipes)?,
        to_client: Flow::new(launched.stdout, output).map_err(&pipes)?,
        lines: ClientLines::default(),
        exited_at: None,
    };
    let signals = Signals::new().map_err(system("listen for signals"))?;
    tap.run(signals).await;
    let exit_status = tap.leader.reap().map(|(status, _)| status);
    tap.leader.release();
    let end = match exit_status {
        Some(status) => EventKind::Exited(status),
        None => EventKind::Stopped,
    };
    tap.feed.push(end);
    let (verdict, transcript) = tap.feed.finish();
    Ok(Tapped { verdict, transcript, exit_status })
}

struct Tap<'f> {
    feed: Feed<'f>,
    leader: Leader,
    to_server: Flow,
    to_client: Flow,
    lines: ClientLines,
    exited_at: Option<Instant>,
}

impl Tap<'_> {
    /// Passes everything on until the server has ended and nothing more can come.
    async fn run(&mut self, mut signals: Signals) {
        while self.exited_at.is_none() || self.to_client.is_open() {
            // A file is always ready, and signals must have their turn beside it.
            tokio::task::coop::consume_budget().await;
            tokio::select! {
                () = self.to_client.ready() => self.pass_to_client(),
                () = self.to_server.ready() => self.pass_to_server(),
                () = exited(&self.leader), if self.exited_at.is_none() => {
                    self.exited_at = Some(Instant::now());
                    self.to_server.close();
                }
                signal = signals.next() => {
                    self.leader.forward(signal);
                    if let Some(signal) = signals::of(signal) {
                        self.feed.push(EventKind::Signalled(signal));
                    }
                }
                () = leak_window(self.exited_at) => {
                    self.feed.push(EventKind::LeakWindowEnded { stdout: Held::Open });
                    self.to_client.close();
                }
            }
        }
    }

    fn pass_to_client(&mut self) {
        match self.to_client.turn() {
            Turn::Passed(0) => {}
            Turn::Passed(count) => {
                let bytes = self.to_client.bytes(count);
                self.feed.push(EventKind::Stdout(bytes.into()));
            }
            Turn::SourceClosed => {
                self.feed.push(EventKind::StdoutEof);
            }
            // The server learns of it when it writes next, as it would without us.
            Turn::TargetClosed => self.to_client.close(),
        }
    }

    fn pass_to_server(&mut self) {
        match self.to_server.turn() {
            Turn::Passed(0) => {}
            Turn::Passed(count) => {
                let feed = &mut self.feed;
                self.lines.take(self.to_server.bytes(count), |sent| {
                    if let Some(phase) = phase(&sent).filter(|phase| *phase != feed.phase()) {
                        feed.push(EventKind::StepBegan(phase));
                    }
                    feed.push(EventKind::Sent(sent));
                });
            }
            Turn::SourceClosed => {
                self.feed.push(EventKind::StepBegan(Phase::Shutdown));
                self.feed.push(EventKind::StdinClosed { by: Side::Client });
            }
            Turn::TargetClosed => {
                self.feed.push(EventKind::WriteFailed);
                self.feed.push(EventKind::StdinClosed { by: Side::Server });
                self.to_server.close();
            }
        }
    }
}

async fn exited(leader: &Leader) {
    // If it cannot be awaited any more, the end of stdout is what is left to wait for.
    _ = leader.exited().await;
}

async fn leak_window(exited_at: Option<Instant>) {
    match exited_at {
        Some(at) => sleep_until(at + LEAK_WINDOW).await,
        None => pending().await,
    }
}

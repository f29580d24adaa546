//! One run: launch, session, shutdown, cleanup, verdict.

mod driver;
mod timers;

use std::future::{Future, pending};
use std::pin::pin;

use inspect::Detector;
use model::{Cleanup, EventKind, Verdict};

use crate::budget::{Budgets, Caps};
use crate::feed::{Feed, Observer};
use crate::launch::{ContainmentSpec, LaunchError, LaunchSpec, Prepared};
use crate::plan::Plan;
use crate::telemetry::{StderrSummary, Telemetry};
use crate::transcript::Transcript;
use driver::Driver;

/// One session to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// What is launched.
    pub launch: LaunchSpec,
    /// How its processes are held together.
    pub containment: ContainmentSpec,
    /// What the client side does.
    pub plan: Plan,
    /// How long each part may take.
    pub budgets: Budgets,
    /// How much is read and kept.
    pub caps: Caps,
}

impl Session {
    /// A session with the usual plan, budgets and caps.
    #[must_use]
    pub fn new(launch: LaunchSpec) -> Self {
        Self {
            launch,
            containment: ContainmentSpec::default(),
            plan: Plan::default(),
            budgets: Budgets::default(),
            caps: Caps::default(),
        }
    }
}

/// What a run led to.
#[derive(Debug)]
pub struct Run {
    /// What the detector made of it.
    pub verdict: Verdict,
    /// What happened, as far as it was kept.
    pub transcript: Transcript,
    /// What else is known of it.
    pub telemetry: Telemetry,
}

/// Runs one session.
///
/// It never fails: a server that cannot be launched, or a machine that has no room for it, is an
/// event like any other, and the detector's verdict says what that means. When `stop` completes
/// before the launched process has ended, stdin is closed and SIGTERM sent at once; pass
/// [`std::future::pending`] if nobody will ask for that. Dropping the future kills the process
/// group and reaps the process.
///
/// Must be called within a tokio runtime that has its IO and time drivers enabled. A
/// current-thread runtime is what it is made for.
pub async fn run<'a>(
    session: &'a Session,
    detector: Box<dyn Detector + 'a>,
    observer: &'a mut dyn Observer,
    stop: impl Future<Output = ()>,
) -> Run {
    run_until(session, detector, observer, Stop { gently: stop, at_once: pending() }).await
}

/// What ends a run from outside.
pub struct Stop<G, A> {
    /// Once it completes, stdin is closed and SIGTERM sent; then everything goes on as usual, with
    /// less patience for what outlives the launched process.
    pub gently: G,
    /// Once it completes, everything is killed.
    pub at_once: A,
}

/// Runs one session that can be stopped in two ways. See [`run`].
pub async fn run_until<'a>(
    session: &'a Session,
    detector: Box<dyn Detector + 'a>,
    observer: &'a mut dyn Observer,
    stop: Stop<impl Future<Output = ()>, impl Future<Output = ()>>,
) -> Run {
    let mut feed = Feed::new(detector, observer, &session.caps);
    let mut telemetry = never_launched();
    let launched = async {
        let mut prepared = Prepared::new(&session.launch)?;
        telemetry.executable = Some(prepared.executable.clone());
        telemetry.directory = Some(prepared.directory.clone());
        telemetry.environment = std::mem::take(&mut prepared.variables);
        prepared.spawn(&session.containment).await
    };
    let driver = match launched.await {
        Ok((launched, containment)) => {
            telemetry.cleanup.containment = containment;
            Driver::new(session, launched, &mut feed)
        }
        Err(error) => Err(error),
    };
    match driver {
        Ok(driver) => driver.run(pin!(stop.gently), pin!(stop.at_once), &mut telemetry).await,
        Err(error) => launch_failed(error, &mut feed, &mut telemetry),
    }
    telemetry.elapsed = feed.elapsed();
    let (verdict, transcript) = feed.finish();
    Run { verdict, transcript, telemetry }
}

/// Runs one session on a runtime of its own, in this thread. See [`run`].
pub fn run_blocking<'a>(
    session: &'a Session,
    detector: Box<dyn Detector + 'a>,
    observer: &'a mut dyn Observer,
    stop: impl Future<Output = ()>,
) -> Run {
    run_blocking_until(session, detector, observer, Stop { gently: stop, at_once: pending() })
}

/// Runs one session that can be stopped in two ways, on a runtime of its own, in this thread. See
/// [`run`].
pub fn run_blocking_until<'a>(
    session: &'a Session,
    detector: Box<dyn Detector + 'a>,
    observer: &'a mut dyn Observer,
    stop: Stop<impl Future<Output = ()>, impl Future<Output = ()>>,
) -> Run {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime {
        Ok(runtime) => runtime.block_on(run_until(session, detector, observer, stop)),
        Err(source) => {
            let mut feed = Feed::new(detector, observer, &session.caps);
            let mut telemetry = never_launched();
            let error = LaunchError::System { action: "set up an event loop", source };
            launch_failed(error, &mut feed, &mut telemetry);
            telemetry.elapsed = feed.elapsed();
            let (verdict, transcript) = feed.finish();
            Run { verdict, transcript, telemetry }
        }
    }
}

fn launch_failed(error: LaunchError, feed: &mut Feed<'_>, telemetry: &mut Telemetry) {
    feed.push(EventKind::LaunchFailed(error.kind()));
    telemetry.launch_error = Some(error);
}

fn never_launched() -> Telemetry {
    Telemetry {
        executable: None,
        directory: None,
        environment: Vec::new(),
        launch_error: None,
        ending: None,
        exit_status: None,
        cleanup: Cleanup::of_nothing(),
        deadlines: Vec::new(),
        timeout_phase: None,
        stderr: StderrSummary::default(),
        elapsed: std::time::Duration::ZERO,
    }
}

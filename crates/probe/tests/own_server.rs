//! How a crate tests its own server: launch the binary that cargo has built, and judge its stdout.

use std::panic::{AssertUnwindSafe, catch_unwind};

use probe::{Probe, Probed, RuleId};

/// The server under test. Here it is the one of a case; a server's crate has its own binary.
fn server(case: &str) -> Probe {
    Probe::new(env!("CARGO_BIN_EXE_mcp-stdio-probe")).args(["play", case])
}

/// What a failing assertion prints.
fn failure(assert: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(assert)).expect_err("the assertion must fail");
    panic.downcast_ref::<String>().expect("it panics with a report").clone()
}

#[test]
fn stdout_carries_nothing_but_messages() {
    server("ok-plain").run().assert_valid();
}

#[test]
fn a_banner_is_found_at_the_first_frame() {
    server("startup-banner").run().assert_violates(RuleId::InvalidJson, 1);
}

#[test]
fn a_tool_is_judged_when_it_is_called() {
    let quiet = server("tool-call-print").call("echo", "{}").expect("an object");
    quiet.run().assert_violates(RuleId::InvalidJson, 3);
}

#[test]
fn the_same_within_a_runtime() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let probed: Probed = runtime.block_on(server("blank-line").run_async());
    probed.assert_violates(RuleId::EmptyFrame, 2);
}

#[test]
fn a_failure_is_the_report_for_people() {
    let banner = server("startup-banner").run();
    let report = failure(|| {
        banner.assert_valid();
    });
    assert!(report.contains("error[invalid-json]"), "{report}");
    assert!(report.contains("stdout frame 1"), "{report}");
    let clean = server("ok-plain").run();
    let report = failure(|| {
        clean.assert_violates(RuleId::EmptyFrame, 2);
    });
    assert!(report.contains("expected empty-frame, frame 2"), "{report}");
    let report = failure(|| {
        banner.assert_violates(RuleId::InvalidJson, 2);
    });
    assert!(report.contains("expected invalid-json, frame 2"), "{report}");
    assert!(report.contains("error[invalid-json]"), "{report}");
}

#[test]
fn a_server_that_cannot_be_launched_is_not_valid() {
    let nothing = Probe::new("no-such-server-anywhere").run();
    let report = failure(|| {
        nothing.assert_valid();
    });
    assert!(report.contains("no-such-server-anywhere"), "{report}");
}

#[test]
fn look() {
    use crate::samples::*;
    use crate::*;
    use model::*;
    let s = Style::default();
    let n = Style { width: 60, charset: Charset::Ascii, ..s };
    let mut f = run();
    f.stderr = stderr(b"Error: Cannot find module 'x'\n    at Module._resolve (node:1:2)\n");
    f.deadlines.push(DeadlineFact {
        name: DeadlineName::Reply,
        budget: std::time::Duration::from_secs(10),
        elapsed: std::time::Duration::from_secs(10),
        expiry: Expiry::Expired,
    });
    let mut v = violation(in_frame(
        RuleId::InvalidJson,
        "[dotenv@17.2.3] injecting env (0) from .env \u{1f680} caf\u{e9}\x1b[31m".as_bytes(),
        1,
    ));
    v.advice.push(advice(RuleId::CarriageReturn, 4));
    for (v, f) in [
        (v, run()),
        (violation(in_frame(RuleId::EmptyFrame, b"", 0)), run()),
        (violation(after_frames(RuleId::NoResponse, Detail::None)), f.clone()),
        (
            violation(after_frames(RuleId::ExitBeforeResponse, Detail::Exit(ExitStatus::Code(1)))),
            f.clone(),
        ),
        (
            violation(in_frame(
                RuleId::DecodeError,
                &[vec![b'a'; 3000], b"\xff\xfe tail ##[error] ::x ".to_vec()].concat(),
                3000,
            )),
            run(),
        ),
        (verdict(Outcome::ValidStdout), run()),
        (inconclusive(Inconclusive::NotInitialized), f.clone()),
        (inconclusive(Inconclusive::Launch(LaunchFailure::ProgramNotFound)), f.clone()),
    ] {
        let e = Evidence::new(&v, f);
        println!("{}", render(&e, Format::Human, &s));
        println!("{}", render(&e, Format::Human, &n));
    }
    let e = Evidence::new(&violation(in_frame(RuleId::PartialFrame, b"{\"a\":", 5)), f);
    println!("{}", render(&e, Format::Json, &s));
    println!("{}", render(&e, Format::Human, &Style { color: Color::Ansi, ..s }));
    println!("{}", rules());
    println!("{}", explain(RuleId::BatchArray, &n));
}

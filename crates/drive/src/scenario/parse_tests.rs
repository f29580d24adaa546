//! What a scenario's text may hold, and how each mistake in it is told.

use super::*;

fn read(steps: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(
        "test",
        &format!("{{\"scenario\":1,\"title\":\"t\",\n\"steps\":[\n{steps}\n]}}"),
    )
}

fn refusal(steps: &str) -> String {
    read(steps).expect_err(steps).to_string()
}

#[test]
fn every_built_in_scenario_can_be_read() {
    let names: Vec<_> = Scenario::built_in_names().collect();
    assert!(names.contains(&"session") && names.contains(&"stateless-session"));
    for name in names {
        let scenario = Scenario::built_in(name).unwrap();
        assert_eq!(scenario.name(), name);
        assert!(scenario.title().len() > 10, "{name} has no title");
    }
}

#[test]
fn the_ordinary_session_is_the_one_of_old() {
    assert_eq!(
        Scenario::built_in("session").unwrap().steps(),
        [
            Step::Initialize,
            Step::Initialized,
            Step::Lists,
            Step::Calls,
            Step::UnknownMethod,
            Step::CloseStdinWhenIdle,
        ]
    );
}

#[test]
fn messages_are_kept_as_written_on_one_line() {
    let scenario = read(
        r#"{"send":{"id":"a","method":"x","params":{"n":
        1e400}}}"#,
    )
    .unwrap();
    let [Step::Send(messages)] = scenario.steps() else { panic!("{scenario:?}") };
    assert_eq!(messages[0].id, Some(RawId::new("\"a\"")));
    assert_eq!(messages[0].params.as_deref(), Some("{\"n\":         1e400}"));
}

#[test]
fn a_repetition_gives_each_turn_ids_of_its_own() {
    let scenario = read(
        r#"{"repeat":{"times":2,"steps":[{"repeat":{"times":2,"steps":[
            {"send":{"id":1000,"method":"ping"}},{"send":{"id":"p","method":"ping"}}]}}]}}"#,
    )
    .unwrap();
    let ids: Vec<String> = scenario
        .steps()
        .iter()
        .map(|step| match step {
            Step::Send(messages) => messages[0].id.as_ref().unwrap().to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids, ["1000", "\"p\"", "1001", "\"p.2\"", "1002", "\"p.3\"", "1003", "\"p.4\""]);
}

#[test]
fn raw_bytes_are_text_or_hexadecimal() {
    let scenario = read("{\"send-raw\":\"hé\\n\"},{\"send-raw-hex\":\"ff0A\"}").unwrap();
    assert_eq!(
        scenario.steps(),
        [Step::Raw(Box::from("hé\n".as_bytes())), Step::Raw(Box::from(*b"\xff\n"))]
    );
}

#[test]
fn a_mistake_is_told_by_its_line_and_reason() {
    let of_the_text = |text: &str| Scenario::parse("test", text).expect_err(text).to_string();
    assert_eq!(of_the_text("{"), "line 1: EOF while parsing an object");
    assert_eq!(
        of_the_text("{\"scenario\":2,\"title\":\"\",\"steps\":[]}"),
        "line 1: version 2 of the format is not known; this is version 1"
    );
    assert_eq!(
        of_the_text("{\"scenario\":1,\n\"title\":\"\",\n\"step\":[]}"),
        "line 3: unknown field `step`, expected one of `scenario`, `title`, `steps`"
    );
    assert_eq!(refusal(""), "line 1: there are no steps");
    assert!(refusal("\"initialise\"").starts_with("line 3: unknown variant `initialise`"));
    assert_eq!(
        refusal("\"initialize\",\n{\"send\":{\n\"name\":\"ping\"}}"),
        "line 5: unknown field `name`, expected one of `id`, `method`, `params`"
    );
    assert_eq!(
        refusal("\"close-stdin-now\",\n\"expect\""),
        "line 4: a step comes after stdin was closed"
    );
    assert_eq!(
        refusal("\"close-stdout\",\n\"expect\""),
        "line 4: a reply is awaited after our end of stdout was closed"
    );
    assert_eq!(refusal("\"lists\""), "line 3: the step needs `initialize` before it");
    assert_eq!(refusal("\"initialize\",\"calls\""), "line 3: the step needs `lists` before it");
    assert_eq!(
        refusal("\"initialize\",\"discover\""),
        "line 3: `discover` begins a session that has begun"
    );
    for id in ["1.5", "true", "[]", "99999999999999999999"] {
        assert_eq!(
            refusal(&format!("{{\"send\":{{\"id\":{id},\"method\":\"x\"}}}}")),
            format!("line 3: the id {id} is neither a string nor an integer")
        );
    }
    for id in ["31", "42", "71", "\"list-3\""] {
        assert_eq!(
            refusal(&format!("{{\"send\":{{\"id\":{id},\"method\":\"x\"}}}}")),
            format!("line 3: the id {id} is used before")
        );
    }
    let twice = "{\"send\":{\"id\":7,\"method\":\"x\"}}";
    assert_eq!(refusal(&format!("{twice},\n{twice}")), "line 4: the id 7 is used before");
    assert_eq!(refusal("{\"send\":{\"method\":\"\"}}"), "line 3: the method is empty");
    assert_eq!(
        refusal("{\"send\":{\"method\":\"x\",\"params\":[]}}"),
        "line 3: params are not an object; `send-raw` sends what is no message"
    );
    assert_eq!(
        refusal("{\"wait-for-quiet\":{\"ms\":200,\"at-most-ms\":100}}"),
        "line 3: at-most-ms is not between 200 and 3600000"
    );
    assert_eq!(
        refusal("{\"repeat\":{\"times\":0,\"steps\":[\"expect\"]}}"),
        "line 3: times is not between 1 and 1000"
    );
    assert_eq!(refusal("{\"repeat\":{\"times\":3,\"steps\":[]}}"), "line 3: there are no steps");
    let many = "{\"repeat\":{\"times\":1000,\"steps\":[\"expect\"]}}";
    assert_eq!(refusal(&[many; 11].join(",\n")), "line 13: there are more than 10000 steps");
    for text in ["f", "zz", "é"] {
        assert_eq!(
            refusal(&format!("{{\"send-raw-hex\":\"{text}\"}}")),
            "line 3: the bytes are not pairs of hexadecimal digits"
        );
    }
}

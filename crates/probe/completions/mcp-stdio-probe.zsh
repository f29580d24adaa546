#compdef mcp-stdio-probe

autoload -U is-at-least

_mcp-stdio-probe() {
    typeset -A opt_args
    typeset -a _arguments_options
    local ret=1

    if is-at-least 5.2; then
        _arguments_options=(-s -S -C)
    else
        _arguments_options=(-s -C)
    fi

    local context curcontext="$curcontext" state line
    _arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
'-V[Print version]' \
'--version[Print version]' \
":: :_mcp-stdio-probe_commands" \
"*::: :->mcp-stdio-probe" \
&& ret=0
    case $state in
    (mcp-stdio-probe)
        words=($line[1] "${words[@]}")
        (( CURRENT += 1 ))
        curcontext="${curcontext%:*:*}:mcp-stdio-probe-command-$line[1]:"
        case $line[1] in
            (run)
_arguments "${_arguments_options[@]}" : \
'*-e+[Set an environment variable of the server (repeatable)]:NAME=VALUE:_default' \
'*--env=[Set an environment variable of the server (repeatable)]:NAME=VALUE:_default' \
'--cwd=[The server'\''s working directory; \`temp\` is an empty temporary one]:DIR|temp:_files' \
'(--record)--compare-command=[Run this command too, which is the server'\''s own, without its launcher; the report says who of the two wrote what is no message. Split into words as a shell would; none is involved]:COMMAND:_default' \
'--version-cmd=[Run this command once, before the server, and tell in the report what it prints, such as \`node --version\`\: at most 4 KiB and 5 s, never taken for output of the server]:COMMAND:_default' \
'*--call=[Call a tool with JSON arguments (repeatable)]:TOOL=JSON:_default' \
'--scenario=[What the client side does\: the name of a built-in scenario, or a file]:NAME|FILE:_files' \
'--canary=[A text that the server logs\: stderr must hold it, and stdout must not]:TEXT:_default' \
'--canary-env=[Give the text to the server in this variable]:NAME:_default' \
'(--scenario --record)--profile=[How many sessions\: one, or all that faults need which one session does not show]:PROFILE:(quick full)' \
'*--vary=[In the full profile, one more session with this variable; those with one name are one session (repeatable)]:NAME:VARIABLE=VALUE:_default' \
'--startup-timeout=[Seconds from the launch to the first reply]:SECONDS:_default' \
'--reply-timeout=[Seconds from a request to its reply; notifications do not extend it]:SECONDS:_default' \
'--shutdown-timeout=[Seconds for each step of the shutdown ladder]:SECONDS:_default' \
'--total-timeout=[Seconds for the whole session before its shutdown \[default\: 60, or more if the other deadlines need it\]]:SECONDS:_default' \
'--record=[Keep the raw transcript in a new directory, in the form that \`check\` reads]:DIR:_files' \
'--protocol=[The protocol revision to ask for, or by which to judge a recording; \`auto\` asks the server for its era first, in a process of its own]:REVISION|auto:_default' \
'*--deny=[Fail on a rule that is advice, or on all of them (\`--deny advice\`)]:RULE|advice:_default' \
'*--allow=[Report a rule as advice instead of failing on it]:RULE:_default' \
'--max-frame-bytes=[The largest frame that is read \[default\: 67108864\]]:BYTES:_default' \
'*--format=[The report'\''s format, to stdout or to a file (repeatable; at most one to stdout)\: human, json, jsonl, junit, sarif, github, tap, md, html, trace \[default\: human, and in GitHub Actions its annotations and step summary too\]]:FORMAT[=FILE]:_default' \
'--color=[When to colour the report]:WHEN:(auto always never)' \
'*--config=[Launch the servers of a client'\''s configuration file, a registry entry or an \`.mcpb\` bundle (repeatable) \[default, without a command\: the project files found here\]]:FILE:_files' \
'--config-format=[Whose file it is, where its name does not tell]:FORMAT:_default' \
'*--server=[Only this server of the configuration (repeatable) \[default\: all that its client would launch\]]:NAME:_default' \
'*--input=[The value of an input that the configuration asks for (repeatable)]:ID=VALUE:_default' \
'--expand=[What to do with a reference that cannot be resolved\: refuse it, or do as the client does]:HOW:(strict client)' \
'--jobs=[How many servers are probed at the same time \[default\: one a processor\]]:NUMBER:_default' \
'(--config --server --list)--package=[Install a package into a temporary prefix and launch its command\: \`npm\:\`, \`pypi\:\` or \`cargo\:\` and NAME\[@VERSION\], or a local .tgz, wheel, sdist or directory]:PACKAGE:_default' \
'--bin=[Which of the package'\''s commands]:NAME:_default' \
'--install-timeout=[Seconds for each step of the installation]:SECONDS:_default' \
'(--inherit-env)--env-minimal[Pass PATH only, instead of the variables that client SDKs pass]' \
'--inherit-env[Pass the whole environment]' \
'--isolate[Run the server in a namespace of users, processes and mounts of its own, if the system allows that; the report says whether it did]' \
'--call-all-safe[Also call every tool that says it only reads, if its arguments can be made from its schema]' \
'--malformed-line[In the full profile, one more session in which a line is no message]' \
'--no-redact[Show secrets, and what calls and tools hold\: for reports that nobody else sees]' \
'--yes-leak[Let --no-redact through where CI=true\: whoever reads the log reads the secrets]' \
'--list[Show what would be launched, and launch nothing]' \
'--launcher[Probe the package also through its ecosystem'\''s launcher (npx, uvx), to tell its noise from the server'\''s]' \
'-h[Print help]' \
'--help[Print help]' \
'*::server -- The server'\''s command and its arguments, or the arguments of a package'\''s command; no shell is involved:_default' \
&& ret=0
;;
(check)
_arguments "${_arguments_options[@]}" : \
'--protocol=[The protocol revision to ask for, or by which to judge a recording; \`auto\` asks the server for its era first, in a process of its own]:REVISION|auto:_default' \
'*--deny=[Fail on a rule that is advice, or on all of them (\`--deny advice\`)]:RULE|advice:_default' \
'*--allow=[Report a rule as advice instead of failing on it]:RULE:_default' \
'--max-frame-bytes=[The largest frame that is read \[default\: 67108864\]]:BYTES:_default' \
'*--format=[The report'\''s format, to stdout or to a file (repeatable; at most one to stdout)\: human, json, jsonl, junit, sarif, github, tap, md, html, trace \[default\: human, and in GitHub Actions its annotations and step summary too\]]:FORMAT[=FILE]:_default' \
'--color=[When to colour the report]:WHEN:(auto always never)' \
'--jobs=[How many are judged at the same time \[default\: one a processor\]]:NUMBER:_default' \
'--no-redact[Show secrets, and what calls and tools hold\: for reports that nobody else sees]' \
'--yes-leak[Let --no-redact through where CI=true\: whoever reads the log reads the secrets]' \
'-h[Print help]' \
'--help[Print help]' \
'*::inputs -- Recorded stdouts, `-` for standard input, or directories made by `run --record`:_files' \
&& ret=0
;;
(tap)
_arguments "${_arguments_options[@]}" : \
'--log=[Write a line of JSON for each frame of both directions\: number, time, length, id, method]:FILE:_files' \
'--record=[Keep the raw session in a new directory, in the form that \`check\` and \`new-incident\` read]:DIR:_files' \
'--protocol=[The protocol revision to ask for, or by which to judge a recording; \`auto\` asks the server for its era first, in a process of its own]:REVISION|auto:_default' \
'*--deny=[Fail on a rule that is advice, or on all of them (\`--deny advice\`)]:RULE|advice:_default' \
'*--allow=[Report a rule as advice instead of failing on it]:RULE:_default' \
'--max-frame-bytes=[The largest frame that is read \[default\: 67108864\]]:BYTES:_default' \
'*--format=[The report'\''s format, to stdout or to a file (repeatable; at most one to stdout)\: human, json, jsonl, junit, sarif, github, tap, md, html, trace \[default\: human, and in GitHub Actions its annotations and step summary too\]]:FORMAT[=FILE]:_default' \
'--color=[When to colour the report]:WHEN:(auto always never)' \
'--view[Show the text of each frame on stderr, messages and all else alike, escaped]' \
'--no-redact[Show secrets, and what calls and tools hold\: for reports that nobody else sees]' \
'--yes-leak[Let --no-redact through where CI=true\: whoever reads the log reads the secrets]' \
'-h[Print help]' \
'--help[Print help]' \
'*::server -- The server'\''s command and its arguments; no shell is involved:_default' \
&& ret=0
;;
(demo)
_arguments "${_arguments_options[@]}" : \
'--color=[When to colour the reports]:WHEN:(auto always never)' \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(self-test)
_arguments "${_arguments_options[@]}" : \
'*-e+[Set an environment variable of the server (repeatable)]:NAME=VALUE:_default' \
'*--env=[Set an environment variable of the server (repeatable)]:NAME=VALUE:_default' \
'-h[Print help]' \
'--help[Print help]' \
'*::server -- The server'\''s command and its arguments; without it the corpus'\''s cases are played:_default' \
&& ret=0
;;
(play)
_arguments "${_arguments_options[@]}" : \
'--list-format=[How to list them]:FORMAT:(text json)' \
'()--mutate=[Run the server after \`--\`, and corrupt what it writes in the way of this operator]:OPERATOR:_default' \
'--recording=[A recording of the untouched session, made by \`run --record\`]:DIR:_files' \
'--promise=[Where to tell what must be found]:FILE:_files' \
'--left=[Be one of the processes that the server of the case leaves behind]:LEFT:_default' \
'--end-by=[End by this signal]:END_BY:_default' \
'--trace=[Note in this file how far the client came]:TRACE:_files' \
'()--list[List the cases with what must be found in them, and those that no process can play]' \
'(--list)--list-operators[List the operators, with what they do]' \
'--stay[Outlive the client, if that is what the server of the case does\: whoever asks for it ends what is left]' \
'-h[Print help]' \
'--help[Print help]' \
'::case -- The case'\''s id:_default' \
'*::server -- The server'\''s command and its arguments, for --mutate:_default' \
&& ret=0
;;
(judge)
_arguments "${_arguments_options[@]}" : \
'--profile=[A profile that comes with the command, or the file of one]:NAME|FILE:_default' \
'*--case=[Ask only this case (repeatable)]:ID:_default' \
'*--rule=[Ask only the cases of this rule, or of \`valid-stdout\` (repeatable)]:RULE|valid-stdout:_default' \
'*--tag=[Ask only the cases with this tag (repeatable)]:TAG:_default' \
'*--family=[Ask only the cases of this family (repeatable)]:FAMILY:_default' \
'--timeout=[Seconds for one case \[default\: the profile'\''s, or 30\]]:SECONDS:_default' \
'--jobs=[Cases asked at the same time \[default\: the number of cores\]]:COUNT:_default' \
'*--reason=[What the detector'\''s output says where it names the fault of a rule (repeatable; \`*\` is every rule)]:RULE=REGEX:_default' \
'--format=[How to show the grades]:FORMAT:(table json md)' \
'--list-profiles[List the profiles that come with the command]' \
'--stdin[Give the recorded bytes on the detector'\''s standard input instead of a server]' \
'-h[Print help]' \
'--help[Print help]' \
'*::detector -- The detector'\''s command, with {server}, {config} or {case} in it; after a profile'\''s command, more arguments for it:_default' \
&& ret=0
;;
(rules)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
&& ret=0
;;
(explain)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
':rule -- The rule'\''s id:_default' \
&& ret=0
;;
(__detector)
_arguments "${_arguments_options[@]}" : \
'--timeout-ms=[]:TIMEOUT_MS:_default' \
'--stdin=[]:STDIN:_files' \
'-h[Print help]' \
'--help[Print help]' \
'*::command:_default' \
&& ret=0
;;
(__demo-server)
_arguments "${_arguments_options[@]}" : \
'-h[Print help]' \
'--help[Print help]' \
':server -- Which one:(clean banner)' \
&& ret=0
;;
        esac
    ;;
esac
}

(( $+functions[_mcp-stdio-probe_commands] )) ||
_mcp-stdio-probe_commands() {
    local commands; commands=(
'run:Launch a server as a client would, and judge every byte of its stdout' \
'check:Judge a recorded stdout, or a directory made by \`run --record\`' \
'tap:Stand between a client and a server\: pass everything on unchanged, and judge it on the way' \
'demo:Show with two built-in servers that the probe works' \
'self-test:Prove that the probe still fails when it must, with the corpus'\''s cases or with a server of yours, corrupted in every known way' \
'play:Be the server of a case\: a negative control for any client or harness' \
'judge:Grade another detector, client or test tool by the corpus' \
'rules:List the rules' \
'explain:Explain a rule' \
'__detector:Be the parent of a detector that is judged' \
'__demo-server:Be one of the servers of \`demo\`' \
    )
    _describe -t commands 'mcp-stdio-probe commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd____demo-server_commands] )) ||
_mcp-stdio-probe__subcmd____demo-server_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe __demo-server commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd____detector_commands] )) ||
_mcp-stdio-probe__subcmd____detector_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe __detector commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__check_commands] )) ||
_mcp-stdio-probe__subcmd__check_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe check commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__demo_commands] )) ||
_mcp-stdio-probe__subcmd__demo_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe demo commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__explain_commands] )) ||
_mcp-stdio-probe__subcmd__explain_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe explain commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__judge_commands] )) ||
_mcp-stdio-probe__subcmd__judge_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe judge commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__play_commands] )) ||
_mcp-stdio-probe__subcmd__play_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe play commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__rules_commands] )) ||
_mcp-stdio-probe__subcmd__rules_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe rules commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__run_commands] )) ||
_mcp-stdio-probe__subcmd__run_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe run commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__self-test_commands] )) ||
_mcp-stdio-probe__subcmd__self-test_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe self-test commands' commands "$@"
}
(( $+functions[_mcp-stdio-probe__subcmd__tap_commands] )) ||
_mcp-stdio-probe__subcmd__tap_commands() {
    local commands; commands=()
    _describe -t commands 'mcp-stdio-probe tap commands' commands "$@"
}

if [ "$funcstack[1]" = "_mcp-stdio-probe" ]; then
    _mcp-stdio-probe "$@"
else
    compdef _mcp-stdio-probe mcp-stdio-probe
fi

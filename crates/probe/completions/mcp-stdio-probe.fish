# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_mcp_stdio_probe_global_optspecs
    string join \n h/help V/version
end

function __fish_mcp_stdio_probe_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_mcp_stdio_probe_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_mcp_stdio_probe_using_subcommand
    set -l cmd (__fish_mcp_stdio_probe_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -s V -l version -d 'Print version'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "run" -d 'Launch a server as a client would, and judge every byte of its stdout'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "check" -d 'Judge a recorded stdout, or a directory made by `run --record`'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "tap" -d 'Stand between a client and a server: pass everything on unchanged, and judge it on the way'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "demo" -d 'Show with two built-in servers that the probe works'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "self-test" -d 'Prove that the probe still fails when it must, with the corpus\'s cases or with a server of yours, corrupted in every known way'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "play" -d 'Be the server of a case: a negative control for any client or harness'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "judge" -d 'Grade another detector, client or test tool by the corpus'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "rules" -d 'List the rules'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "explain" -d 'Explain a rule'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "__detector" -d 'Be the parent of a detector that is judged'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_needs_command" -f -a "__demo-server" -d 'Be one of the servers of `demo`'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -s e -l env -d 'Set an environment variable of the server (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l cwd -d 'The server\'s working directory; `temp` is an empty temporary one' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l compare-command -d 'Run this command too, which is the server\'s own, without its launcher; the report says who of the two wrote what is no message. Split into words as a shell would; none is involved' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l version-cmd -d 'Run this command once, before the server, and tell in the report what it prints, such as `node --version`: at most 4 KiB and 5 s, never taken for output of the server' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l call -d 'Call a tool with JSON arguments (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l scenario -d 'What the client side does: the name of a built-in scenario, or a file' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l canary -d 'A text that the server logs: stderr must hold it, and stdout must not' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l canary-env -d 'Give the text to the server in this variable' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l profile -d 'How many sessions: one, or all that faults need which one session does not show' -r -f -a "quick\t''
full\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l vary -d 'In the full profile, one more session with this variable; those with one name are one session (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l startup-timeout -d 'Seconds from the launch to the first reply' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l reply-timeout -d 'Seconds from a request to its reply; notifications do not extend it' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l shutdown-timeout -d 'Seconds for each step of the shutdown ladder' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l total-timeout -d 'Seconds for the whole session before its shutdown [default: 60, or more if the other deadlines need it]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l record -d 'Keep the raw transcript in a new directory, in the form that `check` reads' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l protocol -d 'The protocol revision to ask for, or by which to judge a recording; `auto` asks the server for its era first, in a process of its own' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l deny -d 'Fail on a rule that is advice, or on all of them (`--deny advice`)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l allow -d 'Report a rule as advice instead of failing on it' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l max-frame-bytes -d 'The largest frame that is read [default: 67108864]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l format -d 'The report\'s format, to stdout or to a file (repeatable; at most one to stdout): human, json, jsonl, junit, sarif, github, tap, md, html, trace [default: human, and in GitHub Actions its annotations and step summary too]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l color -d 'When to colour the report' -r -f -a "auto\t''
always\t''
never\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l config -d 'Launch the servers of a client\'s configuration file, a registry entry or an `.mcpb` bundle (repeatable) [default, without a command: the project files found here]' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l config-format -d 'Whose file it is, where its name does not tell' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l server -d 'Only this server of the configuration (repeatable) [default: all that its client would launch]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l input -d 'The value of an input that the configuration asks for (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l expand -d 'What to do with a reference that cannot be resolved: refuse it, or do as the client does' -r -f -a "strict\t''
client\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l jobs -d 'How many servers are probed at the same time [default: one a processor]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l package -d 'Install a package into a temporary prefix and launch its command: `npm:`, `pypi:` or `cargo:` and NAME[@VERSION], or a local .tgz, wheel, sdist or directory' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l bin -d 'Which of the package\'s commands' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l install-timeout -d 'Seconds for each step of the installation' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l env-minimal -d 'Pass PATH only, instead of the variables that client SDKs pass'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l inherit-env -d 'Pass the whole environment'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l isolate -d 'Run the server in a namespace of users, processes and mounts of its own, if the system allows that; the report says whether it did'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l call-all-safe -d 'Also call every tool that says it only reads, if its arguments can be made from its schema'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l malformed-line -d 'In the full profile, one more session in which a line is no message'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l no-redact -d 'Show secrets, and what calls and tools hold: for reports that nobody else sees'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l yes-leak -d 'Let --no-redact through where CI=true: whoever reads the log reads the secrets'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l list -d 'Show what would be launched, and launch nothing'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -l launcher -d 'Probe the package also through its ecosystem\'s launcher (npx, uvx), to tell its noise from the server\'s'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand run" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l protocol -d 'The protocol revision to ask for, or by which to judge a recording; `auto` asks the server for its era first, in a process of its own' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l deny -d 'Fail on a rule that is advice, or on all of them (`--deny advice`)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l allow -d 'Report a rule as advice instead of failing on it' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l max-frame-bytes -d 'The largest frame that is read [default: 67108864]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l format -d 'The report\'s format, to stdout or to a file (repeatable; at most one to stdout): human, json, jsonl, junit, sarif, github, tap, md, html, trace [default: human, and in GitHub Actions its annotations and step summary too]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l color -d 'When to colour the report' -r -f -a "auto\t''
always\t''
never\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l jobs -d 'How many are judged at the same time [default: one a processor]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l no-redact -d 'Show secrets, and what calls and tools hold: for reports that nobody else sees'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -l yes-leak -d 'Let --no-redact through where CI=true: whoever reads the log reads the secrets'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand check" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l log -d 'Write a line of JSON for each frame of both directions: number, time, length, id, method' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l record -d 'Keep the raw session in a new directory, in the form that `check` and `new-incident` read' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l protocol -d 'The protocol revision to ask for, or by which to judge a recording; `auto` asks the server for its era first, in a process of its own' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l deny -d 'Fail on a rule that is advice, or on all of them (`--deny advice`)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l allow -d 'Report a rule as advice instead of failing on it' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l max-frame-bytes -d 'The largest frame that is read [default: 67108864]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l format -d 'The report\'s format, to stdout or to a file (repeatable; at most one to stdout): human, json, jsonl, junit, sarif, github, tap, md, html, trace [default: human, and in GitHub Actions its annotations and step summary too]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l color -d 'When to colour the report' -r -f -a "auto\t''
always\t''
never\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l view -d 'Show the text of each frame on stderr, messages and all else alike, escaped'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l no-redact -d 'Show secrets, and what calls and tools hold: for reports that nobody else sees'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -l yes-leak -d 'Let --no-redact through where CI=true: whoever reads the log reads the secrets'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand tap" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand demo" -l color -d 'When to colour the reports' -r -f -a "auto\t''
always\t''
never\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand demo" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand self-test" -s e -l env -d 'Set an environment variable of the server (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand self-test" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l list-format -d 'How to list them' -r -f -a "text\t''
json\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l mutate -d 'Run the server after `--`, and corrupt what it writes in the way of this operator' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l recording -d 'A recording of the untouched session, made by `run --record`' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l promise -d 'Where to tell what must be found' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l left -d 'Be one of the processes that the server of the case leaves behind' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l end-by -d 'End by this signal' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l trace -d 'Note in this file how far the client came' -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l list -d 'List the cases with what must be found in them, and those that no process can play'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l list-operators -d 'List the operators, with what they do'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -l stay -d 'Outlive the client, if that is what the server of the case does: whoever asks for it ends what is left'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand play" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l profile -d 'A profile that comes with the command, or the file of one' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l case -d 'Ask only this case (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l rule -d 'Ask only the cases of this rule, or of `valid-stdout` (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l tag -d 'Ask only the cases with this tag (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l family -d 'Ask only the cases of this family (repeatable)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l timeout -d 'Seconds for one case [default: the profile\'s, or 30]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l jobs -d 'Cases asked at the same time [default: the number of cores]' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l reason -d 'What the detector\'s output says where it names the fault of a rule (repeatable; `*` is every rule)' -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l format -d 'How to show the grades' -r -f -a "table\t''
json\t''
md\t''"
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l list-profiles -d 'List the profiles that come with the command'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -l stdin -d 'Give the recorded bytes on the detector\'s standard input instead of a server'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand judge" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand rules" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand explain" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand __detector" -l timeout-ms -r
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand __detector" -l stdin -r -F
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand __detector" -s h -l help -d 'Print help'
complete -c mcp-stdio-probe -n "__fish_mcp_stdio_probe_using_subcommand __demo-server" -s h -l help -d 'Print help'

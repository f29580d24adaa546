// What both TypeScript clients are asked: connect, list the tools, call one, and close. The last
// line says what became of it; `outcome:` is what `mcp-stdio-probe judge` reads.

const TIMEOUT_MS = 3000;

export async function session(client, transport) {
  const seen = { errors: 0, closed: false, lost: false, refused: false };
  client.onerror = () => (seen.errors += 1);
  client.onclose = () => (seen.closed = true);
  const options = { timeout: TIMEOUT_MS };
  const steps = [
    () => client.connect(transport, options),
    () => client.listTools({}, options),
    () => client.callTool({ name: "echo", arguments: {} }, undefined, options),
  ];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      const closed = seen.closed || /closed/i.test(error.message);
      const lost = /timed out/i.test(error.message);
      // An error reply is a reply.
      const answered = typeof error.code === "number" && error.code <= -32600 && !closed && !lost;
      seen.closed ||= closed;
      seen.lost ||= lost;
      seen.refused ||= !closed && !lost && !answered;
      if (!answered) break;
    }
  }
  const word = seen.closed
    ? "connection dies"
    : seen.lost
      ? "reply lost"
      : seen.refused
        ? "reply refused"
        : seen.errors > 0
          ? "logged"
          : "silent";
  console.log(`outcome: ${word}${seen.errors > 0 && word === "reply lost" ? ", logged" : ""}`);
  await client.close();
  process.exit(0);
}

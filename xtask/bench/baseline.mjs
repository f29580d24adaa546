// What a person writes to check a server's stdout in Node: split at line feeds, JSON.parse, shape.

function fault(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return `not JSON: ${error.message}`;
  }
  if (message === null || typeof message !== "object" || Array.isArray(message)) return "not an object";
  if (message.jsonrpc !== "2.0") return "jsonrpc is not 2.0";
  const { id } = message;
  if ("id" in message && typeof id !== "string" && !Number.isInteger(id) && !(id === null && "error" in message)) {
    return "id is neither a string nor an integer";
  }
  if ("method" in message) {
    if (typeof message.method !== "string") return "method is not a string";
    if ("result" in message || "error" in message) return "both a request and a response";
    const { params = {} } = message;
    return typeof params === "object" && params !== null && !Array.isArray(params) ? undefined : "params is not an object";
  }
  if (!("id" in message)) return "neither a method nor an id";
  if ("result" in message === "error" in message) return "not exactly one of result and error";
  if ("error" in message) {
    const { error } = message;
    if (error === null || typeof error !== "object") return "error is not an object";
    return Number.isInteger(error.code) && typeof error.message === "string" ? undefined : "error lacks its code or message";
  }
  return typeof message.result === "object" && message.result !== null ? undefined : "result is not an object";
}

let frames = 0;
let pieces = [];

function judge(line) {
  frames += 1;
  const why = fault(line);
  if (why !== undefined) {
    console.log(`frame ${frames}: ${why}`);
    process.exit(1);
  }
}

for await (const chunk of process.stdin) {
  let start = 0;
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
    pieces.push(chunk.subarray(start, end));
    judge((pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)).toString("utf8"));
    pieces = [];
    start = end + 1;
  }
  if (start < chunk.length) pieces.push(chunk.subarray(start));
}
if (pieces.length > 0) judge(Buffer.concat(pieces).toString("utf8"));
console.log(`${frames} frames`);

// Reads every report of a directory with parsers that are not the writer's. Arguments: the
// directory, and the JSON Schema of the format `json`. A fault a line; the last line counts.
import { createRequire } from 'node:module';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';

const require = createRequire(import.meta.url);
const Ajv = require('ajv').default;
const Ajv2020 = require('ajv/dist/2020').default;
const { XMLValidator } = require('fast-xml-parser');
const { Parser } = require('tap-parser');
const [directory, schemaFile] = process.argv.slice(2);

const options = { strict: false, validateFormats: false, allErrors: false };
const sarifSchema = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
// The schema is of draft 4, whose `id` later drafts do not know.
const { id: _id, $schema: _draft, ...sarifBody } = sarifSchema;
const sarif = new Ajv({ ...options, unicodeRegExp: false }).compile(sarifBody);
const report = new Ajv2020(options).compile(JSON.parse(readFileSync(schemaFile, 'utf8')));

const valid = (check, text) =>
  check(JSON.parse(text)) ? null : `${check.errors[0].instancePath} ${check.errors[0].message}`;

const readers = {
  '.json': (text) => valid(report, text),
  '.sarif': (text) => valid(sarif, text),
  '.trace': (text) => (Array.isArray(JSON.parse(text).traceEvents) ? null : 'no events'),
  '.jsonl': (text) => text.trimEnd().split('\n').forEach((line) => JSON.parse(line)) ?? null,
  '.junit': (text) => {
    const result = XMLValidator.validate(text);
    return result === true ? null : result.err.msg;
  },
  '.tap': (text) => {
    let result;
    const parser = new Parser((final) => (result = final));
    const faults = [];
    parser.on('extra', (line) => faults.push(`not of the protocol: ${line.trim()}`));
    parser.end(text);
    const planned = Number(/^1\.\.(\d+)$/m.exec(text)?.[1]);
    if (result.count !== planned) faults.push(`${result.count} of ${planned} points`);
    if (result.skip || result.todo) faults.push('something is skipped');
    const failures = result.failures.filter((failure) => failure.tapError);
    failures.forEach((failure) => faults.push(String(failure.tapError)));
    return faults[0] ?? null;
  },
};

let read = 0;
let faults = 0;
for (const file of readdirSync(directory).sort()) {
  const reader = readers[extname(file)];
  if (!reader) continue;
  read += 1;
  let fault;
  try {
    fault = reader(readFileSync(join(directory, file), 'utf8'));
  } catch (error) {
    fault = error.message;
  }
  if (fault) {
    faults += 1;
    console.log(`${file}: ${fault}`);
  }
}
// The parsers must see what is wrong, too.
const blind = Object.keys(readers).filter((extension) => {
  try {
    return !readers[extension](extension === '.tap' ? 'TAP version 14\n1..2\nok 1\n' : '{"a": <');
  } catch {
    return false;
  }
});
blind.forEach((extension) => console.log(`${extension}: a broken report is not seen`));
console.log(`${read} reports read, ${faults} faults`);
process.exitCode = faults || blind.length || !read ? 1 : 0;

// The connection between a JavaScript candidate and its tests, which are two processes. A message is the length of a
// text, a line end, and the text: JSON, in which values that JSON lacks are lists that start with a mark.
'use strict';
const fs = require('fs');
const { parse, stringify } = JSON;
const { isArray } = Array;
const FROM = 3;
const TO = 4;
// The maximum number of bytes of an answer, and the number of digits of that number.
const LONGEST = 64 << 20;
const DIGITS = 12;

const exit = process.reallyExit.bind(process);

function say(text) {
  fs.writeSync(2, `\n\x01assay\x01${text}\x01\n`);
}

function receive() {
  const head = [];
  for (let byte = read(1)[0]; byte !== 10; byte = read(1)[0]) {
    if (head.push(byte) > DIGITS) throw new TypeError('it answers with no message');
  }
  const length = Number(Buffer.from(head).toString());
  if (!(length >= 0)) throw new TypeError('it answers with no message');
  if (length > LONGEST && !serving) {
    say('much');
    exit(1);
  }
  return parse(read(length).toString());
}

let pending = Buffer.alloc(0);
function read(count) {
  const parts = [];
  let left = count;
  while (left > pending.length) {
    parts.push(pending);
    left -= pending.length;
    const buffer = Buffer.alloc(1 << 16);
    let got = 0;
    try {
      got = fs.readSync(FROM, buffer);
    } catch (error) {
      got = 0;
    }
    if (got === 0) over();
    pending = buffer.subarray(0, got);
  }
  parts.push(pending.subarray(0, left));
  pending = pending.subarray(left);
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

function send(value) {
  const text = Buffer.from(stringify(value));
  const message = Buffer.concat([Buffer.from(`${text.length}\n`), text]);
  for (let done = 0; done < message.length;) {
    try {
      done += fs.writeSync(TO, message, done);
    } catch (error) {
      over();
    }
  }
}

let serving = false;

// The other side is gone.
function over() {
  if (!serving) say('gone');
  exit(serving ? 0 : 3);
}

// Converts a value to plain data. A list becomes one with 'l' before it, so that marks are unambiguous.
function pack(value) {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return ['n', Object.is(value, -0) ? '-0' : String(value)];
    case 'undefined':
      return ['u'];
    case 'bigint':
      return ['b', String(value)];
    case 'object':
      break;
    default:
      return ['q'];
  }
  if (value === null) return null;
  if (isArray(value)) return ['l', ...Array.from(value, pack)];
  if (value instanceof Map) return ['m', ...Array.from(value, ([key, item]) => [pack(key), pack(item)])];
  if (value instanceof Set) return ['s', ...Array.from(value, pack)];
  if (value instanceof Date) return ['d', Number(value)];
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return ['q'];
  const packed = {};
  for (const key of Object.keys(value)) {
    Object.defineProperty(packed, key, { value: pack(value[key]), enumerable: true });
  }
  return ['o', packed];
}

function unpack(value) {
  if (value === null || typeof value !== 'object') return value;
  const [mark, ...rest] = value;
  switch (mark) {
    case 'n': return Number(rest[0]);
    case 'u': return undefined;
    case 'b': return BigInt(rest[0]);
    case 'l': return rest.map(unpack);
    case 'm': return new Map(rest.map(([key, item]) => [unpack(key), unpack(item)]));
    case 's': return new Set(rest.map(unpack));
    case 'd': return new Date(rest[0]);
    case 'o': {
      const object = {};
      for (const key of Object.keys(rest[0])) {
        const item = { value: unpack(rest[0][key]), enumerable: true, writable: true, configurable: true };
        Object.defineProperty(object, key, item);
      }
      return object;
    }
    // Equal to nothing, and without content.
    default: return Symbol('not plain data');
  }
}

// The line of the first file in an error's stack trace.
function place(error, file) {
  const trace = String((error && error.stack) || '');
  const found = trace.match(new RegExp(`${file}:(\\d+)(?::(\\d+))?`));
  return found ? [Number(found[1]), Number(found[2] || 1)] : undefined;
}

function raise(error) {
  const name = error instanceof Error ? error.name : typeof error;
  let message = '';
  try {
    message = error instanceof Error ? error.message : String(error);
  } catch (unspeakable) {
    message = 'it cannot be shown';
  }
  // The contents of buffers do not count towards the engine's own limit.
  if (message === 'Array buffer allocation failed') {
    say('memory');
    exit(1);
  }
  const [line] = place(error, 'program\\.js') || [''];
  say(`raised\x01${name}\x01${line}\x01${message}`);
  exit(1);
}

function serve() {
  serving = true;
  process.on('uncaughtException', raise);
  try {
    require('./program.js');
  } catch (error) {
    raise(error);
  }
  const functions = global.assayFunctions;
  send('h');
  for (;;) {
    const [name, values] = receive();
    try {
      send(pack(functions[name](...values.map(unpack))));
    } catch (error) {
      raise(error);
    }
  }
}

function test() {
  const source = fs.readFileSync('tests.js', 'utf8').split('\n');
  global.assayAsk = (name, values) => {
    send([name, values.map(pack)]);
    came = unpack(receive());
    return came;
  };
  global.assayAssert = (right) => {
    if (!right) throw new Error('assertion failed');
  };
  read(0);
  receive();
  try {
    require('./tests.js');
  } catch (error) {
    const [line, column] = place(error, 'tests\\.js') || [0, 1];
    const failed = error instanceof Error && error.message === 'assertion failed';
    const shown = failed && line > 0 ? statement(source, line - 1, column - 1) : String(error);
    say(`wrong\x01${failed ? 'not true: ' : ''}${shown}\x01${written(came)}`);
    exit(1);
  }
  exit(0);
}

// The last answer, and its text for people.
let came;
const WRITTEN = { depth: 6, breakLength: Infinity, compact: true, maxArrayLength: 60, maxStringLength: 300 };
function written(value) {
  return require('util').inspect(value, WRITTEN).slice(0, 400).replace(/\x01/g, ' ');
}

// The call that starts at a position, without the name of the callee.
function statement(source, line, column) {
  const text = [source[line].slice(column), ...source.slice(line + 1, line + 12)].join('\n');
  const begin = text.indexOf('(');
  let open = 0;
  for (let at = begin; at >= 0 && at < text.length; at++) {
    if (text[at] === '(') open++;
    if (text[at] === ')' && --open === 0) return text.slice(begin + 1, at).replace(/\s+/g, ' ').trim();
  }
  return text.split('\n')[0];
}

if (process.argv[2] === 'serve') serve();
else test();

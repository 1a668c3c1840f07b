// A Raspberry Pi Pico by rp2040js, with its UART on a socket: node bridge.mjs SOCKET IMAGE [PINS]
//
// Virtual time follows the processor's cycles, and never runs ahead of real time: whoever is on the other end of the
// socket has the time that a real board would give. PINS is another socket: for every line that comes there, which may set
// things, `{"enable": false, "inputs": [0.5, 0.5]}`, it tells in one what the outputs show.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { Pico } from './pico.mjs';

const [socketPath, imagePath, pinsPath] = process.argv.slice(2);
const address = (path) => (/^\d+$/.test(path) ? Number(path) : path);

let connection = null;
let sent = [];
const pico = new Pico(readFileSync(imagePath), (byte) => sent.push(byte));
const began = process.hrtime.bigint();

function slice() {
  const ahead = pico.virtual - Number(process.hrtime.bigint() - began);
  if (ahead > 2e6) {
    setTimeout(slice, 1);
    return;
  }
  // Half a millisecond of the board, then the sockets' turn.
  pico.run(5e5);
  if (connection && sent.length) connection.write(Buffer.from(sent));
  sent = [];
  setImmediate(slice);
}

createServer((socket) => {
  connection = socket;
  socket.on('data', (data) => pico.wire.receive(data));
  // Another host may come; the plant goes on.
  socket.on('close', () => {
    connection = null;
    const { overruns, overwritten } = pico.wire;
    if (overruns + overwritten) console.error(`UART: ${overruns} bytes overrun, ${overwritten} overwritten`);
  });
  socket.on('error', () => (connection = null));
}).listen(address(socketPath), slice);

if (pinsPath) {
  createServer((socket) => {
    socket.on('error', () => {});
    createInterface({ input: socket }).on('line', (line) => {
      const { enable, inputs } = line ? JSON.parse(line) : {};
      if (enable !== undefined) pico.enable(enable);
      if (inputs) pico.inputs(inputs);
      socket.write(JSON.stringify({ outputs: pico.outputs(), resets: pico.resets }) + '\n');
    });
  }).listen(address(pinsPath));
}

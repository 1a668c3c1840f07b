// A Raspberry Pi Pico by rp2040js, with its UART on a socket: node bridge.mjs SOCKET IMAGE
//
// Virtual time follows the processor's cycles, and never runs ahead of real time: whoever is on the other end of the
// socket has the time that a real board would give.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { ConsoleLogger, LogLevel, Simulator } from 'rp2040js';

const [socketPath, imagePath] = process.argv.slice(2);
const FLASH = 0x10000000;
const VECTORS = FLASH + 0x100;
const NANOSECONDS_A_CYCLE = 1e9 / 125e6;

const simulator = new Simulator();
const chip = simulator.rp2040;
const uart = chip.uart[0];
chip.logger = new ConsoleLogger(LogLevel.Error, true);

// Copies what the image loads into flash there, and starts behind the boot loader, which needs the ROM.
const image = readFileSync(imagePath);
const headers = { at: image.readUInt32LE(28), size: image.readUInt16LE(42), count: image.readUInt16LE(44) };
for (let k = 0; k < headers.count; k++) {
  const header = headers.at + k * headers.size;
  const [kind, offset, address, length] = [0, 4, 12, 16].map((field) => image.readUInt32LE(header + field));
  if (kind === 1 && length > 0 && address >= FLASH && address < FLASH + chip.flash.length) {
    chip.flash.set(image.subarray(offset, offset + length), address - FLASH);
  }
}
chip.core.VTOR = VECTORS;
chip.core.reset();
chip.onBreak = (code) => {
  console.error(`the firmware stopped at a breakpoint (${code})`);
  process.exit(101);
};

let connection = null;
let received = [];
let sent = [];
uart.onByte = (byte) => sent.push(byte);

let virtual = 0; // ns
const began = process.hrtime.bigint();
let host = 0; // bytes of `received` that the UART has taken

function slice() {
  const ahead = virtual - Number(process.hrtime.bigint() - began);
  if (ahead > 2e6) {
    setTimeout(slice, 1);
    return;
  }
  // Half a millisecond of the board, then the socket's turn.
  const until = virtual + 5e5;
  while (virtual < until) {
    if (host < received.length && uart.enabled && !uart.rxFIFO.full) uart.feedByte(received[host++]);
    // An instruction also where SysTick is due: that is what ends the sleep.
    const asleep = chip.core.waiting && !chip.core.interruptsUpdated;
    const step = asleep
      ? Math.max(simulator.clock.nanosToNextAlarm, NANOSECONDS_A_CYCLE)
      : chip.core.executeInstruction() * NANOSECONDS_A_CYCLE;
    simulator.clock.tick(step);
    virtual += step;
  }
  if (host > 65536) {
    received = received.slice(host);
    host = 0;
  }
  if (connection && sent.length) connection.write(Buffer.from(sent));
  sent = [];
  setImmediate(slice);
}

createServer((socket) => {
  connection = socket;
  socket.on('data', (data) => received.push(...data));
  // Another host may come; the plant goes on.
  socket.on('close', () => (connection = null));
  socket.on('error', () => (connection = null));
}).listen(socketPath, slice);

// Counts the cycles of a function: `node cycles.mjs IMAGE ENTRY COUNT` runs an image that is linked for the Pico's flash without a boot loader, and
// prints the instructions and cycles of the first COUNT calls of the function at ENTRY. The flash answers at once.
import { readFileSync } from 'node:fs';
import { ConsoleLogger, LogLevel, Simulator } from 'rp2040js';

const FLASH = 0x10000000;
const NANOSECONDS_A_CYCLE = 1e9 / 125e6;
const SEMIHOSTING = 0xab;

const [file, entry, count] = process.argv.slice(2);
const image = readFileSync(file);
const simulator = new Simulator();
const { rp2040: chip, clock } = simulator;
chip.logger = new ConsoleLogger(LogLevel.Error, true);

const headers = { at: image.readUInt32LE(28), size: image.readUInt16LE(42), count: image.readUInt16LE(44) };
for (let k = 0; k < headers.count; k++) {
  const header = headers.at + k * headers.size;
  const [kind, offset, address, length] = [0, 4, 12, 16].map((field) => image.readUInt32LE(header + field));
  if (kind === 1 && length > 0 && address >= FLASH && address < FLASH + chip.flash.length) {
    chip.flash.set(image.subarray(offset, offset + length), address - FLASH);
  }
}
chip.core.VTOR = FLASH;
chip.core.reset();

// The image's log and its argument are of no interest here; what it asks for succeeds, or is not there.
chip.onBreak = (code) => {
  const { registers } = chip.core;
  const request = registers[0];
  const exits = request === 0x18 || request === 0x20;
  if (code !== SEMIHOSTING || exits) {
    console.error('the image ended before that many calls');
    process.exit(1);
  }
  const answers = { 0x01: 1, 0x05: 0 };
  registers[0] = answers[request] ?? -1;
};

let calls = 0;
let inside = null;
while (calls < Number(count)) {
  const { core } = chip;
  const at = core.PC;
  if (inside === null && at === Number(entry)) {
    inside = { back: (core.LR & ~1) >>> 0, instructions: 0, cycles: 0 };
  } else if (inside !== null && at === inside.back) {
    console.log(`${inside.instructions} ${inside.cycles}`);
    inside = null;
    calls++;
  }
  const cycles = core.executeInstruction();
  clock.tick(cycles * NANOSECONDS_A_CYCLE);
  if (inside !== null) {
    inside.instructions++;
    inside.cycles += cycles;
  }
}

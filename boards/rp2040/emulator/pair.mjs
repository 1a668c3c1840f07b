// Two Picos wired pin to pin: node pair.mjs SOCKET PLANT CONTROLLER REPORT
//
// The controller's pulses go to the plant, the tracks of the plant's encoder to the controller. SOCKET is the plant's UART. When the host
// leaves, REPORT gets what was seen at the pins, by an observer that knows nothing of either firmware.
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Pico, together } from './pico.mjs';
import { Pios } from './pio.mjs';

const [socketPath, plantPath, controllerPath, reportPath] = process.argv.slice(2);
const address = (path) => (/^\d+$/.test(path) ? Number(path) : path);

// The same numbers on both boards.
const PULSES = 16;
const TRACKS = [6, 7];
const PERIOD = 14;
const ORDER = [0, 1, 3, 2]; // levels of the tracks, upwards

// Periods: for how many cycles the pulses were high in each, and the plant's encoder at its end.
const report = { periods: [], edges: 0, impossible: 0, closest: 1e9, changes: 0, latched: [1e9, 0], sampled: [1e9, 0] };
let [high, since, on] = [false, 0, 0];
let [levels, position, last] = [0, 0, -Infinity];

function pulse(level, cycle) {
  if (high) on += cycle - since;
  if (level !== high) report.changes++;
  [high, since] = [level, cycle];
}

function track(number, level, cycle) {
  const before = ORDER.indexOf(levels);
  levels = level ? levels | (1 << number) : levels & ~(1 << number);
  const step = (ORDER.indexOf(levels) - before + 4) % 4;
  if (step === 0) return;
  if (step === 2) report.impossible++;
  position += step === 3 ? -1 : 1;
  report.edges++;
  report.closest = Math.min(report.closest, cycle - last);
  last = cycle;
}

let [connection, sent, told] = [null, [], []];
const pios = new Pios();
const plant = new Pico(readFileSync(plantPath), (byte) => sent.push(byte), pios);
// The controller tells, at the end of each of its turns, what it has counted: four bytes.
const controller = new Pico(readFileSync(controllerPath), (byte) => told.push(byte), pios);
controller.wires.push({ from: PULSES, to: plant, at: PULSES });
TRACKS.forEach((pin) => plant.wires.push({ from: pin, to: controller, at: pin }));
controller.seen = (pin, level, cycle) => pin === PULSES && pulse(level, cycle);
plant.seen = (pin, level, cycle) => {
  if (TRACKS.includes(pin)) track(TRACKS.indexOf(pin), level, cycle);
  if (pin !== PERIOD || !level) return;
  pulse(high, cycle);
  const count = told.length >= 4 ? Buffer.from(told.slice(told.length - (told.length % 4) - 4)).readInt32LE(0) : 0;
  report.periods.push({ cycle, on, position, count });
  on = 0;
};

// When the plant's outputs change, and when its converter starts, in cycles since the period began.
function sincePeriod(span) {
  const [before] = report.periods.slice(-1);
  if (report.periods.length < 3) return;
  const cycles = pios.now(plant.chip) - before.cycle;
  [span[0], span[1]] = [Math.min(span[0], cycles), Math.max(span[1], cycles)];
}
const COMPARE = 0x0c;
for (const slice of plant.chip.pwm.channels.slice(1, 3)) {
  const write = slice.writeRegister.bind(slice);
  slice.writeRegister = (offset, value) => {
    write(offset, value);
    if (offset === COMPARE) sincePeriod(report.latched);
  };
}
const convert = plant.chip.adc.onADCRead;
plant.chip.adc.onADCRead = (channel) => {
  sincePeriod(report.sampled);
  convert(channel);
};
const began = process.hrtime.bigint();

function slice() {
  if (plant.virtual - Number(process.hrtime.bigint() - began) > 2e6) {
    setTimeout(slice, 1);
    return;
  }
  together(plant, controller, 5e5);
  if (connection && sent.length) connection.write(Buffer.from(sent));
  sent = [];
  setImmediate(slice);
}

createServer((socket) => {
  connection = socket;
  socket.on('data', (data) => plant.wire.receive(data));
  socket.on('close', () => {
    report.turns = told.length >> 2;
    report.overruns = plant.wire.overruns + plant.wire.overwritten;
    writeFileSync(reportPath, JSON.stringify(report));
    process.exit(0);
  });
  socket.on('error', () => {});
}).listen(address(socketPath), slice);

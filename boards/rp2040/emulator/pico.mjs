// A Pico with an image in its flash. Beyond rp2040js: a watchdog that resets, faults, a memory that ends, pins with something on them, a
// PIO that keeps time, and requests for DMA that are for one transfer each.
import { ConsoleLogger, GPIOPinState, LogLevel, Simulator } from 'rp2040js';
import { Pios } from './pio.mjs';
import { Wire } from './uart.mjs';

const FLASH = 0x10000000;
const VECTORS = FLASH + 0x100;
const RAM = 0x20000000;
const CYCLE = 8; // ns, at 125 MHz
const HARD_FAULT = 3;
const WATCHDOG = 0x40058;
const ENABLE = 22;
const FIRST_SLICE = 1;
const DIVIDER = 4; // the offset of a slice's divider
const WRAPPED = 24; // what the first slice of the PWM asks the DMA by

export class Pico {
  // `send` gets every byte that the UART sends. Chips that are wired to each other share `pios`.
  constructor(image, send, pios = new Pios()) {
    Object.assign(this, { image, send, pios });
    this.virtual = 0; // ns
    this.resets = 0;
    this.enabled = true;
    // The middle of the swing, as a controller at rest would give.
    this.analogue = [0.5, 0.5, 0.5, 0.5];
    this.wires = []; // { from, to: Pico, pin }
    this.levels = new Map(); // what stands at inputs
    this.seen = () => {}; // told every edge that the chip drives: pin, level, cycle
    this.boot();
  }

  // A chip that comes out of its reset. The watchdog's notes survive one that it has made itself.
  boot(watchdog) {
    if (this.chip) this.pios.remove(this.chip);
    this.simulator = new Simulator();
    const chip = (this.chip = this.simulator.rp2040);
    chip.origin = this.virtual / CYCLE; // when its clock began
    chip.logger = new ConsoleLogger(LogLevel.Error, true);
    this.load();
    chip.core.VTOR = VECTORS;
    chip.core.reset();
    // A reset of one core leaves the locks to whoever held them.
    chip.sio.spinLock = -1;
    chip.onBreak = (code) => this.broken(code);
    this.wire = new Wire(chip, chip.uart[0], this.send);
    const dog = chip.peripherals[WATCHDOG];
    if (watchdog) {
      dog.scratchData.set(watchdog.scratchData);
      dog.reason = watchdog.reason;
    }
    dog.onWatchdogTrigger = () => {
      this.bitten = dog;
      // A timer that stands at zero would trigger for ever.
      dog.timer.enable = false;
      dog.alarm.enable = false;
    };
    this.bitten = null;
    this.locked = false;
    this.guard();
    this.pulses();
    this.pios.add(chip);
    chip.gpio.forEach((pin, k) => pin.addListener((state) => this.drives(k, state)));
    this.enable(this.enabled);
    this.levels.forEach((level, pin) => chip.gpio[pin].setInputValue(level));
    this.inputs(this.analogue);
  }

  // Copies what the image loads into flash there, and starts behind the boot loader, which needs the ROM.
  load() {
    const { image, chip } = this;
    const headers = { at: image.readUInt32LE(28), size: image.readUInt16LE(42), count: image.readUInt16LE(44) };
    for (let k = 0; k < headers.count; k++) {
      const header = headers.at + k * headers.size;
      const [kind, offset, address, length] = [0, 4, 12, 16].map((field) => image.readUInt32LE(header + field));
      if (kind === 1 && length > 0 && address >= FLASH && address < FLASH + chip.flash.length) {
        chip.flash.set(image.subarray(offset, offset + length), address - FLASH);
      }
    }
  }

  // Below the RAM there is nothing. Who writes there with the stack pointer cannot even enter the fault's handler: the core locks up.
  guard() {
    const { chip } = this;
    for (const name of ['writeUint8', 'writeUint16', 'writeUint32']) {
      const write = chip[name].bind(chip);
      chip[name] = (address, value) => {
        const at = address >>> 0;
        if (at >= RAM - 0x100000 && at < RAM) this.locked = true;
        else write(address, value);
      };
    }
  }

  // A slice counts whole ticks, and one that wraps around asks the DMA for one transfer, and not for as many as it likes.
  pulses() {
    const { pwm, dma, clock } = this.chip;
    for (const channel of pwm.channels) {
      const { timer } = channel;
      // A divider does not start a counter.
      const write = channel.writeRegister.bind(channel);
      channel.writeRegister = (offset, value) => {
        write(offset, value);
        if (offset === DIVIDER) channel.updateEnable();
      };
      // A counter that rounds would be at zero before it has wrapped around.
      const ticks = () => ((clock.nanos - timer.baseNanos) / 1e9) * (timer.baseFreq / timer.prescalerValue);
      const counted = () => Math.floor(timer.baseValue + (timer.enabled ? ticks() : 0) + 1e-6);
      Object.defineProperty(timer, 'rawCounter', { get: () => counted() % (timer.topValue + 1) });
    }
    const wrapped = pwm.channelInterrupt.bind(pwm);
    pwm.channelInterrupt = (index) => {
      wrapped(index);
      dma.clearDREQ(WRAPPED + index);
    };
  }

  // A pin that is driven is seen by the chip itself, and by whoever is wired to it.
  drives(pin, state) {
    if (state !== GPIOPinState.Low && state !== GPIOPinState.High) return;
    const [level, cycle] = [state === GPIOPinState.High, this.pios.now(this.chip)];
    this.pios.input(this.chip, pin, level, cycle);
    this.seen(pin, level, cycle);
    for (const { from, to, at } of this.wires) {
      if (from !== pin) continue;
      to.levels.set(at, level);
      to.pios.input(to.chip, at, level, cycle);
    }
  }

  // An undefined instruction is a fault, a breakpoint without a debugger is the end.
  broken(code) {
    const { core } = this.chip;
    if (this.chip.readUint16(core.PC - 2) >> 8 === 0xde) {
      core.exceptionEntry(HARD_FAULT);
      return;
    }
    console.error(`the firmware stopped at a breakpoint (${code})`);
    process.exit(101);
  }

  get asleep() {
    const { core } = this.chip;
    // An instruction also where SysTick is due: that is what ends the sleep.
    return this.locked || (core.waiting && !core.interruptsUpdated);
  }

  // When a sleeping chip has something to do of its own, in ns.
  get alarm() {
    return this.virtual + Math.max(this.simulator.clock.nanosToNextAlarm, CYCLE);
  }

  // One instruction, or some sleep, though not beyond this time.
  step(limit) {
    let step = CYCLE;
    if (!this.asleep) step = this.chip.core.executeInstruction() * CYCLE;
    else {
      const until = Math.min(this.alarm, limit, this.pios.next() * CYCLE);
      step = Math.max(Math.ceil((until - this.virtual) / CYCLE), 1) * CYCLE;
    }
    this.simulator.clock.tick(step);
    this.virtual += step;
    if (this.bitten) {
      this.resets++;
      this.boot(this.bitten);
    }
  }

  // Lets so many nanoseconds pass.
  run(nanoseconds) {
    const until = this.virtual + nanoseconds;
    while (this.virtual < until) {
      this.step(Infinity);
      this.pios.advance(this.virtual / CYCLE);
    }
  }

  // What the outputs show, as parts of their swing; null where the pin is not driven.
  outputs() {
    const { pwm } = this.chip;
    return [0, 1, 2, 3].map((k) => {
      const slice = pwm.channels[FIRST_SLICE + (k >> 1)];
      const on = slice.csr & 1;
      return on ? (k % 2 ? slice.alarmB.target : slice.alarmA.target) / slice.timer.top : null;
    });
  }

  inputs(parts) {
    this.analogue = parts;
    parts.forEach((part, k) => (this.chip.adc.channelValues[k] = Math.round(4095 * part)));
  }

  enable(on) {
    this.enabled = on;
    this.chip.gpio[ENABLE].setInputValue(on);
  }
}

// Two of them, in step to the instruction: lets so many nanoseconds pass.
export function together(one, other, nanoseconds) {
  const until = one.virtual + nanoseconds;
  while (one.virtual < until || other.virtual < until) {
    const [behind, ahead] = one.virtual <= other.virtual ? [one, other] : [other, one];
    behind.step(ahead.asleep ? ahead.alarm : ahead.virtual + CYCLE);
    behind.pios.advance(Math.min(one.virtual, other.virtual) / CYCLE);
  }
}

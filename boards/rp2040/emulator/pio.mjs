// The PIO of one or more chips, by the clock. rp2040js runs it beside the clock: as fast as the machine lets it, without delays, and machines
// that were never started, too. Here an instruction takes its cycle and its delay, an input is seen two cycles late, as behind the chip's
// synchroniser, and the machines of chips that are wired to each other act in the order of time.
const CTRL = 0;
const SYNCHRONISER = 2; // cycles
const NEVER = Infinity;

// What a JMP jumps on.
const ON_X = 0b010;
const ON_PIN = 0b110;
const jump = (opcode) => (opcode >> 13 === 0 ? (opcode >> 5) & 7 : -1);
const plain = (opcode) => ((opcode >> 8) & 0x1f) === 0; // neither delay nor side-set

export class Pios {
  constructor() {
    this.at = 0; // the cycle that everything was done before
    this.machines = [];
    this.events = []; // changes of inputs, in the order of time: { cycle, chip, pin, level }
    this.acting = false;
  }

  // Takes over the PIO of a chip.
  add(chip) {
    for (const pio of chip.pio) {
      pio.run = () => {};
      const write = pio.writeUint32.bind(pio);
      pio.writeUint32 = (offset, value) => {
        const before = pio.machines.map((machine) => machine.enabled);
        write(offset, value);
        if (offset === CTRL) pio.machines.forEach((machine, k) => before[k] || this.start(machine, chip));
      };
      for (const machine of pio.machines) {
        Object.assign(machine, { wake: NEVER, polling: -1, chip });
        const feed = machine.writeFIFO.bind(machine);
        machine.writeFIFO = (value) => this.resume(machine, () => feed(value), this.now(chip));
        const take = machine.readFIFO.bind(machine);
        machine.readFIFO = () => this.resume(machine, take, this.now(chip));
        this.machines.push(machine);
      }
    }
  }

  // A chip that is reset has other machines.
  remove(chip) {
    this.machines = this.machines.filter((machine) => machine.chip !== chip);
    this.events = this.events.filter((event) => event.chip !== chip);
  }

  // The cycle that a chip is at, or that its PIO is at if that is what acts.
  now(chip) {
    return this.acting ? this.at : Math.max(this.at, chip.origin + Math.round(chip.clock.nanos / 8));
  }

  start(machine, chip) {
    if (machine.enabled) machine.wake = this.now(chip) + 1;
  }

  // Does something that may end a machine's waiting.
  resume(machine, action, cycle) {
    const [waited, before] = [machine.waiting, machine.cycles];
    const value = action();
    if (waited && !machine.waiting && machine.enabled) machine.wake = cycle + 1 + machine.cycles - before;
    return value;
  }

  // An input of a chip changes in this cycle.
  input(chip, pin, level, cycle) {
    const event = { cycle: cycle + SYNCHRONISER, chip, pin, level };
    let k = this.events.length;
    while (k > 0 && this.events[k - 1].cycle > event.cycle) k--;
    this.events.splice(k, 0, event);
  }

  apply({ chip, pin, level, cycle }) {
    for (const machine of this.machines) {
      // Whoever asks for this pin every other cycle asks next when it has changed.
      if (machine.polling >= 0 && machine.chip === chip && machine.jmpPin === pin) {
        this.stopPolling(machine, cycle);
      }
    }
    const waited = this.machines.filter((machine) => machine.waiting && machine.chip === chip);
    const before = waited.map((machine) => machine.cycles);
    chip.gpio[pin].setInputValue(level);
    waited.forEach((machine, k) => {
      if (!machine.waiting && machine.enabled) machine.wake = cycle + 1 + machine.cycles - before[k];
    });
  }

  // The next cycle in which something happens that is known by now.
  next() {
    let next = this.events.length ? this.events[0].cycle : NEVER;
    for (const { wake } of this.machines) if (wake < next) next = wake;
    return next;
  }

  // Lets everything happen before this cycle.
  advance(until) {
    this.acting = true;
    for (;;) {
      const next = this.next();
      if (next >= until) break;
      this.at = next;
      if (this.events.length && this.events[0].cycle <= next) {
        this.apply(this.events.shift());
        continue;
      }
      for (const machine of this.machines) if (machine.wake <= next) this.step(machine);
    }
    this.at = Math.max(this.at, until);
    this.acting = false;
  }

  // One instruction, or a loop of them that nothing can end before an event.
  step(machine) {
    if (!machine.enabled) {
      machine.wake = NEVER;
      return;
    }
    if (machine.polling >= 0) this.stopPolling(machine, this.at);
    if (machine.clockDivFrac) throw new Error('a machine with a part of a cycle in its divider');
    const { instructions } = machine.pio;
    const [pc, opcode] = [machine.pc, instructions[machine.pc]];
    const whole = machine.clockDivInt === 1;
    if (whole && jump(opcode) === ON_X && (opcode & 0x1f) === pc && plain(opcode)) {
      machine.wake = this.at + machine.x + 1;
      machine.x = 0xffffffff;
      machine.nextPC();
      return;
    }
    if (whole && jump(opcode) === ON_PIN && plain(opcode)) {
      const next = instructions[machine.jmpCondition(ON_PIN) ? opcode & 0x1f : pc + 1];
      if (jump(next) === ON_X && (next & 0x1f) === pc && plain(next) && machine.x > 0) {
        machine.polling = this.at;
        machine.wake = this.at + 2 * machine.x; // where the count ends
        return;
      }
    }
    const before = machine.cycles;
    machine.updatePC = true;
    machine.executeInstruction(instructions[machine.pc]);
    if (machine.updatePC) machine.nextPC();
    const divider = machine.clockDivInt || 65536;
    machine.wake = machine.waiting ? NEVER : this.at + (machine.cycles - before) * divider;
    machine.pio.checkChangedPins();
  }

  // A loop of two cycles, `jmp pin` and `jmp x--`, has gone on until this cycle.
  stopPolling(machine, cycle) {
    const rounds = Math.ceil((cycle - machine.polling) / 2);
    machine.wake = machine.polling + 2 * rounds;
    machine.x -= rounds;
    machine.polling = -1;
  }
}

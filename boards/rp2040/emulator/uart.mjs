// The chip's UART at its baud rate. rp2040js sends and takes bytes in no time and knows no full transmitter; here a byte takes its ten
// bits, both FIFOs hold 32 of them, what finds the receiver full is lost, and both sides ask the DMA.
const DR = 0x00;
const FR = 0x18;
const CR = 0x30;
const ROOM = 32;
const FLAG = { busy: 1 << 3, rxEmpty: 1 << 4, txFull: 1 << 5, rxFull: 1 << 6, txEmpty: 1 << 7 };

export class Wire {
  // `send` gets every byte when its last bit has left the chip.
  constructor(chip, uart, send) {
    Object.assign(this, { chip, uart, send });
    this.incoming = []; // bytes on their way to the chip
    this.next = 0; // the first of them that is not there yet
    this.outgoing = []; // the transmitter's FIFO
    this.shifting = null; // the byte that is being sent
    this.overruns = 0; // bytes that found the receiver full
    this.overwritten = 0; // bytes that found the transmitter full
    this.arrival = chip.clock.createAlarm(() => this.arrive());
    this.departure = chip.clock.createAlarm(() => this.depart());
    this.listening = false;
    const [read, write] = [uart.readUint32.bind(uart), uart.writeUint32.bind(uart)];
    uart.readUint32 = (offset) => (offset === FR ? this.flags() : this.read(offset, read));
    uart.writeUint32 = (offset, value) => (offset === DR ? this.transmit(value & 0xff) : this.write(offset, value, write));
  }

  byteTime() {
    return 1e10 / this.uart.baudRate; // ns
  }

  flags() {
    const { rxFIFO } = this.uart;
    const idle = this.shifting === null;
    return (
      (rxFIFO.full ? FLAG.rxFull : 0) |
      (rxFIFO.empty ? FLAG.rxEmpty : 0) |
      (this.outgoing.length >= ROOM ? FLAG.txFull : 0) |
      (this.outgoing.length === 0 ? FLAG.txEmpty : 0) |
      (idle ? 0 : FLAG.busy)
    );
  }

  read(offset, plain) {
    const value = plain(offset);
    if (offset === DR && this.uart.rxFIFO.empty) this.chip.dma.clearDREQ(this.uart.dreq.rx);
    return value;
  }

  write(offset, value, plain) {
    plain(offset, value);
    if (offset === CR && this.incoming.length > this.next) this.listen();
  }

  // Bytes from the host, which follow one another without a gap.
  receive(bytes) {
    for (const byte of bytes) this.incoming.push(byte);
    this.listen();
  }

  listen() {
    if (this.listening || !this.uart.enabled) return;
    this.listening = true;
    this.arrival.schedule(this.byteTime());
  }

  arrive() {
    const { uart, chip } = this;
    const byte = this.incoming[this.next++];
    if (this.next === this.incoming.length || this.next > 65536) {
      this.incoming = this.incoming.slice(this.next);
      this.next = 0;
    }
    this.listening = false;
    if (uart.rxFIFO.full) {
      this.overruns++;
    } else {
      uart.feedByte(byte);
      chip.dma.setDREQ(uart.dreq.rx);
    }
    if (this.incoming.length > this.next) this.listen();
  }

  transmit(byte) {
    if (this.shifting === null) {
      this.shift(byte);
    } else if (this.outgoing.length < ROOM) {
      this.outgoing.push(byte);
      if (this.outgoing.length === ROOM) this.chip.dma.clearDREQ(this.uart.dreq.tx);
    } else {
      this.overwritten++;
    }
  }

  shift(byte) {
    this.shifting = byte;
    this.departure.schedule(this.byteTime());
  }

  depart() {
    this.send(this.shifting);
    this.shifting = null;
    if (this.outgoing.length > 0) this.shift(this.outgoing.shift());
    this.chip.dma.setDREQ(this.uart.dreq.tx);
  }
}

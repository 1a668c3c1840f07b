//! A controller's pulses at an input, captured by PIO to the cycle: two state machines look at the pin in turns, one in every even cycle and
//! the other in every odd one, and write down when it changed. They begin to count when the first period begins.
//!
//! A pulse must last 6 cycles (48 ns), and a period must not have more than 256 edges: of shorter ones the time is wrong, and of more edges
//! only the level is known.
#![allow(unsafe_code)] // The second use of an installed program, and the ring that DMA writes.

use crate::dma::{self, ASKED_BY_PIO0_RX0, CAPTURES, Job};
use crate::tempo;
use core::sync::atomic::{AtomicU32, Ordering};
use pio::{InstructionOperands, JmpCondition, SetDestination, pio_asm};
use rp2040_hal::pac::{PIO0, RESETS};
use rp2040_hal::pio::{
    InstalledProgram, PIOBuilder, PIOExt, ShiftDirection, StateMachineIndex, UninitStateMachine,
};
use stiffstep::hil::{Edge, Pulses};

/// Edges that may wait, as bytes and as a power of two, and as words.
const RING_BITS: u8 = 10;
const ROOM: u32 = 1 << (RING_BITS - 2);

/// As many transfers as a channel can count, and a multiple of the ring's size: where they end, the ring begins again.
const FOR_LONG: u32 = u32::MAX - (ROOM - 1);

#[repr(C, align(1024))]
struct Ring([AtomicU32; ROOM as usize]);

static RINGS: [[Ring; 2]; 2] =
    [const { [const { Ring([const { AtomicU32::new(0) }; ROOM as usize]) }; 2] }; 2];

/// Where the state machines start: the second one is a cycle late.
const ENTRIES: [u8; 2] = [2, 0];

/// An input that is captured.
pub struct Capture {
    number: usize,
    pin: u8,
    /// Words taken from either ring.
    taken: [u32; 2],
    pulses: Pulses,
    /// The mean of the last period.
    mean: f32,
}

/// Starts to capture the edges at up to two pins, from the first period on.
pub fn start(
    pio: PIO0,
    resets: &mut RESETS,
    pins: [Option<u8>; 2],
) -> Option<[Option<Capture>; 2]> {
    let (mut pio, first, second, third, fourth) = pio.split(resets);
    // Every way through takes two cycles for each count of x. A jump on x falls through where x was 0: either to where it would have jumped, or
    // to a second count that takes the cycles of two.
    let program = pio_asm!(
        "    wait 1 gpio 14"
        "    jmp low"
        "    wait 1 gpio 14"
        "low:"
        "    jmp pin rise"
        "    jmp x-- low"
        "    jmp x-- low [1]"
        "rise:"
        "    in x, 31"
        "    in y, 1"
        "    jmp x-- rise1"
        "rise1:"
        "    jmp x-- rise2"
        "rise2:"
        "    jmp x-- high"
        "high:"
        "    jmp pin stay"
        "    in x, 31"
        "    in null, 1"
        "    jmp x-- fall1"
        "fall1:"
        "    jmp x-- fall2"
        "fall2:"
        "    jmp x-- low"
        "    jmp x-- low [1]"
        "stay:"
        "    jmp x-- high"
        "    jmp x-- high [1]"
    );
    const { assert!(tempo::PIN == 14, "the program waits for that pin") };
    let installed = pio.install(&program.program).ok()?;
    if let Some(pin) = pins[0] {
        // SAFETY: the program stays where it is.
        watch(unsafe { installed.share() }, first, pin, ENTRIES[0]);
        watch(unsafe { installed.share() }, second, pin, ENTRIES[1]);
    }
    if let Some(pin) = pins[1] {
        // SAFETY: as above.
        watch(unsafe { installed.share() }, third, pin, ENTRIES[0]);
        watch(unsafe { installed.share() }, fourth, pin, ENTRIES[1]);
    }
    let capture = |number: usize| pins[number].map(|pin| Capture::new(number, pin));
    Some([capture(0), capture(1)])
}

/// Has a state machine write down the edges at a pin.
fn watch<SM: StateMachineIndex>(
    program: InstalledProgram<PIO0>,
    machine: UninitStateMachine<(PIO0, SM)>,
    pin: u8,
    entry: u8,
) {
    let offset = program.offset();
    let (mut machine, _, _) = PIOBuilder::from_installed_program(program)
        .jmp_pin(pin)
        .in_shift_direction(ShiftDirection::Left)
        .autopush(true)
        .build(machine);
    let set = |destination, data| InstructionOperands::SET { destination, data };
    for operands in [
        set(SetDestination::X, 0),
        set(SetDestination::Y, 1),
        InstructionOperands::JMP {
            condition: JmpCondition::Always,
            address: offset + entry,
        },
    ] {
        machine.exec_instruction(pio::Instruction {
            operands,
            delay: 0,
            side_set: None,
        });
    }
    machine.start();
}

impl Capture {
    fn new(number: usize, pin: u8) -> Self {
        let capture = Capture {
            number,
            pin,
            taken: [0; 2],
            pulses: Pulses::new(false, 0),
            mean: 0.0,
        };
        capture.listen(0);
        capture.listen(1);
        capture
    }

    /// Has the edges of a state machine written to its ring, from the ring's beginning.
    fn listen(&self, machine: usize) {
        let index = 2 * self.number + machine;
        let fifo = PIO0::ptr() as u32 + 0x20 + 4 * index as u32;
        let job = Job {
            count: FOR_LONG,
            writes_on: true,
            ring: RING_BITS,
            ..Job::word(
                fifo,
                RINGS[self.number][machine].0.as_ptr() as u32,
                ASKED_BY_PIO0_RX0 + index as u8,
            )
        };
        job.start(CAPTURES[self.number][machine]);
    }

    /// The oldest edge that a state machine saw and nobody took.
    fn peek(&self, machine: usize) -> Option<Edge> {
        let left = dma::channel(CAPTURES[self.number][machine]).ch_trans_count();
        let waiting = (FOR_LONG - left.read().bits()).wrapping_sub(self.taken[machine]);
        let place = (self.taken[machine] % ROOM) as usize;
        let word = RINGS[self.number][machine].0[place].load(Ordering::Relaxed);
        // The count goes down by one in two cycles, and begins in the first cycle of the first period, or in the second one.
        (waiting > 0).then(|| Edge {
            at: (machine as u32 + 1).wrapping_sub(word & !1),
            high: word & 1 != 0,
        })
    }

    /// The next edge before this tick.
    fn next(&mut self, end: u32) -> Option<Edge> {
        let (even, odd) = (self.peek(0), self.peek(1));
        let (even, odd) = (
            even.filter(|e| e.before(end)),
            odd.filter(|e| e.before(end)),
        );
        let (Some(one), Some(other)) = (even, odd) else {
            // The other one sees an edge of the last cycle a cycle later.
            self.taken[0] = self.taken[0].wrapping_add(u32::from(even.is_some()));
            self.taken[1] = self.taken[1].wrapping_add(u32::from(odd.is_some()));
            return even.or(odd);
        };
        let (earlier, apart) = if one.before(other.at) {
            (one, other.at.wrapping_sub(one.at))
        } else {
            (other, one.at.wrapping_sub(other.at))
        };
        // The same edge, unless it is one of a pulse so short that only one of them saw it.
        let same = one.high == other.high && apart <= 1;
        let first = earlier.at == one.at;
        self.taken[0] = self.taken[0].wrapping_add(u32::from(same || first));
        self.taken[1] = self.taken[1].wrapping_add(u32::from(same || !first));
        Some(earlier)
    }

    /// Whether edges were written over before anybody took them, or a channel has come to its end. Both begin anew.
    fn lost(&mut self) -> bool {
        let mut lost = false;
        for machine in [0, 1] {
            let number = CAPTURES[self.number][machine];
            if !dma::busy(number) {
                self.taken[machine] = 0;
                self.listen(machine);
            }
            let left = dma::channel(number).ch_trans_count().read().bits();
            let delivered = FOR_LONG - left;
            if delivered.wrapping_sub(self.taken[machine]) > ROOM {
                self.taken[machine] = delivered;
                lost = true;
            }
        }
        lost
    }

    /// The part of the time for which the signal was high, from the last call up to this tick, which lies in the past.
    pub fn until(&mut self, end: u32) -> f32 {
        if self.lost() {
            self.pulses = Pulses::new(level(self.pin), end);
            return self.mean;
        }
        while let Some(edge) = self.next(end) {
            self.pulses.take(edge);
        }
        self.mean = self.pulses.end(end);
        self.mean
    }
}

/// What stands at a pin.
pub fn level(pin: u8) -> bool {
    // SAFETY: reading changes nothing.
    let inputs = unsafe { &*rp2040_hal::pac::SIO::ptr() }.gpio_in();
    inputs.read().bits() & (1 << pin) != 0
}

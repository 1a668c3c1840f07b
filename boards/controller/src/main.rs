//! A speed controller as one writes it for a motor: PWM at 20 kHz out at GP16, an encoder in at GP6 and GP7, a loop at 2 kHz. It does not
//! know that its motor is a board. GP0 tells what the encoder has counted, four bytes in every turn of the loop.
#![no_std]
#![no_main]

use embedded_hal::pwm::SetDutyCycle;
use panic_halt as _;
use pio::{Instruction, InstructionOperands, JmpCondition, SetDestination, pio_asm};
use rp2040_hal::clocks::init_clocks_and_plls;
use rp2040_hal::fugit::RateExtU32;
use rp2040_hal::pio::{PIOBuilder, PIOExt, Rx, SM0, ShiftDirection};
use rp2040_hal::pwm::Slices;
use rp2040_hal::uart::{DataBits, StopBits, UartConfig, UartPeripheral};
use rp2040_hal::{Clock, Sio, Watchdog, gpio, pac};

/// Starts the chip from the Pico's flash.
#[allow(unsafe_code)] // The linker script wants it there.
#[unsafe(link_section = ".boot2")]
#[used]
static BOOT2: [u8; 256] = rp2040_boot2::BOOT_LOADER_W25Q080;

/// 20 kHz at 125 MHz, and turns of the PWM for one of the loop.
const TOP: u16 = 6_249;
const TURNS: u32 = 10;
const PERIOD: f32 = 5e-4;

/// Counts a turn of the encoder, as rad/s for a count in a period.
const COUNTS: f32 = 13_600.0;
const SPEED: f32 = core::f32::consts::TAU / COUNTS / PERIOD;

/// What the bridge is fed with, in V, the most that it gives, because its transistors need their time, and the motor's constant, in V s/rad.
const SUPPLY: f32 = 24.0;
const LIMIT: f32 = 23.0;
const CONSTANT: f32 = 0.1;

/// Speeds to go to, in rad/s, and how long each is held, in turns of the loop. The first is 487,000 counts a second.
const TARGETS: [f32; 4] = [225.0, -120.0, 60.0, 0.0];
const HELD: u32 = 600;

/// A speed controller: feed-forward of the motor's voltage, and what is missing by proportion and integral.
struct Controller {
    filtered: f32,
    integral: f32,
}

impl Controller {
    /// The voltage for a target, after so many counts in the last period.
    fn voltage(&mut self, target: f32, counts: i32) -> f32 {
        const PROPORTIONAL: f32 = 0.02;
        const INTEGRAL: f32 = 2.0 * PERIOD;
        const SMOOTHING: f32 = 0.2;
        self.filtered += SMOOTHING * (counts as f32 * SPEED - self.filtered);
        let error = target - self.filtered;
        let wanted = CONSTANT * target + PROPORTIONAL * error + self.integral;
        let voltage = wanted.clamp(-LIMIT, LIMIT);
        // No winding up at the limits.
        if voltage == wanted {
            self.integral += INTEGRAL * error;
        }
        voltage
    }
}

/// What a state machine counts of the tracks at GP6 and GP7, again and again.
type Decoder = Rx<(pac::PIO0, SM0)>;

/// Starts to count.
fn decode(pio: pac::PIO0, resets: &mut pac::RESETS) -> Option<Decoder> {
    // Both levels before and now say where to go on: 15 jumps, and the last case needs none. Upwards the first track leads.
    let (mut pio, machine, ..) = pio.split(resets);
    let program = pio_asm!(
        ".origin 0"
        "    jmp same"
        "    jmp up"
        "    jmp down"
        "    jmp same"
        "    jmp down"
        "    jmp same"
        "    jmp same"
        "    jmp up"
        "    jmp up"
        "    jmp same"
        "    jmp same"
        "    jmp down"
        "    jmp same"
        "    jmp down"
        "    jmp up"
        "same:"
        "    mov isr, x"
        "    push noblock"
        "    mov isr, null"
        "    in y, 2"
        "    in pins, 2"
        "    mov y, isr"
        "    mov pc, isr"
        "up:"
        "    mov x, ~x"
        "    jmp x-- up1"
        "up1:"
        "    mov x, ~x"
        "    jmp same"
        "down:"
        "    jmp x-- same"
        "    jmp same"
    );
    let installed = pio.install(&program.program).ok()?;
    let (mut machine, decoder, _) = PIOBuilder::from_installed_program(installed)
        .in_pin_base(6)
        .in_shift_direction(ShiftDirection::Left)
        .clock_divisor_fixed_point(8, 0)
        .build(machine);
    let set = |destination| InstructionOperands::SET {
        destination,
        data: 0,
    };
    for operands in [
        set(SetDestination::X),
        set(SetDestination::Y),
        InstructionOperands::JMP {
            condition: JmpCondition::Always,
            address: 15,
        },
    ] {
        machine.exec_instruction(Instruction {
            operands,
            delay: 0,
            side_set: None,
        });
    }
    // Nobody stops it.
    machine.start();
    Some(decoder)
}

/// The last count that the decoder gave: what waits is old.
fn count(decoder: &mut Decoder) -> i32 {
    while decoder.read().is_some() {}
    loop {
        if let Some(count) = decoder.read() {
            return count as i32;
        }
    }
}

#[rp2040_hal::entry]
fn main() -> ! {
    control();
    loop {
        cortex_m::asm::wfi();
    }
}

fn control() -> Option<()> {
    let mut chip = pac::Peripherals::take()?;
    let mut watchdog = Watchdog::new(chip.WATCHDOG);
    let clocks = init_clocks_and_plls(
        12_000_000,
        chip.XOSC,
        chip.CLOCKS,
        chip.PLL_SYS,
        chip.PLL_USB,
        &mut chip.RESETS,
        &mut watchdog,
    )
    .ok()?;
    let bank = Sio::new(chip.SIO).gpio_bank0;
    let pins = gpio::Pins::new(chip.IO_BANK0, chip.PADS_BANK0, bank, &mut chip.RESETS);
    let format = UartConfig::new(921_600.Hz(), DataBits::Eight, None, StopBits::One);
    let serial = UartPeripheral::new(
        chip.UART0,
        (pins.gpio0.into_function(), pins.gpio1.into_function()),
        &mut chip.RESETS,
    );
    let serial = serial.enable(format, clocks.peripheral_clock.freq()).ok()?;

    let mut pwm = Slices::new(chip.PWM, &mut chip.RESETS).pwm0;
    pwm.set_top(TOP);
    let _ = pwm.channel_a.set_duty_cycle(TOP.div_ceil(2));
    pwm.channel_a.output_to(pins.gpio16);
    pwm.enable();

    let mut decoder = decode(chip.PIO0, &mut chip.RESETS)?;
    pins.gpio6.into_pull_down_input();
    pins.gpio7.into_pull_down_input();

    let mut controller = Controller {
        filtered: 0.0,
        integral: 0.0,
    };
    let (mut before, mut turn) = (0, 0_u32);
    loop {
        for _ in 0..TURNS {
            while !pwm.has_overflown() {}
            pwm.clear_interrupt();
        }
        let now = count(&mut decoder);
        let target = TARGETS[(turn / HELD) as usize % TARGETS.len()];
        let voltage = controller.voltage(target, now.wrapping_sub(before));
        let duty = (0.5 + 0.5 * voltage / SUPPLY) * f32::from(TOP + 1);
        let _ = pwm.channel_a.set_duty_cycle(duty as u16);
        let _ = serial.write_raw(&now.to_le_bytes());
        (before, turn) = (now, turn.wrapping_add(1));
    }
}

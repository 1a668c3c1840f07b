//! Inputs and outputs at the pins: how inputs are held, how outputs go on between steps, what pins can show.

use embedded_hal::pwm::{ErrorType, SetDutyCycle};
use embedded_hal::spi;
use std::convert::Infallible;
use stiffstep::hil::pins::{Dac, Drive, Pins, Pwm};
use stiffstep::hil::protocol::Change;
use stiffstep::hil::{Allowance, Fault, Hold, Pace, Range, Rig, Serving, Session, Setup};
use stiffstep_host_tests::hil::desk::Clock;
use stiffstep_host_tests::hil::reference::by_name;
use stiffstep_plants::rigs::{ITERATIONS, NAMES, setup};

#[test]
fn holds_are_what_they_say() {
    assert_eq!(Hold::Zero.over(1.0, 3.0), 3.0);
    // From 1 to 3 in the last step, so from 3 to 5 in this one: 4 in the mean.
    assert_eq!(Hold::First.over(1.0, 3.0), 4.0);
}

/// Healed and stuck again before the next step: it shows what it showed.
#[test]
fn a_sensor_sticks_at_what_it_showed() {
    let mut rig = stiffstep_plants::rigs::rlc(1e-3).unwrap();
    let step = |rig: &mut dyn Rig| {
        rig.step(&[1.0], &mut Allowance::new(2, &mut || false))
            .unwrap();
        rig.outputs()[0]
    };
    let shown = step(&mut rig);
    assert_ne!(shown, 0.0);
    let stuck = Change::Fault(Fault::Stuck { output: 0 });
    for change in [&stuck, &Change::Heal, &stuck] {
        rig.apply(change).unwrap();
    }
    assert_eq!(step(&mut rig), shown);
    rig.apply(&Change::Heal).unwrap();
    assert_ne!(step(&mut rig), shown);
}

#[test]
fn pins_show_what_they_can() {
    let range = Range::new(-10.0, 30.0);
    assert_eq!(range.at(0.25), 0.0);
    assert_eq!(range.part(0.0), 0.25);
    assert_eq!((range.part(-99.0), range.part(99.0)), (0.0, 1.0));
    assert_eq!(range.part(f32::NAN), 0.0);

    struct Channel(u16);
    impl ErrorType for Channel {
        type Error = Infallible;
    }
    impl SetDutyCycle for Channel {
        fn max_duty_cycle(&self) -> u16 {
            1_000
        }
        fn set_duty_cycle(&mut self, duty: u16) -> Result<(), Infallible> {
            self.0 = duty;
            Ok(())
        }
    }
    let mut pwm = Pwm(Channel(0));
    for (part, duty) in [(0.0, 0), (0.25, 250), (1.0, 1_000)] {
        pwm.drive(part);
        assert_eq!(pwm.0.0, duty);
    }

    struct Bus(Vec<u8>);
    impl spi::ErrorType for Bus {
        type Error = Infallible;
    }
    impl spi::SpiDevice for Bus {
        fn transaction(&mut self, all: &mut [spi::Operation<'_, u8>]) -> Result<(), Infallible> {
            for operation in all {
                if let spi::Operation::Write(bytes) = operation {
                    self.0.extend_from_slice(bytes);
                }
            }
            Ok(())
        }
    }
    let mut dac = Dac {
        device: Bus(Vec::new()),
        second: false,
    };
    for (part, second) in [(0.0, false), (0.5, false), (1.0, true)] {
        dac.second = second;
        dac.drive(part);
    }
    assert_eq!(dac.device.0, [0x30, 0x00, 0x38, 0x00, 0xBF, 0xFF]);
}

/// A loop that is late by so many periods says so, and is in step again after that.
#[test]
fn missed_periods_are_counted() {
    let mut session = Session::new(by_name("rlc", 1e-3).unwrap(), setup("desk", true));
    let (clock, mut pins) = (Clock::new(1_000), Recorder::default());
    let mut serving = Serving::new(&clock);
    let mut counted = Vec::new();
    for late in [0, 3, 0, 7, 1, 0] {
        // To the middle of a period, which lies so many behind the next one.
        let period = clock.period();
        clock.wait((1 + late) * period + period / 2 - clock.at() % period);
        counted.push(serving.turn(&mut session, &clock, &mut pins));
    }
    assert_eq!(counted, [0, 3, 0, 7, 1, 0].map(Some));
    assert_eq!(session.supervision().counters.missed, 11);
}

/// Four values a period are those of steps that are four times as short, as far as the plant is resolved.
#[test]
fn outputs_between_steps_are_those_of_shorter_steps() {
    for name in NAMES {
        let (h, parts) = (1e-3, 4);
        let mut coarse = by_name(name, h).unwrap();
        let mut fine = by_name(name, h / parts as f32).unwrap();
        let inputs = vec![0.4; usize::from(coarse.about().counts[0])];
        let mut never = || false;
        let mut step = |rig: &mut dyn Rig| {
            rig.step(&inputs, &mut Allowance::new(ITERATIONS, &mut never))
                .unwrap();
        };
        // Until the beginning, which both resolve differently, is over.
        for _ in 0..200 {
            step(&mut *coarse);
            (0..parts).for_each(|_| step(&mut *fine));
        }
        let scale: Vec<f32> = coarse.outputs().iter().map(|y| y.abs().max(0.1)).collect();
        for _ in 0..20 {
            step(&mut *coarse);
            for part in 1..=parts {
                step(&mut *fine);
                coarse.between(part as f32 / parts as f32, &mut |i, y| {
                    let error = (y - fine.outputs()[i]).abs() / scale[i];
                    assert!(error < 2e-2, "{name}, output {i}, part {part}: {error:e}");
                });
            }
            coarse.between(1.0, &mut |i, y| {
                let off = (y - coarse.outputs()[i]).abs();
                assert!(off <= 1e-5 * scale[i], "{name}, output {i}");
            });
        }
    }
}

/// What was driven, and inputs that grow.
#[derive(Default)]
struct Recorder {
    driven: Vec<f32>,
    fed: u32,
}

impl Pins for Recorder {
    fn read(&mut self, input: usize) -> Option<f32> {
        (input == 0).then_some(0.5 + 1e-3 * self.fed as f32)
    }
    fn write(&mut self, output: usize, part: f32) {
        if output == 0 {
            self.driven.push(part);
        }
    }
    fn alive(&mut self) {
        self.fed += 1;
    }
}

/// The loop drives as often as it was told, and reads, holds and scales the inputs.
#[test]
fn the_loop_drives_and_reads_the_pins() {
    for drives in [1, 4] {
        let setup = Setup {
            drives,
            hold: Hold::First,
            ..setup("desk", true)
        };
        let mut session = Session::new(by_name("rlc", 1e-3).unwrap(), setup);
        let (clock, mut pins) = (Clock::new(1_000), Recorder::default());
        let mut serving = Serving::new(&clock);
        while session.rig().steps() < 50 {
            serving.turn(&mut session, &clock, &mut pins);
        }
        assert_eq!(pins.fed, 50);
        let expected = 49 * usize::from(drives) + 1;
        assert_eq!(pins.driven.len(), expected, "{drives}");
        // 50 steps on, the pin stands at 0.55 of -5 to 5 V and has risen by 10 mV a step.
        let input = session.rig().inputs()[0];
        assert!((input - (0.5 + 0.005)).abs() < 1e-4, "{input}");
        let rising = pins.driven.windows(2).all(|pair| pair[1] >= pair[0]);
        assert!(rising, "a rising input");
    }
}

//! A plant inside an RTIC application: a task of high priority steps a model of the motor every millisecond, with the voltage that the
//! controller has set, so that speed and current are known without sensors. Nothing but the library is needed: no session, no link.
#![no_std]
#![no_main]
// RTIC's macros write code without documentation, and use unsafe for their locks.
#![allow(missing_docs, unsafe_code)]

use panic_halt as _;

#[rtic::app(device = stm32f4xx_hal::pac, dispatchers = [EXTI0])]
mod app {
    use cortex_m::peripheral::syst::SystClkSource;
    use stiffstep::Simulation;
    use stiffstep::prelude::RadauIIA;
    use stiffstep::step::FirstOrderStepper;
    use stiffstep_plants::dc_motor::DcMotor;
    use stm32f4xx_hal::prelude::*;
    use stm32f4xx_hal::rcc::Config;

    /// The period, in s.
    const STEP: f32 = 1e-3;

    type Motor = Simulation<FirstOrderStepper<f32, DcMotor, RadauIIA<2>, 4, 2, 2>>;

    #[shared]
    struct Shared {
        /// What the bridge gives, in V.
        voltage: f32,
        /// What the model says: current, speeds of motor and load, twist.
        states: [f32; 4],
    }

    #[local]
    struct Local {
        motor: Option<Motor>,
        steps: u32,
    }

    #[init]
    fn init(context: init::Context) -> (Shared, Local) {
        // From the chip's RC oscillator: QEMU has no other, and an observer on a board wants the crystal. QEMU's timer does not care.
        let rcc = context.device.RCC.freeze(Config::hsi());
        let clock = if cfg!(feature = "qemu") {
            168_000_000
        } else {
            rcc.clocks.hclk().raw()
        };
        let mut timer = context.core.SYST;
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(clock / 1_000 - 1);
        timer.clear_current();
        timer.enable_counter();
        timer.enable_interrupt();
        let start = [0.0; 4].into();
        let shared = Shared {
            voltage: 0.0,
            states: [0.0; 4],
        };
        let motor = Simulation::new(DcMotor::SERVO, RadauIIA::<2>, STEP, start).ok();
        (shared, Local { motor, steps: 0 })
    }

    /// The model's period. A step that fails leaves the model where it was.
    #[task(binds = SysTick, shared = [voltage, states], local = [motor, steps], priority = 2)]
    fn period(mut context: period::Context) {
        let voltage = context.shared.voltage.lock(|voltage| *voltage);
        let Some(motor) = context.local.motor else {
            return;
        };
        motor.input = [voltage, 0.0].into();
        let _ = motor.step();
        let x = motor.state();
        let states = [x[0], x[1], x[2], x[3]];
        context.shared.states.lock(|shared| *shared = states);
        *context.local.steps += 1;
        // Whoever is still busy misses this one.
        let _ = control::spawn(*context.local.steps);
    }

    /// The controller, of low priority: two voltages in turns, where yours would look at the states.
    #[task(shared = [voltage, states], priority = 1)]
    async fn control(mut context: control::Context, step: u32) {
        let voltage = if (step / 100).is_multiple_of(2) {
            12.0
        } else {
            -6.0
        };
        context.shared.voltage.lock(|shared| *shared = voltage);
        #[cfg(feature = "qemu")]
        if step == 1_000 {
            let states = context.shared.states.lock(|states| *states);
            for state in states {
                semihosting::println!("{:08x}", state.to_bits());
            }
            semihosting::process::exit(0);
        }
        #[cfg(not(feature = "qemu"))]
        context.shared.states.lock(|_| ());
    }
}

//! How modes are numbered: by what every device does, a digit a device.

use super::super::network::{Digit, Network};
use super::Keys;

/// In how many ways a device can conduct or not; of a bridge leg the lower device stands for both.
fn radix<const S: usize>(network: &Network<'_, S>) -> impl Iterator<Item = u16> {
    network.devices().map(|device| match device.leg {
        1 => 1,
        2 if device.gate.is_some() => 5,
        2 => 3,
        _ => 1 + u16::from(device.diode) + u16::from(device.gate.is_some()),
    })
}

pub(super) fn mode_count<const S: usize>(network: &Network<'_, S>) -> usize {
    let product = |sum: usize, radix: u16| sum.saturating_mul(usize::from(radix));
    radix(network).fold(1, product)
}

pub(super) fn keys<const S: usize, const Y: usize>(network: &Network<'_, S>) -> Keys<Y> {
    let mut keys = Keys {
        weight: [[0; 2]; Y],
        gate: [0; Y],
        partner: [0; Y],
        opposite: [0; Y],
    };
    let mut weight = 1_u16;
    for (k, (device, radix)) in network.devices().zip(radix(network)).enumerate().take(Y) {
        keys.gate[k] = device.gate.map_or(0, |gate| 1 << gate);
        // In a leg 1 and 2 are the diodes, 3 and 4 the channels.
        let diode = u16::from(device.leg.max(1));
        let channel = diode
            + if device.leg > 0 {
                2
            } else {
                u16::from(device.diode)
            };
        keys.weight[k] = [diode.wrapping_mul(weight), channel.wrapping_mul(weight)];
        if device.leg == 2 && k > 0 {
            (keys.partner[k], keys.partner[k - 1]) = (1 << (k - 1), 1 << k);
            (keys.opposite[k], keys.opposite[k - 1]) = (keys.gate[k - 1], keys.gate[k]);
        }
        weight = weight.wrapping_mul(radix);
    }
    keys
}

/// What every device does in a mode.
pub(super) fn digits<const S: usize>(network: &Network<'_, S>, index: usize) -> [Digit; S] {
    let mut digits = [Digit::Off; S];
    let mut rest = index;
    for (k, (device, radix)) in network.devices().zip(radix(network)).enumerate() {
        let digit = rest % usize::from(radix);
        rest /= usize::from(radix);
        if device.leg == 2 && k > 0 {
            let conducting = if digit > 2 {
                Digit::Channel
            } else {
                Digit::Diode
            };
            match digit {
                1 | 3 => digits[k - 1] = conducting,
                2 | 4 => digits[k] = conducting,
                _ => {}
            }
        } else if device.leg == 0 {
            digits[k] = match digit {
                0 => Digit::Off,
                1 if device.diode => Digit::Diode,
                _ => Digit::Channel,
            };
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::super::super::{Circuit, Conduction};
    use super::{Digit, digits, keys, mode_count};

    const DEVICE: Conduction = Conduction {
        resistance: 1.0,
        forward: 0.0,
    };

    /// A diode, a switch, a transistor, a leg with gates and one without.
    fn all_kinds<'a>() -> Circuit<'a, 24> {
        Circuit::new()
            .source("in", "0")
            .diode("in", "a", DEVICE)
            .switch("in", "a", 0, 1.0)
            .transistor("in", "a", 1, DEVICE)
            .resistor("a", "0", 1.0)
            .bridge_leg(("in", "0"), "b", (2, 3), DEVICE)
            .resistor("b", "0", 1.0)
            .rectifier_leg(("in", "0"), "c", DEVICE)
            .resistor("c", "0", 1.0)
    }

    /// Two, two, three, five and three digits.
    #[test]
    fn there_is_a_digit_for_whatever_a_device_does() {
        let Ok(network) = all_kinds().network() else {
            unreachable!();
        };
        assert_eq!(mode_count(&network), 2 * 2 * 3 * 5 * 3);
        let keys = keys::<24, 7>(&network);
        let weights = [
            [1, 2],
            [2, 2],
            [4, 8],
            [12, 36],
            [24, 48],
            [60, 180],
            [120, 240],
        ];
        assert_eq!(keys.weight, weights);
        assert_eq!(keys.gate, [0, 1, 2, 4, 8, 0, 0]);
        assert_eq!(keys.partner, [0, 0, 0, 16, 8, 64, 32]);
        assert_eq!(keys.opposite, [0, 0, 0, 8, 4, 0, 0]);
    }

    /// The weights of what conducts add up to the number, whatever the number is.
    #[test]
    fn digits_are_those_of_the_number() {
        let Ok(network) = all_kinds().network() else {
            unreachable!();
        };
        let weights = keys::<24, 7>(&network).weight;
        for index in 0..mode_count(&network) {
            let digits = digits(&network, index);
            let sum: u16 = (0..7)
                .map(|k| match digits[k] {
                    Digit::Off => 0,
                    Digit::Diode => weights[k][0],
                    Digit::Channel => weights[k][1],
                })
                .sum();
            assert_eq!(usize::from(sum), index);
            assert_ne!(digits[1], Digit::Diode);
            assert!(digits[3] == Digit::Off || digits[4] == Digit::Off);
        }
    }
}
